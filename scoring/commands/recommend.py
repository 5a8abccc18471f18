"""Recommended release settings for a metric and a number of public rows.

The ruler is the standard error of the strongest baseline's score on the public rows. Give it with
--se; left out, the largest one an average over so many rows can have is taken, where the metric is
such an average. The start line is the weakest baseline's score.

For each preset: the rule, threshold, noise, display grid, new scores a team, the resolution (the
difference under which two scores are a tie), warnings, and what to expect in plain words.

examples:
  python -m scoring recommend --metric accuracy --n 4000 --baseline 0.61 --baseline 0.72
  python -m scoring recommend --metric rmse --n 5000 --se 12.5 --baseline 800 --baseline 350
  python -m scoring recommend --metric roc_auc --n 2000 --se 0.0127 --baseline 0.658 \\
      --baseline 0.674 --preset course --json
"""

import argparse
import json
import math
import sys

from scoring.metrics import get
from scoring.release import preset, resolution, warnings
from scoring.release.presets import DAILY, TITLES
from scoring.release.resolution import row_width
from scoring.release.settings import ReleaseSettings
from scoring.study.outlook import outlook

PRESETS = ("course", "open", "sealed", "exact")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--metric", required=True, help='name or alias, as "accuracy" or "ndcg@10"')
    parser.add_argument("--n", type=int, required=True, help="public rows")
    parser.add_argument("--se", type=float, help="standard error of the strongest baseline's score")
    parser.add_argument(
        "--baseline",
        type=float,
        action="append",
        required=True,
        help="public score of a baseline; may be repeated; the weakest is the start line",
    )
    parser.add_argument("--start", type=float, help="start line, instead of the weakest baseline")
    parser.add_argument("--expected", type=int, help="submissions expected in all (default 10,000)")
    parser.add_argument(
        "--preset", action="append", choices=PRESETS, help="may be repeated; default all"
    )
    parser.add_argument("--teams", type=int, default=30, help="for the outlook (30)")
    parser.add_argument("--files", type=int, default=15, help="of a team, for the outlook (15)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    metric = get(args.metric)
    fault = _fault(args, metric)
    if fault:
        print(fault, file=sys.stderr)
        return 2
    error = args.se or _ceiling(metric, args.n)
    if error is None:
        print(
            f"{metric.title} is not an average over rows: give its standard error with --se.",
            file=sys.stderr,
        )
        return 2
    weakest = min if metric.greater_is_better else max
    start = weakest(args.baseline) if args.start is None else args.start
    proposals = []
    for name in args.preset or PRESETS:
        settings = preset(
            name,
            se=error,
            greater_is_better=metric.greater_is_better,
            low=metric.low,
            high=metric.high,
            start=start,
            n_public=args.n,
            expected_submissions=args.expected,
            metric=metric,
        )
        proposals.append(_proposal(name, settings, metric, args))
    if args.json:
        print(json.dumps(proposals, indent=1, ensure_ascii=False))
    else:
        print(f"{metric.title}, {args.n:,} public rows, standard error {error:.3g}")
        for proposal in proposals:
            print(f"\n{described(proposal)}")
    return 0


def _fault(args: argparse.Namespace, metric) -> str | None:
    """What is wrong with the numbers that were given."""
    if min(args.n, args.teams, args.files, args.expected or 1) < 1:
        return "--n, --teams, --files and --expected are 1 or more"
    if args.se is not None and not 0 < args.se < math.inf:
        return "--se is a finite number above 0"
    low = -math.inf if metric.low is None else metric.low
    high = math.inf if metric.high is None else metric.high
    for score in (*args.baseline, *([] if args.start is None else [args.start])):
        if not math.isfinite(score) or not low <= score <= high:
            return f"{score:g} is no score of {metric.title}, which lies from {low:g} to {high:g}"
    return None


def _ceiling(metric, n: int) -> float | None:
    width = row_width(metric, n)
    return None if width is None else width * 0.5 / n**0.5


def _proposal(name: str, settings: ReleaseSettings, metric, args) -> dict:
    seen = outlook(
        settings,
        n_public=args.n,
        standard_error=settings.standard_error,
        baselines=args.baseline,
        teams=args.teams,
        files=args.files,
        seed=args.seed,
    )
    return {
        "preset": name,
        "title": TITLES[name][0],
        "for": TITLES[name][1],
        "settings": settings.to_dict(),
        "resolution": None if name == "sealed" else format(resolution(settings), "f"),
        "submissions_a_day": DAILY,
        "warnings": warnings(settings, args.baseline, args.n, metric=metric),
        "outlook": seen.to_dict(),
        "sentences": seen.sentences(),
    }


def described(proposal: dict) -> str:
    """One preset as text."""
    values = proposal["settings"]
    lines = [f"{proposal['title']}: {proposal['for']}", f"  rule            {values['rule']}"]
    if float(values["tau"]):
        factor = float(values["tau"]) / values["standard_error"]
        lines += [
            f"  threshold tau   {values['tau']} ({factor:.2g} SE)",
            f"  noise           {values['sigma_compare']} in the comparison, "
            f"{values['sigma_value']} on a new score",
        ]
    if proposal["resolution"]:
        lines += [
            f"  start line      {values['start']}",
            f"  display grid    {values['grid']}",
            f"  resolution      {proposal['resolution']}: smaller differences are ties",
            f"  new scores      {values['cap'] or 'no limit'} a team, "
            f"{proposal['submissions_a_day']} submissions a day",
        ]
    lines += [f"  Warning: {warning}" for warning in proposal["warnings"]]
    lines += [f"  {sentence}" for sentence in proposal["sentences"]]
    return "\n".join(lines)
