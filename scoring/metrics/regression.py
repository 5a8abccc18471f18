"""Metrics of numbers. Several targets are scored one by one and averaged with equal weight."""

import numpy as np

from scoring.metrics.rows import Array, Rows, mean


def squared(rows: Rows) -> Array:
    return np.square(rows.p - rows.y)


def absolute(rows: Rows) -> Array:
    return np.abs(rows.p - rows.y)


def squared_log(rows: Rows) -> Array:
    return np.square(np.log1p(rows.p) - np.log1p(rows.y))


def absolute_percentage(rows: Rows) -> Array:
    """Errors as a share of the label; 0 counts as the smallest step, as in scikit-learn."""
    return np.abs(rows.p - rows.y) / np.maximum(np.abs(rows.y), np.finfo(float).eps)


def symmetric_percentage(rows: Rows) -> Array:
    """Errors as a share of the mean size of label and prediction, 0 to 2; 0 where both are 0."""
    size = (np.abs(rows.y) + np.abs(rows.p)) / 2
    return np.divide(np.abs(rows.p - rows.y), size, out=np.zeros_like(size), where=size > 0)


def pinball(rows: Rows, alpha: float) -> Array:
    short = rows.y - rows.p
    return np.maximum(alpha * short, (alpha - 1) * short)


def huber(rows: Rows, delta: float) -> Array:
    size = np.abs(rows.p - rows.y)
    return np.where(size <= delta, size * size / 2, delta * (size - delta / 2))


def poisson_deviance(rows: Rows, clip: float) -> Array:
    """Twice the log likelihood lost against a perfect prediction; labels from 0 up."""
    p = _floored(rows, clip)
    ratio = np.divide(rows.y, p, out=np.ones_like(p), where=rows.y > 0)
    return 2 * (rows.y * np.log(ratio) - rows.y + p)


def tweedie_deviance(rows: Rows, power: float, clip: float) -> Array:
    """The same for amounts that are often 0 (compound Poisson), with 1 < power < 2."""
    p = _floored(rows, clip)
    label = np.power(rows.y, 2 - power) / ((1 - power) * (2 - power))
    some = np.divide(rows.y, np.power(p, power - 1), out=np.zeros_like(p), where=rows.y > 0)
    return 2 * (label - some / (1 - power) + np.power(p, 2 - power) / (2 - power))


def _floored(rows: Rows, clip: float) -> Array:
    """Predictions, those below both the clip and the label raised to the smaller of the two."""
    return np.maximum(rows.p, np.minimum(rows.y, clip))


def median_absolute(rows: Rows) -> float:
    """Median distance; with weights, the middle of the weighted rows (both middles averaged)."""
    errors = np.abs(rows.p - rows.y).reshape(rows.n, -1)
    if rows.weight is None:
        return float(np.median(errors, axis=0).mean())
    return float(np.mean([_weighted_median(column, rows.weight) for column in errors.T]))


def _weighted_median(values: Array, weight: Array) -> float:
    counted = weight > 0
    if not counted.any():
        return np.nan
    order = np.argsort(values[counted])
    ordered, passed = values[counted][order], np.cumsum(weight[counted][order])
    half = passed[-1] / 2
    middle = min(int(np.searchsorted(passed, half, "left")), len(ordered) - 1)
    if passed[middle] == half and middle + 1 < len(ordered):
        return float((ordered[middle] + ordered[middle + 1]) / 2)
    return float(ordered[middle])


def pearson(rows: Rows) -> float:
    """Linear correlation; NaN where labels or predictions do not vary."""
    y, p = rows.y.reshape(rows.n, -1), rows.p.reshape(rows.n, -1)
    pairs = zip(y.T, p.T, strict=True)
    return float(np.mean([_correlation(a, b, rows.weight) for a, b in pairs]))


def spearman(rows: Rows) -> float:
    """Correlation of ranks, equal values sharing their mean rank."""
    y, p = rows.y.reshape(rows.n, -1), rows.p.reshape(rows.n, -1)
    weight = rows.weight
    pairs = zip(y.T, p.T, strict=True)
    return float(
        np.mean([_correlation(_ranks(a, weight), _ranks(b, weight), weight) for a, b in pairs])
    )


def _correlation(a: Array, b: Array, weight: Array | None) -> float:
    if (a == a[0]).all() or (b == b[0]).all():
        return np.nan
    a, b = (_centred(values, weight) for values in (a, b))
    together, own_a, own_b = (mean(product, weight) for product in (a * b, a * a, b * b))
    size = np.sqrt(own_a * own_b)
    return float(np.clip(together / size, -1, 1)) if size > 0 else np.nan


def _centred(values: Array, weight: Array | None) -> Array:
    """Deviations from the mean, scaled so that squares neither overflow nor vanish."""
    apart = values - mean(values, weight)
    largest = np.abs(apart).max()
    return apart / largest if largest > 0 else apart


def _ranks(values: Array, weight: Array | None) -> Array:
    """Mean ranks; with weights, the middle of the stretch that equal values cover."""
    order = np.argsort(values)
    ordered = values[order]
    starts = np.concatenate(([0], np.flatnonzero(ordered[1:] != ordered[:-1]) + 1, [len(values)]))
    if weight is None:
        passed = starts.astype(float)
    else:
        passed = np.concatenate(([0.0], np.cumsum(weight[order])))[starts]
    ranks = np.empty(len(values))
    ranks[order] = np.repeat((passed[1:] + passed[:-1]) / 2, np.diff(starts))
    return ranks


def _explained(rows: Rows, errors: Array) -> float:
    """1 - mean squared error / variance of the labels; NaN where a label column is constant."""
    apart = rows.y - mean(rows.y, rows.weight)
    # A power of two changes no digit, and keeps the squares of very large labels finite.
    power = -np.frexp(np.abs(apart).max(axis=0))[1]
    spread = mean(np.square(np.ldexp(apart, power)), rows.weight)
    lost = mean(np.square(np.ldexp(errors, power)), rows.weight)
    constant = (rows.y == rows.y[:1]).all(axis=0)
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        value = 1 - lost / spread
        # Where even that is no number the score is beyond all numbers, not undefined.
        value = np.where(np.isnan(value), -np.inf, value)
        return float(np.mean(np.where(constant, np.nan, value)))


def r2(rows: Rows) -> float:
    return _explained(rows, rows.y - rows.p)


def explained_variance(rows: Rows) -> float:
    errors = rows.y - rows.p
    return _explained(rows, errors - mean(errors, rows.weight))
