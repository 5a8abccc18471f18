"""Six significant digits, exactly as Python formats them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from scoring.canonical import normalise_in_place, round_in_place, sum_tolerance


def formatted(values: np.ndarray) -> np.ndarray:
    return np.array([float(f"{value:.6g}") + 0.0 for value in values.tolist()])


def same(values: np.ndarray) -> bool:
    rounded = round_in_place(values.copy())
    return rounded.tobytes() == formatted(values).tobytes()


RNG = np.random.default_rng(1)
DECADES = np.array([float(f"1e{power}") for power in range(-320, 309)])


@pytest.mark.parametrize(
    "values",
    [
        RNG.random(100_000),
        RNG.choice([-1, 1], 100_000) * 10 ** RNG.uniform(-30, 30, 100_000),
        10 ** RNG.uniform(-320, 308, 20_000),
        RNG.integers(0, 10**7, 50_000) / 10.0 ** RNG.integers(0, 14, 50_000),
        np.round(RNG.random(50_000), 7),
        RNG.integers(-(10**9), 10**9, 50_000) + 0.5,
        np.concatenate([DECADES, np.nextafter(DECADES, 0), np.nextafter(DECADES, np.inf)]),
        np.concatenate(
            [DECADES[:-1] * digits for digits in (9.999995, 9.9999949999, 9.99999500001)]
        ),
        np.array([0.0, -0.0, 5e-324, -5e-324, 1.7976931348623157e308]),
    ],
    ids=["unit", "magnitudes", "extremes", "ties", "seven", "halves", "decades", "nines", "ends"],
)
def test_equal_to_formatting(values):
    assert same(values)


def test_equal_to_formatting_next_to_a_tie():
    """Seven digits of which the last is a 5, of every size, and their neighbours."""
    digits = RNG.integers(10**5, 10**6, 50_000) * 10 + 5
    powers = RNG.integers(-25, 25, 50_000)
    ties = np.array(
        [float(f"{a}e{b}") for a, b in zip(digits.tolist(), powers.tolist(), strict=True)]
    )
    exact = (RNG.integers(10**5, 10**6, 50_000) + 0.5) * 2.0 ** RNG.integers(-60, 60, 50_000)
    for values in (ties, np.nextafter(ties, 0), np.nextafter(ties, np.inf), -ties, exact):
        assert same(values)


@pytest.mark.parametrize("of", ["bits", "float32"])
def test_equal_to_formatting_for_doubles_of_any_bits(of):
    bits = RNG.integers(-(1 << 63), 1 << 63, 100_000)
    values = bits.view(np.float64 if of == "bits" else np.float32)
    assert same(values[np.isfinite(values)].astype(float))


@given(
    arrays(
        np.float64, st.integers(1, 40), elements=st.floats(allow_nan=False, allow_infinity=False)
    )
)
def test_equal_to_formatting_whatever_the_number(values):
    assert same(values)


def test_rounding_twice_is_rounding_once():
    once = round_in_place(10 ** RNG.uniform(-30, 30, 10_000))
    assert np.array_equal(round_in_place(once.copy()), once)


def test_probabilities_are_divided_by_their_sum_where_it_is_not_one():
    rows = np.array([[0.3, 0.3, 0.399], [0.7, 0.2, 0.1], [0.0, 0.0, 0.0]])
    sums = normalise_in_place(rows)
    assert rows[0].tolist() == [0.3003003003003003, 0.3003003003003003, 0.39939939939939945]
    assert rows[1].tolist() == [0.7, 0.2, 0.1]
    assert sums[2] == 0
    assert sum_tolerance(3) >= 1 - 0.33 * 3
    assert sum_tolerance(1000) < 0.051
