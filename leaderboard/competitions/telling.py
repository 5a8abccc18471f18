"""How release settings are told to everybody: those in force, and what each version changed."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from leaderboard.competitions.models import Baseline, Competition, ReleaseSettings
from scoring import release
from scoring.release.units import amount_text

PRESETS = dict(ReleaseSettings.Preset.choices)
# Rules that show (nearly) every score: nothing is promised against overfitting.
UNPROTECTED = frozenset({"exact", "rounded"})


@dataclass(frozen=True)
class Told:
    """One version of the settings as texts, with the decimals people read."""

    row: ReleaseSettings
    settings: release.ReleaseSettings

    @property
    def rule(self) -> str:
        return self.settings.rule

    @property
    def title(self) -> str:
        return release.describe(self.rule)["title"]

    @property
    def described(self) -> dict:
        return release.describe(self.rule)

    @property
    def preset(self) -> str:
        return PRESETS.get(self.row.preset, self.row.preset)

    @property
    def protected(self) -> bool:
        return self.rule not in UNPROTECTED

    @property
    def scored(self) -> bool:
        """Whether any public score is shown before the close."""
        return self.rule != "sealed"

    @property
    def gated(self) -> bool:
        return "tau" in release.get(self.rule).parameters

    @property
    def noisy(self) -> bool:
        return release.get(self.rule).noise is not None

    @property
    def law(self) -> str:
        return {"gaussian": "Gaussian", "laplace": "Laplace"}.get(release.get(self.rule).noise, "")

    @property
    def start(self) -> str:
        return amount_text(self.settings, self.settings.start)

    @property
    def tau(self) -> str:
        return plain(self.settings.tau)

    @property
    def sigma(self) -> str:
        return plain(self.settings.sigma_value)

    @property
    def sigma_twice(self) -> str:
        return plain(2 * self.settings.sigma_value)

    @property
    def sigma_compare(self) -> str:
        return plain(self.settings.sigma_compare)

    @property
    def compare_share(self) -> str:
        """Noise of the comparison as a part of the threshold, where it is a simple one."""
        tau, sigma = self.settings.tau, self.settings.sigma_compare
        if not tau or not sigma:
            return ""
        part = tau / sigma
        near = part.to_integral_value()
        return f"τ/{near}" if abs(part - near) <= Decimal("0.05") * near else ""

    @property
    def grid(self) -> str:
        return plain(self.settings.grid)

    @property
    def cap(self) -> int | None:
        return self.settings.cap

    @property
    def looks(self) -> int:
        return self.settings.looks

    @property
    def standard_error(self) -> str:
        return two_digits(self.settings.standard_error)

    @property
    def factor(self) -> str:
        """The threshold in standard errors of the ruler."""
        error = self.settings.standard_error
        return f"{float(self.settings.tau) / error:.2g}" if error else ""

    @property
    def resolution(self) -> str:
        return amount_text(self.settings, release.resolution(self.settings))


def tell(row: ReleaseSettings) -> Told:
    """Return a version of the settings, ready to be printed."""
    return Told(row, release.ReleaseSettings.from_dict(row.values))


def draft(settings: release.ReleaseSettings, preset: str) -> Told:
    """Return settings that are no version yet, ready to be printed."""
    return Told(ReleaseSettings(preset=preset, rule=settings.rule), settings)


def in_force(rows: list[ReleaseSettings], now: datetime) -> Told | None:
    """Return the version in force among a competition's versions, oldest first."""
    row = next((row for row in reversed(rows) if row.created_at <= now), None)
    return tell(row) if row else None


@dataclass(frozen=True)
class Change:
    """One announced version: since when, by which reason, and what is different from before."""

    told: Told
    lines: list[tuple[str, str, str]]

    @property
    def row(self) -> ReleaseSettings:
        return self.told.row


def changes(rows: list[ReleaseSettings]) -> list[Change]:
    """Return every version with what it changed, the newest first; the first changed nothing."""
    told = [tell(row) for row in rows]
    made = [
        Change(after, difference(before, after))
        for before, after in zip([None, *told], told, strict=False)
    ]
    return made[::-1]


LINES = (
    ("Rule", "title"),
    ("Threshold τ", "tau"),
    ("Noise of the comparison", "sigma_compare"),
    ("Noise σ", "sigma"),
    ("Display grid", "grid"),
    ("Start line", "start"),
    ("New scores for each team", "cap"),
    ("Looks for each team", "looks"),
)


def difference(before: Told | None, after: Told) -> list[tuple[str, str, str]]:
    """Return (what, before, after) for everything that is printed and differs."""
    if before is None:
        return []
    found = [
        (label, _word(getattr(before, name)), _word(getattr(after, name))) for label, name in LINES
    ]
    return [line for line in found if line[1] != line[2]]


def _word(value) -> str:
    return "no limit" if value is None else str(value)


def start_line(competition: Competition) -> Baseline | None:
    """Return the baseline that every team's reference begins at."""
    return competition.baselines.filter(start_line=True).first()


def plain(amount: Decimal) -> str:
    """Print a decimal without exponent and without zeros at its end: 0.00125."""
    return format(amount.normalize(), "f") if amount else "0"


def two_digits(amount: float | None) -> str:
    """Print a standard error to two significant digits; more would not mean anything."""
    if amount is None:
        return "–"
    number = Decimal(repr(amount))
    if not number:
        return "0"
    return format(number.quantize(Decimal(1).scaleb(number.adjusted() - 1)), "f")
