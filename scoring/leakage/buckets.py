"""The older accountant by privacy buckets, for comparison (Meiser and Mohammadi 2018).

Losses are rounded to the grid, up for the upper estimate and down for the lower. The error of
half a cell a release adds up, so many releases need a very fine grid.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from scoring.leakage.curves import Curve, reach
from scoring.leakage.dots import LARGEST_GRID, Pld, TooFine
from scoring.leakage.pld import composed_epsilon, default_grid, merged, share_of


def rounded(curve: Curve, grid: float, tail: float, *, pessimistic: bool) -> Pld:
    """Return the distribution of the loss with every loss rounded to the grid."""
    first = min(-math.ceil(reach(curve, tail, forward=False) / grid), -1)
    last = max(math.ceil(reach(curve, tail) / grid), 1)
    if last - first > LARGEST_GRID:
        raise TooFine(grid, last - first)
    eps = np.arange(first, last + 1) * grid
    # above[i]: P(loss > eps_i), taken from delta = P(loss > eps) - e^eps Q(loss > eps).
    above = np.empty_like(eps)
    delta, beyond = curve.above(eps[-first:])
    above[-first:] = delta + np.exp(eps[-first:]) * beyond
    above[:-first] = 1.0 - curve.below(-eps[:-first])[1]
    masses = np.concatenate(([1.0 - above[0]], -np.diff(above)))
    if pessimistic:
        return Pld(grid, first, np.maximum(masses, 0.0), float(above[-1]))
    masses[-1] += above[-1]
    return Pld(grid, first - 1, np.maximum(masses, 0.0), 0.0)


def epsilon(
    events: Sequence[tuple[Curve, int]],
    delta: float,
    *,
    grid: float | None = None,
    pessimistic: bool = True,
) -> float:
    """Return the upper (or lower) estimate of eps at delta; see `pld.estimate`."""
    events = merged(events)
    if not events:
        return 0.0
    grid = grid or default_grid(events)
    # The probability beyond a loss is larger than delta there, hence the smaller share.
    single = 1e-3 * share_of(delta) / sum(count for _, count in events)
    directions = [events, [(curve.reverse(), count) for curve, count in events]]
    answers = []
    for direction in directions[: 1 if directions[0] == directions[1] else 2]:
        parts = [(rounded(c, grid, single, pessimistic=pessimistic), n) for c, n in direction]
        answers.append(composed_epsilon(parts, delta, pessimistic=pessimistic))
    return max(answers)
