"""Metrics of the order in which predictions put the rows.

The areas are computed without an index sort: positives and negatives are sorted apart and looked
up in one another, which is exact with ties and several times faster.
"""

from dataclasses import replace

import numpy as np

from scoring.metrics.rows import Array, Rows


def roc_auc(rows: Rows) -> float:
    """Chance that a positive row stands above a negative one; ties half, NaN for one class."""
    happened = rows.y > 0
    if rows.weight is not None:
        return _weighted_area(rows.p, happened, rows.weight)
    return _area(rows.p[happened], rows.p[~happened])


def gini(rows: Rows) -> float:
    return 2 * roc_auc(rows) - 1


def _area(positive: Array, negative: Array) -> float:
    if not len(positive) or not len(negative):
        return np.nan
    few, many = sorted((positive, negative), key=len)
    few, many = np.sort(few), np.sort(many)
    # Integers up to 2 n+ n-, so that no rounding happens before the division.
    below = int(
        np.searchsorted(many, few, "left").sum() + np.searchsorted(many, few, "right").sum()
    )
    area = below / (2 * len(few) * len(many))
    return area if len(positive) <= len(negative) else 1 - area


def _weighted_area(p: Array, happened: Array, weight: Array) -> float:
    order = np.argsort(p[~happened])
    negative = p[~happened][order]
    passed = np.concatenate(([0.0], np.cumsum(weight[~happened][order])))
    positive, own = p[happened], weight[happened]
    if passed[-1] <= 0 or own.sum() <= 0:
        return np.nan
    below = passed[np.searchsorted(negative, positive, "left")]
    upto = passed[np.searchsorted(negative, positive, "right")]
    return float(own @ (below + upto) / (2 * passed[-1] * own.sum()))


def roc_auc_columns(rows: Rows) -> float:
    """Mean ROC AUC of several columns of numbers against labels 0 and 1."""
    y, p = rows.y.reshape(rows.n, -1), rows.p.reshape(rows.n, -1)
    if not np.isin(y, (0, 1)).all():
        return np.nan
    areas = [roc_auc(replace(rows, y=y[:, c], p=p[:, c])) for c in range(y.shape[1])]
    return float(np.mean(areas))


def roc_auc_one_vs_rest(rows: Rows, weighted: bool) -> float:
    """Mean over the classes of the ROC AUC of that class's column against all other rows."""
    areas = [roc_auc(replace(rows, y=rows.y == c, p=rows.p[:, c])) for c in range(rows.classes)]
    counts = np.bincount(rows.y, weights=rows.weight, minlength=rows.classes)
    return float(np.average(areas, weights=counts if weighted else None))


def roc_auc_one_vs_one(rows: Rows, weighted: bool) -> float:
    """Mean over pairs of classes of the ROC AUC within the pair, both ways round.

    Source: Hand and Till 2001, Machine Learning 45. Weighted: by the pair's number of rows.
    """
    areas, sizes = [], []
    for a in range(rows.classes):
        for b in range(a):
            pair = rows.take(np.flatnonzero((rows.y == a) | (rows.y == b)))
            of_a = roc_auc(replace(pair, y=pair.y == a, p=pair.p[:, a]))
            of_b = roc_auc(replace(pair, y=pair.y == b, p=pair.p[:, b]))
            areas.append((of_a + of_b) / 2)
            sizes.append(pair.n if pair.weight is None else pair.weight.sum())
    return float(np.average(areas, weights=sizes if weighted else None))


def average_precision(rows: Rows) -> float:
    """Precision at the score of each positive row, averaged over them; NaN without a positive.

    Rows with equal scores are taken in together, as scikit-learn does.
    """
    happened = rows.y > 0
    weight = np.ones(rows.n) if rows.weight is None else rows.weight
    hits, above_hits = _at_or_above(rows.p[happened], weight[happened], rows.p[happened])
    _, above_misses = _at_or_above(rows.p[~happened], weight[~happened], rows.p[happened])
    if hits <= 0:
        return np.nan
    found = above_hits + above_misses
    precision = np.divide(above_hits, found, out=np.zeros(len(found)), where=found > 0)
    return float(weight[happened] @ precision / hits)


def _at_or_above(p: Array, weight: Array, thresholds: Array) -> tuple[float, Array]:
    """Total weight, and for each threshold the weight of the rows at or above it."""
    order = np.argsort(p)
    passed = np.concatenate(([0.0], np.cumsum(weight[order])))
    return passed[-1], passed[-1] - passed[np.searchsorted(p[order], thresholds, "left")]


def placements(rows: Rows) -> tuple[Array, Array]:
    """DeLong's components: for each positive row the share of negatives below it, and for each
    negative row the share of positives above it (ties half). Both average to the ROC AUC.

    Source: DeLong, DeLong and Clarke-Pearson 1988, Biometrics 44. Weights are not used.
    """
    happened = rows.y > 0
    positive, negative = rows.p[happened], rows.p[~happened]
    low, high = np.sort(negative), np.sort(positive)
    above = (np.searchsorted(low, positive, "left") + np.searchsorted(low, positive, "right")) / (
        2 * max(len(low), 1)
    )
    below = (np.searchsorted(high, negative, "left") + np.searchsorted(high, negative, "right")) / (
        2 * max(len(high), 1)
    )
    return above, 1 - below
