"""Where the bars and marks of the host page's gauges stand, in the units of their drawings."""

from dataclasses import dataclass

from leaderboard.hosting.figures import NewScores

# Height of the tallest bar and the line they stand on.
TALLEST, FLOOR = 104.0, 128.0
# Labels nearer than this to an end or to each other would run together.
CLEARANCE = 130


@dataclass(frozen=True)
class Gauge:
    """New scores in all: given, expected at the close, alarm, against all that there may be."""

    width: int
    given: float
    expected: float
    alarm: float

    @property
    def alarm_label(self) -> float:
        return self.alarm + 6

    @property
    def expected_anchor(self) -> str:
        return "start" if self.expected < CLEARANCE else "end"

    @property
    def given_anchor(self) -> str:
        """The label under the bar leaves room for the 0 at the left and the end at the right."""
        return "start" if self.given < 40 else "middle"

    @property
    def given_label(self) -> float:
        return max(self.given, 24.0)


@dataclass(frozen=True)
class Bar:
    """Teams that have used this many new scores."""

    label: str
    count: int
    x: float
    width: float
    y: float
    height: float
    middle: float
    none: bool


def gauge(figures: NewScores, width: int) -> Gauge | None:
    """Return the gauge of all new scores; None where there is no cap to measure against."""
    if not figures.most:
        return None

    def place(count: int) -> float:
        return round(width * min(count / figures.most, 1.0), 1)

    return Gauge(width, place(figures.given), place(figures.expected), place(figures.alarm))


def bars(figures: NewScores, width: int) -> list[Bar]:
    """Return a bar for each number of new scores used."""
    tallest = max((count for _, count in figures.by_used), default=0)
    slot = width / max(len(figures.by_used), 1)
    made = []
    for index, (label, count) in enumerate(figures.by_used):
        height = round(TALLEST * count / tallest, 1) if tallest else 0.0
        made.append(
            Bar(
                label=label,
                count=count,
                x=round(slot * (index + 0.14), 1),
                width=round(slot * 0.72, 1),
                y=round(FLOOR - height, 1),
                height=height,
                middle=round(slot * (index + 0.5), 1),
                none=index == 0,
            )
        )
    return made
