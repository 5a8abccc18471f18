"""The guarantee that follows from counters alone: how far any public score can be off.

Whatever the participants do, the conversation with them is one of few transcripts when few
scores are told: which submissions were answered with a value, and with which. A union bound over
transcripts covers every adaptive strategy, for any rule whose values come from a grid, given the
noise key. Because the board is public, the counters are totals over all teams. Looks count as
told values. This module is free of numpy.
"""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Certificate:
    """`width` bounds |public score - population| for all submissions at once, in score units.

    `shown` adds what display noise and rounding may add to a told value (one standard deviation
    of the noise and half a grid step). The statement fails with probability at most `beta`.
    """

    width: float
    shown: float
    beta: float
    submissions: int
    told: int
    limit: float

    @property
    def informative(self) -> bool:
        """Whether the width is below the organiser's limit."""
        return self.width < self.limit

    @property
    def sentence(self) -> str:
        """What the page says."""
        if not self.informative:
            return "No worst-case guarantee: too many scores have been told for this many rows."
        return (
            f"Guaranteed within ±{self.width:.3f} of the score on the whole population, for all "
            f"{self.submissions:,} files at once, except with probability {self.beta:g}."
        )


def grid_values(n: int) -> int:
    """Return the number of values a display with a step of about SE/2 can take: 4 sqrt(n)."""
    return math.ceil(4 * math.sqrt(n))


def _log_choose(k: int, i: int) -> float:
    return math.lgamma(k + 1) - math.lgamma(i + 1) - math.lgamma(k - i + 1)


def _check(rows: int, submissions: int, told: int, values: float, beta: float) -> None:
    if rows < 1 or values < 1 or not 0 < beta < 1:
        raise ValueError("rows and grid values are at least 1 and beta lies between 0 and 1")
    if not 0 <= told <= submissions:
        raise ValueError("told scores lie between 0 and the number of submissions")


def fixed(
    rows: int, submissions: int, told: int, values: float, *, beta: float = 0.05, scale: float = 1.0
) -> float:
    """Return the width for limits fixed beforehand: `told` of `submissions` at most.

    rows: public rows. values: values on the display grid. scale: rows times the sensitivity of
    the metric (1 for accuracy).
    """
    _check(rows, submissions, told, values, beta)
    if not submissions:
        return 0.0
    # Transcripts: which i submissions were answered with a value, times the values.
    logs = [_log_choose(submissions, i) + i * math.log(values) for i in range(told + 1)]
    top = max(logs)
    total = top + math.log(math.fsum(math.exp(v - top) for v in logs))
    total += math.log(2 * submissions / beta)
    return scale * math.sqrt(total / (2 * rows))


def anytime(
    rows: int,
    submissions: int,
    told: int,
    values: float,
    *,
    beta: float = 0.05,
    scale: float = 1.0,
    published: int = 2,
) -> float:
    """Return the width for the counters as they stand, valid at every moment at once.

    published: how many numbers on the grid were published before the first submission (the start
    line and the ruler, which come from the same rows).
    """
    _check(rows, submissions, told, values, beta)
    k, a = submissions, told
    if not k:
        return 0.0
    total = _log_choose(k, a) + (a + published) * math.log(values)
    total += math.log(2 * k * (k + 1) * (a + 1) * (a + 2) / beta)
    return scale * math.sqrt(total / (2 * rows))


def certificate(
    rows: int,
    submissions: int,
    told: int,
    values: float,
    *,
    beta: float = 0.05,
    scale: float = 1.0,
    limit: float = 0.1,
    sigma_value: float = 0.0,
    grid: float = 0.0,
) -> Certificate:
    """Return the live certificate of a competition from its counters; see `anytime`."""
    width = anytime(rows, submissions, told, values, beta=beta, scale=scale)
    shown = width + sigma_value + grid / 2
    return Certificate(width, shown, beta, submissions, told, limit)
