"""Reproduce the reusable-holdout experiment: features chosen on the set that judges them.

Choose features with a holdout set that is asked again and again, once naively and once through
Thresholdout, on data without any signal and on data with some informative features. Prints mean
(standard deviation) of the accuracy on the training set, on the holdout as answered and on fresh
data; with --out, writes the numbers as CSV and the figures as PNG.

sizes:
  standard  2,000 + 2,000 rows, 2,000 features, 100 repetitions (about 20 s)
  science   10,000 + 10,000 rows, 10,000 features, 20 repetitions (about 25 s)
  quick     1,000 + 1,000 rows, 1,000 features, 20 repetitions (a second)

examples:
  python -m scoring experiment --out figures/
  python -m scoring experiment --size science
  python -m scoring experiment --sweep --repetitions 40 --out figures/
  python -m scoring experiment --check          the acceptance test; exit code 1 if it fails
"""

import argparse
import csv
import json
import sys
from pathlib import Path

from scoring.study import experiment, figures


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--size", choices=sorted(experiment.SIZES), default="standard")
    parser.add_argument(
        "--signal",
        choices=("none", "some", "both"),
        default="both",
        help="data without signal, with informative features, or both (default)",
    )
    parser.add_argument("--tau", type=float, help="threshold (default 4/sqrt(n)); noise is tau/4")
    parser.add_argument("--sweep", action="store_true", help="also try nine values of tau")
    parser.add_argument("--repetitions", type=int, help="default: as the size says")
    parser.add_argument("--seed", type=int, default=1, help="default 1")
    parser.add_argument("--out", type=Path, help="folder for experiment.csv and the PNG figures")
    parser.add_argument(
        "--literal",
        action="store_true",
        help="draw every row of every feature; the same law, 10 to 50 times slower",
    )
    parser.add_argument(
        "--check",
        action="store_true",
        help="test the standard size without signal against what the experiment is known for",
    )
    parser.add_argument("--json", action="store_true", help="print records instead of tables")


def run(args: argparse.Namespace) -> int:
    if args.check and (args.size != "standard" or args.tau or args.signal == "some"):
        print("--check is about --size standard without signal, at the usual tau", file=sys.stderr)
        return 2
    if (args.tau is not None and args.tau <= 0) or (args.repetitions or 2) < 2:
        print("tau must be above 0 and repetitions at least 2", file=sys.stderr)
        return 2
    size = experiment.SIZES[args.size]
    signals = {"none": (0,), "some": (size.informative,), "both": (0, size.informative)}
    taus = [None, args.tau or 0.0, *(experiment.SWEEP if args.sweep else ())]
    groups = [
        experiment.run(
            size,
            signal=signal,
            taus=taus,
            repetitions=args.repetitions,
            seed=args.seed,
            literal=args.literal,
        )
        for signal in signals[args.signal]
    ]
    records = [row for group in groups for curve in group for row in curve.rows()]
    criteria = experiment.acceptance(*groups[0][:2]) if args.check else []
    written = _write(groups, records, args.out) if args.out else []
    if args.json:
        print(json.dumps(_report(args, records, criteria, written), indent=1))
    else:
        _print(groups, criteria, written)
        print(f"\n{groups[0][0].accuracy.shape[1]} repetitions, seed {args.seed}")
    return 0 if all(criterion.holds for criterion in criteria) else 1


def _report(args, records, criteria, written) -> dict:
    checks = [
        {"text": c.text, "found": round(c.found, 4), "from": c.low, "to": c.high, "holds": c.holds}
        for c in criteria
    ]
    files = [str(path) for path in written]
    return {"size": args.size, "seed": args.seed, "rows": records, "checks": checks, "files": files}


def _write(groups, records, folder: Path) -> list[Path]:
    folder.mkdir(parents=True, exist_ok=True)
    table = folder / "experiment.csv"
    with table.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, fieldnames=list(records[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(records)
    pairs = [(group[0], group[1]) for group in groups]
    written = [table, figures.experiment_figure(pairs, folder / "experiment.png")]
    if len(groups[0]) > 2:
        swept = [[group[0], *group[2:]] for group in groups]
        written.append(figures.sweep_figure(swept, folder / "sweep.png"))
    return written


def _print(groups, criteria, written) -> None:
    for group in groups:
        signal = group[0].signal
        print(f"\n{f'{signal} informative features' if signal else 'No signal'}")
        _print_curves(group[:2])
        if len(group) > 2:
            _print_sweep([group[0], *group[2:]])
    for criterion in criteria:
        verdict = "holds" if criterion.holds else "FAILS"
        print(
            f"{verdict}  {criterion.text}: {criterion.found:.4f}"
            f" in {criterion.low:.3f} to {criterion.high:.3f}"
        )
    for path in written:
        print(f"wrote {path}")


def _print_curves(curves) -> None:
    counts = curves[0].counts
    head = "".join(f"{f'k={count}':>15}" for count in counts)
    print(f"{'method':<14}{'set':<9}{head}")
    for curve in curves:
        for of in experiment.SETS:
            cells = zip(curve.mean(of), curve.spread(of), strict=True)
            line = "".join(f"{f'{mean:.3f} ({spread:.3f})':>15}" for mean, spread in cells)
            print(f"{curve.method:<14}{of:<9}{line}")
        print(
            f"{'':<14}{curve.selected.mean():.0f} features kept; "
            f"{curve.above.mean():.0f} of the questions answered from the holdout"
        )


def _print_sweep(curves) -> None:
    counts = curves[0].counts
    print("\nholdout / fresh (difference) by threshold")
    print(f"{'tau':<10}{'kept':>6}{'asked':>7}" + "".join(f"{f'k={c}':>24}" for c in counts))
    for curve in curves:
        name = "naive" if curve.tau is None else f"{curve.tau:.4g}"
        holdout, fresh = curve.mean("holdout"), curve.mean("fresh")
        cells = (f"{h:.3f} / {f:.3f} ({h - f:+.3f})" for h, f in zip(holdout, fresh, strict=True))
        line = "".join(f"{cell:>24}" for cell in cells)
        print(f"{name:<10}{curve.selected.mean():>6.0f}{curve.above.mean():>7.0f}{line}")
