"""Calibration: losses, order, the joint certificate and what is stored of it."""

import json

import numpy as np
import pytest

from scoring.certify import p_value
from scoring.release.settings import ReleaseSettings
from scoring.study.calibrate import (
    Candidate,
    Played,
    Scenario,
    calibrate,
    compete,
    in_order,
    safest_threshold,
    usual,
)
from scoring.study.honest import Field

SMALL = Scenario(n=1000, teams=6, files=10, attack_files=60, accounts=20, sybil_files=100)
CANDIDATES = [Candidate(4.0), Candidate(5.0), Candidate(1.0)]


@pytest.fixture(scope="module")
def found():
    demands = [usual("attack", 1000), usual("rank", 1000, alpha=0.25)]
    return calibrate("gate", SMALL, demands, CANDIDATES, competitions=400, seed=2)


def test_certifies_strict_settings_and_no_lax_one(found):
    assert str(CANDIDATES[0]) in found.certificate.certified
    assert str(CANDIDATES[2]) not in found.certificate.certified
    assert found.choice in CANDIDATES[:2]


def test_a_certified_candidate_meets_all_demands_jointly(found):
    for row in found.table:
        worst = max(row["p_values"].values())
        assert worst == found.certificate.p_values[row["candidate"]]
        if row["certified"]:
            assert worst <= 0.025
            assert row["risks"]["attack"] <= 0.1
            assert row["risks"]["rank"] <= 0.25


def test_the_choice_is_the_certified_one_under_which_teams_reach_most(found):
    reached = {row["candidate"]: row["true_accuracy_reached"] for row in found.table}
    assert reached[str(found.choice)] == max(reached[name] for name in found.certificate.certified)


def test_what_is_stored_can_be_read_again_and_says_how_it_came_about(found):
    stored = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert stored["seed"] == 2
    assert stored["scenario"]["accounts"] == 20
    assert [row["candidate"] for row in stored["candidates"]] == [str(one) for one in CANDIDATES]
    assert all(row["p_values"] for row in stored["candidates"])
    chosen = ReleaseSettings.from_dict(stored["settings"]).validate()
    assert chosen == found.choice.settings("gate", 1000)


def test_impossible_demands_leave_nothing():
    demands = [usual("rank", 1000, alpha=0.001)]
    none = calibrate("gate", SMALL, demands, CANDIDATES[:1], competitions=100)
    assert none.choice is None
    assert none.to_dict()["settings"] is None
    assert none.certificate.covers.startswith("No setting")


def test_the_same_seed_gives_the_same_losses():
    one, two = (compete(Candidate(3.0).settings("gate", 1000), SMALL, 30, 5) for _ in range(2))
    assert (one.attacks == two.attacks).all()
    assert np.array_equal(one.honest.shown, two.honest.shown, equal_nan=True)


def test_losses_of_a_small_case_by_hand():
    shown = np.array([[0.70, 0.80, np.nan], [0.70, 0.60, 0.50]])
    true = np.array([[0.69, 0.82, 0.50], [0.60, 0.65, 0.70]])
    standing = np.nan_to_num(shown, nan=0.5)
    honest = Field(shown, standing, true, true, np.ones((2, 3)))
    played = Played(honest, np.array([[0.0, 0.04], [0.01, 0.0]]))
    assert usual("worst", 100, limit=0.05).losses(played).tolist() == [0, 1]
    assert usual("attack", 100, limit=0.03).losses(played).tolist() == [0, 1]
    assert usual("rank", 100).losses(played).tolist() == [0, 1]
    errors = usual("error", 100, limit=0.1).losses(played)
    assert errors == pytest.approx([0.15, 1.0])
    assert 0 <= p_value(errors, 0.5) <= 1


def test_candidates_are_ordered_from_the_safest_outwards():
    order = in_order((2.0, 4.0, 6.0), (0.25, 0.5), safest=4.5)
    assert order[0] == Candidate(4.0, 0.5)
    assert [one.c for one in order] == [4.0, 4.0, 6.0, 6.0, 2.0, 2.0]
    assert safest_threshold(Scenario(n=1000)) == 4.5


def test_value_noise_is_that_of_the_candidate():
    quiet, usual_noise = Candidate(3.0, 0.25), Candidate(3.0)
    one, other = (made.settings("gate", 2500) for made in (quiet, usual_noise))
    assert float(one.sigma_value) == pytest.approx(0.0025)
    assert float(other.sigma_value) == pytest.approx(0.005)
