"""Which settings are certified, by which method, and how often wrongly."""

import json
import time

import numpy as np
import pytest

from scoring.certify import Risk, bonferroni, both, certify, fixed_sequence, share

P = [0.001, 0.02, 0.03, 0.2, 0.0001]


def test_a_fixed_sequence_stops_at_the_first_failure():
    assert fixed_sequence(P, 0.05) == [0, 1, 2]
    assert fixed_sequence(P, 0.02) == [0, 1]
    assert fixed_sequence([0.5, 0.0], 0.05) == []
    assert fixed_sequence([float("nan"), 0.0], 0.05) == []


def test_bonferroni_divides_by_the_number_of_settings():
    assert bonferroni(P, 0.05) == [0, 4]
    assert bonferroni([], 0.05) == []


def test_both_is_the_union_at_half_the_error_each():
    assert both(P, 0.05) == [0, 1, 4]
    assert both([0.08, 0.0001], 0.05) == [1]


def test_several_certificates_share_the_error():
    assert share(0.05, 10) == pytest.approx(0.005)
    with pytest.raises(ValueError, match="one"):
        share(0.05, 0)


def cases(means, m, rng):
    return {f"c={k}": {"error": (rng.random(m) < mean)} for k, mean in enumerate(means)}


@pytest.mark.parametrize("method", ["fixed_sequence", "bonferroni", "both"])
def test_the_family_wise_error_is_kept(method):
    """Settings on or above the tolerance: any certificate among them is false."""
    rng = np.random.default_rng(7)
    wrong, tries = 0, 600
    for _ in range(tries):
        losses = cases([0.05, 0.05, 0.06, 0.05], 300, rng)
        made = certify(losses, [Risk("error", 0.05)], method=method)
        wrong += bool(made.certified)
    assert wrong / tries <= 0.05 + 2.6 * (0.05 * 0.95 / tries) ** 0.5


def test_several_risks_need_all_of_them():
    rng = np.random.default_rng(3)
    m = 600
    losses = {
        "safe": {"error": rng.random(m) < 0.01, "rank": rng.random(m) * 0.05},
        "raw": {"error": np.ones(m), "rank": np.zeros(m)},
        "noisy": {"error": np.zeros(m), "rank": np.full(m, 0.4)},
    }
    risks = [Risk("error", 0.1), Risk("rank", 0.1)]
    made = certify(losses, risks)
    assert made.certified == ("safe",)
    assert certify(losses, risks[1:], method="bonferroni").certified == ("safe", "raw")
    assert made.p_values["raw"] == made.by_risk["raw"]["error"] == 1.0
    assert "mean error at most 0.1 and mean rank at most 0.1" in made.covers
    assert "probability at most 0.05" in made.covers
    assert json.loads(json.dumps(made.to_dict()))["certified"] == ["safe"]


def test_nothing_certified_is_said_plainly():
    made = certify({"a": {"error": [1, 1, 0]}}, [Risk("error", 0.1)])
    assert made.certified == ()
    assert made.covers == "No setting could be certified to have mean error at most 0.1."


@pytest.mark.parametrize(
    ("losses", "message"),
    [
        ({}, "needs settings"),
        ({"a": {"other": [0, 1]}}, "no losses for error"),
        ({"a": {"error": [0, 1]}, "b": {"error": [0]}}, "same number"),
        ({"a": {"error": [0, 2]}}, "between 0 and 1"),
    ],
)
def test_losses_that_do_not_fit_are_refused(losses, message):
    with pytest.raises(ValueError, match=message):
        certify(losses, [Risk("error", 0.1)])


def test_an_unknown_method_is_refused():
    with pytest.raises(ValueError, match="method"):
        certify({"a": {"error": [0]}}, [Risk("error", 0.1)], method="hope")


def test_a_thousand_rows_and_twenty_thresholds_are_quick():
    rng = np.random.default_rng(5)
    losses = {f"threshold {k}": {"loss": rng.random(1000) * 0.1} for k in range(20)}
    start = time.process_time()
    made = certify(losses, [Risk("loss", 0.1)])
    assert time.process_time() - start < 1.0
    assert len(made.certified) == 20
