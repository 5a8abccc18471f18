"""Scoring parts of a task: alignment, checks of metric against task, facts, a perfect file."""

from dataclasses import dataclass

import numpy as np
import pytest

from scoring.errors import BadSolution, Unscorable
from scoring.evaluate import check, evaluate, evaluate_parts, facts, per_row, perfect
from scoring.metrics import all_metrics, get
from scoring.task import Task


@dataclass
class Part:
    """Stands in for answers.Part."""

    slots: np.ndarray
    y: np.ndarray
    weight: np.ndarray | None = None

    @property
    def n(self):
        return len(self.y)


@dataclass
class File:
    """Stands in for reading.Predictions."""

    values: np.ndarray


NUMBER = Task("id", ("x",), "number", low=0.0, high=10.0)
LABEL = Task("id", ("x",), "label", classes=("no", "yes"))
THREE = Task("id", ("x",), "label", classes=("a", "b", "c"))
CHANCE = Task("id", ("x",), "probability")
CHANCES = Task("id", ("a", "b", "c"), "probabilities")
TEXT = Task("id", ("x",), "text")


def test_only_the_rows_of_the_part_are_scored():
    part = Part(np.array([3, 1]), np.array([1.0, 2.0]))
    file = File(np.array([99.0, 2.0, 99.0, 4.0]))
    assert evaluate(NUMBER, "mae", part, file) == 1.5


@pytest.mark.parametrize("metric", ["roc_auc", "log_loss", "brier_score_loss"])
def test_several_parts_score_as_each_does_alone(metric):
    rng = np.random.default_rng(3)
    file = File(rng.random(90))
    slots = rng.permutation(90).reshape(3, 30)
    parts = [Part(places, rng.integers(0, 2, 30).astype(float)) for places in slots]
    alone = [evaluate(CHANCE, metric, part, file) for part in parts]
    assert evaluate_parts(CHANCE, metric, parts, file) == alone
    one_class = Part(slots[0], np.ones(30))
    if metric == "roc_auc":
        with pytest.raises(Unscorable):
            evaluate_parts(CHANCE, metric, [parts[0], one_class], file)


def test_weights_of_the_part_are_used():
    part = Part(np.array([0, 1]), np.array([1.0, 2.0]), np.array([3.0, 1.0]))
    assert evaluate(NUMBER, "mae", part, File(np.array([2.0, 2.0]))) == 0.75


def test_the_positive_class_is_the_one_the_task_names():
    part = Part(np.arange(3), np.array([0, 0, 1], np.int32))
    file = File(np.array([0, 1, 1], np.int32))
    other = Task("id", ("x",), "label", classes=("no", "yes"), positive="no")
    assert evaluate(LABEL, "recall", part, file) == 1.0
    assert evaluate(other, "recall", part, file) == 0.5


@pytest.mark.parametrize(
    ("task", "metric", "sentence"),
    [
        (NUMBER, "accuracy", "takes predictions of kind label, not number"),
        (LABEL, "log_loss", "probability or probabilities"),
        (THREE, "f1", "positive"),
        (Task("id", ("x",), "number"), "rmsle", "low|range"),
        (Task("id", ("x",), "number", low=-1.0), "rmsle", "from 0 up"),
        (NUMBER, "mcauc", "from 0 to 1"),
        (CHANCES, "top_k@3", "always be 1"),
        (TEXT, "rmse", "not text"),
    ],
)
def test_metrics_that_do_not_take_a_task_are_refused(task, metric, sentence):
    with pytest.raises(BadSolution, match=sentence):
        check(task, metric)


def test_metrics_that_take_a_task_pass():
    several = Task("id", ("x", "y"), "number", low=0.0, high=1.0)
    tasks = {"label": LABEL, "probability": CHANCE, "probabilities": CHANCES, "text": TEXT}
    for metric in all_metrics():
        for kind in metric.kinds:
            check(tasks.get(kind, several), metric)


def test_a_number_outside_of_the_metrics_range_is_refused_wherever_it_stands():
    """Also in rows that are not in the part: the refusal must not tell the parts apart."""
    part = Part(np.array([0]), np.array([1.0]))
    with pytest.raises(Unscorable, match="from 0 up"):
        evaluate(NUMBER, "rmsle", part, File(np.array([1.0, -5.0])))


def test_per_row_losses_are_smaller_for_better_rows():
    part = Part(np.arange(3), np.array([0, 1, 1], np.int32))
    file = File(np.array([0, 1, 0], np.int32))
    assert per_row(LABEL, "accuracy", part, file).tolist() == [0, 0, 1]
    assert per_row(LABEL, "hamming", part, file).tolist() == [0, 0, 1]
    assert per_row(LABEL, "f1", part, file) is None


def test_per_row_losses_average_to_the_score():
    rng = np.random.default_rng(5)
    part = Part(np.arange(50), 10 * rng.random(50))
    file = File(10 * rng.random(50))
    for name in ("mae", "mse", "pinball", "smape"):
        losses = per_row(NUMBER, name, part, file)
        assert losses.mean() == pytest.approx(evaluate(NUMBER, name, part, file))
    squares = per_row(NUMBER, "rmse", part, file)
    assert squares.mean() ** 0.5 == pytest.approx(evaluate(NUMBER, "rmse", part, file))


def test_facts_bound_the_sensitivity():
    labels = Part(np.arange(6), np.array([0, 1, 1, 2, 2, 2], np.int32))
    known = facts(THREE, labels)
    assert known == {"weighted": False, "classes": 3, "smallest_class": 1}
    assert get("balanced_accuracy").sensitivity(labels.n, **known) == pytest.approx(2 / 3)
    numbers = Part(np.arange(4), np.ones(4))
    assert get("mae").sensitivity(4, **facts(NUMBER, numbers)) == 2.5
    chances = Part(np.arange(4), np.array([0, 1, 1, 1], np.int32))
    assert facts(CHANCE, chances)["positives"] == 3
    weighted = Part(np.arange(4), np.ones(4), np.ones(4))
    assert get("mae").sensitivity(4, **facts(NUMBER, weighted)) is None


@pytest.mark.parametrize(
    ("task", "metric", "first", "second"),
    [
        (LABEL, "accuracy", np.array([1, 0], np.int32), np.array([1], np.int32)),
        (CHANCE, "roc_auc", np.array([1, 0], np.int32), np.array([0, 1], np.int32)),
        (CHANCES, "log_loss", np.array([2, 0], np.int32), np.array([1], np.int32)),
        (NUMBER, "rmse", np.array([3.5, 2.0]), np.array([1.0])),
        (TEXT, "exact_match", np.array(["ab", "c"], dtype=object), np.array(["d"], dtype=object)),
        (TEXT, "map", np.array(["a b", "c"], dtype=object), np.array(["d"], dtype=object)),
    ],
)
def test_a_perfect_file_is_perfect_on_both_parts(task, metric, first, second):
    public = Part(np.array([4, 1]), first)
    private = Part(np.arange(len(second)) * 2, second)
    file = perfect(task, 6, public, private)
    assert len(file.values) == 6
    for part in (public, private):
        assert evaluate(task, metric, part, file) == pytest.approx(get(metric).perfect, abs=1e-12)
