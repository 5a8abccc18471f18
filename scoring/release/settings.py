"""The settings of a competition's score release: what an organiser chooses, in displayed units."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from decimal import Decimal, InvalidOperation

from scoring.errors import BadSettings
from scoring.release.validation import problems

DECIMALS = ("tau", "sigma_compare", "sigma_value", "grid", "start")
FLOATS = ("standard_error", "low", "high")


@dataclass(frozen=True)
class ReleaseSettings:
    """One version of the settings.

    `tau`, the two standard deviations, `grid` (one step of the display), `start` (the start line,
    on the grid), `standard_error` (the ruler) and the range `low`, `high` are in the units of the
    displayed metric, whichever way it points. `cap` is the new scores a team may have (None: no
    limit), `looks` the private looks. `extra` holds what single rules need:

    budget     thresholdout_laplace: new scores of all teams together
    c          gate_paired: threshold in standard errors of the difference of two files
    floor      gate_paired, ladder_paired: least standard error of a difference, in ruler units
    reference  the thresholdout rules: best, baseline or training

    Decimals may be given as text, as a form has them; what cannot be read as a number stays as it
    is and `validate` says so. For `thresholdout_laplace` the two noise fields are the scales of
    Laplace distributions, not standard deviations; for `gate_paired` `sigma_compare` / `tau` is the
    relative noise of the comparison.
    """

    rule: str
    tau: Decimal
    sigma_compare: Decimal
    sigma_value: Decimal
    grid: Decimal
    start: Decimal
    cap: int | None = 10
    looks: int = 0
    standard_error: float | None = None
    greater_is_better: bool = True
    low: float | None = None
    high: float | None = None
    extra: dict = field(default_factory=dict)

    def __post_init__(self):
        for name in DECIMALS:
            object.__setattr__(self, name, _decimal(getattr(self, name)))
        for name in FLOATS:
            object.__setattr__(self, name, _float(getattr(self, name)))
        object.__setattr__(self, "cap", _whole(self.cap, empty=None))
        object.__setattr__(self, "looks", _whole(self.looks, empty=0))
        object.__setattr__(self, "rule", str(self.rule))
        if not isinstance(self.extra or {}, Mapping):
            raise BadSettings({"extra": "What single rules need is a table of names and values."})
        extra = dict(self.extra or {})
        if "budget" in extra:
            extra["budget"] = _whole(extra["budget"], empty=None)
        object.__setattr__(self, "extra", extra)

    def validate(self) -> ReleaseSettings:
        """Return the settings, or raise BadSettings with a reason for every field at fault."""
        found = problems(self)
        if found:
            raise BadSettings(found)
        return self

    def to_dict(self) -> dict:
        """JSON-able form; decimals are text, so that no digit is lost."""
        made = {}
        for item in fields(self):
            value = getattr(self, item.name)
            if isinstance(value, dict):
                value = {key: _plain(part) for key, part in sorted(value.items())}
            made[item.name] = _plain(value)
        return made

    @classmethod
    def from_dict(cls, data: dict) -> ReleaseSettings:
        """The settings that `to_dict` wrote; unknown and missing names raise BadSettings."""
        known = {item.name for item in fields(cls)}
        found = dict.fromkeys(sorted(set(data) - known), "There is no such setting.")
        needed = ("rule", *DECIMALS)
        found |= {name: "This setting is missing." for name in needed if name not in data}
        if found:
            raise BadSettings(found)
        return cls(**data)

    def extra_decimal(self, name: str, default: str) -> Decimal:
        """A rule's own number, as a decimal."""
        return _decimal(self.extra.get(name, default))


def _plain(value):
    return format(value, "f") if isinstance(value, Decimal) else value


def _decimal(value):
    """The decimal a number or a text stands for; anything else comes back unchanged."""
    if isinstance(value, (Decimal, bool)) or value is None:
        return value
    try:
        return Decimal(repr(float(value)) if isinstance(value, float) else value)
    except (InvalidOperation, TypeError, ValueError):
        return value


def _float(value):
    if value is None or value == "" or isinstance(value, bool):
        return None if value == "" else value
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return value


def _whole(value, empty):
    if isinstance(value, str):
        try:
            return int(value) if value.strip() else empty
        except ValueError:
            return value
    return value
