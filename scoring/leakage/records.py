"""Frozen records of what was released; what a record means never changes.

A record says what happened and how often, not what it costs: prices are worked out in
`statement`. A new way of releasing gets a new kind; the meaning of an old kind stays, so that the
records of an old competition can be priced for ever. This module is free of numpy.

Widths are in the units of the displayed metric. `sensitivity` is how far the number that noise
was added to can move when one public row is replaced; None says that there is no bound.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import ClassVar

from scoring.errors import HoldoutError
from scoring.release.units import exact, fine_step

FORMAT = 1


class UnknownRecord(HoldoutError):
    """A record of a kind, or a field of a record, that this version does not know."""

    code = "unknown_record"


@dataclass(frozen=True)
class Record:
    """Base: `count` releases of one kind under one setting."""

    kind: ClassVar[str] = ""
    positive: ClassVar[tuple[str, ...]] = ()

    count: int

    def __post_init__(self) -> None:
        if not isinstance(self.count, int) or isinstance(self.count, bool) or self.count < 0:
            raise UnknownRecord(f"The count of a record is a whole number, not {self.count!r}.")
        for name in self.positive:
            value = getattr(self, name)
            if name == "sensitivity" and value is None:
                continue
            good = isinstance(value, int | float) and not isinstance(value, bool)
            if not good or not math.isfinite(value) or value <= 0:
                raise UnknownRecord(f"{name} of {self.kind} is a positive number, not {value!r}.")

    def to_dict(self) -> dict:
        """Return a JSON-able form that `from_dict` reads back."""
        made = {"format": FORMAT, "kind": self.kind}
        return made | {item.name: getattr(self, item.name) for item in fields(self)}


@dataclass(frozen=True)
class GaussianComparison(Record):
    """Score plus Gaussian noise, compared with a threshold; only the outcome was told."""

    kind: ClassVar[str] = "gaussian_comparison"
    positive: ClassVar[tuple[str, ...]] = ("sigma", "sensitivity")

    sigma: float
    sensitivity: float | None


@dataclass(frozen=True)
class GaussianValue(Record):
    """Score plus Gaussian noise, rounded and told."""

    kind: ClassVar[str] = "gaussian_value"
    positive: ClassVar[tuple[str, ...]] = ("sigma", "sensitivity")

    sigma: float
    sensitivity: float | None


@dataclass(frozen=True)
class Look(Record):
    """A private look: score plus Gaussian noise, told to one team."""

    kind: ClassVar[str] = "look"
    positive: ClassVar[tuple[str, ...]] = ("sigma", "sensitivity")

    sigma: float
    sensitivity: float | None


@dataclass(frozen=True)
class LaplaceEpoch(Record):
    """Comparisons against one noisy threshold until the first was positive; Laplace noise.

    Both numbers are scales: of the threshold's noise, kept for the epoch, and of each query's.
    """

    kind: ClassVar[str] = "laplace_epoch"
    positive: ClassVar[tuple[str, ...]] = ("threshold_scale", "query_scale", "sensitivity")

    threshold_scale: float
    query_scale: float
    sensitivity: float | None


@dataclass(frozen=True)
class LaplaceValue(Record):
    """Score plus Laplace noise, rounded and told."""

    kind: ClassVar[str] = "laplace_value"
    positive: ClassVar[tuple[str, ...]] = ("scale", "sensitivity")

    scale: float
    sensitivity: float | None


@dataclass(frozen=True)
class PairedComparison(Record):
    """A comparison whose threshold or noise depends on hidden labels: no bound is known."""

    kind: ClassVar[str] = "paired_comparison"


@dataclass(frozen=True)
class Rounded(Record):
    """A score rounded to multiples of `step` and told, or compared, without noise."""

    kind: ClassVar[str] = "rounded"
    positive: ClassVar[tuple[str, ...]] = ("step",)

    step: float


@dataclass(frozen=True)
class Exact(Record):
    """An exact score told, or compared, without noise."""

    kind: ClassVar[str] = "exact"


@dataclass(frozen=True)
class Sealed(Record):
    """A file received and checked; nothing of its score was told."""

    kind: ClassVar[str] = "sealed"


KINDS: dict[str, type[Record]] = {
    record.kind: record
    for record in (
        GaussianComparison,
        GaussianValue,
        Look,
        LaplaceEpoch,
        LaplaceValue,
        PairedComparison,
        Rounded,
        Exact,
        Sealed,
    )
}


def from_dict(data: Mapping) -> Record:
    """Return the record that `to_dict` wrote; anything unknown raises UnknownRecord."""
    given = dict(data)
    kind, version = given.pop("kind", None), given.pop("format", None)
    if version != FORMAT:
        raise UnknownRecord(f"Records of format {version!r} are not known; this is {FORMAT}.")
    if not isinstance(kind, str) or kind not in KINDS:
        raise UnknownRecord(f"There is no kind of release called {kind!r}.")
    wanted = {item.name for item in fields(KINDS[kind])}
    if set(given) != wanted:
        odd = ", ".join(sorted(set(given) ^ wanted))
        raise UnknownRecord(f"A record of kind {kind} has other fields ({odd}).")
    return KINDS[kind](**given)


@dataclass(frozen=True)
class Account:
    """All records of a competition. Equal records are counted together; nothing is removed."""

    records: tuple[Record, ...] = ()

    def charged(self, new: Iterable[Record]) -> Account:
        """Return the account with more records; raises before anything is added."""
        new = tuple(new)
        for record in new:
            if KINDS.get(getattr(record, "kind", None)) is not type(record):
                raise UnknownRecord(f"{record!r} is not a record of a known kind.")
        counts: dict[Record, int] = {}
        for record in (*self.records, *new):
            key = _with_count(record, 0)
            counts[key] = counts.get(key, 0) + record.count
        return Account(tuple(_with_count(key, n) for key, n in counts.items() if n))

    def to_dicts(self) -> list[dict]:
        """Return the records as JSON-able dictionaries."""
        return [record.to_dict() for record in self.records]

    @classmethod
    def from_dicts(cls, data: Iterable[Mapping]) -> Account:
        """Return the account of these dictionaries; one that is unknown refuses them all."""
        return cls().charged([from_dict(item) for item in data])


def _with_count(record: Record, count: int) -> Record:
    given = {item.name: getattr(record, item.name) for item in fields(record)}
    return type(record)(**(given | {"count": count}))


def from_release(
    settings, *, sensitivity: float | None, comparisons: int, values: int, looks: int = 0
) -> tuple[Record, ...]:
    """Return the records of what a competition told under one version of its settings.

    settings: ReleaseSettings. sensitivity: the metric's, in displayed units, for the replacement
    of one public row; None when the metric has no bound. comparisons: different predictions
    judged. values: those of them whose score was told. looks: those a team has looked at. The
    same predictions again are not counted, for their answer is a function of stored numbers.
    """
    step = _on_grid(settings, sensitivity)
    reading = _readings(settings, step, comparisons, values)
    if looks:
        sigma = settings.standard_error
        reading.append(Look(looks, sigma, step) if sigma else Exact(looks))
    return tuple(record for record in reading if record.count)


def _readings(settings, step: float | None, comparisons: int, values: int) -> list[Record]:
    compare, value = float(settings.sigma_compare), float(settings.sigma_value)
    told = GaussianValue(values, value, step) if value else Rounded(values, float(settings.grid))
    match settings.rule:
        case "sealed":
            return [Sealed(comparisons)]
        case "exact":
            return [Exact(comparisons)]
        case "rounded":
            return [Rounded(comparisons, float(settings.grid))]
        case "gate" | "thresholdout" | "ladder":
            if not compare:
                return [Exact(comparisons), told]
            return [GaussianComparison(comparisons, compare, step), told]
        case "gate_paired" | "ladder_paired":
            return [PairedComparison(comparisons), told]
        case "thresholdout_laplace":
            return _laplace(settings, step, comparisons, values)
    raise UnknownRecord(f"There is no record for the release rule {settings.rule!r}.")


def _laplace(settings, step: float | None, comparisons: int, values: int) -> list[Record]:
    compare, value = float(settings.sigma_compare), float(settings.sigma_value)
    if not compare or not value:
        return [Exact(comparisons)]
    # An epoch ends in its one positive answer; the epoch still open has told something too.
    spent = values >= int(settings.extra.get("budget", values + 1))
    epochs = values if spent or comparisons <= values else values + 1
    return [
        LaplaceEpoch(epochs, 2 * value, compare, step),
        LaplaceValue(values, value, step),
    ]


def _on_grid(settings, sensitivity: float | None) -> float | None:
    """The sensitivity of a score after it was rounded to fine steps.

    Two scores less than m fine steps apart can round to integers m apart, so it is rounded up.
    """
    if sensitivity is None or settings.rule in ("sealed", "exact", "rounded"):
        return sensitivity
    fine = fine_step(settings)
    return float(math.ceil(exact(sensitivity) / fine) * fine)
