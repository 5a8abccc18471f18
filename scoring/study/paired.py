"""May the paired gate become the rule of the presets? Gate against paired gate under attack.

The criterion was fixed before the figures were made: at equal threshold c the paired gate passes if
no attack gains more than with the plain gate, beyond three standard errors of the simulation, and
honest teams reach more.
"""

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from itertools import product

import numpy as np

from scoring.study import paired_attacks as attacks
from scoring.study.paired_honest import honest
from scoring.study.paired_worlds import (
    F1,
    Accuracy,
    Auc,
    HonestAccuracy,
    LogLoss,
    Rule,
    gate,
    gate_paired,
)
from scoring.study.progress import track

ERRORS = 3  # of the simulation, before a difference counts
MANY = 120  # colluding accounts


@dataclass(frozen=True)
class Attack:
    """An attack on a task, in several variants of which the worst is reported.

    `alone` and `each` are the files of one account acting alone, and of each of many.
    """

    name: str
    world: type
    play: object
    variants: tuple[dict, ...] = ({},)
    alone: int = 1000
    each: int = 30
    sizes: tuple[int, ...] = (1_000, 4_000, 10_000)


def _shares(*shares: float) -> tuple[dict, ...]:
    return tuple({"share": share} for share in shares)


ATTACKS = (
    Attack("majority vote", Accuracy, attacks.majority),
    Attack("regression", Accuracy, attacks.regression),
    Attack(
        "climb by blocks",
        Accuracy,
        attacks.block_climb,
        _shares(0.005, 0.01, 0.02, 0.06, 0.12, 0.25, 0.5),
    ),
    Attack("sybils from nothing", Accuracy, attacks.block_pool, _shares(0.02, 0.06, 0.25)),
    Attack(
        "sybils, honest model",
        HonestAccuracy,
        attacks.small_steps,
        ({"fresh": False}, {"fresh": True}),
        alone=150,
        each=60,
    ),
    Attack("lucky draws", HonestAccuracy, attacks.lucky),
    Attack(
        "log-loss oracle",
        LogLoss,
        attacks.small_steps,
        (
            {"fresh": True, "amplitude": (0, 0.3)},
            {"fresh": True, "amplitude": (2.576, 8)},
            {"fresh": True, "amplitude": (3.09, 20)},
        ),
        alone=150,
        each=40,
        sizes=(1_000, 4_000),
    ),
    Attack(
        "AUC oracle",
        Auc,
        attacks.small_steps,
        ({"fresh": True, "amplitude": 1.0},),
        alone=150,
        each=40,
        sizes=(1_000, 4_000),
    ),
    Attack("AUC climb", Auc, attacks.block_climb, _shares(0.02, 0.25), sizes=(1_000, 4_000)),
    Attack("F1 climb, bootstrap", F1, attacks.block_climb, _shares(0.02, 0.25), sizes=(1_000,)),
)


@dataclass(frozen=True)
class Cell:
    """Gains of one attack in one place, in standard errors of the ruler, by rule."""

    attack: str
    n: int
    accounts: int
    c: float
    gains: dict = field(repr=False)  # rule name -> (repetitions,), of the worst variant
    ruler: float = 0.0

    def mean(self, rule: str) -> float:
        return float(self.gains[rule].mean())

    @property
    def difference(self) -> tuple[float, float]:
        """Paired gate minus gate, and the standard error of that."""
        a, b = self.gains["gate_paired"], self.gains["gate"]
        error = np.sqrt(a.var(ddof=1) / len(a) + b.var(ddof=1) / len(b))
        return float(a.mean() - b.mean()), float(error)

    @property
    def holds(self) -> bool:
        found, error = self.difference
        return found <= ERRORS * error


@dataclass(frozen=True)
class Honest:
    """Twelve honest teams: (accuracy reached, error of a shown score, new scores a team)."""

    n: int
    c: float
    results: dict = field(repr=False)  # rule name -> (repetitions, 3); "exact" among them

    @property
    def difference(self) -> tuple[float, float]:
        """Accuracy reached under the paired gate minus the gate; the seasons share their seeds."""
        rows = self.results["gate_paired"][:, 0] - self.results["gate"][:, 0]
        return float(rows.mean()), float(rows.std(ddof=1) / np.sqrt(len(rows)))

    @property
    def holds(self) -> bool:
        found, error = self.difference
        return found > ERRORS * error


def rules(c: float, changes: dict) -> tuple[Rule, Rule]:
    """The gate and the candidate at one threshold; `changes` to the candidate's cap or noise."""
    return gate(c), gate_paired(c, **changes)


def run(
    *,
    sizes=(1_000, 4_000, 10_000),
    thresholds=(1.5, 2.0, 3.0),
    accounts=(1, MANY),
    repetitions: tuple[int, int] = (16, 4),
    seasons: int = 60,
    seed: int = 1,
    changes: dict | None = None,
    chosen=ATTACKS,
    jobs: int = 1,
) -> tuple[list[Cell], list[Honest]]:
    """All cells of the study; `repetitions` for one account and for many.

    Every cell draws from seeds of its own, so a part of the study gives the same figures as the
    whole. `changes` are put on the paired gate.
    """
    changes = changes or {}
    tasks = [
        (attack, n, many, c)
        for n, many, attack, c in product(sizes, accounts, chosen, thresholds)
        if n in attack.sizes
    ]
    work = partial(_cell, repetitions=repetitions, seed=seed, changes=changes)
    cells = list(track(_spread(work, tasks, jobs), label="attacks", total=len(tasks)))
    work = partial(_season, seasons=seasons, seed=seed, changes=changes)
    places = list(product(sizes, thresholds))
    return cells, list(track(_spread(work, places, jobs), label="honest teams", total=len(places)))


def _spread(work, tasks, jobs: int) -> Iterator:
    if jobs < 2:
        yield from map(work, tasks)
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(work, tasks)


def _cell(task, *, repetitions, seed, changes) -> Cell:
    attack, n, many, c = task
    times = repetitions[0] if many == 1 else max(2, round(repetitions[1] * min(1, 4_000 / n)))
    gains, ruler = {}, 0.0
    for rule in rules(c, changes):
        tried = np.empty((len(attack.variants), times))
        for (place, variant), turn in product(enumerate(attack.variants), range(times)):
            world = attack.world(n, np.random.default_rng((seed, n, turn)))
            ruler = float(world.se)
            each = attack.alone if many == 1 else attack.each
            tried[place, turn] = attack.play(world, rule, many, each, **variant) / ruler
        gains[rule.name] = tried[tried.mean(axis=1).argmax()]
    return Cell(attack.name, n, many, c, gains, ruler)


def _season(place, *, seasons, seed, changes) -> Honest:
    n, c = place
    results = {}
    for rule in (None, *rules(c, changes)):
        runs = [honest(n, rule, np.random.default_rng((seed, n, turn))) for turn in range(seasons)]
        results[rule.name if rule else "exact"] = np.array(runs)
    return Honest(n, c, results)


def verdict(cells: list[Cell], seasons: list[Honest]) -> dict[float, bool]:
    """For each threshold whether the paired gate passes."""
    return {
        c: all(part.holds for part in (*cells, *seasons) if part.c == c)
        for c in sorted({part.c for part in cells})
    }
