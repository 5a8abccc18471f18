"""The samplers against their laws, and the message that keys them."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from scoring.release import noise

KEY = bytes(range(32))


def law(kind, scale, reach):
    """The exact probabilities of -reach..reach."""
    x = np.arange(-reach, reach + 1)
    scale = float(scale)
    weight = np.exp(-np.abs(x) / scale) if kind == "laplace" else np.exp(-(x**2) / (2 * scale**2))
    return x, weight / weight.sum()


def chi_square(sample, x, chance):
    """p-value, with cells merged in the tails until each expects eight draws."""
    expected = chance * len(sample)
    count = np.array([np.sum(sample == value) for value in x], float)
    count[0] += np.sum(sample < x[0])
    count[-1] += np.sum(sample > x[-1])
    cells, gathered, seen = [], 0.0, 0.0
    for e, c in zip(expected, count, strict=True):
        gathered, seen = gathered + e, seen + c
        if gathered >= 8:
            cells.append((gathered, seen))
            gathered, seen = 0.0, 0.0
    last_e, last_c = cells.pop()
    cells.append((last_e + gathered, last_c + seen))
    e, c = np.array(cells).T
    return stats.chisquare(c, e).pvalue if len(cells) > 1 else 1.0


SCALES = [
    Fraction(1, 10),
    Fraction(1, 3),
    Fraction(7, 10),
    Fraction(1),
    Fraction(19, 2),
    Fraction(254, 10),
]


@pytest.mark.parametrize("scale", SCALES, ids=str)
@pytest.mark.parametrize("kind", ["gaussian", "laplace"])
def test_small_scales_follow_the_exact_law(kind, scale):
    sample = np.array([noise.draw(KEY, ("law", i), kind, scale) for i in range(6000)])
    reach = math.ceil(float(scale) * (25 if kind == "laplace" else 9)) + 3
    x, chance = law(kind, scale, reach)
    assert chi_square(sample, x, chance) > 1e-3


@pytest.mark.parametrize("kind", ["gaussian", "laplace"])
def test_a_large_scale_follows_the_continuous_law(kind):
    scale = Fraction(123_456_789, 100)
    sample = [noise.draw(KEY, ("wide", i), kind, scale) for i in range(4000)]
    known = stats.laplace(scale=float(scale)) if kind == "laplace" else stats.norm(0, float(scale))
    assert stats.kstest(sample, known.cdf).pvalue > 1e-3


def test_a_tiny_gaussian_is_nearly_always_zero():
    drawn = [noise.draw(KEY, ("tiny", i), "gaussian", Fraction(1, 100)) for i in range(200)]
    assert set(drawn) == {0}


def test_a_scale_of_zero_is_no_noise():
    assert noise.draw(KEY, ("x",), "gaussian", Fraction(0)) == 0


def test_a_draw_never_changes():
    """Frozen values: a change here would change every score that is replayed."""
    drawn = [
        noise.draw(KEY, ("competition", 1, "roc_auc_score", 1, purpose, "d" * 64), kind, scale)
        for purpose in ("compare", "value", "look")
        for kind, scale in (("gaussian", Fraction(19, 2)), ("laplace", Fraction(100)))
    ]
    assert drawn == FROZEN


FROZEN = [3, 68, -6, -96, 11, -76]


def test_purposes_are_independent():
    pairs = np.array(
        [
            [noise.draw(KEY, ("p", name, i), "gaussian", Fraction(50)) for name in ("a", "b")]
            for i in range(2000)
        ]
    )
    assert abs(np.corrcoef(pairs.T)[0, 1]) < 4 / math.sqrt(2000)


def test_another_key_draws_another_number():
    mine = [noise.draw(KEY, (i,), "gaussian", Fraction(1000)) for i in range(20)]
    other = [noise.draw(bytes(32), (i,), "gaussian", Fraction(1000)) for i in range(20)]
    assert mine != other


field = st.one_of(st.binary(max_size=6), st.text(max_size=4), st.integers())
fields = st.lists(field, max_size=4).map(tuple)


@given(fields, fields)
def test_no_two_tuples_share_a_message(a, b):
    same = [type(x) for x in a] == [type(x) for x in b] and a == b
    assert (noise.message(a) == noise.message(b)) == same


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (("ab", "c"), ("a", "bc")),
        (("a", "b"), ("b", "a")),
        (("1",), (1,)),
        ((b"a",), ("a",)),
        (("", "a"), ("a", "")),
        (("a",), ("a", "")),
        ((12, 3), (1, 23)),
    ],
)
def test_fields_cannot_be_confused(a, b):
    assert noise.message(a) != noise.message(b)


@pytest.mark.parametrize(
    ("key", "kind", "scale", "error"),
    [
        (b"short", "gaussian", Fraction(1), ValueError),
        (KEY, "uniform", Fraction(1), ValueError),
        (KEY, "gaussian", Fraction(-1), ValueError),
        (KEY, "gaussian", 0.5, TypeError),
        (KEY, "gaussian", True, TypeError),
    ],
)
def test_what_is_not_exact_is_refused(key, kind, scale, error):
    with pytest.raises(error):
        noise.draw(key, ("x",), kind, scale)


@pytest.mark.parametrize("bad", [True, 1.0, None])
def test_a_field_is_bytes_text_or_integer(bad):
    with pytest.raises(TypeError):
        noise.message((bad,))


def test_bits_are_uniform_below_a_bound():
    bits = noise.Bits(KEY, b"bits")
    counts = np.bincount([bits.below(7) for _ in range(7000)], minlength=7)
    assert stats.chisquare(counts).pvalue > 1e-3
    assert bits.below(1) == 0
