"""Privacy loss distributions by Connect-the-Dots: an upper and a lower estimate.

A distribution of the privacy loss on a grid of eps values is the same thing as a hockey-stick
curve h(x), x = e^eps, that is piecewise linear with its knots on the grid. Joining true points
of h lies above h, and nothing lower on that grid does (Doroshenko, Ghazi, Kamath, Kumar and
Manurangsi, PETS 2022): the upper estimate. Joining points below the tangents of h lies below
h: the lower estimate. Composition is convolution of the distributions, done by FFT.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scoring.leakage.curves import LARGEST_LOSS, Curve, reach

# The share of delta that truncation may use up on either side; eps moves in the seventh digit.
TRUNCATED_SHARE = 1e-6
LARGEST_GRID = 1 << 23
HULL_ROUNDS = 60
TILTS = 24
# What one release adds to the rounding error of the transform, and how far (in units of one over
# the tilt) below the expected answer a tilted result is kept.
ROUNDING = 2.3e-16
READING_ROOM = 3.0


@dataclass(frozen=True)
class Pld:
    """A distribution of the privacy loss: mass `masses[i]` at the loss `(low + i) * grid`.

    `infinity` is the mass at an infinite loss. In a lower estimate it may be negative: that
    much may have been folded to a wrong place and is taken off again. Below `readable` masses
    are missing, so no smaller eps may be read.
    """

    grid: float
    low: int
    masses: np.ndarray
    infinity: float
    readable: float = -math.inf

    def delta(self, eps: float) -> float:
        """Return delta at eps, the expectation of (1 - e^(eps - loss)) above eps."""
        if eps < self.readable:
            raise ArithmeticError(f"eps {eps:g} is too small for this distribution")
        losses = (self.low + np.arange(len(self.masses))) * self.grid
        first = int(np.searchsorted(losses, eps, side="right"))
        terms = -np.expm1(eps - losses[first:]) * self.masses[first:]
        return min(max(float(terms.sum()) + self.infinity, 0.0), 1.0)

    def epsilon(self, delta: float) -> float:
        """Return the smallest eps >= 0 with delta(eps) <= delta; infinite when there is none."""
        if self.infinity > delta:
            return math.inf
        start = max(-self.low, 0)
        masses = self.masses[start:]
        offset = max(self.low, 0)
        if not len(masses):
            return 0.0
        weights = -np.expm1(-self.grid * np.arange(len(masses) + offset))
        target = delta - self.infinity

        def at(place: int) -> float:
            """Delta, without the infinite mass, at the loss of `place`; -1 is eps = 0."""
            if place < 0:
                return float(masses @ weights[offset:])
            return float(masses[place:] @ weights[: len(masses) - place])

        if at(-1) <= target:
            if self.readable > 0.0:
                raise ArithmeticError(f"delta {delta:g} is too large for this distribution")
            return 0.0
        below, above = -1, len(masses) - 1
        while above - below > 1:
            middle = (below + above) // 2
            if at(middle) > target:
                below = middle
            else:
                above = middle
        # Between two knots delta is total - e^(eps - loss) * discounted, so eps has a closed form.
        total = float(masses[above:].sum())
        discounted = total - at(above)
        loss = (offset + above) * self.grid
        if total <= target or discounted <= 0.0:
            return loss
        return max(min(loss + math.log((total - target) / discounted), loss), 0.0)


def _knots(curve: Curve, grid: float, tail: float) -> tuple[int, np.ndarray, np.ndarray]:
    """First knot, x at every knot, and the curve's height over max(1 - x, 0) there."""
    first = -math.ceil(reach(curve, tail, forward=False) / grid)
    last = max(math.ceil(reach(curve, tail) / grid), 1)
    first = min(first, -1)
    if last - first > LARGEST_GRID:
        raise ValueError(f"grid {grid:g} needs {last - first} points for {curve}")
    eps = np.arange(first, last + 1) * grid
    x = np.exp(eps)
    heights = np.empty_like(x)
    heights[-first:] = curve.above(eps[-first:])[0]
    heights[:-first] = x[:-first] * curve.below(-eps[:-first])[0]
    return first, x, heights


def _masses(x: np.ndarray, slopes: np.ndarray, bases: np.ndarray) -> np.ndarray:
    """Mass at every knot: x times the change of slope there.

    slopes and bases have one entry more than x (left of the first knot, right of the last);
    their sum is the slope of h. They are kept apart because the bases (-1 left of x = 1, 0
    right of it) would swallow the digits of the slopes.
    """
    return np.maximum(x * (np.diff(slopes) + np.diff(bases)), 0.0)


def upper(curve: Curve, grid: float, tail: float) -> Pld:
    """Return the lowest distribution on the grid that dominates the curve.

    What lies beyond the last knot, at most `tail`, becomes infinite loss.
    """
    first, x, heights = _knots(curve, grid, tail)
    steps = x[:-1] * math.expm1(grid)
    slopes = np.concatenate(([heights[0] / x[0]], np.diff(heights) / steps, [0.0]))
    bases = np.zeros(len(x) + 1)
    bases[: -first + 1] = -1.0
    masses = _masses(x, slopes, bases)
    return Pld(grid, first, masses, float(heights[-1]))


def lower(curve: Curve, grid: float, tail: float) -> Pld:
    """Return a distribution on the grid that the curve dominates, without infinite loss.

    Tangents in the middle of each cell; at each knot the lower of the two; then the lower
    convex hull. Every edge lies under its own cell's tangent, hence under h. No convex polygon
    with knots on the grid survives a corner of h between two knots, so the curve is first
    weakened until its corner is a knot.
    """
    fitted = curve.with_corner_on(grid)
    if fitted is None:
        return Pld(grid, 0, np.ones(1), 0.0)
    first, x, _ = _knots(fitted, grid, tail)
    cells = np.arange(first, first + len(x) - 1)
    left, right = _tangents(fitted, cells, grid)
    dots = np.zeros(len(x))
    dots[1:-1] = np.minimum(right[:-1], left[1:])
    return Pld(grid, first, _hull_masses(first, x, dots), 0.0)


def _tangents(curve: Curve, cells: np.ndarray, grid: float) -> tuple[np.ndarray, np.ndarray]:
    """Each cell's tangent at its left and its right knot, as height over max(1 - x, 0)."""
    middle = (cells + 0.5) * grid
    left, right = _tangent_at(curve, cells, middle, grid)
    # At the end of the support, or on a grid much coarser than the curve, a tangent can dive
    # below max(1 - x, 0), where no hockey-stick curve may go. Touching h at the cell's outer end
    # instead never does. The point is just inside the cell, where the slope is unambiguous.
    positive = cells >= 0
    bad = np.where(positive, right, left) < 0.0
    if bad.any():
        inset = 1e-6 * grid
        ends = np.where(positive, (cells + 1) * grid - inset, cells * grid + inset)
        left[bad], right[bad] = _tangent_at(curve, cells[bad], ends[bad], grid)
    return np.maximum(left, 0.0), np.maximum(right, 0.0)


def _tangent_at(
    curve: Curve, cells: np.ndarray, points: np.ndarray, grid: float
) -> tuple[np.ndarray, np.ndarray]:
    """The tangents touching at `points`, one in each cell, at the two ends of the cell."""
    touch = np.exp(points)
    height, slope = np.empty_like(points), np.empty_like(points)
    ahead = cells >= 0
    height[ahead], beyond = curve.above(points[ahead])
    slope[ahead] = -beyond
    behind = ~ahead
    mirrored, beyond = curve.below(-points[behind])
    height[behind] = touch[behind] * mirrored
    # The derivative of x * below(1 / x); the sum is the probability of a loss below log x.
    slope[behind] = mirrored + beyond / touch[behind]
    left = height + slope * touch * np.expm1(cells * grid - points)
    right = height + slope * touch * np.expm1((cells + 1) * grid - points)
    return left, right


def _hull_masses(first: int, x: np.ndarray, dots: np.ndarray) -> np.ndarray:
    """Masses of the lower convex hull of the dots (heights over max(1 - x, 0))."""
    one = -first
    keep = _without_ends(one, x, dots)
    for _ in range(HULL_ROUNDS):
        slopes, bases = _edges(keep, one, x, dots)
        change = np.diff(slopes) + np.diff(bases)
        # A knot above the chord of its neighbours is not on the hull, nor are two such side by
        # side, so all of them can go at once.
        bent = change < 0.0
        bent[0] = bent[-1] = False
        if not bent.any():
            break
        keep = keep[~bent]
    else:
        keep = _chain(keep, x, dots + np.maximum(1.0 - x, 0.0))
        slopes, bases = _edges(keep, one, x, dots)
    masses = np.zeros(len(x))
    masses[keep] = _masses(x[keep], slopes, bases)
    return masses


def _without_ends(one: int, x: np.ndarray, dots: np.ndarray) -> np.ndarray:
    """Knots left when the hull's first and last edge are drawn.

    Both ends lie on max(1 - x, 0), so their edges may span many knots.
    """
    right = dots[one:-1] / (x[-1] - x[one:-1])
    left = dots[1 : one + 1] / (x[1 : one + 1] - x[0])
    start = 1 + len(left) - 1 - int(np.argmin(left[::-1]))
    end = one + int(np.argmin(right))
    inner = np.arange(min(start, one), max(end, one) + 1)
    return np.concatenate(([0], inner, [len(x) - 1]))


def _chain(keep: np.ndarray, x: np.ndarray, heights: np.ndarray) -> np.ndarray:
    """The lower hull by Andrew's monotone chain, for the rare dent that spans many knots."""
    hull: list[int] = []
    for knot in keep.tolist():
        while len(hull) > 1:
            a, b = hull[-2], hull[-1]
            ahead = (heights[b] - heights[a]) * (x[knot] - x[b])
            if ahead < (heights[knot] - heights[b]) * (x[b] - x[a]):
                break
            hull.pop()
        hull.append(knot)
    return np.array(hull)


def _edges(
    keep: np.ndarray, one: int, x: np.ndarray, dots: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Slopes and bases (see `_masses`) of the polygon through the kept dots."""
    start, end = keep[:-1], keep[1:]
    rise = dots[end] - dots[start]
    across = (start < one) & (end > one)
    rise = np.where(across, rise - (1.0 - x[start]), rise)
    slopes = np.concatenate(([0.0], rise / (x[end] - x[start]), [0.0]))
    bases = np.concatenate(([-1.0], np.where(end <= one, -1.0, 0.0), [0.0]))
    return slopes, bases


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
    infinity = (1.0 - finite) + tail if pessimistic else -tail
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
    if rounding > 1e-2 * delta or rough == 0.0:
        # The rough answer is not to be relied on; Chernoff's bound is near enough to start from.
        rough = _chernoff(_cumulants(parts, _first_tilt(parts)), delta)[0]
        if not 0.0 < rough < math.inf:
            return plain.epsilon(delta)
    tilted = compose(parts, delta, pessimistic=pessimistic, around=rough)
    if math.isfinite(tilted.readable) and tilted.delta(tilted.readable) <= delta:
        return plain.epsilon(delta)
    return tilted.epsilon(delta)


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
    limit of 1e-3 gives way (a tenth of the deviation does not).
    """
    smallest = min(curve.spread for curve, _ in events)
    total = math.sqrt(sum(count * curve.spread**2 for curve, count in events))
    wanted = min(smallest / 10, max(1e-3, total / 3_000))
    corners = sorted({curve.corner for curve, _ in events if curve.corner})
    return fit_corners(wanted, corners) if corners else wanted


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
