"""Connect-the-Dots: one release's privacy loss on a grid, from above and from below.

A distribution of the privacy loss on a grid of eps values is the same thing as a hockey-stick
curve h(x), x = e^eps, that is piecewise linear with its knots on the grid. Joining true points
of h lies above h, and nothing lower on that grid does (Doroshenko, Ghazi, Kamath, Kumar and
Manurangsi, PETS 2022): the upper estimate. Joining points below the tangents of h lies below
h: the lower estimate.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from scoring.errors import HoldoutError
from scoring.leakage.curves import Curve, reach

LARGEST_GRID = 1 << 23
HULL_ROUNDS = 60


class TooFine(HoldoutError):
    """The grid needs more points than fit into memory."""

    code = "too_fine"

    def __init__(self, grid: float, points: int) -> None:
        super().__init__(f"A grid of {grid:g} needs {points:,} points here; choose a coarser one.")


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
        raise TooFine(grid, last - first)
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
