"""Privacy loss distributions of many releases: composition by FFT, an upper and a lower estimate.

The distributions of single releases come from `dots`. Composition is convolution, by powers of
their Fourier transforms.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from scoring.leakage.curves import LARGEST_LOSS, Curve
from scoring.leakage.dots import LARGEST_GRID, Pld, TooFine, lower, upper

# The share of delta that truncation may use up on either side; eps moves in the seventh digit.
TRUNCATED_SHARE = 1e-6
TILTS = 24
# What one release adds to the rounding error of the transform, and how far (in units of one over
# the tilt) below the expected answer a tilted result is kept.
ROUNDING = 2.3e-16
READING_ROOM = 6.0


def compose(
    parts: Sequence[tuple[Pld, int]],
    delta: float,
    *,
    pessimistic: bool,
    around: float | None = None,
) -> Pld:
    """Return the distribution of the sum of independent losses, part i taken count_i times.

    It is kept on a window outside of which at most `share_of(delta)` lies on each side; that mass
    is charged: added to infinity when pessimistic, taken off otherwise.

    An FFT leaves errors of about count * 1e-16 everywhere, which is too much beside a delta of
    1e-8. With `around`, an eps near the answer, every part is tilted by e^(tilt * loss) first;
    that moves mass towards the losses that matter, and what the errors weigh there shrinks when
    the tilt is undone. The result may then be read near and above `around` only.
    """
    parts = [(pld, count) for pld, count in parts if count > 0]
    if not parts:
        return Pld(1e-3, 0, np.ones(1), 0.0)
    grid, tail = parts[0][0].grid, share_of(delta)
    low, high, tilt = _window(parts, delta, around)
    if high - low > LARGEST_GRID:
        raise TooFine(grid, high - low)
    size = fast_length(high - low + 1)
    magnitude = phase = cumulant = 0.0
    for pld, count in parts:
        masses, log_moment = _tilted(pld, tilt)
        transform = np.fft.rfft(_folded(pld.low, masses, size))
        with np.errstate(divide="ignore"):
            magnitude = magnitude + count * np.log(np.abs(transform))
        phase = phase + count * np.angle(transform)
        cumulant += count * log_moment
    product = np.exp(magnitude) * (np.cos(phase) + 1j * np.sin(phase))
    # Rounding leaves values of either sign around zero; cutting the negative ones off would add up.
    masses = np.roll(np.fft.irfft(product, size), -low % size)
    finite = 1.0
    for pld, count in parts:
        finite *= (1.0 - pld.infinity) ** count if pld.infinity < 1.0 else 0.0
    infinity = (1.0 - finite) + tail if pessimistic else -2 * tail
    if not tilt:
        return Pld(grid, low, masses, infinity)
    first = max(low, math.floor((around - READING_ROOM / tilt) / grid))
    masses = masses[first - low :]
    losses = (first + np.arange(len(masses))) * grid
    masses = masses * np.exp(cumulant - tilt * losses)
    return Pld(grid, first, masses, infinity, readable=first * grid if first > low else -math.inf)


def composed_epsilon(parts: Sequence[tuple[Pld, int]], delta: float, *, pessimistic: bool) -> float:
    """Return eps at delta of the composed parts, with rounding errors kept away from it."""
    total = sum(count for _, count in parts)
    plain = compose(parts, delta, pessimistic=pessimistic)
    rough = plain.epsilon(delta)
    rounding = total * ROUNDING
    if rounding <= 1e-5 * delta or math.isinf(rough):
        return rough
    around = rough
    if rounding > 1e-2 * delta or rough == 0.0:
        # The rough answer is not to be relied on; Chernoff's bound is near enough to start from.
        around = _chernoff(_cumulants(parts, _first_tilt(parts)), delta)[0]
        if not 0.0 < around < math.inf:
            return rough
    for _ in range(8):
        tilted = compose(parts, delta, pessimistic=pessimistic, around=around)
        # Still above delta at the least loss that can be read: the answer lies beyond it.
        if math.isinf(tilted.readable) or tilted.delta(tilted.readable) > delta:
            return tilted.epsilon(delta)
        around = tilted.readable
    return rough


def _tilted(pld: Pld, tilt: float) -> tuple[np.ndarray, float]:
    """The masses times e^(tilt * loss), normed, and the logarithm of the norm."""
    if not tilt:
        return pld.masses, 0.0
    exponent = tilt * (pld.low + np.arange(len(pld.masses))) * pld.grid
    top = float(exponent[pld.masses > 0.0].max())
    masses = pld.masses * np.exp(np.minimum(exponent - top, 0.0))
    total = float(masses.sum())
    return masses / total, math.log(total) + top


def _folded(low: int, masses: np.ndarray, size: int) -> np.ndarray:
    """The masses with losses taken modulo the window."""
    start = low % size
    padded = np.zeros(-(-(start + len(masses)) // size) * size)
    padded[start : start + len(masses)] = masses
    return padded.reshape(-1, size).sum(axis=0)


def _window(
    parts: Sequence[tuple[Pld, int]], delta: float, around: float | None
) -> tuple[int, int, float]:
    """Loss range in grid steps outside of which little of the sum lies, and the tilt to use.

    By Chernoff's inequality over a sequence of tilts; the range is cut to the support.
    """
    lowest = sum(count * pld.low for pld, count in parts)
    highest = sum(count * (pld.low + len(pld.masses) - 1) for pld, count in parts)
    start, grid, tail = _first_tilt(parts), parts[0][0].grid, share_of(delta)
    if not start:
        return lowest, highest, 0.0
    rising = _cumulants(parts, start)
    above, below = _chernoff(rising, tail)[0], _chernoff(_cumulants(parts, -start), tail)[0]
    tilt = 0.0
    if around is not None:
        tilt, above = _best_tilt(rising, around, math.log(tail), above, above + below)
    top = min(highest, math.ceil(above / grid)) if above < math.inf else highest
    bottom = max(lowest, math.floor(-below / grid)) if below < math.inf else lowest
    return bottom, max(top, bottom), tilt


def _best_tilt(
    rising: list[tuple[float, float]], around: float, log_tail: float, above: float, width: float
) -> tuple[float, float]:
    """The tilt under which rounding errors weigh least at `around`, and the window's upper end.

    What is folded from above the window onto its lower end grows when the tilt is undone. So the
    window must reach further up under a larger tilt; tilts that would triple it are passed over.
    """
    best = (0.0, 0.0, above)
    for tilt, cumulant in rising:
        weight = cumulant - tilt * around
        beyond = [
            (further - log_tail - tilt * around + READING_ROOM) / (at - tilt)
            for at, further in rising
            if at > tilt
        ]
        end = max(min(beyond, default=math.inf), above)
        if weight < best[0] and end - above < 2 * width:
            best = (weight, tilt, end)
    return best[1], best[2]


def _first_tilt(parts: Sequence[tuple[Pld, int]]) -> float:
    """The tilt to begin a doubling sequence with; 0 when the loss is constant."""
    sd = math.sqrt(sum(count * _variance(pld) for pld, count in parts))
    longest = max(max(-pld.low, pld.low + len(pld.masses)) for pld, _ in parts)
    return min(0.25 / sd, 1.0 / (longest * parts[0][0].grid)) if sd else 0.0


def _variance(pld: Pld) -> float:
    losses = (pld.low + np.arange(len(pld.masses))) * pld.grid
    total, mean = float(pld.masses.sum()), float(pld.masses @ losses)
    return max(float(pld.masses @ losses**2) - mean * mean / max(total, 1e-300), 0.0)


def _cumulants(parts: Sequence[tuple[Pld, int]], start: float) -> list[tuple[float, float]]:
    """(|tilt|, logarithm of the sum's moment) at tilts from start on, each 1.4 times the last.

    It ends where the moments overflow.
    """
    masses, losses = [], []
    for pld, _ in parts:
        # Without empty places infinity times zero cannot occur.
        filled = np.flatnonzero(pld.masses)
        masses.append(pld.masses[filled])
        losses.append(start * (pld.low + filled) * pld.grid)
    found = []
    with np.errstate(over="ignore"):
        # Two interleaved sequences, so that every step but two is a mere squaring.
        for first in (1.0, math.sqrt(2.0)):
            powers = [np.exp(first * loss) for loss in losses]
            tilt = first * abs(start)
            for _ in range(TILTS):
                moments = [float(m @ power) for m, power in zip(masses, powers, strict=True)]
                if not all(0.0 < moment < math.inf for moment in moments):
                    break
                pairs = zip(parts, moments, strict=True)
                found.append((tilt, sum(count * math.log(moment) for (_, count), moment in pairs)))
                powers = [power * power for power in powers]
                tilt *= 2.0
    return sorted(found)


def _chernoff(cumulants: Sequence[tuple[float, float]], tail: float) -> tuple[float, float]:
    """The sum exceeds t with at most this probability: the least t, and its tilt; else (inf, 0)."""
    bounds = [((cumulant - math.log(tail)) / tilt, tilt) for tilt, cumulant in cumulants]
    return min(bounds, default=(math.inf, 0.0))


def fast_length(wanted: int) -> int:
    """Return the smallest of 2^a, 3 * 2^a and 5 * 2^a that is at least `wanted`."""
    power = 1 << max(wanted - 1, 1).bit_length()
    options = [power, power * 3 // 4, power * 5 // 8]
    return min(size for size in options if size >= wanted)


def default_grid(events: Sequence[tuple[Curve, int]]) -> float:
    """Return the grid step for these releases.

    A tenth of the standard deviation of one release's loss (the smallest among them), at most
    1e-3, and such that the corners of the curves fall on knots, or nearly so where several
    corners have no common step. A sum much wider than the grid needs no grid that fine, so the
    limit of 1e-3 gives way (a tenth of the deviation does not, until the sum has 50,000 of it).
    """
    smallest = min(curve.spread for curve, _ in events)
    total = math.sqrt(sum(count * curve.spread**2 for curve, count in events))
    wanted = max(min(smallest / 10, max(1e-3, total / 3_000)), total / 50_000)
    corners = sorted({curve.corner for curve, _ in events if curve.corner})
    return fit_corners(wanted, corners) if corners and min(corners) > wanted else wanted


def fit_corners(wanted: float, corners: Sequence[float]) -> float:
    """Return a step in (wanted / 2, wanted] or just below on which the corners (nearly) fall."""
    smallest = min(corners)
    least = math.ceil(smallest / wanted * (1 - 1e-12))
    best, best_loss = smallest / least, math.inf
    for pieces in range(least, 2 * least + 1):
        step = smallest / pieces
        # Beyond LARGEST_LOSS nothing is represented anyway.
        ratios = [min(corner, LARGEST_LOSS) / step for corner in corners]
        loss = max((r - math.floor(r * (1 + 1e-12) + 1e-9)) / r for r in ratios)
        if loss < best_loss - 1e-9:
            best, best_loss = step, loss
    return best


def share_of(delta: float) -> float:
    """Return the mass that truncation may misplace at this delta."""
    return delta * TRUNCATED_SHARE


def estimate(
    events: Sequence[tuple[Curve, int]],
    delta: float,
    *,
    grid: float | None = None,
    pessimistic: bool = True,
) -> float:
    """Return the upper (or lower) estimate of eps at delta for the composed releases.

    events: (curve, count) pairs. grid: step of the loss, by default `default_grid`. Where a
    curve differs from its reverse both directions are composed and the larger eps counts.
    """
    events = merged(events)
    if not events:
        return 0.0
    grid = grid or default_grid(events)
    build = upper if pessimistic else lower
    tail = share_of(delta)
    single = tail / sum(count for _, count in events)
    # One direction is removal everywhere, the other addition everywhere.
    directions = [events]
    mirrored = [(curve.reverse(), count) for curve, count in events]
    if mirrored != events:
        directions.append(mirrored)
    answers = []
    for direction in directions:
        parts = [(build(curve, grid, single), count) for curve, count in direction]
        answers.append(composed_epsilon(parts, delta, pessimistic=pessimistic))
    return max(answers)


def merged(events: Sequence[tuple[Curve, int]]) -> list[tuple[Curve, int]]:
    """Return the events with equal curves counted together and very strong ones split."""
    counts: dict[Curve, int] = {}
    for curve, count in events:
        piece, pieces = curve.pieces()
        counts[piece] = counts.get(piece, 0) + count * pieces
    return [(curve, count) for curve, count in counts.items() if count > 0]
