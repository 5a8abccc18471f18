"""Analysts against rules: what each rule lets attackers gain and honest teams reach."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_HALF_EVEN, Decimal

from scoring.release.presets import on_grid, preset
from scoring.release.settings import ReleaseSettings
from scoring.release.units import FINE
from scoring.study.analysts import Arena, Finding, climb, lucky, probe
from scoring.study.honest import CLASSROOM, Field, Habits, play
from scoring.study.oracles import oracle
from scoring.study.progress import track
from scoring.study.sybils import from_honest_model

LAPLACE = Decimal(24)  # threshold over scale


def settings_for(
    rule: str,
    *,
    n: int,
    start: float = 0.5,
    c: float = 3.0,
    cap: int | None = -1,
    ratio: float = 0.125,
    budget: int = 100,
) -> ReleaseSettings:
    """A rule's usual settings for an accuracy on n rows, with a threshold of c standard errors.

    The ruler is the ceiling 0.5/sqrt(n). `ratio` is the comparison noise over tau of the gate and
    the ladder's is 0; Thresholdout has the published quarter, its Laplace form a 24th. `cap` -1
    stands for the usual one: 25 for the paired gate, 10 for the other gates, none elsewhere.
    """
    se = 0.5 / n**0.5
    usual = "gate_paired" if rule == "gate_paired" else "gate"
    made = preset("open", se=se, greater_is_better=True, low=0.0, high=1.0, start=start, rule=usual)
    fine = made.grid / FINE
    tau = (Decimal(repr(c * se)) / fine).to_integral_value(ROUND_HALF_EVEN) * fine
    changes: dict = {"rule": rule, "tau": tau, "extra": {}}
    match rule:
        case "gate":
            changes["sigma_compare"] = tau * Decimal(str(ratio))
        case "gate_paired":
            changes = {"extra": {**made.extra, "c": str(c)}}
        case "thresholdout":
            changes |= {"sigma_compare": tau / 4, "sigma_value": tau / 4}
        case "thresholdout_laplace":
            scale = (tau / LAPLACE).quantize(Decimal("1e-9"), "ROUND_DOWN")
            changes |= {"sigma_compare": 4 * scale, "sigma_value": scale}
            changes["extra"] = {"budget": budget}
        case "ladder":
            step = max(1, round(tau / made.grid)) * made.grid
            changes |= {"tau": step, "sigma_compare": 0, "sigma_value": 0}
        case "ladder_paired":
            changes |= {"tau": 0, "sigma_compare": 0, "sigma_value": 0, "extra": {"floor": "2"}}
        case "rounded" | "exact" | "sealed":
            changes |= {"tau": 0, "sigma_compare": 0, "sigma_value": 0}
    gated = rule in ("gate", "gate_paired", "thresholdout")
    changes["cap"] = cap if cap != -1 else (made.cap if gated else None)
    if rule == "exact":
        exact = preset("exact", se=se, greater_is_better=True, low=0.0, high=1.0, start=start)
        return replace(exact, cap=changes["cap"]).validate()
    return replace(made, **changes).validate()


def in_accuracy(settings: ReleaseSettings, n: int) -> ReleaseSettings:
    """The same rule scaled to an accuracy on n rows, as analysts play it.

    Everything is measured in rulers, so the settings of any metric can be studied: its standard
    error becomes 0.5/sqrt(n). The start line becomes 0.5.
    """
    if not settings.standard_error:
        return settings
    factor = Decimal(repr(0.5 / n**0.5)) / Decimal(repr(settings.standard_error))
    names = ("tau", "sigma_compare", "sigma_value", "grid")
    scaled = {name: _six_digits(getattr(settings, name) * factor) for name in names}
    # A whole number of steps up to 0.5 keeps the start line where files without knowledge are.
    half = Decimal("0.5")
    scaled["grid"] = (half / max(1, round(half / scaled["grid"]))).quantize(Decimal("1e-15"))
    if settings.rule == "ladder":
        scaled["tau"] = round(settings.tau / settings.grid) * scaled["grid"]
    made = replace(
        settings,
        **scaled,
        standard_error=0.5 / n**0.5,
        greater_is_better=True,
        low=0.0,
        high=1.0,
    )
    return with_start(made, 0.5)


def _six_digits(amount: Decimal) -> Decimal:
    return Decimal(f"{amount:.6g}")


def with_start(settings: ReleaseSettings, start: float) -> ReleaseSettings:
    """The settings with another start line, on the nearest step of the grid."""
    return replace(settings, start=on_grid(settings, settings.grid, start))


BLOCKS = (0.0, 0.02, 0.06, 0.25, 0.5)  # shares of rows flipped at a time; 0 stands for two rows
HONEST_START = 0.6


@dataclass(frozen=True)
class Contest:
    """How much everybody may send, and how often everything is repeated."""

    files: int = 1000
    accounts: int = 100
    repetitions: int = 100
    row_repetitions: int = 4  # of the attack that is played row by row
    seed: int = 1


def _probes(arena: Arena, contest: Contest) -> list[Finding]:
    return list(probe(arena, contest.files).values())


def _climbs(arena: Arena, contest: Contest) -> list[Finding]:
    return [climb(arena, contest.files, block=share or 2 / arena.n) for share in BLOCKS]


def _sybils(arena: Arena, contest: Contest) -> list[Finding]:
    found = probe(arena, contest.files, contest.accounts)["regression"]
    climbs = [
        climb(arena, contest.files, contest.accounts, share) for share in BLOCKS if share >= 0.25
    ]
    return [replace(finding, name=f"sybils {finding.name}") for finding in (found, *climbs)]


def _honest_sybils(arena: Arena, contest: Contest) -> list[Finding]:
    few = replace(arena, repetitions=min(contest.row_repetitions, arena.repetitions))
    return [from_honest_model(few, contest.accounts)]


def _lucky(arena: Arena, contest: Contest) -> list[Finding]:
    return [lucky(arena, contest.files)]


def _oracles(arena: Arena, contest: Contest) -> list[Finding]:
    # A file without knowledge has log loss ln 2; its sign is changed, and it has no worst value.
    loss = with_start(replace(arena.settings, low=None, high=0.0), -0.693)
    return [
        oracle(replace(arena, settings=loss), "log loss", contest.files, contest.accounts),
        oracle(arena, "ROC AUC", contest.files, contest.accounts),
    ]


ATTACKS = {
    "probe": _probes,
    "climb": _climbs,
    "sybils": _sybils,
    "honest-sybils": _honest_sybils,
    "lucky": _lucky,
    "oracle": _oracles,
}


@dataclass(frozen=True)
class Report:
    """What one rule on one size of public set lets everybody have."""

    settings: ReleaseSettings
    n: int
    findings: tuple[Finding, ...]
    honest: Field | None

    def to_dict(self) -> dict:
        return {
            "rule": self.settings.rule,
            "n": self.n,
            "settings": self.settings.to_dict(),
            "attacks": [finding.to_dict() for finding in self.findings],
            "honest": self.honest and self.honest.to_dict(),
        }


def simulate(
    settings: ReleaseSettings,
    n: int,
    *,
    attacks: Sequence[str] = tuple(ATTACKS),
    honest: bool = True,
    contest: Contest = Contest(),
    habits: Habits = CLASSROOM,
) -> Report:
    """Play attackers and honest teams against a rule whose settings are in accuracy units.

    `attacks` are names of ATTACKS. Attackers meet a start line of 0.5, what files without
    knowledge reach; honest teams one of 0.6.
    """
    arena = Arena(with_start(settings, 0.5), n, contest.repetitions, contest.seed)
    findings: list[Finding] = []
    for name in track(attacks, label=f"{settings.rule}, n = {n:,}"):
        findings += ATTACKS[name](arena, contest)
    field = None
    if honest:
        field = play(replace(arena, settings=with_start(settings, HONEST_START)), habits)
    return Report(settings, n, tuple(findings), field)
