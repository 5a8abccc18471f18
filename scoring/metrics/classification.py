"""Metrics of class labels, from per-row agreement or from the confusion matrix.

Functions of form ``counts`` take counts (..., K, K), truth by prediction, with any leading axes
(a bootstrap passes all resamples at once), and answer (...). A ratio without a denominator counts
as 0 where the predictions are to blame and as NaN, undefined, where the labels are; classes that
occur in neither do not enter a macro average. All of that agrees with scikit-learn's defaults.
"""

import numpy as np

from scoring.metrics.rows import Array, Rows


def confusion(rows: Rows) -> Array:
    """Counts (K, K) of truth by prediction, weighted where rows have weights."""
    k = rows.classes
    cells = rows.y.astype(np.int32, copy=False) * k + rows.p
    return np.bincount(cells, weights=rows.weight, minlength=k * k).reshape(k, k).astype(float)


def correct(rows: Rows) -> Array:
    return rows.y == rows.p


def wrong(rows: Rows) -> Array:
    return rows.y != rows.p


def top_k(rows: Rows, k: int) -> Array:
    """Whether the true class is among the k highest scores; of equal ones the later class wins."""
    own = rows.p[np.arange(rows.n), rows.y]
    ahead = np.zeros(rows.n, np.int32)
    for place, column in enumerate(rows.p.T):
        ahead += (column > own) | ((column == own) & (rows.y < place))
    return ahead < k


def _divide(top: Array, bottom: Array, empty: float = 0.0) -> Array:
    top, bottom = np.asarray(top, float), np.asarray(bottom, float)
    return np.divide(top, bottom, out=np.full(np.shape(bottom), empty), where=bottom > 0)


def _sums(counts: Array) -> tuple[Array, Array, Array]:
    """Hits, true rows and predicted rows of each class, each (..., K)."""
    hits = np.diagonal(counts, axis1=-2, axis2=-1)
    return hits, counts.sum(axis=-1), counts.sum(axis=-2)


def _averaged(counts: Array, positive: int, average: str, ratio) -> Array:  # type: ignore[no-untyped-def]
    """`ratio(hits, true, predicted) -> (top, bottom)`, averaged over classes as named."""
    hits, true, predicted = _sums(counts)
    if average == "binary":
        one = _divide(*ratio(hits[..., positive], true[..., positive], predicted[..., positive]))
        return np.where(true[..., positive] > 0, one, np.nan)
    if average == "micro":
        top, bottom = ratio(hits.sum(-1), true.sum(-1), predicted.sum(-1))
        return _divide(top, bottom, np.nan)
    each = _divide(*ratio(hits, true, predicted))
    share = true if average == "weighted" else (true + predicted > 0).astype(float)
    return _divide((each * share).sum(-1), share.sum(-1), np.nan)


def precision(counts: Array, positive: int, average: str) -> Array:
    return _averaged(counts, positive, average, lambda hits, true, predicted: (hits, predicted))


def recall(counts: Array, positive: int, average: str) -> Array:
    return _averaged(counts, positive, average, lambda hits, true, predicted: (hits, true))


def jaccard(counts: Array, positive: int, average: str) -> Array:
    return _averaged(
        counts, positive, average, lambda hits, true, predicted: (hits, true + predicted - hits)
    )


def fbeta(counts: Array, positive: int, average: str, beta: float = 1.0) -> Array:
    square = beta * beta
    return _averaged(
        counts,
        positive,
        average,
        lambda hits, true, predicted: ((1 + square) * hits, square * true + predicted),
    )


def balanced_accuracy(counts: Array, positive: int) -> Array:
    """Mean recall over the classes that occur among the labels."""
    hits, true, _ = _sums(counts)
    return _divide(_divide(hits, true).sum(-1), (true > 0).sum(-1), np.nan)


def matthews(counts: Array, positive: int) -> Array:
    """Correlation of truth and prediction; 0 when one class only is predicted."""
    hits, true, predicted = _sums(counts)
    n = true.sum(-1)
    covariance = hits.sum(-1) * n - (true * predicted).sum(-1)
    spread = n * n - (predicted * predicted).sum(-1)
    spread_true = n * n - (true * true).sum(-1)
    value = _divide(covariance, np.sqrt(np.maximum(spread, 0) * np.maximum(spread_true, 0)))
    return np.where(_several(true), value, np.nan)


def kappa(counts: Array, positive: int, power: int) -> Array:
    """Agreement beyond chance: power 0 counts any mistake as 1, 1 and 2 by the distance."""
    k = counts.shape[-1]
    distance = np.abs(np.subtract.outer(np.arange(k), np.arange(k))).astype(float)
    cost = (distance > 0).astype(float) if power == 0 else distance**power
    _, true, predicted = _sums(counts)
    observed = (counts * cost).sum((-2, -1)) * true.sum(-1)
    expected = np.einsum("...i,ij,...j->...", true, cost, predicted)
    value = 1 - _divide(observed, expected, np.nan)
    return np.where(_several(true), value, np.nan)


def _several(true: Array) -> Array:
    return (true > 0).sum(-1) > 1
