"""List the metrics, or explain one: name, direction, range, what it takes, sensitivity."""

import argparse
import json
from typing import Any

from scoring.metrics import Metric, all_metrics, get


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", help='one metric, by name or alias ("ndcg@5", "rmse")')
    parser.add_argument("--kind", help="only metrics that take this kind of prediction")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    chosen = [get(args.name)] if args.name else list(all_metrics())
    if args.kind:
        chosen = [metric for metric in chosen if args.kind in metric.kinds]
    if args.json:
        print(json.dumps([facts(metric) for metric in chosen], ensure_ascii=False, indent=2))
    elif args.name and chosen:
        print(explained(chosen[0]))
    else:
        print(table(chosen))
    return 0


def facts(metric: Metric) -> dict[str, Any]:
    """What there is to know of a metric, as JSON can hold it."""
    return {
        "name": metric.name,
        "title": metric.title,
        "symbol": metric.symbol,
        "family": metric.family,
        "aliases": list(metric.aliases),
        "greater_is_better": metric.greater_is_better,
        "low": metric.low,
        "high": metric.high,
        "perfect": metric.perfect,
        "kinds": list(metric.kinds),
        "params": dict(metric.params),
        "rows": metric.rows,
        "per_row": metric.per_row is not None,
        "has_bound": metric.sensitivity.rule is not None,
        "sensitivity": metric.sensitivity.bound_note,
        "version": metric.version,
        "description": metric.description,
        "snippet": metric.snippet,
    }


def table(chosen: list[Metric]) -> str:
    """One line a metric, aligned."""
    head = ("name", "short", "better", "range", "takes", "per row", "one row moves it by")
    lines = [head, *(_line(metric) for metric in chosen)]
    widths = [max(len(line[place]) for line in lines) for place in range(len(head) - 1)]
    return "\n".join(
        "  ".join(
            [*(cell.ljust(width) for cell, width in zip(line, widths, strict=False)), line[-1]]
        )
        for line in lines
    )


def _line(metric: Metric) -> tuple[str, ...]:
    bound = metric.sensitivity.bound_note if metric.sensitivity.rule else "no bound"
    return (
        metric.name,
        metric.aliases[0],
        "higher" if metric.greater_is_better else "lower",
        _range(metric),
        ", ".join(metric.kinds),
        "yes" if metric.per_row else "no",
        bound,
    )


def _range(metric: Metric) -> str:
    low, high = (
        "-inf" if metric.low is None else f"{metric.low:.3g}",
        "inf" if metric.high is None else f"{metric.high:.3g}",
    )
    return f"{low} to {high}"


def explained(metric: Metric) -> str:
    """A metric in full."""
    direction = "Higher" if metric.greater_is_better else "Lower"
    return "\n".join(
        [
            f"{metric.title} ({metric.name}; also {', '.join(metric.aliases)})",
            "",
            metric.description,
            "",
            f"{direction} is better. Range {_range(metric)}; a perfect file scores "
            f"{metric.perfect:.3g}.",
            f"Takes predictions of kind {' or '.join(metric.kinds)}.",
            f"Replacing one {metric.rows if metric.rows != 'corpus' else 'row'}: "
            f"{metric.sensitivity.bound_note}",
            "",
            *(f"    {line}".rstrip() for line in metric.snippet.splitlines()),
        ]
    )
