"""Metrics of the order in which predictions put the rows.

The areas are computed without an index sort: positives and negatives are sorted apart and looked
up in one another, which is exact with ties and several times faster.
"""

from dataclasses import replace

import numpy as np

from scoring.metrics.rows import Array, Rows

_STEPS = 8


def roc_auc(rows: Rows) -> float:
    """Chance that a positive row stands above a negative one; ties half, NaN for one class."""
    happened = rows.y > 0
    if rows.weight is not None:
        return _weighted_area(rows.p, happened, rows.weight)
    if rows.p.min(initial=0) < 0:
        return _area(rows.p.compress(happened), rows.p.compress(~happened))
    return _area_from_zero(rows.p, happened)


def gini(rows: Rows) -> float:
    return 2 * roc_auc(rows) - 1


def _area(positive: Array, negative: Array) -> float:
    if not len(positive) or not len(negative):
        return np.nan
    few, many = sorted((positive, negative), key=len)
    few, many = np.sort(few), np.sort(many)
    start, end = (np.searchsorted(many, few, side) for side in ("left", "right"))
    # Integers up to 2 n+ n-, so that no rounding happens before the division.
    area = int(start.sum() + end.sum()) / (2 * len(few) * len(many))
    return area if len(positive) <= len(negative) else 1 - area


def _area_from_zero(p: Array, happened: Array) -> float:
    """The same for scores that are not negative: one sort of scores and labels together.

    Bit patterns of such doubles are in the order of the doubles, and leave the first bit free.
    """
    total = int(np.count_nonzero(happened))
    if not 0 < total < len(p):
        return np.nan
    # The shift drops the sign of -0, too.
    keys = p.view(np.uint64) << np.uint64(1)
    keys |= happened
    keys.sort()
    places = np.flatnonzero((keys & np.uint64(1)).astype(bool))
    # Twice the pairs in which the negative stands before the positive: of the same score it does.
    area = 2 * int(places.sum()) - total * (total - 1)
    # Where a score has both, its negatives end and its positives begin: those pairs count half.
    last = np.flatnonzero((keys[1:] ^ keys[:-1]) == 1)
    area -= int(_run(keys, last, -1) @ _run(keys, last + 1, 1))
    return area / (2 * total * (len(p) - total))


def _run(keys: Array, start: Array, step: int) -> Array:
    """How many keys, sorted, are equal from each start on, upwards (1) or downwards (-1)."""
    found = np.ones(len(start), np.int64)
    going = np.arange(len(start))
    # Runs are short as a rule: a few steps are cheaper than a search each.
    for reach in range(1, _STEPS):
        at = start[going]
        there = at + step * reach
        same = keys.take(there, mode="clip") == keys[at]
        going = going[same & (there >= 0) & (there < len(keys))]
        if not len(going):
            return found
        found[going] += 1
    at = start[going]
    if step > 0:
        found[going] = np.searchsorted(keys, keys[at], "right") - at
    else:
        found[going] = at + 1 - np.searchsorted(keys, keys[at], "left")
    return found


def _weighted_area(p: Array, happened: Array, weight: Array) -> float:
    negative, passed = _ordered(p[~happened], weight[~happened])
    positive, own = p[happened], weight[happened]
    total = passed[-1] * own.sum()
    if total <= 0:
        return np.nan
    start, end = (np.searchsorted(negative, positive, side) for side in ("left", "right"))
    return float(own @ (passed[start] + passed[end]) / (2 * total))


def _ordered(p: Array, weight: Array | None) -> tuple[Array, Array]:
    """Sorted scores (n,), and the weight of the rows before each place (n + 1,)."""
    if weight is None:
        return np.sort(p), np.arange(len(p) + 1.0)
    order = np.argsort(p)
    return p[order], np.concatenate(([0.0], np.cumsum(weight[order])))


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
    weight = rows.weight
    positive, hits = _ordered(rows.p[happened], None if weight is None else weight[happened])
    negative, misses = _ordered(rows.p[~happened], None if weight is None else weight[~happened])
    if hits[-1] <= 0:
        return np.nan
    found = hits[-1] - hits[np.searchsorted(positive, positive, "left")]
    others = misses[-1] - misses[np.searchsorted(negative, positive, "left")]
    # A row of weight 0 above all others has nothing at its threshold, and adds nothing.
    precision = np.divide(found, found + others, out=np.zeros(len(found)), where=found > 0)
    return float(np.diff(hits) @ precision / hits[-1])


def placements(rows: Rows) -> tuple[Array, Array]:
    """DeLong's components: for each positive row the share of negatives below it, and for each
    negative row the share of positives above it (ties half). Both average to the ROC AUC.

    Source: DeLong, DeLong and Clarke-Pearson 1988, Biometrics 44. Weights are not used.
    """
    happened = rows.y > 0
    positive, negative = rows.p[happened], rows.p[~happened]
    return _share_below(positive, np.sort(negative)), 1 - _share_below(negative, np.sort(positive))


def _share_below(p: Array, others: Array) -> Array:
    """For each score the share of the sorted others below it, equal ones counting half."""
    start, end = (np.searchsorted(others, p, side) for side in ("left", "right"))
    return (start + end) / (2 * len(others))
