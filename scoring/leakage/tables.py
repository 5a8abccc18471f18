"""The reference tables: Poisson-sampled Gaussian noise, Gaussian and Laplace noise, counters.

The setting of the first table (noise multiplier 0.5, sampling probability 0.2e-4, delta 1e-8) is
the one in which Connect-the-Dots was first shown beside the older accountants.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from scoring.leakage import buckets, pld, rdp
from scoring.leakage.certificate import fixed
from scoring.leakage.curves import Curve, Gaussian, Laplace, SampledGaussian, gaussian_epsilon

SAMPLED = SampledGaussian(0.5, 0.2e-4)
SAMPLED_DELTA = 1e-8
STEPS = (1, 100, 1_000, 10_000, 100_000)


@dataclass(frozen=True)
class SampledRow:
    """One row of the first table: eps after so many steps, by every accountant."""

    steps: int
    rdp: float
    buckets_low: float
    buckets_high: float
    low: float
    high: float
    high_coarse: float


def sampled_row(steps: int) -> SampledRow:
    """Return the row: buckets and high at grid 1e-4, high_coarse at 1e-3, low at its own grid."""
    events = [(SAMPLED, steps)]
    delta = SAMPLED_DELTA
    return SampledRow(
        steps,
        rdp.epsilon(events, delta),
        buckets.epsilon(events, delta, grid=1e-4, pessimistic=False),
        buckets.epsilon(events, delta, grid=1e-4),
        pld.estimate(events, delta, pessimistic=False),
        pld.estimate(events, delta, grid=1e-4),
        pld.estimate(events, delta, grid=1e-3),
    )


def sampled_rows(steps: Iterable[int] = STEPS) -> Iterator[SampledRow]:
    """Yield the first table row by row; each takes a few seconds."""
    for count in steps:
        yield sampled_row(count)


@dataclass(frozen=True)
class ComposedRow:
    """One row of the second table; exact is None where there is no closed form."""

    title: str
    grid: float
    buckets_low: float
    low: float
    exact: float | None
    high: float
    buckets_high: float


COMPOSED_DELTA = 1e-6
COMPOSED: tuple[tuple[str, tuple[tuple[Curve, int], ...], float | None], ...] = (
    ("Gaussian, sigma/sensitivity 10, 100 times", ((Gaussian(1 / 10), 100),), 1e-3),
    ("Gaussian, sigma/sensitivity 10, 1,000 times", ((Gaussian(1 / 10), 1000),), 1e-3),
    ("Gaussian, sigma/sensitivity 50, 1,000 times", ((Gaussian(1 / 50), 1000),), 1e-3),
    ("the same on a grid of 0.01", ((Gaussian(1 / 50), 1000),), 1e-2),
    ("Gaussian, sigma/sensitivity 200, 11,000 times", ((Gaussian(1 / 200), 11_000),), 1e-3),
    ("Laplace, eps0 0.05, 200 times", ((Laplace(0.05), 200),), 1e-3),
    (
        "1,000 Gaussian (50) and 100 Laplace (0.05)",
        ((Gaussian(1 / 50), 1000), (Laplace(0.05), 100)),
        1e-3,
    ),
)


def composed_rows() -> Iterator[ComposedRow]:
    """Yield the second table: estimates beside the exact value, delta 1e-6."""
    for title, events, grid in COMPOSED:
        exact = None
        if all(isinstance(curve, Gaussian) for curve, _ in events):
            mu = math.sqrt(sum(count * curve.mu**2 for curve, count in events))
            exact = gaussian_epsilon(mu, COMPOSED_DELTA)
        step = grid or pld.default_grid(events)
        yield ComposedRow(
            title,
            step,
            buckets.epsilon(events, COMPOSED_DELTA, grid=step, pessimistic=False),
            pld.estimate(events, COMPOSED_DELTA, grid=step, pessimistic=False),
            exact,
            pld.estimate(events, COMPOSED_DELTA, grid=step),
            buckets.epsilon(events, COMPOSED_DELTA, grid=step),
        )


CERTIFICATE_ROWS = (1_000, 4_000, 10_000, 100_000)
CERTIFICATE_FILES = (100, 1_000, 10_000)
CERTIFICATE_TOLD = (0, 3, 5, 10, 20, 100)


def certificate_rows() -> Iterator[tuple[int, int, list[float]]]:
    """Yield (rows, submissions, widths for 0 to 100 told values) of the counter certificate."""
    for rows in CERTIFICATE_ROWS:
        values = 4 * math.sqrt(rows)
        for files in CERTIFICATE_FILES:
            yield rows, files, [fixed(rows, files, told, values) for told in CERTIFICATE_TOLD]
