"""Fast attackers against their literal versions over the release rules, and known values."""

import numpy as np
import pytest

from scoring.study import literal
from scoring.study.analysts import Arena, climb, lucky, probe, vote_accuracy
from scoring.study.simulate import settings_for

N, FILES, ACCOUNTS, TRIES = 300, 120, 12, 14


def agrees(fast, slow: list[dict]) -> None:
    """Means of gain, shown and released differ by no more than chance explains."""
    for name in ("gain", "shown", "released"):
        one, other = getattr(fast, name), np.array([found[name] for found in slow])
        chance = np.sqrt(one.var() / len(one) + max(other.var(ddof=1), one.var()) / len(other))
        assert abs(one.mean() - other.mean()) <= 4 * chance + 1e-3, name


@pytest.mark.parametrize(
    "rule", ["gate", "gate_paired", "thresholdout_laplace", "ladder_paired", "rounded", "exact"]
)
def test_probing_and_climbing_agree_with_rows(rule):
    settings = settings_for(rule, n=N, c=1.75)
    arena = Arena(settings, N, 400)
    rng = np.random.default_rng(5)
    rows = [literal.probe(settings, N, FILES, ACCOUNTS, rng) for _ in range(TRIES)]
    agrees(probe(arena, FILES, ACCOUNTS)["regression"], rows)
    rows = [literal.climb(settings, N, FILES, ACCOUNTS, 0.25, rng) for _ in range(TRIES)]
    agrees(climb(arena, FILES, ACCOUNTS, 0.25), rows)


def test_one_account_alone_agrees_with_rows():
    settings = settings_for("gate", n=N, c=1.5)
    rng = np.random.default_rng(6)
    rows = [literal.probe(settings, N, FILES, 1, rng) for _ in range(TRIES)]
    agrees(probe(Arena(settings, N, 400), FILES)["regression"], rows)


@pytest.mark.parametrize("count", [1, 2, 3, 4, 7, 24, 101])
def test_vote_accuracy_is_that_of_drawn_votes(count):
    rng = np.random.default_rng(count)
    chance = 0.5 + rng.uniform(0, 0.08, count)
    right = (rng.random((200_000, count)) < chance).sum(axis=1) * 2 - count
    drawn = (right > 0).mean() + (right == 0).mean() / 2
    found = vote_accuracy(np.array((2 * chance - 1).sum()), np.array(float(count)), np.array(count))
    assert found == pytest.approx(drawn, abs=0.006)


def test_exact_scores_give_the_known_gain_of_regression():
    # Phi(sqrt(k/n)) of the labels, whatever the rule of thumb: 1,000 files on 4,000 rows, 0.691.
    arena = Arena(settings_for("exact", n=4000), 4000, 50)
    assert probe(arena, 1000)["regression"].learned.mean() == pytest.approx(0.691, abs=0.004)


@pytest.mark.parametrize(("c", "expected"), [(2.0, 26.2), (2.5, 8.5), (3.0, 2.5)])
def test_chance_releases_of_a_gate_are_those_of_the_formula(c, expected):
    arena = Arena(settings_for("gate", n=4000, c=c), 4000, 200)
    released = probe(arena, 1000, 1000)["boosting"].released  # no account sends twice
    assert released.mean() == pytest.approx(expected, rel=0.12, abs=0.5)


def test_the_gate_holds_and_exact_scores_do_not():
    gate, exact = (Arena(settings_for(rule, n=4000), 4000, 60) for rule in ("gate", "exact"))
    assert probe(gate, 1000)["regression"].gain.mean() < 0.03
    assert probe(exact, 1000)["regression"].gain.mean() > 0.18
    for block in (2 / 4000, 0.02, 0.5):
        assert climb(gate, 300, block=block).gain.mean() < 0.025
    assert climb(exact, 1000, block=0.02).gain.mean() > 0.07
    assert lucky(gate, 500).shown.mean() < lucky(exact, 500).shown.mean() - 0.003


def test_sealed_scores_give_nothing():
    arena = Arena(settings_for("sealed", n=1000), 1000, 20)
    for finding in (*probe(arena, 200).values(), climb(arena, 50), lucky(arena, 50)):
        assert (finding.released == 0).all()
        assert (finding.shown == 0).all()


def test_the_same_seed_gives_the_same_numbers():
    arena = Arena(settings_for("gate", n=1000, c=2.0), 1000, 20, seed=3)
    one, two = (probe(arena, 200, 20)["boosting"].to_dict() for _ in range(2))
    assert one == two
