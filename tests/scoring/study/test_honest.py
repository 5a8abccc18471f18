"""Honest teams: what they reach and how well the board orders them."""

import numpy as np
import pytest
from scipy.stats import kendalltau

from scoring.study.analysts import Arena
from scoring.study.honest import CLASSROOM, Habits, _next_luck, disagreement, play
from scoring.study.simulate import settings_for


def field(rule: str, n: int = 4000, c: float = 3.0, habits: Habits = CLASSROOM):
    return play(Arena(settings_for(rule, n=n, c=c, start=0.6), n, 60), habits)


def test_disagreement_is_that_of_kendall():
    rng = np.random.default_rng(1)
    one = rng.integers(0, 5, (30, 12)).astype(float)
    two = one + rng.integers(0, 4, (30, 12))
    found = disagreement(one, two)
    for place in range(30):
        expected = (1 - kendalltau(one[place], two[place]).statistic) / 2
        assert found[place] == pytest.approx(expected)
    assert disagreement(one[:1], one[:1])[0] == 0
    assert disagreement(np.zeros((1, 4)), one[:1, :4])[0] == 0.5


def test_protection_costs_honest_teams_something_but_not_the_order():
    exact, gate, tight = field("exact"), field("gate"), field("gate", c=6.0)
    assert exact.reached.mean() > gate.reached.mean() > tight.reached.mean() - 0.002
    assert exact.reached.mean() == pytest.approx(0.85, abs=0.02)
    assert gate.reached.mean() == pytest.approx(0.81, abs=0.02)
    assert disagreement(gate.standing, gate.true).mean() < 0.07
    assert gate.released.mean() == pytest.approx(4.7, abs=1)


def test_more_rows_make_shown_scores_truer():
    errors = [np.nanmean(np.abs(field("gate", n).errors)) for n in (1000, 4000, 16000)]
    assert errors[0] > 1.6 * errors[1] > 2.5 * errors[2]


def test_sealed_teams_see_nothing_and_still_improve():
    found = field("sealed")
    assert np.isnan(found.shown).all()
    assert found.to_dict()["mean_error_of_shown"] is None
    assert found.reached.mean() > 0.75


def test_a_next_file_has_the_law_of_a_file_and_the_difference_asked_for():
    rng = np.random.default_rng(3)
    true = np.full(200_000, 0.7)
    luck = np.sqrt(0.21 / 1000) * rng.standard_normal(200_000)
    later = _next_luck(luck, true, 0.1, 1000, rng)
    assert later.var() == pytest.approx(0.21 / 1000, rel=0.02)
    assert (later - luck).var() == pytest.approx(0.1 / 1000, rel=0.02)


def test_habits_can_differ_from_competition_to_competition():
    habits = Habits.drawn(np.random.default_rng(1), 60, teams=5, files=6)
    found = field("gate", habits=habits)
    assert found.reached.shape == (60, 5)
    assert found.reached.mean(axis=1).std() > 0.01
