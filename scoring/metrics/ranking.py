"""Metrics of the order in which predictions put the rows.

The areas are computed without an index sort: positives and negatives are sorted apart and looked
up in one another, which is exact with ties and several times faster.
"""

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
