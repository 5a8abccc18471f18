"""The ten known mistakes of sparse-vector implementations (Lyu, Su and Li 2017), one test each."""

import itertools
import math
from dataclasses import replace

import pytest

from scoring.errors import BadSettings
from scoring.release import Outcome, Sealed, State, epoch, initial, seal, step, used_up
from scoring.release.rules import FINE


@pytest.fixture
def laplace(make):
    """Fine grid for the noise to be seen: T = 0.05 = 1,000 fine steps, s = T/24 or less."""
    return make(
        "thresholdout_laplace",
        tau="0.05",
        grid="0.001",
        sigma_value="0.002",
        sigma_compare="0.008",
        extra={"budget": 3},
        cap=None,
    )


@pytest.fixture
def judge(laplace, key, identity):
    """Run scores through the rule as a competition of one team does; returns what happened."""

    def run(scores, laplace=laplace):
        state, given, log = initial(laplace), 0, []
        for i, score in enumerate(scores):
            now = epoch(laplace, key, identity(i), given)
            numbers = seal(laplace, key, identity(i), score)
            state, outcome = step(laplace, state, numbers, epoch=now)
            given += outcome.kind == "released"
            log.append((now, numbers, outcome))
        return log

    return run


def spread(values):
    return sum(abs(v) for v in values) / len(values)


def test_the_answer_does_not_reuse_the_compared_noise(laplace, key, identity):
    rows = [seal(laplace, key, identity(i), 0.5) for i in range(400)]
    compare = [row.compare_draw for row in rows]
    answer = [FINE * row.value - row.exact_fine for row in rows]
    moment = sum(a * b for a, b in zip(compare, answer, strict=True))
    size = math.sqrt(sum(a * a for a in compare) * sum(b * b for b in answer))
    assert abs(moment / size) < 0.2


def test_scales_are_those_of_the_paper(laplace, key, identity):
    """Value s, threshold 2s, query 4s: the mean size of a Laplace draw is its scale."""
    rows = [seal(laplace, key, identity(i), 0.5) for i in range(600)]
    s = 40  # fine steps
    assert spread([r.compare_draw for r in rows]) == pytest.approx(4 * s, rel=0.15)
    assert spread([FINE * r.value - r.exact_fine for r in rows]) == pytest.approx(s, rel=0.15)
    gammas = [epoch(laplace, key, identity(0), e).draw for e in range(600)]
    assert spread(gammas) == pytest.approx(2 * s, rel=0.15)


def test_the_query_has_noise_each_time(laplace, key, identity):
    draws = {seal(laplace, key, identity(i), 0.5).compare_draw for i in range(50)}
    assert len(draws) > 30


def test_after_the_budget_nothing_is_compared(laplace):
    class Untouchable:
        def __getattr__(self, name):
            raise AssertionError("evaluated after the budget")

    spent = epoch(laplace, bytes(32), ("c", 1, "m", 1, "d"), 3)
    assert used_up(laplace, State(), spent)
    assert step(laplace, State(), Untouchable(), epoch=spent) == (State(), Outcome("used_up"))


def test_the_threshold_is_refreshed_after_a_positive_and_only_then(judge):
    log = judge([0.5, 0.51, 0.8, 0.8, 0.8, 0.99, 0.5])
    for (now, _, outcome), (later, _, _) in itertools.pairwise(log):
        assert (now.draw != later.draw) == (outcome.kind == "released")
    assert [outcome.kind for _, _, outcome in log].count("released") >= 2


def test_the_refreshed_threshold_still_has_noise(laplace, key, identity):
    draws = [epoch(laplace, key, identity(0), number).draw for number in range(40)]
    assert sum(draw == 0 for draw in draws) <= 2
    assert len(set(draws)) > 30


def test_the_threshold_noise_takes_part_in_the_comparison(laplace, key, identity):
    now = epoch(laplace, key, identity(0), 0)
    for shift, kind in ((0, "no_change"), (1, "released")):
        edge = Sealed(FINE * 500 + 1000 + now.draw + shift, 0, 560)
        assert step(laplace, State(), edge, epoch=now)[1].kind == kind


def test_the_answer_after_exhaustion_is_the_same_near_and_far(judge):
    near = judge([0.6, 0.7, 0.8, 0.5])[-1][2]
    far = judge([0.6, 0.7, 0.8, 0.99])[-1][2]
    assert near == far == Outcome("used_up")


def test_one_threshold_serves_all_queries_between_positives(judge):
    log = judge([0.5, 0.49, 0.505, 0.5])
    assert len({now.draw for now, _, _ in log}) == 1


def test_noise_and_comparison_are_whole_numbers(judge):
    for now, numbers, outcome in judge([0.5, 0.61, 0.72]):
        whole = [now.draw, numbers.exact_fine, numbers.compare_draw, numbers.value]
        assert all(type(number) is int for number in whole)
        assert outcome.value is None or type(outcome.value) is int


def test_a_ratio_that_breaks_the_rule_is_refused(laplace):
    """With T = 4 s a fifth of the comparisons is wrong; the scale is at most T/24."""
    with pytest.raises(BadSettings) as caught:
        replace(laplace, sigma_value="0.0125", sigma_compare="0.05").validate()
    assert set(caught.value.problems) == {"sigma_value"}


def test_few_comparisons_without_a_gap_come_out_above(laplace, key, identity):
    """s = T/25: a gap of 0 is above the threshold in about 0.2% of the comparisons."""
    above = 0
    for i in range(1500):
        now = epoch(replace(laplace, extra={"budget": 10**6}), key, identity(i), i)
        above += (
            step(
                replace(laplace, extra={"budget": 10**6}),
                State(),
                seal(laplace, key, identity(i), 0.5),
                epoch=now,
            )[1].kind
            == "released"
        )
    assert above <= 12
