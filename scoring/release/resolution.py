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


def ruler(se: float, metric=None, n_public: int | None = None) -> float:
    """The standard error to store at launch: the baseline's, with a floor for averages over rows.

    A very good baseline on few rows looks steadier than a score is, so for a metric that averages
    a bounded number over rows the ruler is at least a quarter of the largest standard error such an
    average can have. For other metrics, and without `metric` and `n_public`, it is `se` itself.
    """
    width = row_width(metric, n_public) if metric is not None and n_public else None
    if width is None:
        return se
    return max(se, width * 0.5 / math.sqrt(n_public) / 4)


def row_width(metric, n: int) -> float | None:
    """The range of one row's part where the score is an average over rows, else None.

    An average is told by its sensitivity, which falls as 1/n; that of a root or of a correlation
    does not, or has no bound.
    """
    one, four = metric.sensitivity(n), metric.sensitivity(4 * n)
    if metric.rows != "row" or one is None or four is None:
        return None
    return one * n if math.isclose(one, 4 * four, rel_tol=1e-9) else None
