"""Sybils with an honest model, and metrics used as oracles."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import log_loss, roc_auc_score

from scoring.study.analysts import Arena
from scoring.study.oracles import CLIP, auc_code, log_loss_code, oracle
from scoring.study.simulate import settings_for, with_start
from scoring.study.sybils import estimate, from_honest_model


def arena(rule: str, n: int = 1000, repetitions: int = 2, **changes) -> Arena:
    return Arena(settings_for(rule, n=n, **changes), n, repetitions)


def test_sybils_gain_little_with_a_hundred_accounts_and_much_with_a_thousand():
    few = from_honest_model(arena("gate", 4000), 100)
    many = from_honest_model(arena("gate", 1000), 1000)
    assert few.gain.mean() < 0.02
    assert many.gain.mean() > 0.1
    assert (many.released > 2000).all()


def test_sybils_read_exact_scores_to_the_end():
    found = from_honest_model(arena("exact", 500, cap=10), 60)
    assert found.learned.mean() > 0.99


def test_no_account_has_more_new_scores_than_the_rule_gives():
    found = from_honest_model(arena("gate_paired", 1000, 1, cap=3), 50)
    assert 50 <= found.released[0] <= 3 * 51


def test_the_estimate_finds_the_wrong_rows_from_clean_answers():
    rng = np.random.default_rng(1)
    right = np.where(rng.random(300) < 0.75, 1.0, -1.0)
    spoiled = (rng.random((900, 300)) < 0.3).astype(np.float32)
    wrong = estimate(spoiled, spoiled @ right / 300, 1e-4, 0.75)
    assert (wrong == (right < 0)).mean() > 0.99


def test_the_estimate_leaves_the_model_alone_without_information():
    rng = np.random.default_rng(2)
    spoiled = (rng.random((20, 2000)) < 0.3).astype(np.float32)
    assert not estimate(spoiled, rng.normal(0.15, 0.1, 20), 0.1, 0.75).any()


def log_loss_settings(rule: str, n: int):
    return with_start(replace(settings_for(rule, n=n), low=None, high=0.0), -0.693)


def test_the_log_loss_code_is_what_the_metric_says():
    n = 400
    code = log_loss_code(log_loss_settings("exact", n), n)
    bits = int(np.log2(len(code)))
    assert bits > 3
    labels = np.zeros(n, dtype=np.int32)
    costs = CLIP * 0.5 ** np.arange(bits)[::-1]
    probabilities = np.full(n, 0.5)
    probabilities[:bits] = 1 / (1 + np.exp(costs))  # of label 1, which costs that much more
    base = log_loss(labels, probabilities, labels=[0, 1])
    for pattern in range(0, len(code), 211):
        labels[:bits] = [int(bit) for bit in format(pattern, f"0{bits}b")]
        fall = base - log_loss(labels, probabilities, labels=[0, 1])
        assert fall == pytest.approx(code[pattern], abs=1e-9)


def test_the_auc_code_is_what_the_metric_says():
    n = 200
    code = auc_code(
        replace(settings_for("exact", n=n), grid=settings_for("exact", n=n).grid / 10), n
    )
    bits = int(np.log2(len(code)))
    assert bits == 3
    for pattern in range(len(code)):
        top = [int(bit) for bit in format(pattern, f"0{bits}b")]
        labels = np.array([*top, *[1] * (n // 2 - sum(top)), *[0] * (n // 2 - bits + sum(top))])
        scores = np.zeros(n)
        scores[:bits] = np.arange(bits, 0, -1)
        assert roc_auc_score(labels, scores) - 0.5 == pytest.approx(code[pattern], abs=1e-9)


def test_log_loss_reads_every_label_of_an_exact_board_and_few_through_a_gate():
    n = 1000
    exact = oracle(Arena(log_loss_settings("exact", n), n, 20), "log loss", 500)
    rounded = oracle(Arena(log_loss_settings("rounded", n), n, 20), "log loss", 500)
    gate = oracle(Arena(log_loss_settings("gate", n), n, 20), "log loss", 500, 20)
    assert exact.learned.mean() > 0.99
    assert rounded.learned.mean() > 0.99  # rounding is no defence
    assert gate.learned.mean() < 0.52
    assert gate.released.mean() <= 20 * 1.5


def test_auc_reads_labels_of_an_exact_board_only():
    n = 1000
    assert oracle(arena("exact", n, 20), "ROC AUC", 1000).learned.mean() > 0.8
    assert oracle(arena("rounded", n, 20), "ROC AUC", 1000).learned.mean() < 0.55
    assert oracle(arena("gate", n, 20), "ROC AUC", 1000, 100).learned.mean() < 0.52
