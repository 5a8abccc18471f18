"""Play honest teams and attackers against release rules, before anybody relies on one.

Attackers who know nothing (true score 0.5), except where said:
  probe          random files, then one combined of those that were answered: by majority
                 (boosting) and by weight (regression)
  climb          flip blocks of rows of the best file, blocks of two rows up to half of all
  sybils         the same from many accounts
  honest-sybils  many accounts that start from an honest model of accuracy 0.75, spoil it and
                 climb back in steps as small as the rule allows; regression of all answers
  lucky          variants of one honest model: the best shown one is luck
  oracle         labels read out of log loss and of ROC AUC, a few with each file

For each: the best shown score minus the true one, the final file's public minus its true score,
the share of public labels the attacker ends up with, and the scores given. For honest teams (12
with 25 files each, a toy competition): the true accuracy they reach, the mean error of what is
shown, the disagreement between shown and true order (0 none, 0.5 no relation).

Rules are compared with a threshold of --c standard errors of an accuracy on --n rows and their
usual noise. Your own settings, of any metric, are read from --settings and scaled by their ruler.

examples:
  python -m scoring simulate --rule gate --n 1000 --n 4000 --n 10000
  python -m scoring simulate --rule all --attack probe --attack climb
  python -m scoring simulate --settings release.json --n 4000 --accounts 1000 --files 10000
"""

import argparse
import json
import sys
from pathlib import Path

from scoring.errors import BadSettings
from scoring.release.catalogue import names
from scoring.release.settings import ReleaseSettings
from scoring.study.simulate import ATTACKS, Contest, Report, in_accuracy, settings_for, simulate


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--rule", action="append", choices=(*names(), "all"), help="may be repeated; default gate"
    )
    parser.add_argument("--settings", type=Path, help="JSON of release settings, instead of --rule")
    parser.add_argument(
        "--n", action="append", type=int, help="public rows; may be repeated; default 4000"
    )
    parser.add_argument("--c", type=float, default=3.0, help="threshold in standard errors (3)")
    parser.add_argument("--cap", type=int, help="new scores of an account (default: as usual)")
    parser.add_argument(
        "--attack", action="append", choices=tuple(ATTACKS), help="may be repeated; default all"
    )
    parser.add_argument("--files", type=int, default=1000, help="of an attacker in all (1000)")
    parser.add_argument("--accounts", type=int, default=100, help="of the sybils (100)")
    parser.add_argument("--repetitions", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--no-honest", action="store_true", help="leave the honest teams out")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    sizes = args.n or [4000]
    if min(*sizes, args.files, args.accounts, args.repetitions) < 1 or args.c <= 0:
        print("numbers must be 1 or more, and --c above 0", file=sys.stderr)
        return 2
    if min(sizes) < 20:
        print("a public set of fewer than 20 rows cannot be studied", file=sys.stderr)
        return 2
    contest = Contest(args.files, args.accounts, args.repetitions, seed=args.seed)
    reports = [
        simulate(
            settings,
            n,
            attacks=args.attack or tuple(ATTACKS),
            honest=not args.no_honest,
            contest=contest,
        )
        for n in sizes
        for settings in _settings(args, n)
    ]
    if args.json:
        print(json.dumps([report.to_dict() for report in reports], indent=1))
    else:
        print("\n\n".join(described(report) for report in reports))
    return 0


def _settings(args: argparse.Namespace, n: int) -> list[ReleaseSettings]:
    if args.settings:
        try:
            read = json.loads(args.settings.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise BadSettings({"settings": f"{args.settings} cannot be read: {error}."}) from error
        return [in_accuracy(ReleaseSettings.from_dict(read).validate(), n)]
    chosen = args.rule or ["gate"]
    cap = {} if args.cap is None else {"cap": args.cap}
    rules = names() if "all" in chosen else chosen
    return [settings_for(rule, n=n, c=args.c, **cap) for rule in rules]


def described(report: Report) -> str:
    """A report as a table."""
    settings = report.settings
    facts = [f"{settings.rule}, {report.n:,} public rows"]
    if settings.tau:
        facts.append(f"tau {settings.tau:.4g}, value noise {settings.sigma_value:.2g}")
    head = f"{'attack':<26}{'files':>8}{'accounts':>10}{'shown-true':>12}{'public-true':>13}"
    lines = [", ".join(facts), head + f"{'labels':>9}{'scores':>9}"]
    for finding in report.findings:
        row = finding.to_dict()
        lines.append(
            f"{row['attack']:<26}{row['files']:>8,}{row['accounts']:>10,}"
            f"{row['shown_minus_true']:>+12.4f}{row['public_minus_true']:>+13.4f}"
            f"{row['labels_right']:>9.3f}{row['released']:>9.1f}"
        )
    if report.honest:
        row = report.honest.to_dict()
        error = row["mean_error_of_shown"]
        lines.append(
            f"honest teams reach {row['true_accuracy_reached']:.3f}; "
            f"{row['new_scores_a_team']:.1f} new scores a team; mean error of a shown score "
            f"{'-' if error is None else format(error, '.4f')}; "
            f"rank disagreement {row['rank_disagreement']:.3f}"
        )
    return "\n".join(lines)
