"""What a board is made of: rows, marks, dividers and pages."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from leaderboard.standings import drawing


@dataclass(frozen=True)
class Row:
    """A team on the board; `name` is what the viewer may call it."""

    team_id: int
    uuid: UUID
    name: str
    value: int | None
    score: str
    first: int
    last: int
    place: int
    files: int
    last_at: datetime | None
    reached_at: datetime | None = None
    members: int = 1
    mine: bool = False
    tied: bool = False
    pinned: bool = False
    # Why the rank is a band, in a sentence.
    why: str = ""
    band: drawing.Band | None = None
    spark: drawing.Spark | None = None
    kind: str = "team"


@dataclass(frozen=True)
class Mark:
    """A baseline on the board."""

    name: str
    value: int
    score: str
    start_line: bool
    band: drawing.Band | None
    kind: str = "baseline"


@dataclass(frozen=True)
class Divider:
    """A line of text between rows."""

    text: str
    why: str = ""
    kind: str = "divider"


@dataclass(frozen=True)
class Pages:
    """Which page of how many, and which rows it holds."""

    number: int
    count: int
    first: int
    last: int
    total: int

    @property
    def links(self) -> list[int | None]:
        """Page numbers for the pager, None for a gap."""
        near = {1, 2, self.number - 1, self.number, self.number + 1, self.count}
        kept = sorted(number for number in near if 1 <= number <= self.count)
        found: list[int | None] = []
        for number in kept:
            if found and number - found[-1] > 1:
                found.append(None)
            found.append(number)
        return found


def pages(number: int, total: int, per_page: int) -> Pages:
    """Return the page asked for, or the nearest one there is."""
    count = max(-(-total // per_page), 1)
    number = min(max(number, 1), count)
    first = (number - 1) * per_page
    return Pages(number, count, min(first + 1, total), min(first + per_page, total), total)
