"""A team's own scores against the shown ones: points, axes and what they say in words.

Right and up mean better on both axes, whichever way the metric points. A file without a new score
has no number to plot; it stands as a ring below the axis, at its own score.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from leaderboard.competitions import release_settings
from leaderboard.competitions.models import Competition
from leaderboard.submissions import listing, own_scores
from leaderboard.submissions.models import Outcome, Status
from leaderboard.teams.models import Team
from scoring import release

# Fewer pairs than this say nothing about how two numbers go together.
ENOUGH = 6
# The latest files are drawn; more would hide one another.
MOST = 200
# With more points than this their bands would cover the plot; the one of the best remains.
MOST_BANDS = 30
LEFT, RIGHT, TOP, BOTTOM = 58, 14, 14, 58
RING_BELOW = 12
INSET = 0.06
# Numbers nearer together than this share of their size, or of 1, are drawn at one place.
NARROWEST = 1e-9
MOST_TICKS = 5
STRONG, CLEAR, SLIGHT = 0.8, 0.5, 0.25


@dataclass(frozen=True)
class Point:
    """A file with both numbers: `own` as written, `units` on the grid, larger is better."""

    number: int
    own: float
    units: int
    shown: str

    @property
    def own_text(self) -> str:
        return own_scores.text(self.own)


@dataclass(frozen=True)
class Dot:
    """A point where it is drawn, with half the resolution above and below it."""

    x: float
    y: float
    high: float
    low: float
    label: str

    @property
    def height(self) -> float:
        return round(self.low - self.high, 1)

    @property
    def left(self) -> float:
        return round(self.x - 5, 1)


@dataclass(frozen=True)
class Tick:
    """A labelled place on an axis."""

    at: float
    label: str


@dataclass(frozen=True)
class Drawing:
    """The plot at one size."""

    width: int
    height: int
    dots: list[Dot]
    bands: list[Dot]
    rings: list[tuple[float, str]]
    across: list[Tick]
    up: list[Tick]
    # Where own and shown score are equal: x1, y1, x2, y2.
    equal: tuple[float, float, float, float] | None
    # From the team's best down to where a score is no tie with it any more: y and height.
    tied: tuple[float, float]

    left: int = LEFT
    top: int = TOP

    @property
    def right(self) -> int:
        return self.width - RIGHT

    @property
    def bottom(self) -> int:
        return self.height - BOTTOM

    @property
    def ring_y(self) -> int:
        return self.bottom + RING_BELOW

    @property
    def inner(self) -> int:
        return self.right - self.left

    @property
    def left_text(self) -> int:
        return self.left - 8

    @property
    def tick_y(self) -> int:
        return self.bottom + 32

    @property
    def name_y(self) -> int:
        return self.height - 6

    @property
    def middle(self) -> tuple[int, int]:
        return (self.left + self.right) // 2, (self.top + self.bottom) // 2


@dataclass(frozen=True)
class Plot:
    """What the page shows of a team's own scores."""

    written: int
    points: list[Point]
    unshown: list[tuple[int, float]]
    resolution: str
    greater: bool
    sealed: bool
    wide: Drawing | None = None
    narrow: Drawing | None = None

    @property
    def words(self) -> str:
        """How the two numbers go together, or how many files are missing to say so."""
        count = len(self.points)
        if count < ENOUGH:
            files = "1 file has" if count == 1 else f"{count or 'No'} files have"
            return (
                f"{files} both numbers. From {ENOUGH} on, this page says in words whether they go "
                "together."
            )
        sign = 1 if self.greater else -1
        together = correlation(
            [sign * point.own for point in self.points], [point.units for point in self.points]
        )
        if together is None:
            return f"Over {count} files one of the two numbers never changes: nothing to compare."
        said = f"Over {count} files the two numbers {_degree(together)}"
        return f"{said} (rank correlation {together:.2f}).".replace("-", "\N{MINUS SIGN}")


def plot(team: Team, competition: Competition, now) -> Plot:
    """Return the plot of a team's own scores, by one query beside that for the settings."""
    settings = release_settings.rule(release_settings.in_force(competition, now))
    rows = (
        listing.evaluations(team)
        .filter(submission__own_score__isnull=False, late=False)
        .values_list(
            "submission__number",
            "submission__own_score",
            "status",
            "release__outcome",
            "release__value",
        )[:MOST]
    )
    points, unshown, written = [], [], 0
    for number, own, status, outcome, value in rows:
        written += 1
        if outcome == Outcome.RELEASED:
            points.append(Point(number, own, value, release.text(settings, value)))
        elif status == Status.SCORED:
            unshown.append((number, own))
    steps = release.resolution_steps(settings)
    facts = {
        "written": written,
        "points": points,
        "unshown": unshown,
        "resolution": release.text(settings, steps).lstrip("\N{MINUS SIGN}"),
        "greater": settings.greater_is_better,
        "sealed": settings.rule == "sealed",
    }
    if not points:
        return Plot(**facts)
    drawer = _Drawer(points, unshown, steps, settings)
    return Plot(**facts, wide=drawer.draw(640, 330), narrow=drawer.draw(330, 300))


def correlation(one: Sequence[float], other: Sequence[float]) -> float | None:
    """Return the rank correlation of two lists, None where one of them never changes."""
    a, b = _ranks(one), _ranks(other)
    middle = (len(a) + 1) / 2
    spread = math.sqrt(sum((x - middle) ** 2 for x in a) * sum((y - middle) ** 2 for y in b))
    if not spread:
        return None
    return sum((x - middle) * (y - middle) for x, y in zip(a, b, strict=True)) / spread


def _ranks(values: Sequence[float]) -> list[float]:
    """The rank of each value, equal ones sharing theirs."""
    ordered = sorted(values)
    first = {value: place for place, value in reversed(list(enumerate(ordered, 1)))}
    last = {value: place for place, value in enumerate(ordered, 1)}
    return [(first[value] + last[value]) / 2 for value in values]


def _degree(together: float) -> str:
    if together >= STRONG:
        return "rise together closely"
    if together >= CLEAR:
        return "mostly rise together"
    if together >= SLIGHT:
        return "rise together a little"
    if together > -SLIGHT:
        return "have little to do with each other"
    return "run against each other: look at how your own score is computed"


class _Drawer:
    """Places points for any size; both directions are turned so that more is better."""

    def __init__(self, points: list[Point], unshown, steps: int, settings):
        self.points, self.unshown, self.steps, self.settings = points, unshown, steps, settings
        self.sign = 1 if settings.greater_is_better else -1
        self.grid = float(settings.grid)
        owns = [self.sign * point.own for point in points] + [self.sign * own for _, own in unshown]
        values = [point.units for point in points]
        half = steps / 2
        self.own = _range(min(owns), max(owns), 0.0)
        self.value = _range(min(values) - half, max(values) + half, 1.0)
        self.best = max(values)

    def draw(self, width: int, height: int) -> Drawing:
        self.width, self.height = width, height
        dots = [self._dot(point) for point in self.points]
        few = len(dots) <= MOST_BANDS
        best = max(self.points, key=lambda point: point.units)
        top, bottom = self._y(self.best), self._y(max(self.best - self.steps, self.value[0]))
        return Drawing(
            width=width,
            height=height,
            dots=dots,
            bands=dots if few else [self._dot(best)],
            rings=[(self._x(self.sign * own), f"File {number}") for number, own in self.unshown],
            across=self._across(),
            up=self._up(),
            equal=self._equal(),
            tied=(top, round(bottom - top, 1)),
        )

    def _dot(self, point: Point) -> Dot:
        half = self.steps / 2
        return Dot(
            x=self._x(self.sign * point.own),
            y=self._y(point.units),
            high=self._y(point.units + half),
            low=self._y(point.units - half),
            label=f"File {point.number}: own score {point.own_text}, shown score {point.shown}",
        )

    def _x(self, own: float) -> float:
        low, high = self.own
        share = (own - low) / (high - low)
        return round(LEFT + share * (self.width - LEFT - RIGHT), 1)

    def _y(self, units: float) -> float:
        low, high = self.value
        share = (units - low) / (high - low)
        return round(self.height - BOTTOM - share * (self.height - BOTTOM - TOP), 1)

    def _across(self) -> list[Tick]:
        room = max((self.width - LEFT - RIGHT) // 80, 2)
        low, high = sorted(self.sign * end for end in self.own)
        return [Tick(self._x(self.sign * at), label) for at, label in ticks(low, high, room)]

    def _up(self) -> list[Tick]:
        low, high = sorted(self.sign * end * self.grid for end in self.value)
        found = [
            Tick(self._y(self.sign * at / self.grid), label)
            for at, label in ticks(low, high, MOST_TICKS)
            if self._possible(at)
        ]
        return [tick for tick in found if TOP <= tick.at <= self.height - BOTTOM]

    def _possible(self, score: float) -> bool:
        """Whether a score can be this: a band may reach past the end of the metric's range."""
        low, high = self.settings.low, self.settings.high
        return (low is None or score >= low) and (high is None or score <= high)

    def _equal(self) -> tuple[float, float, float, float] | None:
        """The part of the line of equal scores that lies inside, if it is worth a line."""
        shown = [end * self.grid for end in self.value]
        low, high = max(self.own[0], shown[0]), min(self.own[1], shown[1])
        if high - low < (self.own[1] - self.own[0]) / 4:
            return None
        return (
            self._x(low),
            self._y(low / self.grid),
            self._x(high),
            self._y(high / self.grid),
        )


def _range(low: float, high: float, least: float) -> tuple[float, float]:
    """A range with a margin; one of no width, or of next to none, gets one."""
    span = max(high - low, least)
    # Below this, steps between the ends are lost in a float's last digits.
    if span < max(abs(low), abs(high), 1.0) * NARROWEST:
        span = max(abs(low), abs(high), 1e-5) * 0.1
    margin = INSET * span + (span - (high - low)) / 2
    return low - margin, high + margin


def ticks(low: float, high: float, most: int) -> list[tuple[float, str]]:
    """Return at most about this many round values of a range, each with its label."""
    least = (high - low) / most
    power = 10.0 ** math.floor(math.log10(least))
    step = next(power * digit for digit in (1, 2, 5, 10) if power * digit >= least * (1 - 1e-9))
    places = max(-math.floor(math.log10(step) + 1e-9), 0)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [
        (at * step, f"{at * step + 0.0:,.{places}f}".replace("-", "\N{MINUS SIGN}"))
        for at in range(first, last + 1)
    ]
