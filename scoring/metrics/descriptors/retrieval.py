"""Metrics of ranked lists, one list a query."""

from typing import Any

from scoring.metrics import sensitivity
from scoring.metrics.base import Metric, register, require

_MODULE = "scoring.metrics.retrieval"
MOST_PLACES = 10_000
_FORMAT = (
    " A row is a query: predict the items in order, best first, with spaces between. An item named "
    "twice keeps its places and counts once."
)
# The lists of one query; a snippet defines it once and averages it.
_LISTS = (
    "def hits(true, predicted, k):\n"
    "    relevant, items = set(true.split()), predicted.split()[: k or None]\n"
    "    found = [i in relevant and i not in items[:n] for n, i in enumerate(items)]\n"
    "    return found, len(relevant)\n\n\n"
)
_AVERAGE = "\n\nscore = sum(map(one, y_true, y_pred)) / len(y_true)"


def _lists(name: str, title: str, k: int, text: str, body: str, **more: Any) -> Metric:
    least = 0 if name == "mrr" else 1
    require(least <= k <= MOST_PLACES, f"k of {name} must be {least} or more, up to {MOST_PLACES}.")
    return Metric(
        name=name,
        title=title,
        symbol=title,
        family="retrieval",
        kinds=("text",),
        form="mean",
        params={"k": k},
        greater_is_better=True,
        low=0.0,
        high=1.0,
        perfect=1.0,
        rows="query",
        undefined="A query has no relevant item; such rows must be left out of the solution.",
        sensitivity=sensitivity.PER_QUERY,
        description=text + _FORMAT,
        snippet=f"{more.pop('start', '')}{_LISTS}def one(true, predicted):\n"
        f"    found, n = hits(true, predicted, {k})\n" + body + _AVERAGE,
        function=f"{_MODULE}:{more.pop('function')}",
        **more,
    )


@register
def mean_average_precision(k: int = 10) -> Metric:
    return _lists(
        "map_at_k",
        f"MAP@{k}",
        k,
        "The share of relevant items so far, noted at the place of each relevant item among the "
        f"first {k}, summed and divided by the number of relevant items (at most {k}); averaged "
        "over the queries.",
        "    places = [place for place, hit in enumerate(found, 1) if hit]\n"
        f"    return sum(m / place for m, place in enumerate(places, 1)) / min(n, {k})\n",
        aliases=("map", "mean_average_precision", "mapk"),
        function="average_precision",
    )


@register
def ndcg(k: int = 10) -> Metric:
    return _lists(
        "ndcg_at_k",
        f"NDCG@{k}",
        k,
        f"Each relevant item among the first {k} earns 1/log2(1 + place); the sum is divided by "
        "that of a perfect list and averaged over the queries. Items are relevant or not.",
        "    gain = sum(1 / log2(1 + place) for place, hit in enumerate(found, 1) if hit)\n"
        f"    return gain / sum(1 / log2(2 + place) for place in range(min(n, {k})))\n",
        start="from math import log2\n\n\n",
        aliases=("ndcg", "ndcg_score", "ndcgk"),
        function="discounted_gain",
    )


@register
def reciprocal_rank(k: int = 0) -> Metric:
    return _lists(
        "mrr",
        f"MRR@{k}" if k else "MRR",
        k,
        "1 divided by the place of the first relevant item"
        + (f" among the first {k}" if k else "")
        + ", 0 if there is none; averaged over the queries.",
        "    return 1 / (1 + found.index(True)) if True in found else 0\n",
        aliases=("mrr_at_k", "mean_reciprocal_rank"),
        function="reciprocal_rank",
    )


@register
def recall(k: int = 10) -> Metric:
    return _lists(
        "recall_at_k",
        f"Recall@{k}",
        k,
        f"The relevant items among the first {k}, divided by the number of relevant items (at most "
        f"{k}, so that a perfect list scores 1); averaged over the queries.",
        f"    return sum(found) / min(n, {k})\n",
        aliases=("recallk", "hit_share_at_k"),
        function="recall",
    )
