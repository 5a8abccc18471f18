"""Order, places, ties and rank bands of shown values.

Values are whole steps of the display grid, larger is better (`scoring.release.units`). Every
function takes O(n log n) time or less.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import pairwise


def order(values: Sequence[int], reached: Sequence) -> list[int]:
    """Indices in the order of the board: better first, and of equal values the one reached first.

    `reached` holds anything that can be compared, such as times; equal times keep their order.
    """
    return sorted(range(len(values)), key=lambda i: (-values[i], reached[i]))


def places(values: Sequence[int]) -> list[int]:
    """The place of each value, in any order: 1-2-2-4, equal values share the better place."""
    ascending = sorted(values)
    return [1 + len(ascending) - bisect_right(ascending, value) for value in values]


def rank_band(values: Sequence[int], resolution: int) -> list[tuple[int, int]]:
    """First and last place each team may hold, for values sorted from the best down.

    A team may be as high as just below all who are better by at least the resolution, and as low
    as just above all who are worse by at least that. The resolution is in steps, 1 or more.
    """
    negated = _checked(values, resolution)
    return [
        (1 + bisect_right(negated, n - resolution), bisect_left(negated, n + resolution))
        for n in negated
    ]


def tied(values: Sequence[int], index: int, resolution: int) -> range:
    """Indices of all teams nearer to this one than the resolution, itself among them.

    `values` are sorted from the best down, so they are neighbours. Being tied does not carry over:
    the first and the last of the range need not be tied with one another.
    """
    negated = _checked(values, resolution)
    centre = negated[index]
    first = bisect_right(negated, centre - resolution)
    return range(first, bisect_left(negated, centre + resolution))


def tied_with_first(values: Sequence[int], resolution: int) -> int:
    """How many teams, the first among them, cannot be told apart from the first."""
    return len(tied(values, 0, resolution)) if values else 0


def too_wide(bands: Sequence[tuple[int, int]]) -> bool:
    """Whether the median band spans more than half of the field, so that the board says little."""
    if len(bands) < 2:
        return False
    widths = sorted(last - first + 1 for first, last in bands)
    middle = len(widths) // 2
    twice_median = widths[middle] + widths[~middle]
    return twice_median > len(bands)


def _checked(values: Sequence[int], resolution: int) -> list[int]:
    if resolution < 1:
        raise ValueError("the resolution is one step or more")
    negated = [-value for value in values]
    if any(a > b for a, b in pairwise(negated)):
        raise ValueError("the values are sorted from the best down")
    return negated
