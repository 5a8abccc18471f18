"""What a valid file looks like, said without any label: shares, ranges, likeness to earlier files.

Everything is counted over all rows, public and private alike, so that nothing here tells them
apart. These are warnings and facts for the sender; no file is refused for them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from scoring.metrics.rows import Array
from scoring.task import Task

# A file is compared with its predecessor, and those with one another to know what is usual.
LOOK_BACK = 6
AGREEMENT_DROP = 0.2
CORRELATION_DROP = 0.3
INVERTED_CORRELATION = -0.5
INVERTED_AGREEMENT = 0.25
MOST_CLASSES_NAMED = 5


@dataclass(frozen=True)
class Check:
    """One thing to know about a file; `warning` marks what its sender should look at.

    code: identical, likeness, out_of_order, inverted, constant, shares, range, lengths.
    """

    code: str
    sentence: str
    warning: bool = False


def describe(
    task: Task, predictions: Any, earlier: Sequence[tuple[str | int, Any]] = ()
) -> list[Check]:
    """Checks of a file against itself and the team's earlier files; warnings come first.

    predictions: reading.Predictions; earlier: (the team's number of the file, its predictions),
    oldest first, of the same ids. Only the last six are looked at.
    """
    values = predictions.values
    files = [(label, file.values) for label, file in earlier[-LOOK_BACK:]]
    found = [*_constant(task, values), *_likeness(task, values, files), *_content(task, values)]
    return sorted(found, key=lambda check: not check.warning)


def _likeness(task: Task, values: Array, files: list[tuple[str | int, Array]]) -> list[Check]:
    if not files or not len(values):
        return []
    for label, other in reversed(files):
        if _same(values, other):
            return [
                Check("identical", f"Every prediction is the same as in your file {label}.", True)
            ]
    by_order = task.kind in ("number", "probability")
    alike: Callable[[Array, Array], float] = _correlation if by_order else _agreement
    label, last = files[-1]
    now = alike(values, last)
    pairs = [alike(a, b) for (_, a), (_, b) in pairwise(files)]
    known = [pair for pair in pairs if not np.isnan(pair)]
    usual = float(np.median(known)) if known else None
    if np.isnan(now):
        return []
    if by_order:
        return [_compared_by_order(now, usual, label)]
    return [_compared_by_agreement(task, values, last, now, usual, label)]


def _same(a: Array, b: Array) -> bool:
    """Whether two files are equal; the first rows tell most of them apart at once."""
    return np.array_equal(a[:64], b[:64]) and np.array_equal(a, b)


def _compared_by_order(now: float, usual: float | None, label: str | int) -> Check:
    told = f"Correlation with your file {label}: {_signed(now)}"
    if now <= INVERTED_CORRELATION and (usual is None or usual > 0):
        return Check("inverted", f"{told}. Is the direction the wrong way round?", True)
    if usual is None:
        expected, drop = 0.5, CORRELATION_DROP
    else:
        expected, drop = usual, CORRELATION_DROP
        told += f"; between your files it is usually {_signed(usual)}"
    if now < expected - drop:
        return Check("out_of_order", f"{told}: rows out of order?", True)
    return Check("likeness", f"{told}.")


def _compared_by_agreement(
    task: Task, values: Array, last: Array, now: float, usual: float | None, label: str | int
) -> Check:
    told = f"{_percent(now)} of rows agree with your file {label}"
    classes = _classes(values)
    if len(task.labels) == 2 and now <= INVERTED_AGREEMENT and (usual is None or usual > 0.5):
        return Check("inverted", f"{told}. Are the two classes the wrong way round?", True)
    if usual is not None:
        told += f"; your files usually agree on {_percent(usual)}"
        low = now < usual - AGREEMENT_DROP
    else:
        # Without a habit to compare with: no more agreement than two unrelated files would have.
        low = classes is not None and now < _by_chance(classes, _classes(last)) + 0.05
    if low:
        return Check("out_of_order", f"{told}: rows out of order?", True)
    return Check("likeness", f"{told}.")


def _agreement(a: Array, b: Array) -> float:
    """Share of rows with the same class, or the same text."""
    one, other = _classes(a), _classes(b)
    return float(np.mean(a == b if one is None else one == other))


def _correlation(a: Array, b: Array) -> float:
    """Correlation of two files, averaged over columns that vary in both; NaN if none does."""
    a, b = a.reshape(len(a), -1), b.reshape(len(b), -1)
    a, b = a - a.mean(axis=0), b - b.mean(axis=0)
    size = np.sqrt(np.square(a).sum(axis=0) * np.square(b).sum(axis=0))
    varies = size > 0
    if not varies.any():
        return np.nan
    return float(np.mean((a * b).sum(axis=0)[varies] / size[varies]))


def _classes(values: Array) -> Array | None:
    """The predicted class of each row, by the highest probability; None for texts."""
    if values.dtype == object:
        return None
    return values.argmax(axis=1) if values.ndim == 2 else values


def _by_chance(a: Array, b: Array | None) -> float:
    """Agreement of two files with these shares of classes, if their rows had nothing in common."""
    assert b is not None
    most = int(max(a.max(), b.max())) + 1
    shares = [np.bincount(each, minlength=most) / len(each) for each in (a, b)]
    return float(shares[0] @ shares[1])


def _constant(task: Task, values: Array) -> list[Check]:
    if len(values) < 2:
        return []
    if values.ndim == 2 and task.kind == "number":
        same = (values == values[0]).all(axis=0)
        named = [name for name, one in zip(task.value_columns, same, strict=True) if one]
        return [
            Check("constant", f"The column {name} has the same value in every row.", True)
            for name in named
        ]
    if (values == values[0]).all():
        return [Check("constant", "Every row has the same prediction.", True)]
    return []


def _short(value: float) -> str:
    """Four significant digits: a mean of thousands of rows has more digits than it has news."""
    return f"{float(f'{value:.4g}'):g}"


def _content(task: Task, values: Array) -> list[Check]:
    if not len(values):
        return []
    if task.kind == "text":
        lengths = [len(text) for text in values]
        told = f"Texts of {min(lengths)} to {max(lengths)} characters"
        empty = lengths.count(0)
        return [Check("lengths", f"{told}; {empty} empty." if empty else f"{told}.")]
    if task.kind in ("label", "probabilities"):
        return [_shares(task, values)]
    table = values.reshape(len(values), -1)
    return [
        Check("range", f"{name}: from {low:g} to {high:g}, mean {_short(middle)}.")
        for name, low, high, middle in zip(
            task.value_columns,
            table.min(axis=0),
            table.max(axis=0),
            table.mean(axis=0),
            strict=True,
        )
    ]


def _shares(task: Task, values: Array) -> Check:
    """How often each class is predicted, the most frequent ones by name."""
    classes = _classes(values)
    counts = np.bincount(np.asarray(classes), minlength=len(task.classes))
    order = np.argsort(-counts, kind="stable")
    seen = [place for place in order if counts[place]]
    told = [
        f"{_percent(counts[place] / len(values))} {task.classes[place]}"
        for place in seen[:MOST_CLASSES_NAMED]
    ]
    more = len(seen) - len(told)
    never = [task.classes[place] for place in np.flatnonzero(counts == 0)]
    sentence = ", ".join(told) + (f" and {more} more" if more else "") + "."
    if never:
        rest = "" if len(never) <= MOST_CLASSES_NAMED else f" and {len(never)} classes in all"
        sentence += f" Never predicted: {', '.join(never[:MOST_CLASSES_NAMED])}{rest}."
    start = "Predicted" if task.kind == "label" else "Most probable"
    return Check("shares", f"{start}: {sentence}")


def _percent(share: float) -> str:
    """A share as it may be told: 100% and 0% only where they are exact."""
    percent = 100 * share
    if share in (0.0, 1.0) or 1 <= percent < 99:
        return f"{percent:.0f}%"
    return f"{min(max(percent, 0.01), 99.99):.2f}%"


def _signed(number: float) -> str:
    return f"{number:.2f}".replace("-", "\u2212")
