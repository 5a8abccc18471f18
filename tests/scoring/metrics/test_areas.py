"""The area under the curve with few and with many ties, against scikit-learn."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from scoring.metrics.ranking import _area, _area_from_zero


@pytest.mark.parametrize("values", [1, 2, 3, 7, 20, 100, 10_000])
@pytest.mark.parametrize("seed", range(4))
def test_ties_of_every_length_count_half(values, seed):
    rng = np.random.default_rng([values, seed])
    rows = int(rng.integers(30, 600))
    scores = rng.integers(0, values, rows) / values
    happened = rng.random(rows) < rng.uniform(0.05, 0.95)
    happened[:2] = True, False
    expected = roc_auc_score(happened, scores)
    assert _area_from_zero(scores, happened) == pytest.approx(expected, abs=1e-12)
    assert _area(scores[happened], scores[~happened]) == pytest.approx(expected, abs=1e-12)


def test_zero_and_minus_zero_are_one_score():
    scores = np.array([0.0, -0.0, 0.5, -0.0])
    assert _area_from_zero(scores, np.array([True, False, True, False])) == 0.75
