"""The size of a difference that means something: display grid, resolution, the ruler's floor.

Widths are roots of sums of squares; they are compared with multiples of the grid as whole numbers,
so the resolution printed under a board does not hang on the last digit of a double.
"""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

from scoring.release.catalogue import RULES
from scoring.release.units import exact


def grid_for(se: float | Decimal) -> Decimal:
    """Display grid for a ruler: half its standard error, rounded down to 1, 2 or 5 times 10^k."""
    half = exact(se) / 2
    if half <= 0:
        raise ValueError("a display grid needs a standard error above 0")
    place = Decimal(1)
    while exact(place) > half:
        place = place.scaleb(-1)
    while exact(place.scaleb(1)) <= half:
        place = place.scaleb(1)
    digit = max(digit for digit in (1, 2, 5) if digit * exact(place) <= half)
    grid = digit * place
    return Decimal(format(grid, "f"))


def resolution(settings) -> Decimal:
    """The difference from which two shown scores are told apart, a multiple of the grid.

    Twice the standard deviation of the difference of two shown scores (noise, rounding and the
    sampling error of the rows), and not less than the threshold, below which a better file may not
    have been shown at all; rounded up to the grid.
    """
    return resolution_steps(settings) * settings.grid


def resolution_steps(settings) -> int:
    """The resolution in steps of the grid, for comparing shown values as integers."""
    grid = exact(settings.grid)
    stride = exact(settings.tau) if settings.rule == "ladder" else grid
    scatter = exact(settings.standard_error or 0) ** 2
    if RULES[settings.rule].noise is not None:
        # A Laplace law of scale s has the variance 2 s^2.
        share = 4 if RULES[settings.rule].noise == "laplace" else 2
        scatter += share * exact(settings.sigma_value) ** 2
    scatter += stride**2 / 6
    found = _root_up(4 * scatter / grid**2)
    if has_threshold(settings.rule):
        found = max(found, math.ceil(exact(settings.tau) / grid))
    return max(found, 1)


def has_threshold(rule: str) -> bool:
    """Whether a better file can stay unseen by an absolute threshold."""
    return "tau" in RULES[rule].parameters and not RULES[rule].paired


def _root_up(square: Fraction) -> int:
    """The least whole number whose square is not below this."""
    root = math.isqrt(math.ceil(square))
    while root * root < square:
        root += 1
    return root


def ruler(se: float, *, scale: float | None = None, n_public: int | None = None) -> float:
    """The standard error to store at launch.

    For a metric that is an average over rows, give `scale`, the width of one row's part: the ruler
    is then kept above a quarter of the largest standard error such an average can have,
    scale * 0.5 / sqrt(n), because a very good baseline on few rows looks steadier than it is.
    """
    if scale is None or not n_public:
        return se
    return max(se, ceiling(scale, n_public) / 4)


def ceiling(scale: float, n_public: int) -> float:
    """Largest standard error of an average of values in a range of width `scale` over n rows."""
    return scale * 0.5 / math.sqrt(n_public)
