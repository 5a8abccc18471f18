"""The exact score of a set of predictions on one part of the answers.

Nothing is rounded, released or stored here. A part is all that is opened: the functions see the
labels they are given and no others.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from scoring.errors import BadSolution, Unscorable
from scoring.metrics import Metric, get
from scoring.metrics.classification import confusion
from scoring.metrics.rows import Array, Rows, mean
from scoring.task import Task
from scoring.threads import spread

_TOO_LARGE = "The score is too large to be written as a number."
_ALL = slice(None)
# So many predicted numbers and what is computed from them stay in the cache.
_CELLS = 1 << 16


def check(task: Task, metric: Metric | str) -> None:
    """Raise BadSolution, naming every fault, when the metric does not take this task."""
    metric = _metric(metric)
    faults = []
    if task.kind not in metric.kinds:
        wanted = " or ".join(metric.kinds)
        faults.append(f"{metric.title} takes predictions of kind {wanted}, not {task.kind}.")
    elif metric.binary and task.positive is None:
        faults.append(f"{metric.title} needs to know which class is the positive one.")
    elif not _within(metric, task.low, task.high):
        faults.append(
            f"{metric.title} takes numbers {_range(metric)}: give the task that range, so that "
            "other files are refused with the lines at fault."
        )
    elif "k" in metric.params and task.classes and metric.params["k"] >= len(task.classes):
        faults.append(f"{metric.title} over {len(task.classes)} classes would always be 1.")
    if faults:
        raise BadSolution(faults)


def evaluate(task: Task, metric: Metric | str, part: Any, predictions: Any) -> float:
    """The exact score of one part, in the metric's displayed units.

    part: answers.Part; predictions: reading.Predictions over all ids. Raises Unscorable where the
    metric is undefined; the sentence tells nothing about single labels or the split.
    """
    metric = _metric(metric)
    # Over all rows, not those of the part: a refusal must not tell which rows are public.
    if metric.least is not None:
        values = np.asarray(predictions.values)
        if not _within(metric, values.min(initial=np.inf), values.max(initial=-np.inf)):
            raise Unscorable(f"{metric.title} takes numbers {_range(metric)}.")
    if metric.form != "mean":
        return score(metric, rows_of(task, part, predictions))
    return _checked(
        metric,
        part,
        lambda: _linked_mean(metric, _row_values(metric, task, part, predictions), part.weight),
    )


def evaluate_parts(
    task: Task, metric: Metric | str, parts: Sequence[Any], predictions: Any
) -> list[float]:
    """The exact score of each of several parts; raises as `evaluate` does for the first of them.

    Where a metric cannot be split by rows, its parts are computed side by side.
    """
    metric = _metric(metric)
    found = [np.nan] * len(parts)

    def fill(place: int) -> None:
        found[place] = evaluate(task, metric, parts[place], predictions)

    if metric.form == "mean":
        # Each part is spread over the processors by itself.
        for place in range(len(parts)):
            fill(place)
    else:
        spread(fill, range(len(parts)))
    return found


def score(metric: Metric, rows: Rows) -> float:
    """The score of aligned rows; raises Unscorable where it is undefined or not finite."""
    return _checked(metric, rows, lambda: _value(metric, rows))


def _checked(metric: Metric, rows: Any, compute: Callable[[], Any]) -> float:
    """What compute answers for these rows, of which there are `n` with `weight`."""
    if rows.n == 0 or (rows.weight is not None and rows.weight.sum() <= 0):
        raise Unscorable("There is no row to score.")
    with np.errstate(over="ignore", invalid="ignore"):
        value = float(compute())
    if np.isnan(value):
        raise Unscorable(metric.undefined)
    if np.isinf(value):
        raise Unscorable(_TOO_LARGE)
    return value


def per_row(task: Task, metric: Metric | str, part: Any, predictions: Any) -> Array | None:
    """Losses per row (n,), smaller is better, before any root; None when the score is no mean.

    Gains become losses as their distance from the best possible; several targets are averaged.
    """
    metric = _metric(metric)
    if metric.per_row is None:
        return None
    values = columns(_row_values(metric, task, part, predictions)).mean(axis=1)
    return metric.perfect - values if metric.greater_is_better else values


def perfect(task: Task, count: int, *parts: Any) -> Any:
    """A file that says of every row of these parts what is true, for trying a solution out.

    count: number of ids; answers reading.Predictions. Rows of no part get a neutral value.
    """
    # Imported here: it loads pyarrow, which only reading files needs.
    from scoring.reading import Predictions

    if task.kind == "label":
        values = np.zeros(count, np.int32)
    elif task.kind == "probabilities":
        values = np.full((count, len(task.classes)), 1 / len(task.classes))
    elif task.kind == "text":
        values = np.full(count, "", dtype=object)
    else:
        columns = len(task.value_columns)
        values = np.zeros((count, columns) if columns > 1 else count)
    for part in parts:
        y = np.asarray(part.y)
        values[part.slots] = np.eye(len(task.classes))[y] if task.kind == "probabilities" else y
    return Predictions(values)


def rows_of(task: Task, part: Any, predictions: Any, span: slice = _ALL) -> Rows:
    """Labels and predictions of a part's rows side by side; of those in `span` only."""
    return Rows(
        y=part.y[span],
        p=predictions.values.take(part.slots[span], axis=0),
        weight=None if part.weight is None else part.weight[span],
        classes=max(len(task.labels), 2),
        positive=_positive(task),
    )


def _row_values(metric: Metric, task: Task, part: Any, predictions: Any) -> Array:
    """What the metric answers per row, computed on stretches of rows that fit in the cache."""
    compute, values = metric.compute, predictions.values
    step = max(_CELLS // (values.shape[1] if values.ndim > 1 else 1), 1)
    if part.n <= step or values.dtype == object:
        return compute(rows_of(task, part, predictions))
    first = compute(rows_of(task, part, predictions, slice(0, step)))
    found = np.empty((part.n, *first.shape[1:]), first.dtype)

    def fill(start: int) -> None:
        span = slice(start, start + step)
        # Each thread has a state of its own.
        with np.errstate(over="ignore", invalid="ignore"):
            found[span] = compute(rows_of(task, part, predictions, span))

    found[:step] = first
    spread(fill, range(step, part.n, step))
    return found


def facts(task: Task, part: Any) -> dict[str, Any]:
    """What `metric.sensitivity(part.n, **facts)` may need to know of a task and a part."""
    known: dict[str, Any] = {"weighted": part.weight is not None}
    if task.kind in ("label", "probability", "probabilities"):
        labels = task.labels
        counts = np.bincount(np.asarray(part.y, int), minlength=len(labels))
        known["classes"] = len(labels)
        known["smallest_class"] = int(counts.min())
        if len(labels) == 2 or task.positive is not None:
            known["positives"] = int(counts[_positive(task)])
    if task.low is not None:
        known["low"] = task.low
        if task.high is not None:
            known["span"] = task.high - task.low
    return known


def linked(metric: Metric, means: Array) -> Array:
    """Scores (...) from the means of per-row values (..., targets)."""
    return (np.sqrt(means) if metric.link == "root" else means).mean(axis=-1)


def _linked_mean(metric: Metric, values: Array, weight: Array | None) -> Any:
    return linked(metric, np.atleast_1d(mean(values, weight)))


def columns(values: Array) -> Array:
    """Per-row values as float64 (n, targets)."""
    return values.reshape(len(values), -1).astype(float, copy=False)


def _value(metric: Metric, rows: Rows) -> Any:
    if metric.form == "mean":
        return _linked_mean(metric, metric.compute(rows), rows.weight)
    if metric.form == "counts":
        return metric.compute(confusion(rows), rows.positive)
    if metric.form == "tally":
        statistics, combine = metric.compute(rows)
        weight = np.ones(rows.n) if rows.weight is None else rows.weight
        return combine(weight @ statistics)
    return metric.compute(rows)


def _positive(task: Task) -> int:
    """Index of the positive class; that of the last of two where none is named."""
    return task.labels.index(task.positive) if task.positive in task.labels else 1


def _within(metric: Metric, low: float | None, high: float | None) -> bool:
    """Whether numbers from low to high (None: unbounded) are all such as the metric takes."""
    above = metric.least is None or (low is not None and low >= metric.least)
    return above and (metric.most is None or (high is not None and high <= metric.most))


def _range(metric: Metric) -> str:
    return f"from {metric.least:g} " + ("up" if metric.most is None else f"to {metric.most:g}")


def _metric(metric: Metric | str) -> Metric:
    return get(metric) if isinstance(metric, str) else metric
