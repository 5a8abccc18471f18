"""All shown values of a board, counted: places and rank bands without reading every team.

A board of 10,000 teams has a few hundred different values, because values lie on the display
grid. The database counts them; everything here follows from the counts. It agrees with
`scoring.ranks`, which works on the full list (a test compares them).
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from itertools import accumulate


class Ladder:
    """Places on a board, from (value, number of teams) pairs in grid units, larger is better."""

    def __init__(self, counts: Iterable[tuple[int, int]], resolution: int):
        pairs = sorted(counts, reverse=True)
        self.resolution = resolution
        # Ascending, so that bisect serves.
        self._values = [-value for value, _ in pairs]
        self._before = [0, *accumulate(number for _, number in pairs)]

    @property
    def total(self) -> int:
        """Teams with a score."""
        return self._before[-1]

    @property
    def best(self) -> int | None:
        """The best value, None on an empty board."""
        return -self._values[0] if self._values else None

    def better(self, value: int) -> int:
        """Teams whose value is above this one."""
        return self._before[bisect_left(self._values, -value)]

    def at_least(self, value: int) -> int:
        """Teams whose value is this one or above it."""
        return self._before[bisect_right(self._values, -value)]

    def place(self, value: int) -> int:
        """The place 1-2-2-4: equal values share the better one."""
        return 1 + self.better(value)

    def band(self, value: int) -> tuple[int, int]:
        """First and last place: 1 + teams better by r or more, N minus teams worse by r or more."""
        first = 1 + self.at_least(value + self.resolution)
        return first, self.better(value - self.resolution)

    def tied(self, one: int | None, other: int | None) -> bool:
        """Whether two values lie nearer together than the resolution."""
        return one is not None and other is not None and abs(one - other) < self.resolution

    @property
    def tied_with_first(self) -> int:
        """Teams that cannot be told apart from the first, itself among them."""
        return self.better(self.best - self.resolution) if self._values else 0
