"""The canonical form of predicted numbers: six significant digits, and no negative zero.

Scores and digests are made from these values, so that a file written with 6 digits, with 17, or
by another program counts as the same predictions.
"""

import numpy as np

DIGITS = 6
# A chunk and its temporaries stay in the second-level cache.
CHUNK = 16384
# This close to a half, the rounded product may lie on the wrong side of it.
NEAR_TIE = 0.5 - 1e-9
# Powers of ten up to 10^22 are exact doubles, so within these bounds one multiplication and one
# division suffice. Values beyond are rare and take the slow road.
SMALLEST, LARGEST = 1e-16, 1e22
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
        decade = int(np.floor(np.log10(2.0 ** (bits - 1023))))
        limit[bits] = float(f"1e{decade + 1}")
        for upper in (0, 1):
            shift = DIGITS - 1 - decade - upper
            up[2 * bits + upper] = float(f"1e{max(shift, 0)}")
            down[2 * bits + upper] = float(f"1e{max(-shift, 0)}")
    return limit, up, down


_LIMIT, _UP, _DOWN = _tables()


def _round_chunk(chunk: np.ndarray) -> None:
    size = np.abs(chunk)
    largest = size.max()
    place = size.view(np.int64) >> 52
    upper = size >= _LIMIT.take(place)
    place <<= 1
    place += upper
    up = _UP.take(place)
    scaled = size * up
    if largest >= 1e6:
        down = _DOWN.take(place)
        scaled /= down
    whole = np.rint(scaled)
    scaled -= whole
    np.abs(scaled, out=scaled)
    odd = scaled > NEAR_TIE
    if largest >= LARGEST:
        odd |= size >= LARGEST
    if size.min() < SMALLEST:
        odd |= (size < SMALLEST) & (size > 0)
    whole /= up
    if largest >= 1e6:
        whole *= down
    np.copysign(whole, chunk, out=whole)
    if odd.any():
        where = np.flatnonzero(odd)
        whole[where] = [float(f"{value:.{DIGITS}g}") for value in chunk[where].tolist()]
    # Adding zero turns -0 into 0 and changes nothing else.
    np.add(whole, 0.0, out=chunk)


def round_in_place(values: np.ndarray) -> np.ndarray:
    """Round finite float64 values to 6 significant digits, exactly as ``float(f"{x:.6g}")``.

    values: C-contiguous float64 of any shape, changed and returned. -0 becomes 0.
    """
    flat = values.reshape(-1)
    for start in range(0, len(flat), CHUNK):
        _round_chunk(flat[start : start + CHUNK])
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
