"""The stated bounds on what one row can do, searched for violations on small random sets."""

import numpy as np
import pytest
from metric_cases import rng_of

from scoring.errors import Unscorable
from scoring.evaluate import score
from scoring.metrics import all_metrics, get
from scoring.metrics.rows import Rows

BOUNDED = [metric for metric in all_metrics() if metric.sensitivity.rule is not None]
SPAN, LOW = 10.0, 1.0


def random_rows(metric, rng, n):
    """Rows of a kind that the metric takes, with predictions near the ends of the range."""
    if metric.kinds[0] == "label":
        k = 2 if metric.binary else 3
        return Rows(rng.integers(0, k, n), rng.integers(0, k, n), classes=k)
    if metric.kinds == ("probabilities",):
        p = rng.dirichlet(np.full(3, 0.3), n)
        return Rows(rng.integers(0, 3, n), p, classes=3)
    if metric.kinds[0] == "probability":
        return Rows(rng.integers(0, 2, n), np.round(rng.beta(0.3, 0.3, n), 1))
    if metric.most == 1.0:
        return Rows(rng.integers(0, 2, (n, 2)).astype(float), np.round(rng.random((n, 2))))
    if metric.kinds == ("number",):
        near = rng.random(n) < 0.7
        y = LOW + SPAN * rng.random(n)
        p = np.where(near, y, LOW + SPAN * rng.integers(0, 2, n))
        return Rows(np.where(near, y, LOW + SPAN * rng.integers(0, 2, n)), p)
    words = np.array(["a", "b", "c", "d", "e"])
    y = [" ".join(rng.choice(words, rng.integers(1, 4), replace=False)) for _ in range(n)]
    p = [t if rng.random() < 0.3 else " ".join(rng.choice(words, rng.integers(4))) for t in y]
    return Rows(np.array(y, dtype=object), np.array(p, dtype=object))


def facts_of(metric, *sets):
    """Facts that hold for both sets: counts are the smaller of the two."""
    facts = {"span": SPAN, "low": LOW}
    if metric.kinds[0] in ("label", "probability", "probabilities"):
        k = sets[0].classes
        counts = np.min([np.bincount(rows.y, minlength=k) for rows in sets], axis=0)
        facts.update(classes=k, smallest_class=int(counts.min()), positives=int(counts[1]))
    return facts


@pytest.mark.parametrize("metric", BOUNDED, ids=lambda metric: metric.name)
def test_replacing_one_row_moves_the_score_no_further_than_stated(metric):
    largest = 0.0
    trials = 25 if metric.family == "text" else 100
    for trial in range(trials):
        rng = rng_of(21, trial)
        n = int(rng.integers(4, 13))
        first, spare = random_rows(metric, rng, n), random_rows(metric, rng, 1)
        y, p = first.y.copy(), first.p.copy()
        y[0], p[0] = spare.y[0], spare.p[0]
        second = Rows(y, p, classes=first.classes)
        bound = metric.sensitivity(n, **facts_of(metric, first, second))
        if bound is None:
            continue
        try:
            moved = abs(score(metric, first) - score(metric, second))
        except Unscorable:
            continue
        assert moved <= bound * (1 + 1e-9), (trial, moved, bound)
        largest = max(largest, moved / bound)
    assert largest > 0.1, "the search came nowhere near the bound"


@pytest.mark.parametrize(
    ("name", "n", "facts", "wanted"),
    [
        ("accuracy", 100, {}, 0.01),
        ("log_loss(clip=1e-15)", 1, {}, 34.538776394910684),
        ("log_loss(clip=0.01)", 1, {}, 4.59511985013459),
        ("balanced_accuracy", 100, {"classes": 4, "smallest_class": 10}, 0.05),
        ("roc_auc", 100, {"smallest_class": 10}, 0.2),
        ("gini", 100, {"smallest_class": 10}, 0.4),
        ("rmse", 100, {"span": 10.0}, 1.0),
        ("mse", 100, {"span": 10.0}, 1.0),
        ("pinball(alpha=0.9)", 100, {"span": 10.0}, 0.09),
        ("map@3", 50, {}, 0.02),
        ("rmse", 100, {}, None),
        ("roc_auc", 100, {}, None),
        ("r2", 100, {"span": 10.0}, None),
        ("bleu", 100, {}, None),
        ("average_precision", 100, {"smallest_class": 10, "positives": 10}, None),
        ("accuracy", 100, {"weighted": True}, None),
        ("accuracy", 0, {}, None),
    ],
)
def test_stated_bounds(name, n, facts, wanted):
    found = get(name).sensitivity(n, **facts)
    assert found == (None if wanted is None else pytest.approx(wanted))
