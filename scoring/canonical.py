"""The canonical form of predicted numbers: six significant digits, and no negative zero.

Scores and digests are made from these values, so that a file written with 6 digits, with 17, or
by another program counts as the same predictions.
"""

import math
import threading

import numpy as np

DIGITS = 6
# A chunk and its temporaries stay in the second-level cache.
CHUNK = 16384
# This close to a half, the rounded product may lie on the wrong side of it.
NEAR_TIE = 0.5 - 1e-9
# Powers of ten up to 10^22 are exact doubles, so within these bounds one multiplication and one
# division suffice. Values beyond are rare and take the slow road.
SMALLEST, LARGEST = 1e-16, 1e22
# Exponent and five bits of the mantissa choose the factor of a double from 1e-16 to a million.
SHIFT, USUAL = 52 - 5, 1e6
# Smaller ones share their leading bits with zero.
LIKE_ZERO = 2.0 ** (-1022 - 5)
# Rows of probabilities may miss 1 by what rounding every value to two decimals can do.
HALF_A_PERCENT, WIDEST_SUM = 0.005, 0.05
EXACT_SUM = 1e-9


def _tables() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Tables over the exponent bits of a double: the start of the next decade, and the scale.

    Doubles with the same exponent bits lie in at most two decades. Scales come as a factor up
    and a divisor down, one of them 1, for the lower decade at 2i and the upper at 2i + 1.
    """
    limit, up, down = np.full(2048, np.inf), np.ones(4096), np.ones(4096)
    for bits in range(1023 - 56, 1023 + 77):
        decade = math.floor(math.log10(2.0 ** (bits - 1023)))
        limit[bits] = float(f"1e{decade + 1}")
        for upper in (0, 1):
            shift = DIGITS - 1 - decade - upper
            up[2 * bits + upper] = float(f"1e{max(shift, 0)}")
            down[2 * bits + upper] = float(f"1e{max(-shift, 0)}")
    return limit, up, down


def _factors() -> np.ndarray:
    """By their leading bits, what makes doubles numbers of 6 digits before the point.

    NaN where that differs among them, or is no whole power of ten.
    """
    factors = np.full(1 << (63 - SHIFT), np.nan)
    starts = [float(f"1e{power}") for power in range(-16, DIGITS + 1)]
    bits = np.array([SMALLEST, USUAL]).view(np.int64) >> SHIFT
    edges = np.arange(bits[0], bits[1] + 2) << SHIFT
    decade = np.searchsorted(starts, edges[:-1].view(np.float64), "right")
    same = decade == np.searchsorted(starts, edges[1:].view(np.float64), "left")
    same &= (decade > 0) & (decade < len(starts))
    powers = np.array([float(f"1e{power}") for power in range(DIGITS + 16)])
    factors[bits[0] : bits[1] + 1][same] = powers[DIGITS + 16 - decade[same]]
    factors[0] = 1.0
    return factors


_LIMIT, _UP, _DOWN = _tables()
_FACTOR = _factors()


def _round_any(values: np.ndarray) -> np.ndarray:
    """Round numbers of any size, several times slower than the usual ones."""
    size = np.abs(values)
    place = size.view(np.int64) >> 52
    upper = size >= _LIMIT.take(place)
    place <<= 1
    place += upper
    up, down = _UP.take(place), _DOWN.take(place)
    scaled = size * up
    scaled /= down
    whole = np.rint(scaled)
    near = np.flatnonzero(np.abs(scaled - whole) > NEAR_TIE)
    whole[near] = _round_near_tie(size[near], up[near], down[near])
    whole /= up
    whole *= down
    np.copysign(whole, values, out=whole)
    beyond = np.flatnonzero((size >= LARGEST) | ((size < SMALLEST) & (size > 0)))
    whole[beyond] = list(map(rounded, values[beyond].tolist()))
    # Adding zero turns -0 into 0 and changes nothing else.
    return np.add(whole, 0.0, out=whole)


def _round_near_tie(size: np.ndarray, up: np.ndarray, down: np.ndarray) -> np.ndarray:
    """size * up / down rounded to whole numbers as if computed exactly, ties to even.

    Of up and down one is 1. What the product has lost in rounding is found by splitting both
    factors in halves (T. J. Dekker 1971, Numerische Mathematik 18); a remainder is exact.
    """
    product = size * up
    (high, low), (up_high, up_low) = _halves(size), _halves(up)
    lost = high * up_high - product + high * up_low + low * up_high + low * up_low
    rest = np.fmod(product, down)
    floor = np.rint((product - rest) / down)
    above = rest - down / 2 + lost
    return floor + ((above > 0) | ((above == 0) & (floor % 2 == 1)))


def _halves(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Two numbers of at most 26 bits each that add up to each value."""
    wide = values * (2.0**27 + 1)
    high = wide - (wide - values)
    return high, values - high


class _Room(threading.local):
    """Arrays for the steps of rounding, used again for every chunk in a thread.

    Memory that is asked for and given back at every step would cost more than the steps.
    """

    def __init__(self) -> None:
        self.place = np.empty(CHUNK, np.int64)
        self.factor, self.whole = np.empty(CHUNK), np.empty(CHUNK)
        self.sure = np.empty(CHUNK, bool)


_ROOM = _Room()


def _round_usual(values: np.ndarray, target: np.ndarray, low: float) -> np.ndarray:
    """Round numbers, of which `low` is the least; answers the places where that was not possible.

    values and target may be the same array: what cannot be rounded stays as it is.
    """
    count = len(values)
    place, factor = _ROOM.place[:count], _ROOM.factor[:count]
    whole, sure = _ROOM.whole[:count], _ROOM.sure[:count]
    size = np.abs(values) if low < 0 else values
    np.right_shift(size.view(np.int64), SHIFT, out=place)
    # Clipping is faster than an error would be, and sends -0 to 0.
    _FACTOR.take(place, out=factor, mode="clip")
    # Now that the factors have been fetched their places are no longer needed.
    scaled = place.view(np.float64)
    np.multiply(size, factor, out=scaled)
    np.rint(scaled, out=whole)
    np.subtract(scaled, whole, out=scaled)
    np.abs(scaled, out=scaled)
    np.less_equal(scaled, NEAR_TIE, out=sure)
    if low < LIKE_ZERO:
        sure &= (size >= LIKE_ZERO) | (size == 0)
    if low < 0:
        np.copysign(whole, values, out=whole)
    unsure = np.flatnonzero(np.logical_not(sure, out=sure))
    kept = values[unsure]
    np.divide(whole, factor, out=target)
    if low <= 0:
        # Turns -0 into 0 and changes nothing else.
        np.add(target, 0.0, out=target)
    target[unsure] = kept
    return unsure


def rounded(value: float) -> float:
    """One finite number with 6 significant digits: the definition of all that follows here."""
    return float(f"{value:.{DIGITS}g}") + 0.0


def round_into(values: np.ndarray, target: np.ndarray, low: float) -> None:
    """Round finite float64 values to 6 significant digits, exactly as ``float(f"{x:.6g}")``.

    values, target: C-contiguous float64 (n,), which may be the same array. low: the least value.
    -0 becomes 0.
    """
    left = [np.zeros(0, np.int64)]
    for start in range(0, len(values), CHUNK):
        span = slice(start, start + CHUNK)
        left.append(_round_usual(values[span], target[span], low) + start)
    unsure = np.concatenate(left)
    for start in range(0, len(unsure), CHUNK):
        places = unsure[start : start + CHUNK]
        target[places] = _round_any(target[places])


def round_in_place(values: np.ndarray) -> np.ndarray:
    """The same for C-contiguous float64 of any shape, changed and returned."""
    flat = values.reshape(-1)
    if len(flat):
        round_into(flat, flat, flat.min())
    return values


def sum_tolerance(columns: int) -> float:
    """How far a row of this many probabilities may be from adding up to 1."""
    return min(HALF_A_PERCENT * columns, WIDEST_SUM) + EXACT_SUM


def row_sums(rows: np.ndarray) -> np.ndarray:
    """Sums over the columns of (n, c), always added from left to right.

    numpy's own sum groups the columns as it likes, and digests must not depend on that.
    """
    total = rows[:, 0].copy()
    for column in range(1, rows.shape[1]):
        total += rows[:, column]
    return total


def normalise_in_place(rows: np.ndarray) -> np.ndarray:
    """Divide rounded rows of probabilities (n, c) by their sum where it is not 1; returns sums."""
    total = row_sums(rows)
    off = (np.abs(total - 1) > EXACT_SUM) & (total > 0)
    if off.any():
        # Dividing the other rows by 1 changes nothing and is faster than picking rows.
        rows /= np.where(off, total, 1.0)[:, None]
    return total
