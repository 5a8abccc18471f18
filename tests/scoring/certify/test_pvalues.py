"""P-values: stored values of MAPIE, and the error of a certificate enumerated exactly."""

import math

import numpy as np
import pytest
from scipy import stats

from scoring.certify import binomial, binomial_cdf, hoeffding_bentkus, p_value
from scoring.certify.pvalues import binomial_pmf

# MAPIE 1.6.0, mean loss, number of losses, tolerance, p-value:
# mapie.risk_control.methods.compute_hoeffding_bentkus_p_value(
#     numpy.array([mean]), number, numpy.array([tolerance]))
MAPIE = [
    (0.0, 300, 0.02, 0.0023325056679514102),
    (0.006666666666666667, 300, 0.02, 0.16043542812407854),
    (0.011000000000000001, 300, 0.02, 0.4773534500428859),
    (0.016666666666666666, 300, 0.02, 0.9138480474845395),
    (0.0, 300, 0.05, 2.0753033477681188e-07),
    (0.013333333333333334, 300, 0.05, 0.0018778814736653234),
    (0.027500000000000004, 300, 0.05, 0.14999470833692144),
    (0.04, 300, 0.05, 0.7100795183209454),
    (0.0, 300, 0.1, 1.873927703884764e-14),
    (0.03, 300, 0.1, 8.613332851249227e-06),
    (0.05500000000000001, 300, 0.1, 0.014194979329266198),
    (0.08, 300, 0.1, 0.3912042886006828),
    (0.09666666666666666, 300, 0.1, 0.981469273662556),
    (0.0, 1000, 0.02, 1.6829673572159215e-09),
    (0.006, 1000, 0.02, 0.0006261991052573873),
    (0.011000000000000001, 1000, 0.02, 0.08500938725941344),
    (0.016, 1000, 0.02, 0.5938511750508544),
    (0.019, 1000, 0.02, 0.974396048580935),
    (0.0, 1000, 0.05, 5.2918227477453207e-23),
    (0.015, 1000, 0.05, 9.076874335912378e-09),
    (0.027500000000000004, 1000, 0.05, 0.0010647890533268208),
    (0.04, 1000, 0.05, 0.21919293179286975),
    (0.048, 1000, 0.05, 0.9582485859692216),
    (0.0, 1000, 0.1, 1.7478712517225582e-46),
    (0.03, 1000, 0.1, 3.753507353912125e-17),
    (0.05500000000000001, 1000, 0.1, 1.064290576756524e-06),
    (0.08, 1000, 0.1, 0.047873223411874846),
    (0.097, 1000, 0.1, 0.9508002052088419),
    (0.0, 3000, 0.02, 4.766801611399439e-27),
    (0.006, 3000, 0.02, 3.9524588667637966e-10),
    (0.011000000000000001, 3000, 0.02, 0.0002460910039060284),
    (0.016, 3000, 0.02, 0.17154801010247428),
    (0.019333333333333334, 3000, 0.02, 0.9661944986148602),
    (0.0, 3000, 0.05, 1.481889655982306e-67),
    (0.015, 3000, 0.05, 2.860957844737881e-24),
    (0.027500000000000004, 3000, 0.05, 2.027706073149415e-09),
    (0.04, 3000, 0.05, 0.014977591899916333),
    (0.048666666666666664, 3000, 0.05, 0.9449535212085791),
    (0.0, 3000, 0.1, 5.3398409062928086e-138),
    (0.03, 3000, 0.1, 4.019984760710796e-49),
    (0.05500000000000001, 3000, 0.1, 2.027790468569811e-18),
    (0.08, 3000, 0.1, 0.0002610276736779225),
    (0.097, 3000, 0.1, 0.8278847776862158),
]


@pytest.mark.parametrize(("mean", "m", "tolerance", "stored"), MAPIE)
def test_hoeffding_bentkus_equals_mapie(mean, m, tolerance, stored):
    assert hoeffding_bentkus(mean * m, m, tolerance) == pytest.approx(stored, rel=1e-10, abs=1e-12)


@pytest.mark.parametrize("n", [1, 2, 15, 16, 300, 3000])
@pytest.mark.parametrize("p", [0.001, 0.02, 0.1, 0.5, 0.97])
def test_the_binomial_distribution_equals_scipy(n, p):
    places = np.unique(np.linspace(-1, n + 1, 60).astype(int))
    found = [binomial_cdf(int(k), n, p) for k in places]
    assert found == pytest.approx(stats.binom.cdf(places, n, p), abs=1e-13)
    found = [binomial_pmf(int(k), n, p) for k in places]
    assert found == pytest.approx(stats.binom.pmf(places, n, p), rel=1e-9, abs=1e-300)


@pytest.mark.parametrize("n", [300, 1000, 3000])
@pytest.mark.parametrize("tolerance", [0.02, 0.05, 0.1])
def test_a_risk_at_the_tolerance_is_rarely_certified(n, tolerance):
    """All outcomes of n losses of 0 or 1 whose mean is exactly the tolerance."""
    delta = 0.05
    chance = {binomial: 0.0, hoeffding_bentkus: 0.0}
    for errors in range(n + 1):
        weight = binomial_pmf(errors, n, tolerance)
        for test in chance:
            if test(errors, n, tolerance) <= delta:
                chance[test] += weight
    assert 0.015 < chance[binomial] <= delta
    assert 0.0095 < chance[hoeffding_bentkus] < 0.0185


def test_losses_between_zero_and_one_are_not_certified_too_often():
    rng = np.random.default_rng(1)
    tolerance, m, tries = 0.1, 300, 1500
    losses = rng.beta(0.5, 4.5, size=(tries, m))  # mean 0.1
    hits = sum(p_value(row, tolerance) <= 0.05 for row in losses)
    assert hits / tries <= 0.05


def test_it_certifies_where_hoeffding_alone_does_not():
    m, tolerance, errors = 500, 0.05, 12
    plain = math.exp(-2 * m * (tolerance - errors / m) ** 2)
    assert plain > 0.05
    assert hoeffding_bentkus(errors, m, tolerance) < 0.05
    assert binomial(errors, m, tolerance) < hoeffding_bentkus(errors, m, tolerance)


def test_whole_sums_stay_whole():
    losses = [1.0] * 15 + [0.0] * 485
    assert p_value(losses, 0.05) == binomial(15, 500, 0.05)
    thirds = [1 / 3] * 45 + [0.0] * 455
    assert p_value(thirds, 0.05) == hoeffding_bentkus(15.0, 500, 0.05)


@pytest.mark.parametrize("losses", [[0.1, 1.2], [-0.1, 0.2], [float("nan"), 0.1], []])
def test_losses_out_of_range_are_refused(losses):
    with pytest.raises(ValueError, match="loss"):
        p_value(losses, 0.1)


@pytest.mark.parametrize("tolerance", [0.0, 1.0, -0.1])
def test_a_tolerance_out_of_range_is_refused(tolerance):
    with pytest.raises(ValueError, match="tolerance"):
        p_value([0.0, 1.0], tolerance)
