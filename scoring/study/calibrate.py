"""Choosing threshold and noise so that named risks are certified over simulated competitions.

Learn-then-Test (Angelopoulos, Bates, Candes, Jordan, Lei 2021): for each candidate the risks are
estimated on competitions drawn independently from a generator, and a candidate is certified when a
p-value for "some risk is above its limit" is small enough after accounting for the number of
candidates. The promise is about the generator: an attacker stronger than those in it is not
covered. Nothing of a real competition's labels is used.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from decimal import Decimal

import numpy as np

from scoring.certify import Certificate, Risk, certify
from scoring.release.presets import threshold_factor
from scoring.release.settings import ReleaseSettings
from scoring.study.analysts import Arena, climb, probe
from scoring.study.honest import Field, Habits, disagreement, play
from scoring.study.progress import track
from scoring.study.simulate import HONEST_START, settings_for, with_start
from scoring.study.sybils import from_honest_model

LEAST_COMPETITIONS = 600  # fewer certify nothing reliably
MOST_CANDIDATES = 8


@dataclass(frozen=True)
class Scenario:
    """The generator: who takes part and how much they send.

    Honest teams have habits drawn anew for each competition. One attacker with one account probes
    with random files and climbs by blocks of rows; another does the same with many accounts.
    `honest_sybils` adds many accounts that start from an honest model, played row by row: slow.
    """

    n: int
    teams: int = 12
    files: int = 25
    attack_files: int = 200
    accounts: int = 100
    sybil_files: int = 1000
    honest_sybils: bool = False


@dataclass(frozen=True)
class Played:
    """Competitions under one candidate: honest teams, and each attacker's best shown score minus
    its true one, of shape (attackers, competitions)."""

    honest: Field
    attacks: np.ndarray = field(repr=False)


@dataclass(frozen=True)
class Demand:
    """A risk to be at most `alpha` on average; `limit` is what its loss is measured against.

    worst   chance that some team's shown score, attackers included, is off by more than the limit
    attack  chance that an attacker is shown more than the limit above its worth
    rank    disagreement between shown and true order of honest teams, 0 to 1
    error   mean error of honest teams' shown scores, as a share of the limit, at most 1
    """

    name: str
    alpha: float
    limit: float | None = None

    def losses(self, played: Played) -> np.ndarray:
        """One loss in [0, 1] for each competition."""
        return LOSSES[self.name](played, self.limit)


def _worst(played: Played, limit: float) -> np.ndarray:
    errors = np.abs(np.nan_to_num(played.honest.errors)).max(axis=-1)
    return (np.maximum(errors, np.abs(played.attacks).max(axis=0)) > limit).astype(float)


def _attack(played: Played, limit: float) -> np.ndarray:
    return (played.attacks.max(axis=0) > limit).astype(float)


def _rank(played: Played, limit: float | None) -> np.ndarray:
    return disagreement(played.honest.standing, played.honest.true)


def _error(played: Played, limit: float) -> np.ndarray:
    errors = played.honest.errors
    seen = ~np.isnan(errors)
    total = np.abs(np.nan_to_num(errors)).sum(axis=-1)
    return np.minimum(total / np.maximum(seen.sum(axis=-1), 1) / limit, 1)


LOSSES = {"worst": _worst, "attack": _attack, "rank": _rank, "error": _error}
USUAL = {"worst": (0.10, 1.9), "attack": (0.10, 1.9), "rank": (0.10, None), "error": (0.25, 3.2)}


def usual(name: str, n: int, alpha: float | None = None, limit: float | None = None) -> Demand:
    """A risk with its usual level and a limit in the size of sampling errors on n rows."""
    level, size = USUAL[name]
    usual_limit = None if size is None else size / n**0.5
    return Demand(name, level if alpha is None else alpha, usual_limit if limit is None else limit)


@dataclass(frozen=True)
class Candidate:
    """A threshold and the noise of a new score, both in standard errors."""

    c: float
    noise: float = 0.5

    def settings(self, rule: str, n: int) -> ReleaseSettings:
        made = settings_for(rule, n=n, c=self.c)
        if rule not in ("gate", "gate_paired"):
            return made
        noise = Decimal(f"{self.noise * made.standard_error:.3g}")
        return replace(made, sigma_value=noise).validate()

    def __str__(self) -> str:
        return f"c = {self.c:g}, noise {self.noise:g} SE"


def in_order(cs: Sequence[float], noises: Sequence[float], safest: float) -> list[Candidate]:
    """All combinations, from the threshold believed safest outwards; usual noise first."""
    made = [Candidate(c, noise) for c in cs for noise in noises]
    return sorted(made, key=lambda one: (abs(np.log(one.c / safest)), abs(one.noise - 0.5)))


def compete(settings: ReleaseSettings, scenario: Scenario, competitions: int, seed: int) -> Played:
    """Play independent competitions of the scenario under one candidate's settings.

    The same seed gives every candidate the same teams and attackers.
    """
    arena = Arena(with_start(settings, 0.5), scenario.n, competitions, seed)
    habits = Habits.drawn(
        np.random.default_rng([seed, 7]), competitions, teams=scenario.teams, files=scenario.files
    )
    honest = play(replace(arena, settings=with_start(settings, HONEST_START)), habits)
    few, many = scenario.attack_files, scenario.sybil_files
    found = [
        *probe(arena, few).values(),
        climb(arena, few, block=0.25),
        climb(arena, few, block=0.5),
        probe(arena, many, scenario.accounts)["regression"],
        climb(arena, many, scenario.accounts, block=0.25),
    ]
    if scenario.honest_sybils:
        found.append(from_honest_model(arena, scenario.accounts))
    return Played(honest, np.stack([finding.shown for finding in found]))


def safest_threshold(scenario: Scenario) -> float:
    """The threshold the presets give for so many submissions, and half a standard error more."""
    honest = scenario.teams * scenario.files
    attack = 3 * scenario.attack_files + 2 * scenario.sybil_files
    return float(threshold_factor("open", honest + attack)) + 0.5


@dataclass(frozen=True)
class Calibration:
    """What was tried, what is certified and what was chosen among that.

    `table` has, per candidate in the order of testing, the mean of each risk, the p-values, the
    true accuracy honest teams reach and the scores they get. `choice` is None when nothing is
    certified; otherwise the certified candidate under which honest teams reach most.
    """

    rule: str
    scenario: Scenario
    demands: tuple[Demand, ...]
    certificate: Certificate
    table: tuple[dict, ...]
    choice: Candidate | None
    seed: int

    def to_dict(self) -> dict:
        """JSON-able form, to be kept with the competition."""
        chosen = self.choice
        return {
            "rule": self.rule,
            "scenario": asdict(self.scenario),
            "seed": self.seed,
            "demands": [asdict(demand) for demand in self.demands],
            "candidates": list(self.table),
            "certificate": self.certificate.to_dict(),
            "choice": None if chosen is None else {"c": chosen.c, "noise": chosen.noise},
            "settings": chosen and chosen.settings(self.rule, self.scenario.n).to_dict(),
        }


def calibrate(
    rule: str,
    scenario: Scenario,
    demands: Sequence[Demand],
    candidates: Sequence[Candidate],
    *,
    competitions: int = LEAST_COMPETITIONS,
    delta: float = 0.05,
    seed: int = 1,
) -> Calibration:
    """Certify candidates for all demands jointly and choose one.

    `candidates` are tested in their order, which must have been fixed before; at most 8 of them and
    at least 600 competitions keep the tests strong enough to say something. All candidates meet the
    same competitions, whose seeds follow from `seed`.
    """
    losses, reached, scores = {}, {}, {}
    for candidate in track(candidates, label=f"calibrate {rule}", total=len(candidates)):
        played = compete(candidate.settings(rule, scenario.n), scenario, competitions, seed)
        name = str(candidate)
        losses[name] = {demand.name: demand.losses(played) for demand in demands}
        reached[name] = float(played.honest.reached.mean())
        scores[name] = float(played.honest.released.mean())
    risks = [Risk(demand.name, demand.alpha) for demand in demands]
    certificate = certify(losses, risks, delta=delta)
    table = tuple(
        {
            "candidate": name,
            "risks": {risk: round(float(found.mean()), 4) for risk, found in of.items()},
            "p_values": certificate.by_risk[name],
            "certified": name in certificate.certified,
            "true_accuracy_reached": round(reached[name], 4),
            "new_scores_a_team": round(scores[name], 2),
        }
        for name, of in losses.items()
    )
    certified = [one for one in candidates if str(one) in certificate.certified]
    choice = max(certified, key=lambda one: reached[str(one)], default=None)
    return Calibration(rule, scenario, tuple(demands), certificate, table, choice, seed)
