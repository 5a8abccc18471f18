"""The accountants: bounds around exact values, stored values of dp-accounting, the corner trap."""

import math
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.leakage import buckets, dots, pld, rdp
from scoring.leakage.curves import (
    Gaussian,
    Laplace,
    Pure,
    SampledGaussian,
    gaussian_delta,
    gaussian_epsilon,
)

GAUSSIAN = [(0.5, 1), (1, 1), (1, 30), (2, 20), (5, 7), (10, 100), (10, 1000), (50, 1000)]
GAUSSIAN_CASES = [
    (sigma, count, delta)
    for sigma, count in (*GAUSSIAN, (100, 3000), (200, 11_000))
    for delta in (1e-6, 1e-9)
]

# dp-accounting 0.6.0: privacy_loss_distribution.from_gaussian_mechanism(sigma,
# value_discretization_interval=grid, use_connect_dots=True).self_compose(count)
# .get_epsilon_for_delta(delta), and from_laplace_mechanism(1 / eps0, ...) likewise.
STORED = [
    (Gaussian(1 / 10), 100, 1e-6, 1e-3, 4.886600664423172),
    (Gaussian(1 / 10), 1000, 1e-6, 1e-3, 19.42386327248343),
    (Gaussian(1 / 50), 1000, 1e-6, 1e-3, 2.922275851885128),
    (Gaussian(1 / 50), 1000, 1e-6, 1e-2, 2.9885187641179836),
    (Gaussian(1 / 2), 20, 1e-5, 1e-3, 11.480027382501705),
    (Gaussian(1.0), 1, 1e-6, 1e-3, 4.8865548045805784),
    (Gaussian(1 / 5), 7, 1e-8, 1e-3, 2.878169792404201),
    (Gaussian(1 / 100), 3000, 1e-7, 1e-3, 2.7524975976558532),
    (Laplace(0.05), 200, 1e-6, 1e-3, 3.245548306609506),
    (Laplace(0.5), 10, 1e-6, 1e-3, 4.9989781437658065),
    (Laplace(0.1), 50, 1e-5, 1e-3, 2.796602636193152),
    (SampledGaussian(0.5, 2e-5), 1, 1e-8, 1e-4, 0.0575899793640335),
    (SampledGaussian(0.5, 2e-5), 100, 1e-8, 1e-4, 0.4700933075769077),
    (SampledGaussian(0.5, 2e-5), 1000, 1e-8, 1e-4, 0.9493256134214477),
    (SampledGaussian(0.5, 2e-5), 1000, 1e-8, 1e-3, 0.9493855521421755),
    (SampledGaussian(0.5, 2e-5), 10_000, 1e-8, 1e-4, 1.5794331032438407),
    (SampledGaussian(1, 0.01), 1000, 1e-6, 1e-3, 2.1252514465207755),
    (SampledGaussian(2, 0.1), 100, 1e-6, 1e-3, 2.6751003781639837),
    (SampledGaussian(0.8, 0.003), 300, 1e-5, 1e-3, 0.6753551586486797),
]


def bracket(events, delta, grid=None):
    low = pld.estimate(events, delta, grid=grid, pessimistic=False)
    return low, pld.estimate(events, delta, grid=grid)


@pytest.mark.parametrize(("sigma", "count", "delta"), GAUSSIAN_CASES)
def test_the_exact_gaussian_value_lies_between_close_estimates(sigma, count, delta):
    exact = gaussian_epsilon(math.sqrt(count) / sigma, delta)
    low, high = bracket([(Gaussian(1 / sigma), count)], delta)
    assert low <= exact * (1 + 1e-9)
    assert exact <= high * (1 + 1e-9)
    assert (high - low) / exact <= 0.01


@pytest.mark.parametrize(("curve", "count", "delta", "grid", "stored"), STORED)
def test_the_upper_estimate_equals_that_of_dp_accounting(curve, count, delta, grid, stored):
    assert pld.estimate([(curve, count)], delta, grid=grid) == pytest.approx(stored, abs=1e-4)


def test_a_mixed_composition_equals_that_of_dp_accounting():
    events = [(Gaussian(1 / 50), 1000), (Laplace(0.05), 100)]
    low, high = bracket(events, 1e-6, 1e-3)
    assert high == pytest.approx(3.806625547212569, abs=1e-5)
    assert low == pytest.approx(3.80577, abs=1e-5)


def test_the_many_step_value_agrees_with_extended_precision():
    # The same masses composed by a transform in 80-bit floats (scipy.fft on longdouble) give
    # 2.28434507. Double precision alone is off by 5e-4 here, which the tilt prevents.
    high = pld.estimate([(SampledGaussian(0.5, 2e-5), 100_000)], 1e-8, grid=1e-4)
    assert high == pytest.approx(2.28434507, abs=1e-6)


@settings(max_examples=40, deadline=None)
@given(
    eps0=st.floats(0.005, 1.5),
    count=st.integers(1, 200),
    grid=st.floats(5e-4, 2e-2),
    kind=st.sampled_from([Laplace, Pure]),
)
def test_the_lower_estimate_survives_corners_between_knots(eps0, count, grid, kind):
    grid = min(grid, eps0 / 3)
    events = [(kind(eps0), count)]
    low, high = bracket(events, 1e-9, grid)
    assert 0.0 < low <= high * (1 + 1e-9)
    assert high <= count * (eps0 + grid)
    assert low >= 0.4 * high  # weakened by at most a third, to the knot below the corner


@settings(max_examples=25, deadline=None)
@given(
    sigma=st.floats(0.6, 4),
    rate=st.floats(0.01, 0.5),
    count=st.integers(1, 100),
    grid=st.floats(1e-3, 3e-3),
)
def test_the_lower_estimate_survives_sampling(sigma, rate, count, grid):
    low, high = bracket([(SampledGaussian(sigma, rate), count)], 1e-7, grid)
    assert 0.0 < low <= high * (1 + 1e-9)


@settings(max_examples=25, deadline=None)
@given(mus=st.lists(st.floats(0.02, 1), min_size=1, max_size=3), grid=st.floats(5e-4, 0.02))
def test_any_grid_brackets_a_sum_of_gaussians(mus, grid):
    events = [(Gaussian(mu), 20 + place) for place, mu in enumerate(mus)]
    exact = gaussian_epsilon(math.sqrt(sum(c.mu**2 * n for c, n in events)), 1e-6)
    low, high = bracket(events, 1e-6, grid)
    assert low <= exact * (1 + 1e-9)
    assert exact <= high * (1 + 1e-9)


def test_several_corners_without_a_common_step_still_bracket_closely():
    events = [(Laplace(0.05), 50), (Laplace(0.0731), 30), (Pure(0.11), 20), (Gaussian(0.03), 200)]
    low, high = bracket(events, 1e-6)
    assert low <= high
    assert (high - low) / high < 0.01


def test_estimates_tighten_with_the_grid_and_never_cross():
    events = [(Laplace(0.07), 60), (Gaussian(0.05), 400)]
    found = [bracket(events, 1e-6, grid) for grid in (0.014, 0.007, 0.0035)]
    lows, highs = zip(*found, strict=True)
    assert list(lows) == sorted(lows)
    assert list(highs) == sorted(highs, reverse=True)
    assert lows[-1] <= highs[-1]


@pytest.mark.parametrize(
    "curve",
    [Gaussian(0.4), Laplace(0.3), Pure(0.3), SampledGaussian(0.7, 0.05)],
    ids=lambda curve: type(curve).__name__,
)
def test_one_release_is_bracketed_by_its_own_curve(curve):
    for side in (curve, curve.reverse()):
        high = dots.upper(side, 0.01, 1e-15)
        low = dots.lower(side, 0.01, 1e-15)
        assert high.masses.sum() + high.infinity == pytest.approx(1.0)
        assert low.masses.sum() == pytest.approx(1.0)
        for eps in np.linspace(0.0, 0.5, 23):
            true = float(side.above(np.array([eps]))[0][0])
            assert low.delta(eps) <= true + 1e-14
            assert high.delta(eps) >= true - 1e-14


def test_a_very_strong_release_is_split_exactly():
    exact = gaussian_epsilon(50.0, 1e-6)
    low, high = bracket([(Gaussian(50.0), 1)], 1e-6, 0.05)
    assert low <= exact <= high
    assert high - low < 1e-3 * exact
    assert gaussian_delta(50.0, exact) == pytest.approx(1e-6, rel=1e-6)


def test_small_losses_cost_nothing_at_a_large_delta():
    assert bracket([(Gaussian(0.01), 1)], 0.1) == (0.0, 0.0)
    assert pld.estimate([], 1e-6) == 0.0


RENYI = [(1, 2.998), (10, 3.123), (100, 3.261), (1000, 3.421), (10_000, 3.615), (1_000_000, 4.230)]


@pytest.mark.parametrize(("steps", "eps"), RENYI)
def test_renyi_reproduces_the_reference(steps, eps):
    events = [(SampledGaussian(0.5, 2e-5), steps)]
    assert rdp.epsilon(events, 1e-8) == pytest.approx(eps, abs=5e-4)


@pytest.mark.parametrize(
    ("steps", "low", "high"),
    [(1, 0.0575, 0.0576), (100, 0.463, 0.473), (1000, 0.874, 0.974), (10_000, 0.828, 1.828)],
)
def test_buckets_reproduce_the_reference(steps, low, high):
    events = [(SampledGaussian(0.5, 2e-5), steps)]
    found = buckets.epsilon(events, 1e-8, grid=1e-4, pessimistic=False)
    assert found == pytest.approx(low, abs=6e-4)
    assert buckets.epsilon(events, 1e-8, grid=1e-4) == pytest.approx(high, abs=6e-4)


def test_no_accountant_is_below_the_lower_estimate():
    for curve in (Gaussian(0.1), Laplace(0.1), Pure(0.1), SampledGaussian(1.0, 0.1)):
        events = [(curve, 50)]
        low, high = bracket(events, 1e-6)
        assert rdp.epsilon(events, 1e-6) >= low
        assert buckets.epsilon(events, 1e-6) >= low
        assert buckets.epsilon(events, 1e-6, pessimistic=False) <= high


def test_discrete_noise_costs_what_continuous_noise_does():
    # The product draws whole numbers; from about ten fine steps on the difference is not seen.
    sigma, shift = 12, 4
    k = np.arange(-40 * sigma, 40 * sigma + 1)
    q = np.exp(-((k / sigma) ** 2) / 2)
    q /= q.sum()
    p = np.roll(q, shift)
    mu = shift / sigma
    for eps in (0.1, 0.5, 1.0):
        discrete = float(np.maximum(p - math.exp(eps) * q, 0.0).sum())
        assert discrete == pytest.approx(gaussian_delta(mu, eps), rel=0.01)


def test_a_statement_at_ten_thousand_releases_is_quick():
    events = [(Gaussian(1 / 100), 10_000)]
    best = math.inf
    for _ in range(5):
        start = time.process_time()
        bracket(events, 1e-6)
        best = min(best, time.process_time() - start)
    assert best < 0.1


def test_a_hopelessly_fine_grid_is_refused():
    with pytest.raises(dots.TooFine) as refused:
        pld.estimate([(Gaussian(1.0), 5)], 1e-6, grid=1e-9)
    assert refused.value.sentence.endswith("choose a coarser one.")


def test_very_unlike_releases_are_still_bracketed():
    events = [(Gaussian(1e-5), 100), (Gaussian(3.0), 50), (Laplace(1e-4), 10)]
    exact = gaussian_epsilon(math.sqrt(50 * 9.0), 1e-6)
    low, high = bracket(events, 1e-6)
    assert low <= high
    assert high == pytest.approx(exact, rel=0.01)
    assert low == pytest.approx(exact, rel=0.01)


def test_a_tiny_delta_keeps_its_digits():
    exact = gaussian_epsilon(math.sqrt(20_000) / 100, 1e-13)
    low, high = bracket([(Gaussian(1 / 100), 20_000)], 1e-13)
    assert low <= exact <= high
    assert high - low < 0.01 * exact
