"""Score a submission against a solution, on your own machine.

Reads the solution (id column, label column, Usage with Public, Private or Ignored, optionally
weight) and a submission (.csv, .csv.gz, one-file .zip or .parquet), and prints the metric on both
parts. Without --task, the form of the submission is inferred from the solution and the metric.

examples:
  python -m scoring score --metric roc_auc --solution solution.csv --submission mine.csv.gz
  python -m scoring score --metric rmse --task task.json --solution solution.csv \\
      --submission mine.parquet --part public --json

exit codes: 0 scored; 1 refused, with the participant's sentence on standard error; 2 wrong usage
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path

from scoring.answers import load_ids, load_part, prepare
from scoring.commands._task import add_task_arguments, task_from
from scoring.evaluate import check, evaluate_parts
from scoring.metrics import get
from scoring.reading import Limits, read


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--submission", required=True, type=Path, help="the predictions to score")
    parser.add_argument(
        "--metric",
        required=True,
        help="for example roc_auc, log_loss, rmse, f1; 'python -m scoring metrics' lists all",
    )
    add_task_arguments(parser)
    parser.add_argument(
        "--part", choices=("public", "private", "both"), default="both", help="default: both"
    )
    parser.add_argument(
        "--limit",
        type=int,
        default=64,
        metavar="MIB",
        help="largest file, packed and unpacked, as the competition has it (64)",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(args: argparse.Namespace) -> int:
    if args.limit < 1:
        sys.stderr.write("--limit is 1 MiB or more.\n")
        return 2
    limits = Limits(args.limit << 20, args.limit << 20)
    metric = get(args.metric)
    task = task_from(args, metric.kinds)
    check(task, metric)
    parts = ("public", "private") if args.part == "both" else (args.part,)
    with tempfile.TemporaryDirectory() as folder:
        prepared = prepare(task, args.solution, Path(folder))
        ids = load_ids(Path(folder, "ids"))
        predictions = read(args.submission, task, ids, name=args.submission.name, limits=limits)
        opened = [load_part(Path(folder, part), ids) for part in parts]
        found = evaluate_parts(task, metric, opened, predictions)
        scores = dict(zip(parts, found, strict=True))
    answer = {
        "ok": True,
        "metric": metric.name,
        "greater_is_better": metric.greater_is_better,
        "scores": scores,
        "rows": {"public": prepared.n_public, "private": prepared.n_private},
        "notices": list(predictions.notices),
        "lint": list(prepared.lint),
    }
    if args.json:
        sys.stdout.write(json.dumps(answer) + "\n")
        return 0
    for notice in predictions.notices:
        sys.stderr.write(f"Notice: {notice}\n")
    better = "higher is better" if metric.greater_is_better else "lower is better"
    sys.stdout.write(f"{metric.title} ({better})\n")
    for part, value in scores.items():
        sys.stdout.write(f"  {part:<8} {value:.6f}   {answer['rows'][part]:,} rows\n")
    return 0
