"""Geometry of a board's small drawings: bands, their axis, sparklines. Numbers in, numbers out.

Values are grid units, larger is better, so that right and up mean better for every metric.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from scoring import release

WIDTH, LEFT, RIGHT = 200, 4, 196
# A band keeps this far from the ends, so that its end marks and its dot are whole.
INSET = 8
SPARK_LEFT, SPARK_RIGHT, SPARK_TOP, SPARK_BOTTOM = 3.0, 87.0, 4.0, 22.0
MOST_TICKS = 4


@dataclass(frozen=True)
class Band:
    """A score in the band column: `side` is "" inside the scale, else left or right of it."""

    dot: float
    start: float
    end: float
    side: str = ""

    @property
    def width(self) -> float:
        return round(self.end - self.start, 1)


@dataclass(frozen=True)
class Tick:
    """A labelled mark of the axis."""

    x: float
    label: str


@dataclass(frozen=True)
class Scale:
    """The range of values that the band column of one page spans."""

    low: float
    high: float
    half: float
    settings: release.ReleaseSettings

    def x(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low)
        return round(LEFT + INSET + share * (RIGHT - LEFT - 2 * INSET), 1)

    def band(self, value: int) -> Band:
        """Place a value with half the resolution to each side; outside the scale it is an arrow."""
        if value < self.low or value > self.high:
            return Band(0, 0, 0, "left" if value < self.low else "right")
        return Band(
            self.x(value),
            max(self.x(value - self.half), LEFT),
            min(self.x(value + self.half), RIGHT),
        )

    def inside(self, value: float) -> bool:
        return self.low <= value <= self.high


def scale(values: Sequence[int], resolution: int, settings) -> Scale | None:
    """Return the scale for a page's values, None without values."""
    if not values:
        return None
    half = resolution / 2
    return Scale(min(values) - half, max(values) + half, half, settings)


def ticks(drawn: Scale | None) -> list[Tick]:
    """Return at most four round labels of the axis, in displayed units."""
    if drawn is None:
        return []
    settings = drawn.settings
    grid, sign = settings.grid, 1 if settings.greater_is_better else -1
    step = _round_step((Decimal(drawn.high) - Decimal(drawn.low)) * grid / MOST_TICKS)
    low, high = sorted((Decimal(drawn.low) * grid * sign, Decimal(drawn.high) * grid * sign))
    value, found = (low / step).to_integral_value(rounding="ROUND_CEILING") * step, []
    while value <= high:
        x = drawn.x(float(value / grid) * sign)
        # A label is about 30 units wide; one that would be cut off at an end is left out, and so is
        # one that no score can have: a band may reach past the end of the metric's range.
        if LEFT + 14 <= x <= RIGHT - 14 and _possible(settings, value):
            found.append(Tick(x, _label(value, step)))
        value += step
    return found


def _possible(settings, value: Decimal) -> bool:
    """Whether the metric's range holds a value."""
    above = settings.low is None or float(value) >= settings.low
    return above and (settings.high is None or float(value) <= settings.high)


def _round_step(least: Decimal) -> Decimal:
    """The smallest of 1, 2 and 5 times a power of ten that is not below this."""
    power = Decimal(1).scaleb(least.adjusted())
    return next(power * digit for digit in (1, 2, 5, 10) if power * digit >= least)


def _label(value: Decimal, step: Decimal) -> str:
    last = Decimal(1).scaleb(min(step.normalize().as_tuple().exponent, 0))
    return f"{value.quantize(last):,f}".replace("-", "\N{MINUS SIGN}")


@dataclass(frozen=True)
class Spark:
    """A team's best score over time: an SVG path and its end."""

    path: str
    x: float
    y: float


def spark(
    points: Sequence[tuple[datetime, int]],
    span: tuple[datetime, datetime],
    low: int,
    high: int,
) -> Spark | None:
    """Draw best-so-far steps of (time, value) on a common scale, None without points."""
    if not points:
        return None
    seconds = max((span[1] - span[0]).total_seconds(), 1)

    def across(at: datetime) -> float:
        share = min(max((at - span[0]).total_seconds() / seconds, 0), 1)
        return round(SPARK_LEFT + share * (SPARK_RIGHT - SPARK_LEFT), 1)

    def up(value: int) -> float:
        share = min(max((value - low) / max(high - low, 1), 0), 1)
        return round(SPARK_BOTTOM - share * (SPARK_BOTTOM - SPARK_TOP), 1)

    path = f"M{across(points[0][0])} {up(points[0][1])}"
    for at, value in points[1:]:
        path += f"H{across(at)}V{up(value)}"
    return Spark(f"{path}H{SPARK_RIGHT}", SPARK_RIGHT, up(points[-1][1]))


def score_text(settings, value: int | None) -> str:
    """The score as it is printed, an en dash without one."""
    return "\N{EN DASH}" if value is None else release.text(settings, value)


def amount_text(settings, steps: int) -> str:
    """A difference of scores as it is printed: the grid's decimals and no sign."""
    return release.text(settings, steps).lstrip("\N{MINUS SIGN}")
