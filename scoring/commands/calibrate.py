"""Choose threshold and noise so that named risks are certified on simulated competitions.

Every candidate threshold meets the same competitions: honest teams whose habits differ from
competition to competition, an attacker with one account and one with many (--accounts) that probe
with random files and climb by blocks of rows. A candidate is certified when Learn-then-Test rejects
"some risk is too large" (fixed sequence and Bonferroni, half of delta each); among the certified
the one is chosen under which honest teams reach most. The promise holds for competitions like the
simulated ones: a stronger attacker is not covered.

risks (--risk NAME[=ALPHA[@LIMIT]], may be repeated; all must hold together):
  worst   chance that some shown score, attackers' included, is off by more than LIMIT
  attack  chance that an attacker is shown more than LIMIT above its worth
  rank    mean disagreement between shown and true order of honest teams
  error   mean error of honest teams' shown scores as a share of LIMIT
default: attack=0.1 and rank=0.1, with LIMIT 1.9/sqrt(n). Use a risk of the board's use together
with one of its protection: either alone is met by a useless rule.

examples:
  python -m scoring calibrate --n 4000
  python -m scoring calibrate --n 1000 --risk worst=0.1@0.08 --risk rank=0.15 --json
  python -m scoring calibrate --n 4000 --c 3 --c 4 --c 5 --noise 0.25 --noise 0.5

Exit code 1 when no candidate is certified.
"""

import argparse
import json
import sys

from scoring.release import resolution
from scoring.study.calibrate import (
    LEAST_COMPETITIONS,
    LOSSES,
    MOST_CANDIDATES,
    Calibration,
    Demand,
    Scenario,
    calibrate,
    in_order,
    safest_threshold,
    usual,
)

THRESHOLDS = (2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0, 6.0)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--n", type=int, required=True, help="public rows")
    parser.add_argument("--rule", choices=("gate", "gate_paired"), default="gate")
    parser.add_argument("--risk", action="append", help="NAME[=ALPHA[@LIMIT]], see above")
    parser.add_argument("--delta", type=float, default=0.05, help="error of the certificate (0.05)")
    parser.add_argument("--c", action="append", type=float, help="thresholds in standard errors")
    parser.add_argument("--noise", action="append", type=float, help="noise of a new score (0.5)")
    parser.add_argument("--competitions", type=int, default=LEAST_COMPETITIONS)
    parser.add_argument("--teams", type=int, default=12, help="honest teams (12)")
    parser.add_argument("--files", type=int, default=25, help="of an honest team (25)")
    parser.add_argument("--attack-files", type=int, default=200, help="of the single attacker")
    parser.add_argument("--accounts", type=int, default=100, help="of the other attacker (100)")
    parser.add_argument("--sybil-files", type=int, default=1000, help="from those accounts (1000)")
    parser.add_argument(
        "--honest-sybils",
        action="store_true",
        help="also many accounts that start from an honest model; row by row, many minutes",
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    counts = (args.teams, args.files, args.attack_files, args.accounts, args.sybil_files)
    if args.n < 20 or min(counts) < 1 or args.teams < 2 or args.competitions < 10:
        return _usage("--n is at least 20, --teams 2, --competitions 10, other numbers 1")
    if not 0 < args.delta < 1 or min([*(args.c or [1]), *(args.noise or [1])]) <= 0:
        return _usage("--delta lies between 0 and 1; --c and --noise are above 0")
    try:
        demands = [_demand(text, args.n) for text in args.risk or ["attack", "rank"]]
    except ValueError as error:
        return _usage(str(error))
    scenario = Scenario(
        args.n,
        args.teams,
        args.files,
        args.attack_files,
        args.accounts,
        args.sybil_files,
        args.honest_sybils,
    )
    candidates = in_order(args.c or THRESHOLDS, args.noise or [0.5], safest_threshold(scenario))
    if len(candidates) > MOST_CANDIDATES or args.competitions < LEAST_COMPETITIONS:
        print(
            f"More than {MOST_CANDIDATES} candidates or fewer than {LEAST_COMPETITIONS} "
            "competitions: good settings may stay uncertified.",
            file=sys.stderr,
        )
    found = calibrate(
        args.rule,
        scenario,
        demands,
        candidates,
        competitions=args.competitions,
        delta=args.delta,
        seed=args.seed,
    )
    print(json.dumps(found.to_dict(), indent=1) if args.json else described(found))
    return 0 if found.choice else 1


def _usage(sentence: str) -> int:
    print(sentence, file=sys.stderr)
    return 2


def _demand(text: str, n: int) -> Demand:
    name, _, rest = text.partition("=")
    alpha, _, limit = rest.partition("@")
    if name not in LOSSES:
        raise ValueError(f"there is no risk {name!r}: {', '.join(LOSSES)}")
    try:
        made = usual(name, n, float(alpha) if alpha else None, float(limit) if limit else None)
    except ValueError:
        raise ValueError(f"--risk {text}: ALPHA and LIMIT are numbers") from None
    if not 0 < made.alpha < 1 or (made.limit is not None and made.limit <= 0):
        raise ValueError(f"--risk {text}: ALPHA lies between 0 and 1, LIMIT is above 0")
    return made


def described(found: Calibration) -> str:
    """A calibration as text, candidates in the order of testing."""
    names = [demand.name for demand in found.demands]
    head = "".join(f"{name:>10}{'p':>10}" for name in names)
    lines = [
        f"{found.rule}, {found.scenario.n:,} public rows, "
        f"{found.certificate.losses:,} competitions, seed {found.seed}",
        *(f"  {demand.name} at most {demand.alpha:g}{_limit(demand)}" for demand in found.demands),
        f"{'candidate':<22}{head}{'reach':>9}{'scores':>8}",
    ]
    for row in found.table:
        cells = "".join(
            f"{row['risks'][name]:>10.3f}{row['p_values'][name]:>10.2g}" for name in names
        )
        mark = "  certified" if row["certified"] else ""
        lines.append(
            f"{row['candidate']:<22}{cells}{row['true_accuracy_reached']:>9.3f}"
            f"{row['new_scores_a_team']:>8.1f}{mark}"
        )
    lines.append(found.certificate.covers)
    if found.choice:
        settings = found.choice.settings(found.rule, found.scenario.n)
        lines.append(
            f"Chosen: {found.choice}. For an accuracy on these rows: tau {settings.tau:.4g}, noise "
            f"{settings.sigma_value} on a new score, display grid {settings.grid}, resolution "
            f"{resolution(settings)}."
        )
    return "\n".join(lines)


def _limit(demand: Demand) -> str:
    return "" if demand.limit is None else f", limit {demand.limit:.4g}"
