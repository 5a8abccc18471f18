"""Standard errors, differences and tests of two files, against formulas and against simulation."""

import time
from types import SimpleNamespace

import numpy as np
import pytest

from scoring.errors import Unscorable
from scoring.evaluate import evaluate
from scoring.intervals import (
    delong_covariance,
    paired_difference,
    paired_test,
    standard_error,
)
from scoring.metrics import all_metrics, get
from scoring.metrics.rows import Rows
from scoring.task import Task

NUMBER = Task("id", ("x",), "number", low=0.0, high=1.0)
LABEL = Task("id", ("x",), "label", classes=("no", "yes"))
CHANCE = Task("id", ("x",), "probability")
CHANCES = Task("id", ("a", "b", "c"), "probabilities")
TEXT = Task("id", ("x",), "text")


def part_of(y, weight=None):
    return SimpleNamespace(slots=np.arange(len(y)), y=y, weight=weight, n=len(y))


def file_of(values):
    return SimpleNamespace(values=values)


def chances(rng, n, skill):
    """Labels and predictions whose order is right more often the higher the skill."""
    y = (rng.random(n) < 0.4).astype(np.int32)
    return y, 1 / (1 + np.exp(-skill * (y - 0.4) - rng.normal(size=n)))


def example(metric, rng, n=120):
    """Task, part and two files that a metric takes."""
    if metric.kinds[0] == "label":
        y = rng.integers(0, 2, n).astype(np.int32)
        files = [np.where(rng.random(n) < share, y, 1 - y) for share in (0.7, 0.8)]
        return LABEL, part_of(y), [file_of(p.astype(np.int32)) for p in files]
    if metric.kinds == ("probabilities",):
        y = rng.integers(0, 3, n).astype(np.int32)
        files = [rng.dirichlet(np.ones(3), n) * 0.8 + 0.2 * np.eye(3)[y] for _ in range(2)]
        return CHANCES, part_of(y), [file_of(p) for p in files]
    if metric.kinds[0] == "probability":
        y, p = chances(rng, n, 1.0)
        return CHANCE, part_of(y), [file_of(p), file_of((p + rng.random(n)) / 2)]
    if metric.most == 1.0:
        y = rng.integers(0, 2, (n, 2)).astype(float)
        return NUMBER, part_of(y), [file_of(0.2 * y + 0.8 * rng.random((n, 2))) for _ in range(2)]
    if metric.kinds == ("number",):
        y = rng.random(n)
        return NUMBER, part_of(y), [file_of((y + rng.random(n)) / 2) for _ in range(2)]
    words = np.array(["red", "fox", "owl", "hen", "sat", "ran"])
    n = min(n, 60)
    y = [" ".join(rng.permutation(words)[: rng.integers(1, 6)]) for _ in range(n)]
    files = []
    for _ in range(2):
        p = [t if rng.random() < 0.4 else " ".join(rng.choice(words, 4)) for t in y]
        files.append(file_of(np.array(p, dtype=object)))
    return TEXT, part_of(np.array(y, dtype=object)), files


@pytest.mark.parametrize("metric", all_metrics(), ids=lambda metric: metric.name)
def test_every_metric_has_a_standard_error_and_a_difference(metric):
    """A plain bootstrap, written out from rows, agrees with the fast roads within its own error."""
    rng = np.random.default_rng(31)
    task, part, (a, b) = example(metric, rng)
    error = standard_error(task, metric, part, a, resamples=300, rng=rng)
    literal = []
    for _ in range(30 if metric.family == "text" else 100):
        index = rng.integers(0, part.n, part.n)
        drawn = SimpleNamespace(slots=index, y=part.y[index], weight=None, n=part.n)
        literal.append(evaluate(task, metric, drawn, a))
    assert error == pytest.approx(np.std(literal, ddof=1), rel=0.45)
    improvement, spread = paired_difference(task, metric, part, a, b, rng)
    sign = 1 if metric.greater_is_better else -1
    scores = [evaluate(task, metric, part, file) for file in (a, b)]
    assert improvement == pytest.approx(sign * (scores[1] - scores[0]), abs=1e-15)
    assert 0 < spread < 4 * error
    assert 0 < paired_test(task, metric, part, a, b, rng=rng, resamples=200) <= 1


def test_delong_of_a_small_table_by_hand():
    """Two positives and three negatives; placements 2/3, 1 and 1/2, 1, 1."""
    y, p = np.array([1, 1, 0, 0, 0]), np.array([0.5, 0.9, 0.7, 0.2, 0.1])
    rows = Rows(y, p)
    above, below = np.var([2 / 3, 1], ddof=1) / 2, np.var([1 / 2, 1, 1], ddof=1) / 3
    assert delong_covariance(rows)[0, 0] == pytest.approx(above + below)


def test_delong_agrees_with_the_scatter_of_fresh_samples():
    rng = np.random.default_rng(32)
    metric, scores, claimed = get("roc_auc"), [], []
    for _ in range(250):
        y, p = chances(rng, 300, 1.0)
        scores.append(evaluate(CHANCE, metric, part_of(y), file_of(p)))
        claimed.append(standard_error(CHANCE, metric, part_of(y), file_of(p), rng=rng))
    assert np.mean(claimed) == pytest.approx(np.std(scores), rel=0.12)


def test_delong_of_a_difference_agrees_with_the_scatter_of_fresh_samples():
    rng = np.random.default_rng(33)
    gaps, claimed = [], []
    for _ in range(250):
        y, p = chances(rng, 300, 1.0)
        q = p + 0.1 * rng.random(300)
        gap, spread = paired_difference(CHANCE, "roc_auc", part_of(y), file_of(p), file_of(q), rng)
        gaps.append(gap)
        claimed.append(spread)
    assert np.mean(claimed) == pytest.approx(np.std(gaps), rel=0.12)


def test_a_mean_has_the_textbook_standard_error():
    rng = np.random.default_rng(34)
    y = rng.random(500)
    p = rng.random(500)
    errors = np.abs(y - p)
    found = standard_error(NUMBER, "mae", part_of(y), file_of(p), resamples=2000, rng=rng)
    assert found == pytest.approx(errors.std() / np.sqrt(500), rel=0.07)


@pytest.mark.parametrize("name", ["mae", "rmse", "log_loss", "accuracy"])
def test_from_many_rows_on_the_limit_of_the_bootstrap_is_used(name, monkeypatch):
    rng = np.random.default_rng(35)
    task, part, (file, _) = example(get(name), rng, 1000)
    drawn = standard_error(task, name, part, file, resamples=2000, rng=rng)
    monkeypatch.setattr("scoring.intervals._MANY", 0)
    assert standard_error(task, name, part, file, rng=rng) == pytest.approx(drawn, rel=0.07)


@pytest.mark.parametrize("name", ["r2", "average_precision", "spearman"])
def test_of_many_rows_a_part_is_drawn_and_the_scatter_scaled(name, monkeypatch):
    rng = np.random.default_rng(45)
    task, part, (file, other) = example(get(name), rng, 2000)
    error = standard_error(task, name, part, file, rng=rng)
    spread = paired_difference(task, name, part, file, other, rng)[1]
    monkeypatch.setattr("scoring.intervals._MANY", 500)
    assert standard_error(task, name, part, file, rng=rng) == pytest.approx(error, rel=0.15)
    assert paired_difference(task, name, part, file, other, rng)[1] == pytest.approx(
        spread, rel=0.3
    )


@pytest.mark.parametrize("name", ["mae", "rmse", "accuracy", "f1", "roc_auc", "r2"])
def test_weights_enter(name):
    """Rows of weight 0 do not exist: the error is that of the other half, which is larger."""
    rng = np.random.default_rng(36)
    task, part, (file, other) = example(get(name), rng, 400)
    half = part_of(part.y, (np.arange(400) % 2).astype(float))
    whole = standard_error(task, name, part, file, rng=rng)
    assert standard_error(task, name, half, file, rng=rng) > 1.15 * whole
    assert paired_difference(task, name, half, file, other, rng)[1] > 0


def test_the_paired_spread_is_smaller_for_files_that_are_alike():
    rng = np.random.default_rng(37)
    y = rng.integers(0, 2, 1000).astype(np.int32)
    first = np.where(rng.random(1000) < 0.8, y, 1 - y).astype(np.int32)
    near = first.copy()
    near[:20] = 1 - near[:20]
    for name in ("accuracy", "f1", "mcc"):
        error = standard_error(LABEL, name, part_of(y), file_of(first), rng=rng)
        _, spread = paired_difference(LABEL, name, part_of(y), file_of(first), file_of(near), rng)
        assert spread < error / 2


def test_identical_files_differ_by_nothing():
    rng = np.random.default_rng(38)
    for name in ("roc_auc", "log_loss", "average_precision"):
        task, part, (file, _) = example(get(name), rng)
        difference, spread = paired_difference(task, name, part, file, file, rng)
        assert difference == 0
        assert spread == pytest.approx(0, abs=1e-12)
        assert paired_test(task, name, part, file, file, rng=rng) == 1.0


def test_a_constant_file_has_no_spread_under_the_area():
    y = np.array([0, 1] * 20, np.int32)
    rng = np.random.default_rng(39)
    assert standard_error(CHANCE, "auc", part_of(y), file_of(np.full(40, 0.3)), rng=rng) == 0.0


@pytest.mark.parametrize("name", ["roc_auc", "accuracy", "f1", "rmse"])
def test_the_test_rejects_as_often_as_it_says(name):
    """Two files of equal skill: a p-value below 0.1 in about a tenth of the samples."""
    rng = np.random.default_rng(40)
    metric, rejected, trials = get(name), 0, 150
    for _ in range(trials):
        if name == "rmse":
            y = rng.random(100)
            task, part, files = (
                NUMBER,
                part_of(y),
                [file_of(y + rng.normal(size=100)) for _ in "ab"],
            )
        elif name == "roc_auc":
            y = rng.integers(0, 2, 100).astype(np.int32)
            files = [file_of(y + rng.normal(size=100)) for _ in "ab"]
            task, part = CHANCE, part_of(y)
        else:
            y = rng.integers(0, 2, 100).astype(np.int32)
            files = [
                file_of(np.where(rng.random(100) < 0.7, y, 1 - y).astype(np.int32)) for _ in "ab"
            ]
            task, part = LABEL, part_of(y)
        rejected += paired_test(task, metric, part, *files, rng=rng, resamples=300) < 0.1
    assert 0.03 <= rejected / trials <= 0.2


def test_the_test_finds_a_clear_difference():
    rng = np.random.default_rng(41)
    for name in ("roc_auc", "accuracy", "rmse", "mcc"):
        task, part, (file, _) = example(get(name), rng, 400)
        right = file_of(part.y.astype(file.values.dtype))
        assert paired_test(task, name, part, file, right, rng=rng) < 0.01


def test_the_same_generator_gives_the_same_error():
    rng = np.random.default_rng(42)
    task, part, (file, _) = example(get("f1"), rng)
    twice = [standard_error(task, "f1", part, file, rng=np.random.default_rng(7)) for _ in range(2)]
    assert twice[0] == twice[1]


def test_an_undefined_score_has_no_error():
    with pytest.raises(Unscorable, match="both classes"):
        standard_error(
            CHANCE,
            "auc",
            part_of(np.zeros(4, np.int32)),
            file_of(np.arange(4) / 4),
            rng=np.random.default_rng(43),
        )


def test_too_few_rows_are_refused_in_words():
    """One row of each of three classes: most resamples lack a class and have no score."""
    y = np.arange(3, dtype=np.int32)
    part, file = part_of(y), file_of(np.eye(3))
    with pytest.raises(Unscorable, match="Too few rows"):
        standard_error(CHANCES, "roc_auc_ovr", part, file, rng=np.random.default_rng(43))


def test_one_positive_row_is_too_few_for_delong_and_is_resampled():
    y, p = np.array([1, 0, 0, 0], np.int32), np.array([0.3, 0.1, 0.5, 0.2])
    found = standard_error(CHANCE, "auc", part_of(y), file_of(p), rng=np.random.default_rng(43))
    assert 0 < found < 0.5


def test_a_thousand_resamples_of_ten_thousand_rows_are_quick():
    rng = np.random.default_rng(44)
    for name, most in (("accuracy", 3.0), ("f1_macro", 0.5), ("roc_auc", 0.5)):
        task, part, (file, _) = example(get(name), rng, 10_000)
        started = time.process_time()
        standard_error(task, name, part, file, rng=rng)
        assert time.process_time() - started < most
