"""Laws that every metric of the register is held to."""

import math
import warnings
from itertools import pairwise

import numpy as np
import pytest
from metric_cases import CLASSES, cases, perfect_predictions, rng_of
from metric_oracles import oracles

from scoring import metrics
from scoring.errors import Unscorable
from scoring.evaluate import score
from scoring.metrics.rows import Rows

METRICS = metrics.all_metrics()
ORACLES = oracles()
# token_f1 has no outside package to be compared with; its values are written out below.
WITHOUT_ORACLE = {"token_f1"}

every_metric = pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)


def scored(metric, rows):
    try:
        return score(metric, rows)
    except Unscorable:
        return math.nan


def close(a, b, tolerance=1e-12):
    return (math.isnan(a) and math.isnan(b)) or abs(a - b) <= tolerance * max(1, abs(a), abs(b))


def test_every_metric_has_an_oracle():
    assert {metric.name for metric in METRICS} == set(ORACLES) | WITHOUT_ORACLE


@every_metric
def test_agrees_with_others_on_random_and_degenerate_rows(metric):
    if metric.name in WITHOUT_ORACLE:
        pytest.skip("values are written out in test_metric_values.py")
    for name, rows in cases(metric):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            wanted = float(ORACLES[metric.name](rows))
        found = scored(metric, rows)
        assert close(found, wanted), f"{name}: {found} where the oracle says {wanted}"


@every_metric
def test_order_of_rows_does_not_matter(metric):
    for name, rows in cases(metric):
        shuffled = rows.take(rng_of(11).permutation(rows.n))
        assert close(scored(metric, rows), scored(metric, shuffled), 1e-11), name


@every_metric
def test_perfect_predictions_score_perfect_and_nothing_is_better(metric):
    checked = 0
    for name, rows in cases(metric):
        kind = "probabilities" if rows.p.ndim == 2 and rows.y.ndim == 1 else metric.kinds[0]
        p = perfect_predictions(kind, rows.y, rows.classes)
        best = scored(metric, Rows(rows.y, p, rows.weight, rows.classes))
        if math.isnan(best):
            continue
        if metric.name in ("bleu", "rouge2") and any(len(y.split()) < 4 for y in rows.y):
            # Texts shorter than the runs of words that are counted score below 1 whatever is sent.
            continue
        checked += 1
        assert close(best, metric.perfect, 1e-9), name
        other = scored(metric, rows)
        if not math.isnan(other) and not close(other, best, 1e-9):
            assert metric.better(best, other), f"{name}: {other} beats a perfect {best}"
    assert checked or metric.name in ("bleu", "rouge2")


@every_metric
def test_stays_within_its_bounds(metric):
    for name, rows in cases(metric):
        value = scored(metric, rows)
        if not math.isnan(value):
            slack = 1e-12 * max(1, abs(value))
            assert metric.low is None or value >= metric.low - slack, name
            assert metric.high is None or value <= metric.high + slack, name


@every_metric
def test_improving_predictions_moves_the_score_in_its_direction(metric):
    """Rows are corrected one share after another; the score may rest but ends up better."""
    name, rows = cases(metric)[0]
    kind = "probabilities" if rows.p.ndim == 2 and rows.y.ndim == 1 else metric.kinds[0]
    truth = perfect_predictions(kind, rows.y, rows.classes)
    order = rng_of(12).permutation(rows.n)
    values = []
    for share in (0.0, 0.5, 1.0):
        p = rows.p.copy()
        fixed = order[: int(share * rows.n)]
        p[fixed] = truth[fixed]
        values.append(score(metric, Rows(rows.y, p, rows.weight, rows.classes)))
    assert metric.better(values[2], values[0]), name
    for before, after in pairwise(values):
        assert not metric.better(before, after), name


@every_metric
def test_a_weight_of_three_is_the_row_three_times(metric):
    for name, rows in cases(metric):
        if rows.weight is not None:
            continue
        copies = rng_of(13, rows.n).integers(1, 4, rows.n)
        weighted = Rows(rows.y, rows.p, copies.astype(float), rows.classes)
        repeated = rows.take(np.repeat(np.arange(rows.n), copies))
        assert close(scored(metric, weighted), scored(metric, repeated), 1e-10), name


@every_metric
def test_equal_weights_change_nothing(metric):
    for name, rows in cases(metric):
        if rows.weight is None:
            same = Rows(rows.y, rows.p, np.full(rows.n, 2.0), rows.classes)
            assert close(scored(metric, rows), scored(metric, same), 1e-11), name


@every_metric
def test_no_rows_and_no_weight_are_refused(metric):
    _, rows = cases(metric)[0]
    with pytest.raises(Unscorable, match="no row"):
        score(metric, rows.take(np.array([], int)))
    with pytest.raises(Unscorable):
        score(metric, Rows(rows.y, rows.p, np.zeros(rows.n), rows.classes))


@every_metric
def test_inputs_are_left_as_they_were(metric):
    for name, rows in cases(metric)[:3]:
        y, p = rows.y.copy(), rows.p.copy()
        scored(metric, rows)
        assert (rows.y == y).all(), name
        assert (rows.p == p).all(), name


@every_metric
def test_read_only_arrays_are_enough(metric):
    """Parts are mapped from files that nobody may write to."""
    _, rows = cases(metric)[0]
    for array in (rows.y, rows.p):
        array.flags.writeable = False
    try:
        score(metric, rows)
    finally:
        for array in (rows.y, rows.p):
            array.flags.writeable = True


@every_metric
def test_the_snippet_gives_the_same_score(metric):
    """Participants run the snippet on data of their own: y_true, y_pred, positive, classes."""
    ran = 0
    for name, rows in cases(metric):
        value = scored(metric, rows)
        if rows.weight is not None or math.isnan(value) or ran == 5:
            continue
        found = run_snippet(metric, rows)
        if found is not None:
            ran += 1
            assert close(float(found), value, 1e-9), f"{name}: {found} where we say {value}"
    assert ran >= 2


def run_snippet(metric, rows):
    scope = {"y_true": rows.y, "y_pred": rows.p, "positive": 1, "classes": range(rows.classes)}
    if metric.kinds == ("label",):
        if metric.binary and rows.classes > 2:
            return None
        names = np.array(CLASSES)
        scope.update(y_true=names[rows.y], y_pred=names[rows.p], positive="bee")
        scope["classes"] = CLASSES[: rows.classes]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            exec(compile(metric.snippet, metric.name, "exec"), scope)
        except ValueError:
            # scikit-learn refuses some degenerate rows that have a score (a single class).
            return None
    return scope["score"]


@every_metric
def test_is_described_in_full(metric):
    assert metric.title
    assert metric.symbol
    assert metric.description.endswith(".")
    assert len(metric.description) > 40
    assert metric.undefined.endswith(".")
    assert metric.sensitivity.bound_note
    assert metric.rows in ("row", "query", "corpus")
    assert "score = " in metric.snippet
    assert metric.form in ("mean", "counts", "tally", "whole")
    assert set(metric.kinds) <= {"label", "probability", "probabilities", "number", "text"}
