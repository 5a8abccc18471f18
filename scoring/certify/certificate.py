"""Learn-then-Test: settings whose risks are all within tolerance, with a stated error."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scoring.certify.pvalues import p_value
from scoring.certify.testing import METHODS


@dataclass(frozen=True)
class Risk:
    """One risk: its name, and the largest mean loss that is tolerated (losses in [0, 1])."""

    name: str
    tolerance: float


@dataclass(frozen=True)
class Certificate:
    """The settings certified, in the order in which they were tested.

    p_values maps each setting to its largest p-value over the risks, by_risk to each of them.
    """

    certified: tuple[str, ...]
    p_values: dict[str, float]
    by_risk: dict[str, dict[str, float]]
    risks: tuple[Risk, ...]
    delta: float
    method: str
    losses: int

    @property
    def covers(self) -> str:
        """What the certificate says, and what it does not."""
        limits = " and ".join(f"mean {risk.name} at most {risk.tolerance:g}" for risk in self.risks)
        if not self.certified:
            return f"No setting could be certified to have {limits}."
        return (
            f"Every certified setting has {limits}. This fails with probability at most "
            f"{self.delta:g} over the {self.losses:,} test cases, for cases drawn like them; "
            f"for T such certificates at once use {self.delta:g}/T."
        )

    def to_dict(self) -> dict:
        """Return a JSON-able form, to be stored with the competition."""
        return {
            "certified": list(self.certified),
            "p_values": self.p_values,
            "by_risk": self.by_risk,
            "risks": [{"name": risk.name, "tolerance": risk.tolerance} for risk in self.risks],
            "delta": self.delta,
            "method": self.method,
            "losses": self.losses,
            "covers": self.covers,
        }


def certify(
    losses: Mapping[str, Mapping[str, Sequence[float]]],
    risks: Sequence[Risk],
    *,
    delta: float = 0.05,
    method: str = "both",
) -> Certificate:
    """Test every setting against every risk and return the certificate.

    losses[setting][risk name]: independent losses in [0, 1], equally many for every setting and
    risk. The settings come in the order of testing, fixed before the losses were seen and from
    the safest outwards: begin with one known to satisfy the risks, or a fixed sequence may
    certify nothing. method: fixed_sequence, bonferroni or both. A setting's p-value is the largest
    over its risks, so several risks cost nothing extra. Raises ValueError for losses out of
    range, missing risks or unequal numbers.
    """
    if method not in METHODS:
        raise ValueError(f"method is one of {', '.join(METHODS)}")
    if not losses or not risks or not 0 < delta < 1:
        raise ValueError("a certificate needs settings, risks and a delta between 0 and 1")
    sizes, by_risk = set(), {}
    for setting, found in losses.items():
        if missing := [risk.name for risk in risks if risk.name not in found]:
            raise ValueError(f"{setting} has no losses for {', '.join(missing)}")
        sizes |= {len(found[risk.name]) for risk in risks}
        by_risk[setting] = {risk.name: p_value(found[risk.name], risk.tolerance) for risk in risks}
    if len(sizes) != 1:
        raise ValueError("every setting and risk needs the same number of losses")
    worst = {setting: max(found.values()) for setting, found in by_risk.items()}
    names = list(worst)
    chosen = METHODS[method]([worst[name] for name in names], delta)
    return Certificate(
        tuple(names[place] for place in chosen),
        worst,
        by_risk,
        tuple(risks),
        delta,
        method,
        sizes.pop(),
    )
