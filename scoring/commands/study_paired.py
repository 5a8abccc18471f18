"""Compare the paired gate with the gate, under every attack of the study and for honest teams."""

import argparse
import json

from scoring.study import paired

DESCRIPTION = """\
Play every attack of the study against the gate and the paired gate at equal thresholds, with one
account and with many, and let honest teams work under both. Prints the gains in standard errors of
the ruler, the cells in which the paired gate lets an attack gain more, and the verdict for each
threshold. Seeds are fixed: the same options print the same figures.

The whole study takes about half an hour of processor time; --quick half a minute, and shows the
direction only.

examples:
  python -m scoring study_paired --jobs 2
  python -m scoring study_paired --rows 1000 --thresholds 1.5
  python -m scoring study_paired --cap 10 --value-noise 0.5      a more careful paired gate
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = DESCRIPTION
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000, 4_000, 10_000])
    parser.add_argument("--thresholds", type=float, nargs="+", default=[1.5, 2.0, 3.0])
    parser.add_argument("--accounts", type=int, nargs="+", default=[1, paired.MANY])
    parser.add_argument(
        "--repetitions",
        type=int,
        nargs=2,
        metavar=("ALONE", "MANY"),
        help="of a cell with one account and with many (16 4)",
    )
    parser.add_argument("--seasons", type=int, default=60, help="of honest teams (60)")
    parser.add_argument("--attacks", nargs="+", help="only attacks whose name holds one of these")
    parser.add_argument("--cap", type=int, help="new scores a team (default 25)")
    parser.add_argument("--value-noise", type=float, help="in standard errors (default 1/4)")
    parser.add_argument("--floor", type=float, help="least spread, in standard errors (0.3)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="processes (default 1)")
    parser.add_argument("--quick", action="store_true", help="1,000 rows, 12 accounts, c = 1.5")
    parser.add_argument("--json", action="store_true", help="print records instead of tables")


def run(args: argparse.Namespace) -> int:
    changes = {"cap": args.cap, "value_noise": args.value_noise, "floor": args.floor}
    options = {
        "sizes": args.rows,
        "thresholds": args.thresholds,
        "accounts": args.accounts,
        "seed": args.seed,
        "seasons": args.seasons,
        "jobs": args.jobs,
        "changes": {name: value for name, value in changes.items() if value is not None},
    }
    if args.repetitions:
        options["repetitions"] = tuple(args.repetitions)
    if args.attacks:
        wanted = [a for a in paired.ATTACKS if any(part in a.name for part in args.attacks)]
        options["chosen"] = wanted
    if args.quick:
        options |= {"sizes": [1_000], "thresholds": [1.5], "accounts": [1, 12]}
        options |= {"repetitions": (4, 2), "seasons": 10}
    cells, seasons = paired.run(**options)
    if args.json:
        print(json.dumps(_records(cells, seasons), indent=1))
    else:
        _print_attacks(cells)
        _print_honest(seasons)
        _print_verdict(cells, seasons)
    return 0


def _records(cells, seasons) -> dict:
    return {
        "attacks": [
            {
                "attack": cell.attack,
                "rows": cell.n,
                "accounts": cell.accounts,
                "c": cell.c,
                "ruler": round(cell.ruler, 6),
                "gate": round(cell.mean("gate"), 3),
                "gate_paired": round(cell.mean("gate_paired"), 3),
                "difference_error": round(cell.difference[1], 3),
                "holds": cell.holds,
            }
            for cell in cells
        ],
        "honest": [
            {
                "rows": season.n,
                "c": season.c,
                "holds": season.holds,
                **{
                    rule: [round(float(x), 4) for x in rows.mean(axis=0)]
                    for rule, rows in season.results.items()
                },
            }
            for season in seasons
        ],
        "passes": {str(c): passed for c, passed in paired.verdict(cells, seasons).items()},
    }


def _print_attacks(cells) -> None:
    print("Gain of an attack in standard errors of the ruler: gate / paired gate")
    thresholds = sorted({cell.c for cell in cells})
    for n, accounts in sorted({(cell.n, cell.accounts) for cell in cells}):
        print(f"\n{n:,} rows, {accounts} account{'s' * (accounts > 1)}")
        print(f"{'attack':<24}" + "".join(f"{f'c = {c:g}':>24}" for c in thresholds))
        here = [cell for cell in cells if (cell.n, cell.accounts) == (n, accounts)]
        for attack in dict.fromkeys(cell.attack for cell in here):
            row = sorted((cell for cell in here if cell.attack == attack), key=lambda cell: cell.c)
            print(f"{attack:<24}" + "".join(f"{_text(cell):>24}" for cell in row))


def _text(cell) -> str:
    mark = "" if cell.holds else " *"
    found, plain = cell.mean("gate_paired"), cell.mean("gate")
    return f"{plain:.2f} / {found:.2f} ({cell.difference[1]:.2f}){mark}"


def _print_honest(seasons) -> None:
    print("\nHonest teams: true accuracy reached, mean error of a shown score, new scores a team")
    for season in seasons:
        parts = [
            f"{rule} {rows[:, 0].mean():.4f} {rows[:, 1].mean():.4f} {rows[:, 2].mean():.1f}"
            for rule, rows in season.results.items()
        ]
        found, error = season.difference
        print(f"{season.n:>7,} c = {season.c:<4g} {'; '.join(parts)}; {found:+.4f} ({error:.4f})")


def _print_verdict(cells, seasons) -> None:
    print("\nIn brackets: standard error of the difference. * paired gate gains more.")
    for c, passed in paired.verdict(cells, seasons).items():
        count = sum(not cell.holds for cell in cells if cell.c == c)
        total = sum(cell.c == c for cell in cells)
        print(f"c = {c:g}: {'passes' if passed else 'FAILS'}, {count} of {total} cells worse")
