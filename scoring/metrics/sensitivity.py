"""How far a score can move when one row is replaced: bounds derived by hand, numpy-free.

Every rule takes the number of rows `n`, the metric's own parameters, and these facts where they
are known: `classes` (how many), `smallest_class` and `positives` (row counts of the part, taken as
public constants), `span` (high - low of the task's numbers) and `low`. A rule answers None when a
fact that it needs is missing. The laws in tests/scoring/metrics replace rows at random and look
for a violation.
"""

import math
from typing import Any

from scoring.metrics.base import Sensitivity


def _per_row(n: int, **_: Any) -> float:
    return 1 / n


def _twice_per_row(n: int, **_: Any) -> float:
    return 2 / n


def _balanced(n: int, classes: int = 0, smallest_class: int = 0, **_: Any) -> float | None:
    return 2 / (classes * smallest_class) if classes and smallest_class else None


def _macro_f1(n: int, classes: int = 0, smallest_class: int = 0, **_: Any) -> float | None:
    return 4 / (classes * smallest_class) if classes and smallest_class else None


def _auc(n: int, smallest_class: int = 0, **_: Any) -> float | None:
    return 2 / smallest_class if smallest_class else None


def _gini(n: int, smallest_class: int = 0, **_: Any) -> float | None:
    return 4 / smallest_class if smallest_class else None


def _recall(n: int, positives: int = 0, **_: Any) -> float | None:
    return 1 / positives if positives else None


def _f1(n: int, positives: int = 0, **_: Any) -> float | None:
    return 2 / positives if positives else None


def _log_loss(n: int, clip: float = 0.0, **_: Any) -> float | None:
    return math.log((1 - clip) / clip) / n if clip > 0 else None


def _absolute(n: int, span: float | None = None, **_: Any) -> float | None:
    return span / n if span is not None else None


def _squared(n: int, span: float | None = None, **_: Any) -> float | None:
    return span**2 / n if span is not None else None


def _root(n: int, span: float | None = None, **_: Any) -> float | None:
    return span / math.sqrt(n) if span is not None else None


def _log_span(span: float | None, low: float | None) -> float | None:
    if span is None or low is None or low <= -1:
        return None
    return math.log1p(low + span) - math.log1p(low)


def _squared_log(
    n: int, span: float | None = None, low: float | None = None, **_: Any
) -> float | None:
    width = _log_span(span, low)
    return width**2 / n if width is not None else None


def _root_log(
    n: int, span: float | None = None, low: float | None = None, **_: Any
) -> float | None:
    width = _log_span(span, low)
    return width / math.sqrt(n) if width is not None else None


def _relative(
    n: int, span: float | None = None, low: float | None = None, **_: Any
) -> float | None:
    return span / low / n if span is not None and low is not None and low > 0 else None


def _pinball(n: int, span: float | None = None, alpha: float = 0.5, **_: Any) -> float | None:
    return span * max(alpha, 1 - alpha) / n if span is not None else None


def _huber(n: int, span: float | None = None, delta: float = 1.0, **_: Any) -> float | None:
    if span is None:
        return None
    return (0.5 * span**2 if span <= delta else delta * (span - delta / 2)) / n


PER_ROW = Sensitivity(_per_row, "1/n: each row adds between 0 and 1 to the mean.")
TWICE_PER_ROW = Sensitivity(_twice_per_row, "2/n: each row adds between 0 and 2 to the mean.")
PER_QUERY = Sensitivity(_per_row, "1/n, where n counts queries: each adds between 0 and 1.")
BALANCED = Sensitivity(
    _balanced, "2 / (number of classes x rows of the smallest class); half if the class is kept."
)
MACRO_F1 = Sensitivity(_macro_f1, "4 / (number of classes x rows of the smallest class).")
AUC = Sensitivity(_auc, "2 / (rows of the smallest class).")
GINI = Sensitivity(_gini, "4 / (rows of the smallest class): twice that of ROC AUC.")
RECALL = Sensitivity(_recall, "1 / (positive rows).")
F1 = Sensitivity(_f1, "2 / (positive rows).")
LOG_LOSS = Sensitivity(_log_loss, "ln((1 - c)/c)/n with probabilities clipped to [c, 1 - c].")
ABSOLUTE = Sensitivity(_absolute, "C/n, where C is the width of the task's range of numbers.")
SQUARED = Sensitivity(_squared, "C²/n, where C is the width of the task's range of numbers.")
ROOT = Sensitivity(_root, "C/√n, where C is the width of the task's range of numbers.")
SQUARED_LOG = Sensitivity(_squared_log, "C²/n, where C is the width of the range of log(1 + x).")
ROOT_LOG = Sensitivity(_root_log, "C/√n, where C is the width of the range of log(1 + x).")
RELATIVE = Sensitivity(_relative, "C/(low n) for numbers from low > 0 to low + C.")
PINBALL = Sensitivity(_pinball, "C max(alpha, 1 - alpha)/n, where C is the width of the range.")
HUBER = Sensitivity(_huber, "h(C)/n, where h is the loss at the width C of the range.")
NONE = Sensitivity()
