"""What the records cost: (eps, delta) between a lower and an upper estimate."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from scoring.errors import HoldoutError
from scoring.leakage import pld, rdp
from scoring.leakage.curves import Curve, Gaussian, Laplace, Pure, gaussian_epsilon
from scoring.leakage.records import (
    Exact,
    GaussianComparison,
    GaussianValue,
    LaplaceEpoch,
    LaplaceValue,
    Look,
    PairedComparison,
    Record,
    Rounded,
    Sealed,
)


class NoBound(HoldoutError):
    """No epsilon can be stated for what was released."""

    code = "no_bound"


@dataclass(frozen=True)
class Statement:
    """eps at delta lies in [low, high]; `exact` where a closed form exists; `rdp` to compare."""

    delta: float
    low: float
    high: float
    exact: float | None
    rdp: float
    grid: float
    releases: int

    def to_dict(self) -> dict:
        """Return a JSON-able form."""
        return dict(self.__dict__)

    @property
    def sentence(self) -> str:
        """The statement in words, its numbers rounded outwards."""
        return (
            f"These {self.releases:,} releases are (epsilon, {self.delta:g})-private with epsilon "
            f"between {_floor(self.low)} and {_ceil(self.high)} when one public row is replaced."
        )


def events(records: Iterable[Record]) -> list[tuple[Curve, int]]:
    """Return the curve of every record with its count; raises NoBound where there is none."""
    found = []
    for record in records:
        curve = _curve(record) if record.count else None
        if curve is not None:
            found.append((curve, record.count))
    return found


def _curve(record: Record) -> Curve | None:
    match record:
        case Sealed():
            return None
        case Exact() | Rounded():
            raise NoBound(
                f"{record.count:,} scores were told or compared without noise; no epsilon is "
                "finite for these."
            )
        case PairedComparison():
            raise NoBound(
                f"{record.count:,} comparisons used a threshold that depends on hidden labels; "
                "no epsilon is known for these."
            )
        case _ if record.sensitivity is None:
            raise NoBound(
                "The metric has no bound on how far one row can move it, so no epsilon can be "
                "stated."
            )
        case GaussianComparison() | GaussianValue() | Look():
            # Being below the threshold tells something too: a comparison costs as much as
            # telling the noisy number that was compared.
            return Gaussian(record.sensitivity / record.sigma)
        case LaplaceEpoch():
            # Sparse vector: the threshold's share once, the query's share twice (the queries
            # below the threshold are free, the positive one may move against it).
            return Pure(
                record.sensitivity / record.threshold_scale
                + 2 * record.sensitivity / record.query_scale
            )
        case LaplaceValue():
            return Laplace(record.sensitivity / record.scale)
    raise NoBound(f"{record.kind} has no price.")


def state(records: Iterable[Record], delta: float, *, grid: float | None = None) -> Statement:
    """Return what the records cost at delta, with the default grid unless one is given.

    Raises NoBound (a metric without a bound, scores without noise) and ValueError for a delta
    outside of (0, 1). The number of releases depends on the data, so charge a fixed maximum when
    the statement is to hold beforehand.
    """
    if not 0.0 < delta < 1.0:
        raise ValueError("delta lies between 0 and 1")
    priced = pld.merged(events(records))
    releases = sum(count for _, count in priced)
    if not priced:
        return Statement(delta, 0.0, 0.0, 0.0, 0.0, 0.0, 0)
    grid = grid or pld.default_grid(priced)
    exact = None
    if all(isinstance(curve, Gaussian) for curve, _ in priced):
        mu = math.sqrt(sum(count * curve.mu**2 for curve, count in priced))
        exact = gaussian_epsilon(mu, delta)
    return Statement(
        delta,
        pld.estimate(priced, delta, grid=grid, pessimistic=False),
        pld.estimate(priced, delta, grid=grid),
        exact,
        rdp.epsilon(priced, delta),
        grid,
        releases,
    )


def _floor(value: float) -> str:
    return f"{math.floor(value * 1000) / 1000:.3f}"


def _ceil(value: float) -> str:
    return f"{math.ceil(value * 1000) / 1000:.3f}" if math.isfinite(value) else "infinity"
