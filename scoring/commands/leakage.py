"""State what the released scores have given away, as (epsilon, delta) and from counters.

Every told score costs, and so does every "no new score": a comparison with noise of standard
deviation s costs as much as telling the score with that noise. The cost is stated as an epsilon at
a fixed delta, between a lower and an upper estimate (Connect-the-Dots), beside the older Renyi
bound. It is the leakage about one public row that is replaced by another. With --rows the command
also gives the guarantee that follows from the counters alone.

No epsilon is stated for a metric without a bound on what one row can do (R2, Spearman, corpus
BLEU and the like), nor for scores told without noise; the command then exits with 1.

examples:
  python -m scoring leakage --metric accuracy --rows 4000 --comparisons 1000 --values 100 \\
      --sigma-compare 0.0079 --sigma-value 0.004
  python -m scoring leakage --sensitivity 0.001 --epochs 10 --laplace 0.0026 --delta 1e-6
  python -m scoring leakage --records records.json --json
  python -m scoring leakage --tables
  python -m scoring leakage --figure leakage.png
"""

import argparse
import json
import sys
from pathlib import Path

from scoring import metrics
from scoring.errors import HoldoutError
from scoring.leakage import certificate, figure, records, statement, tables
from scoring.study.progress import track


def add_arguments(parser: argparse.ArgumentParser) -> None:
    told = parser.add_argument_group("what was told (different predictions, all teams together)")
    told.add_argument("--comparisons", type=_count, default=0, metavar="K", help="files judged")
    told.add_argument("--values", type=_count, default=0, metavar="A", help="scores told")
    told.add_argument("--looks", type=_count, default=0, metavar="L", help="private looks")
    told.add_argument(
        "--epochs", type=_count, default=0, metavar="B",
        help="Laplace rule: thresholds used up, each ended by one told score",
    )  # fmt: skip
    told.add_argument(
        "--records", type=Path, metavar="FILE", help="JSON list of records, instead of counts"
    )
    noise = parser.add_argument_group("noise, in units of the metric")
    noise.add_argument("--sigma-compare", type=_width, metavar="S", help="sd of a comparison")
    noise.add_argument("--sigma-value", type=_width, metavar="S", help="sd of a told score")
    noise.add_argument("--sigma-look", type=_width, metavar="S", help="sd of a private look")
    noise.add_argument(
        "--laplace", type=_width, metavar="S",
        help="Laplace rule: scale of a told score; 2 S for the threshold, 4 S for a query",
    )  # fmt: skip
    one = parser.add_argument_group("what one public row can do")
    one.add_argument("--sensitivity", type=_width, help="the largest change of the score")
    one.add_argument("--metric", help="take it from this metric (needs --rows)")
    one.add_argument("--rows", type=_positive, help="public rows (queries, for ranking metrics)")
    one.add_argument("--smallest-class", type=_positive, help="rows of the smallest class")
    one.add_argument("--positives", type=_positive, help="positive rows")
    one.add_argument("--classes", type=_positive, help="number of classes")
    one.add_argument("--span", type=_width, help="width of the range of a number task")
    ask = parser.add_argument_group("the statement")
    ask.add_argument("--delta", type=_share, default=1e-6, help="default 1e-6")
    ask.add_argument("--grid", type=_width, help="step of the loss (default: chosen)")
    ask.add_argument(
        "--submissions",
        type=_positive,
        metavar="N",
        help="files judged, for the counter guarantee (default: the comparisons)",
    )
    ask.add_argument("--beta", type=_share, default=0.05, help="error of the counter guarantee")
    ask.add_argument(
        "--grid-values", type=_positive, metavar="G",
        help="values the display can take (default 4 sqrt(rows))",
    )  # fmt: skip
    more = parser.add_argument_group("instead of a statement")
    more.add_argument("--tables", action="store_true", help="print the reference tables")
    more.add_argument(
        "--figure", type=Path, metavar="FILE",
        help="epsilon against steps for every accountant (also after a statement)",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(refuse=parser.error)


def run(args: argparse.Namespace) -> int:
    counted = args.comparisons + args.values + args.looks + args.epochs
    if not (counted or args.records or args.tables or args.figure):
        args.refuse("nothing to do: give counts, --records, --tables or --figure")
    answer: dict = {}
    if counted or args.records:
        answer |= _statement(args)
    if args.tables:
        answer |= _tables(quiet=args.json)
    if args.figure:
        answer |= _figure(args.figure, quiet=args.json)
    if args.json:
        print(json.dumps({"ok": True} | answer))
    return 0


def _statement(args: argparse.Namespace) -> dict:
    account = _account(args)
    stated = statement.state(account.records, args.delta, grid=args.grid)
    answer = {"statement": stated.to_dict(), "records": account.to_dicts()}
    if not args.json:
        print(stated.sentence)
        exact = "" if stated.exact is None else f"   exact {stated.exact:.5f}"
        print(f"  low {stated.low:.5f}{exact}   high {stated.high:.5f}   Renyi {stated.rdp:.5f}")
    if args.rows:
        answer |= _certificate(args, account)
    return answer


TOLD = (records.GaussianValue, records.LaplaceValue, records.Look)
JUDGED = (records.GaussianComparison,)


def _certificate(args: argparse.Namespace, account: records.Account) -> dict:
    """The guarantee from counters, where the number of files is known."""
    told = sum(record.count for record in account.records if isinstance(record, TOLD))
    files = args.submissions or sum(r.count for r in account.records if isinstance(r, JUDGED))
    if not files:
        if not args.json:
            print("With --submissions, how many files were judged, the counters give a guarantee.")
        return {}
    bounded = args.sensitivity is not None or args.metric
    scale = args.rows * _reach(args) if bounded else 1.0
    given = certificate.certificate(
        args.rows,
        max(files, told),
        told,
        args.grid_values or certificate.grid_values(args.rows),
        beta=args.beta,
        scale=scale,
        limit=0.1 * scale,
        sigma_value=args.sigma_value or 0.0,
    )
    if not args.json:
        print(f"From the counters alone: {given.sentence}")
    return {"certificate": {"width": given.width, "sentence": given.sentence}}


def _account(args: argparse.Namespace) -> records.Account:
    if args.records:
        return records.Account.from_dicts(_read(args.records))
    reach = _reach(args)
    made = []
    for count, name, kind in (
        (args.comparisons, "sigma_compare", records.GaussianComparison),
        (args.values, "sigma_value", records.GaussianValue),
        (args.looks, "sigma_look", records.Look),
    ):
        if count:
            sigma = getattr(args, name)
            if sigma is None:
                args.refuse(f"--{name.replace('_', '-')} is needed for these counts")
            made.append(kind(count, sigma, reach))
    if args.epochs:
        if args.laplace is None:
            args.refuse("--laplace is needed with --epochs")
        scale = args.laplace
        made.append(records.LaplaceEpoch(args.epochs, 2 * scale, 4 * scale, reach))
        made.append(records.LaplaceValue(args.epochs, scale, reach))
    return records.Account().charged(made)


def _reach(args: argparse.Namespace) -> float:
    """The sensitivity given or that of the metric; NoBound where the metric has none."""
    if args.sensitivity is not None:
        return args.sensitivity
    if not args.metric or not args.rows:
        args.refuse("give --sensitivity, or --metric and --rows")
    metric = metrics.get(args.metric)
    names = ("smallest_class", "positives", "classes", "span")
    facts = {name: getattr(args, name) for name in names if getattr(args, name) is not None}
    if metric.sensitivity is None:
        raise statement.NoBound(f"{metric.title} has no bound on what one row can do to it.")
    reach = metric.sensitivity(args.rows, **facts)
    if reach is None:
        note = getattr(metric.sensitivity, "bound_note", "")
        raise statement.NoBound(
            f"{metric.title}: no bound on what one row can do follows from these facts, so no "
            f"epsilon can be stated. {note}".rstrip()
        )
    return reach


def _read(path: Path) -> list:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise HoldoutError(f"{path.name} cannot be read as JSON: {error}.") from error
    if not isinstance(data, list) or not all(isinstance(item, dict) for item in data):
        raise HoldoutError(f"{path.name} is not a list of records.")
    return data


def _tables(*, quiet: bool) -> dict:
    def say(text: str) -> None:
        if not quiet:
            print(text, flush=True)

    say("Gaussian noise of multiplier 0.5 on a Poisson sample of 0.2e-4, delta 1e-8")
    say("  steps    Renyi   buckets (grid 1e-4)   Connect-the-Dots low .. high (1e-4)  high (1e-3)")
    sampled = []
    for row in track(tables.sampled_rows(), label="accountants", total=len(tables.STEPS)):
        sampled.append(row.__dict__)
        say(
            f"{row.steps:>7,}  {row.rdp:7.3f}   {row.buckets_low:8.4f} .. {row.buckets_high:<7.4f}"
            f"   {row.low:17.5f} .. {row.high:<14.5f}  {row.high_coarse:11.4f}"
        )
    say("\nEstimates beside the exact epsilon, delta 1e-6")
    say(f"{'':46} grid  buckets low       low     exact      high  buckets high")
    composed = []
    for row in tables.composed_rows():
        composed.append(row.__dict__)
        exact = "" if row.exact is None else f"{row.exact:.5f}"
        say(
            f"{row.title:<46}{row.grid:5g}  {row.buckets_low:11.5f} {row.low:9.5f} {exact:>9} "
            f"{row.high:9.5f}  {row.buckets_high:12.5f}"
        )
    say("\nGuarantee from counters, accuracy, error 0.05: width when B scores were told")
    say("   rows   files " + "".join(f"  B={told:<4}" for told in tables.CERTIFICATE_TOLD))
    widths = list(tables.certificate_rows())
    for rows, files, found in widths:
        say(f"{rows:>7,} {files:>7,} " + "".join(f"  {width:.3f} " for width in found))
    return {"sampled": sampled, "composed": composed, "certificate": widths}


def _figure(path: Path, *, quiet: bool) -> dict:
    if not path.parent.is_dir():
        raise HoldoutError(f"There is no folder {path.parent} to write the figure into.")
    data: dict[str, list[tuple[int, float]]] = {}
    for steps in track(figure.STEPS, label="figure"):
        for label, points in figure.lines(tables.SAMPLED, tables.SAMPLED_DELTA, [steps]).items():
            data.setdefault(label, []).extend(points)
    figure.draw(
        data,
        path,
        title="Gaussian noise 0.5, Poisson sampling 0.2e-4, delta 1e-8",
    )
    if not quiet:
        print(f"Figure written to {path}.", file=sys.stderr)
    return {"figure": str(path), "lines": data}


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return value


def _count(text: str) -> int:
    value = int(text)
    if value < 0:
        raise argparse.ArgumentTypeError("must not be negative")
    return value


def _width(text: str) -> float:
    value = float(text)
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError("must be positive")
    return value


def _share(text: str) -> float:
    value = float(text)
    if not 0 < value < 1:
        raise argparse.ArgumentTypeError("must lie between 0 and 1")
    return value
