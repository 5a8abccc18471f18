"""Geometry of the slope chart: a line per team from its public place to its final place."""

from collections.abc import Sequence
from dataclasses import dataclass

LONGEST_NAME = 26


@dataclass(frozen=True)
class Shape:
    """Measures of one size of the chart, in SVG units."""

    rows: int
    top: int
    step: int
    left: int
    right: int
    bend: int
    width: int
    # Distances of the band, the place and the right name from their dots.
    gaps: tuple[int, int, int]
    names: bool


WIDE = Shape(
    rows=16,
    top=44,
    step=24,
    left=285,
    right=535,
    bend=90,
    width=820,
    gaps=(-14, 14, 44),
    names=True,
)
NARROW = Shape(
    rows=12,
    top=40,
    step=28,
    left=62,
    right=150,
    bend=36,
    width=326,
    gaps=(-10, 12, 36),
    names=False,
)


@dataclass(frozen=True)
class Line:
    """One team: two heights, a path, its texts."""

    name: str
    kind: str
    path: str
    left_y: int
    right_y: int
    band: str
    place: int
    mine: bool


@dataclass(frozen=True)
class Slope:
    """The whole chart."""

    lines: list[Line]
    shape: Shape
    height: int
    shown: int


def wide(rows: Sequence, leaders: Sequence, mine) -> Slope | None:
    """The chart for wide screens: sixteen teams, who led in public, and the viewer's own."""
    return _slope(rows, leaders, mine, WIDE)


def narrow(rows: Sequence, leaders: Sequence, mine) -> Slope | None:
    """The chart for phones: twelve teams, who led in public, and the viewer's own."""
    return _slope(rows, leaders, mine, NARROW)


def _slope(rows: Sequence, leaders: Sequence, mine, shape: Shape) -> Slope | None:
    """Draw the first rows of a final ranking; None where nobody had a public score.

    Who led in public and fell is drawn too: that fall is what the chart is for.
    """
    chosen = list(rows[: shape.rows])
    for row in (*leaders, *([mine] if mine else [])):
        if row.place is not None and all(row.team_id != other.team_id for other in chosen):
            chosen.append(row)
    chosen.sort(key=lambda row: row.place)
    if not any(row.public_place for row in chosen):
        return None
    # Teams without a public score stand below those with one, in the final order.
    before = sorted(range(len(chosen)), key=lambda i: (chosen[i].public_place or float("inf"), i))
    left = {index: rank for rank, index in enumerate(before)}
    lines = [_line(row, left[i], i, shape) for i, row in enumerate(chosen)]
    # The own line is drawn last, above the others.
    lines.sort(key=lambda line: line.mine)
    height = shape.top + shape.step * len(chosen)
    return Slope(lines, shape, height, len(chosen))


def _line(row, before: int, after: int, shape: Shape) -> Line:
    y1, y2 = shape.top + shape.step * before, shape.top + shape.step * after
    x1, x2 = shape.left, shape.right
    path = f"M{x1} {y1}C{x1 + shape.bend} {y1} {x2 - shape.bend} {y2} {x2} {y2}"
    banded = row.first is not None
    return Line(
        name=row.name if len(row.name) <= LONGEST_NAME else row.name[: LONGEST_NAME - 1] + "…",
        kind=_kind(row),
        path=path,
        left_y=y1,
        right_y=y2,
        band=span(row.first, row.last) if banded else "\N{EN DASH}",
        place=row.place,
        mine=row.mine,
    )


def _kind(row) -> str:
    if row.mine:
        return "me"
    if row.move is None:
        return ""
    if row.outside:
        return "out"
    return "up" if row.move > 0 else "down" if row.move < 0 else ""


def span(first: int, last: int) -> str:
    """A rank band as it is printed: 5–14, or 5 where both ends are the same."""
    return f"{first}" if first == last else f"{first}\N{EN DASH}{last}"
