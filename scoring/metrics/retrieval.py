"""Metrics of ranked lists, one list a query.

A row is a query. The prediction is a text of items in order, best first, with spaces between; the
label a text of the relevant items. Only the first k predicted items are read. An item that is
named again keeps its place and earns nothing. A query without a relevant item has no score (NaN).
"""

import numpy as np

from scoring.metrics.rows import Array, Rows


def average_precision(rows: Rows, k: int) -> Array:
    """Precision at the place of each relevant item found, over the most that k places can hold."""

    def of_query(hits: Array, relevant: int) -> float:
        places = np.flatnonzero(hits)
        return float(np.sum(np.arange(1, len(places) + 1) / (places + 1)) / min(relevant, k))

    return _each(rows, k, of_query)


def discounted_gain(rows: Rows, k: int) -> Array:
    """Gain 1/log2(place + 1) of relevant items, over that of a perfect list."""
    discount = 1 / np.log2(np.arange(2, k + 2))

    def of_query(hits: Array, relevant: int) -> float:
        return float(discount[: len(hits)] @ hits / discount[:relevant].sum())

    return _each(rows, k, of_query)


def reciprocal_rank(rows: Rows, k: int) -> Array:
    """1 over the place of the first relevant item, 0 if there is none in k places (k 0: in all)."""

    def of_query(hits: Array, relevant: int) -> float:
        return 1 / (1 + int(np.argmax(hits))) if hits.any() else 0.0

    return _each(rows, k, of_query)


def recall(rows: Rows, k: int) -> Array:
    """Relevant items found in k places, over the most that k places can hold."""
    return _each(rows, k, lambda hits, relevant: float(hits.sum()) / min(relevant, k))


def _each(rows: Rows, k: int, of_query) -> Array:  # type: ignore[no-untyped-def]
    """`of_query(hits by place, number of relevant items)` for every query."""
    scores = np.full(rows.n, np.nan)
    for place, (label, prediction) in enumerate(zip(rows.y, rows.p, strict=True)):
        relevant = set(label.split())
        if relevant:
            scores[place] = of_query(_hits(prediction.split(), relevant, k), len(relevant))
    return scores


def _hits(items: list[str], relevant: set[str], k: int) -> Array:
    """For each of the first k places whether a relevant item stands there for the first time."""
    left = set(relevant)
    hits = np.zeros(min(len(items), k) if k else len(items), dtype=bool)
    for place, item in enumerate(items[: len(hits)]):
        if item in left:
            left.remove(item)
            hits[place] = True
    return hits
