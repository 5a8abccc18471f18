"""Displayed scores as integers on the grid, and back.

Inside the rules larger is better: where a metric is better when smaller, its scores change sign.
A *step* is one unit of the display grid, a *fine step* a twentieth of it. Conversions are exact:
settings are decimals, a score is the fraction that its double stands for, and a tie in rounding
goes to the even step, so that the rule is the same whichever way the metric points.
"""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

FINE = 20
"""Fine steps in a step of the display grid."""

FARTHEST = 2**62
"""Fine steps beyond this count as this many: an unbounded loss may be any double, a stored whole
number has 64 bits."""

MINUS = "\N{MINUS SIGN}"


def sign(settings) -> int:
    """1 where larger scores are better, -1 where smaller are."""
    return 1 if settings.greater_is_better else -1


def fine_step(settings) -> Fraction:
    """The size of a fine step in displayed units."""
    return Fraction(settings.grid) / FINE


def in_fine(settings, amount: Decimal | float | int) -> Fraction:
    """A displayed width (a threshold, a standard deviation) in fine steps, not rounded."""
    return exact(amount) / fine_step(settings)


def exact(amount: Decimal | float | int | Fraction) -> Fraction:
    """The fraction a setting stands for; a float stands for its shortest decimal, 0.1 for 1/10."""
    if isinstance(amount, float):
        return Fraction(Decimal(repr(amount)))
    return Fraction(amount)


def score_in_fine(settings, score: float) -> int:
    """A displayed exact score in fine steps, larger is better, a tie to the even step."""
    if not math.isfinite(score):
        raise ValueError("a score is a finite number")
    fine = sign(settings) * round(Fraction(score) / fine_step(settings))
    return max(-FARTHEST, min(FARTHEST, fine))


def steps(settings, amount: Decimal | float) -> int:
    """A displayed value in steps of the grid, larger is better, a tie to the even step."""
    return sign(settings) * round(exact(amount) / Fraction(settings.grid))


def to_steps(fine: int, stride: int = 1) -> int:
    """Fine steps to the nearest multiple of `stride` steps of the grid, in steps, a tie to even."""
    return stride * round(Fraction(fine, FINE * stride))


def clamp(settings, value: int) -> int:
    """Put a value in steps into the metric's range, on the nearest step inside it."""
    grid = Fraction(settings.grid)
    low = None if settings.low is None else math.ceil(exact(settings.low) / grid)
    high = None if settings.high is None else math.floor(exact(settings.high) / grid)
    if not settings.greater_is_better:
        low, high = (None if high is None else -high), (None if low is None else -low)
    if low is not None:
        value = max(value, low)
    return value if high is None else min(value, high)


def shown(settings, units: int) -> Decimal:
    """A value in steps as the displayed decimal, with the decimals of the grid."""
    return (sign(settings) * units * settings.grid).quantize(_last_place(settings.grid))


def text(settings, units: int) -> str:
    """A value in steps as it is printed: the grid's decimals, commas, a true minus sign."""
    return amount_text(settings, shown(settings, units))


def amount_text(settings, amount: Decimal) -> str:
    """A displayed amount on the grid as it is printed."""
    rounded = amount.quantize(_last_place(settings.grid))
    return f"{rounded:,f}".replace("-", MINUS)


def _last_place(grid: Decimal) -> Decimal:
    exponent = min(grid.normalize().as_tuple().exponent, 0)
    return Decimal(1).scaleb(exponent)
