"""The regression attack with colluding accounts against the rules themselves, at one size.

Reference results for n = 1,000 public rows, 1,000 random files of 100 accounts, population value
0.5: the gate at 2 SE releases about 26 of them and the majority vote gains about 0.12; at 3 SE
about 2.5 and 0.034; without protection the gain is near 0.34.
"""

import math

import numpy as np
import pytest

from scoring.release import ReleaseSettings, initial, seal, step

N, FILES, ACCOUNTS = 1000, 1000, 100
SE = 0.5 / math.sqrt(N)


def attack(settings, seed):
    """Releases, and the public accuracy of the vote over released files weighted by their gain."""
    rng = np.random.default_rng(seed)
    truth = rng.choice([-1, 1], N)
    files = rng.choice([-1, 1], (FILES, N))
    scores = (files == truth).mean(axis=1)
    states = [initial(settings)] * ACCOUNTS
    vote, released = np.zeros(N), 0
    for i, score in enumerate(scores):
        numbers = seal(settings, bytes(32), ("attack", 1, "accuracy", 1, f"{seed}-{i}"), score)
        states[i % ACCOUNTS], outcome = step(settings, states[i % ACCOUNTS], numbers)
        if outcome.kind == "released":
            vote += files[i] * (float(outcome.value * settings.grid) - 0.5)
            released += 1
    combined = np.where(vote == 0, files[0], np.sign(vote))
    return released, (combined == truth).mean() - 0.5


@pytest.mark.parametrize(
    ("rule", "factor", "releases", "gain"),
    [
        ("gate", 2, (19, 34), (0.08, 0.17)),
        ("gate", 3, (0.5, 6), (0.0, 0.08)),
        ("exact", 0, (1000, 1000), (0.28, 0.38)),
    ],
)
def test_a_vote_over_released_files_gains_what_it_should(rule, factor, releases, gain):
    settings = ReleaseSettings(
        rule,
        tau=round(factor * SE, 4),
        sigma_compare=round(factor * SE / 8, 5),
        sigma_value=round(SE / 2, 5) if factor else 0,
        grid="0.005",
        start="0.5",
        cap=10 if factor else None,
        standard_error=SE,
        low=0,
        high=1,
    ).validate()
    runs = np.array([attack(settings, seed) for seed in range(4)])
    count, bias = runs.mean(axis=0)
    assert releases[0] <= count <= releases[1]
    assert gain[0] <= bias <= gain[1]
