"""Scores worked out by hand, and refusals, metric by metric."""

import math

import numpy as np
import pytest

from scoring.errors import BadSolution, Unscorable
from scoring.evaluate import score
from scoring.metrics import all_metrics, get, names
from scoring.metrics.rows import Rows


def texts(y, p):
    return Rows(np.array(y, dtype=object), np.array(p, dtype=object))


def labels(y, p, k):
    return Rows(np.array(y, np.int32), np.array(p, np.int32), classes=k)


@pytest.mark.parametrize(
    ("name", "y", "p", "wanted"),
    [
        ("token_f1", "the red fox", "A red fox!", 1.0),
        ("token_f1", "red fox", "red hen sat", 2 / 5),
        ("token_f1", "fox fox hen", "fox", 1 / 2),
        ("token_f1", "the", "an", 1.0),
        ("token_f1", "fox", "", 0.0),
        ("exact_match", "red  fox ", " red fox", 1.0),
        ("exact_match", "red fox", "Red fox", 0.0),
        ("exact_match", "", "", 1.0),
        ("cer", "kitten", "sitting", 3 / 6),
        ("wer", "the red fox sat", "red fox sat down", 2 / 4),
        ("wer", "fox", "a b c d", 4.0),
        ("map@3", "a b", "a x b", (1 + 2 / 3) / 2),
        ("map@2", "a b c", "x a b", (1 / 2) / 2),
        ("map@3", "a", "a a a", 1.0),
        ("map@3", "a b", "a a b", (1 + 2 / 3) / 2),
        ("ndcg@2", "a b", "x a", (1 / math.log2(3)) / (1 + 1 / math.log2(3))),
        ("mrr", "a", "x y a", 1 / 3),
        ("mrr@2", "a", "x y a", 0.0),
        ("recall@2", "a b c", "a x b", 1 / 2),
        ("recall_at_k@10", "a b c", "a x b", 2 / 3),
    ],
)
def test_texts(name, y, p, wanted):
    name = "recall_at_k@2" if name == "recall@2" else name
    assert score(get(name), texts([y], [p])) == pytest.approx(wanted, abs=1e-15)


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("log_loss", -math.log(1e-6) / 2 - math.log(0.8) / 2),
        ("log_loss(clip=0.01)", -math.log(0.01) / 2 - math.log(0.8) / 2),
        ("brier", (1 + 0.04) / 2),
    ],
)
def test_probabilities_are_clipped_where_the_metric_says_so(name, wanted):
    rows = Rows(np.array([1, 0], np.int32), np.array([0.0, 0.2]))
    assert score(get(name), rows) == pytest.approx(wanted, abs=1e-14)


def test_ordered_classes_that_nobody_has_still_count_as_steps():
    """Predicting 2 for 0 is two steps away although no row has class 1."""
    rows = labels([0, 0, 2, 2], [0, 2, 2, 2], 3)
    two = labels([0, 0, 1, 1], [0, 1, 1, 1], 2)
    assert score(get("qwk"), rows) == pytest.approx(score(get("qwk"), two))
    near = labels([0, 0, 2, 2], [0, 1, 2, 2], 3)
    assert score(get("qwk"), near) > score(get("qwk"), rows)


def test_of_equal_probabilities_the_later_class_stands_first():
    rows = Rows(np.array([0, 1, 2, 3], np.int32), np.full((4, 4), 0.25), classes=4)
    assert score(get("top_k@1"), rows) == 0.25
    assert score(get("top_k@3"), rows) == 0.75


@pytest.mark.parametrize(
    ("name", "rows", "sentence"),
    [
        ("roc_auc", Rows(np.ones(3, np.int32), np.array([0.1, 0.2, 0.3])), "both classes"),
        ("average_precision", Rows(np.zeros(3, np.int32), np.full(3, 0.5)), "positive class"),
        ("f1", labels([0, 0], [0, 1], 2), "positive class"),
        ("mcc", labels([1, 1], [0, 1], 2), "one class"),
        ("kappa", labels([1, 1], [1, 1], 2), "one class"),
        ("r2", Rows(np.ones(3), np.arange(3.0)), "do not vary"),
        ("r2", Rows(np.array([2.0]), np.array([1.0])), "do not vary"),
        ("pearson", Rows(np.arange(3.0), np.ones(3)), "do not vary"),
        ("spearman", Rows(np.arange(3.0), np.ones(3)), "do not vary"),
        ("map@5", texts(["a", ""], ["a", "b"]), "no relevant item"),
        ("cer", texts([""], ["abc"]), "empty"),
        ("mse", Rows(np.zeros(2), np.full(2, 1e200)), "too large"),
    ],
)
def test_what_has_no_value_is_refused_in_words(name, rows, sentence):
    with pytest.raises(Unscorable, match=sentence) as refusal:
        score(get(name), rows)
    assert refusal.value.code == "unscorable"


def test_labels_of_any_size_have_a_coefficient_of_determination():
    y = np.array([1e300, -1e300, 3e299])
    assert math.isclose(score(get("r2"), Rows(y=y, p=0.9 * y)), 1 - 0.0109 / 1.0753, rel_tol=0.01)
    with pytest.raises(Unscorable, match="too large"):
        score(get("r2"), Rows(y=np.array([1.0, 2.0, 3.0]), p=y))


def test_every_name_and_alias_leads_to_its_metric():
    for metric in all_metrics():
        assert get(metric.name) == metric
        for alias in metric.aliases:
            assert get(alias) == metric
            assert get(alias.upper().replace("_", "-")) == metric
    assert [metric.name for metric in all_metrics()] == list(names())


@pytest.mark.parametrize(
    ("given", "params", "name"),
    [
        ("ndcg@5", {}, "ndcg_at_k@5"),
        ("ndcg@10", {}, "ndcg_at_k"),
        ("ndcg", {"k": 5}, "ndcg_at_k@5"),
        ("MRR@10", {}, "mrr@10"),
        ("fbeta_score", {"beta": 2}, "fbeta_score"),
        ("fbeta", {"beta": 0.5}, "fbeta_score(beta=0.5)"),
        ("fbeta_score(beta=0.5)", {}, "fbeta_score(beta=0.5)"),
        ("fbeta(beta=3,average=macro)", {}, "fbeta_macro(beta=3.0)"),
        ("f1_score", {"average": "macro"}, "f1_macro"),
        ("f1_score", {"average": "binary"}, "f1_score"),
        ("log_loss", {"clip": 1e-15}, "log_loss(clip=1e-15)"),
        ("mean_tweedie_deviance(power=1.2,clip=0.01)", {}, None),
    ],
)
def test_parameters_are_part_of_the_name(given, params, name):
    metric = get(given, **params)
    assert metric.name == (name or given)
    assert get(metric.name) == metric
    assert dict(get(metric.name).params) == dict(metric.params)


@pytest.mark.parametrize(
    ("given", "params", "sentence"),
    [
        ("acuracy", {}, "no metric called 'acuracy'. Is accuracy meant"),
        ("", {}, "no metric"),
        ("rmse", {"k": 3}, "no parameter 'k'"),
        ("f1", {"average": "samples"}, "no metric"),
        ("ndcg@0", {}, "1 or more"),
        ("ndcg@1000000000", {}, "up to 10000"),
        ("ndcg@2.5", {}, "whole number"),
        ("ndcg@", {}, "whole number"),
        ("log_loss", {"clip": 0}, "above 0"),
        ("log_loss", {"clip": float("nan")}, "must be a number"),
        ("fbeta", {"beta": -1}, "above 0"),
        ("pinball", {"alpha": 1.0}, "between 0 and 1"),
        ("tweedie", {"power": 2}, "between 1 and 2"),
        ("huber(delta=0)", {}, "above 0"),
    ],
)
def test_unknown_names_and_parameters_are_refused(given, params, sentence):
    with pytest.raises(BadSolution, match=sentence):
        get(given, **params)


def test_a_metric_says_which_of_two_scores_is_better():
    assert get("accuracy").better(0.9, 0.8)
    assert get("rmse").better(0.8, 0.9)
    assert not get("rmse").better(0.8, 0.8)
