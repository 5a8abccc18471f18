"""Honest teams: they improve a model step by step and believe the board where it speaks."""

from dataclasses import dataclass, field

import numpy as np

from scoring.study.analysts import Arena, both
from scoring.study.panel import ALWAYS, Panel

Number = float | np.ndarray


@dataclass(frozen=True)
class Habits:
    """How honest teams work; the defaults are a classroom-sized toy competition.

    First models are uniform between `first` low and high; each next file changes the true accuracy
    by a normal of standard deviation `step`, slowing down towards `best`; it is right or wrong
    otherwise than the kept file on the share `changed` of the rows. `blur` is the standard error
    of the team's own validation of that change. Every number but the first two may be an array
    (repetitions, 1), another for each competition.
    """

    teams: int = 12
    files: int = 25
    first: tuple[Number, Number] = (0.60, 0.70)
    step: Number = 0.03
    best: Number = 0.92
    changed: Number = 0.12
    blur: Number = 0.03

    @classmethod
    def drawn(cls, rng: np.random.Generator, repetitions: int, **fixed) -> "Habits":
        """Habits drawn from wide priors, anew for each competition."""

        def between(low: float, high: float) -> np.ndarray:
            return rng.uniform(low, high, (repetitions, 1))

        low = between(0.56, 0.68)
        return cls(
            first=(low, low + between(0.04, 0.12)),
            step=between(0.01, 0.04),
            best=low + between(0.2, 0.3),
            changed=between(0.05, 0.2),
            blur=between(0.01, 0.05),
            **fixed,
        )


CLASSROOM = Habits()


@dataclass(frozen=True)
class Field:
    """What honest teams got: arrays (repetitions, teams).

    `shown` is the best shown score, NaN without one; `standing` is it with the start line in its
    place; `true` belongs to the file that was shown, or is kept where none was; `reached` is the
    true accuracy of the kept file, `released` the scores given.
    """

    shown: np.ndarray = field(repr=False)
    standing: np.ndarray = field(repr=False)
    true: np.ndarray = field(repr=False)
    reached: np.ndarray = field(repr=False)
    released: np.ndarray = field(repr=False)

    @property
    def errors(self) -> np.ndarray:
        """Shown minus true per team; NaN where nothing is shown."""
        return self.shown - self.true

    def to_dict(self) -> dict:
        seen = ~np.isnan(self.shown)
        mean = float(np.abs(self.errors[seen]).mean()) if seen.any() else None
        return {
            "true_accuracy_reached": round(float(self.reached.mean()), 4),
            "mean_error_of_shown": None if mean is None else round(mean, 4),
            "rank_disagreement": round(float(disagreement(self.standing, self.true).mean()), 4),
            "new_scores_a_team": round(float(self.released.mean()), 2),
            "teams_with_a_score": round(float(seen.mean()), 3),
        }


def play(arena: Arena, habits: Habits = CLASSROOM) -> Field:
    """Let honest teams send their files in turn and return what they got.

    A team keeps a file that the board shows as better than its best. Where the board says nothing
    it follows its own validation; where every score is shown, the board alone.
    """
    rng, shape, n = arena.rng(4), (arena.repetitions, habits.teams), arena.n
    panel = Panel(arena.settings, shape, rng)
    true = rng.uniform(*habits.first, shape)
    luck = _sampling(true, n) * rng.standard_normal(shape)
    apart = 0.5  # share of rows on which the reference file and the kept one are not equally right
    own = np.full(shape, float(arena.settings.start))  # exact score of the reference file
    best, shown_true = panel.reference.copy(), true
    for turn in range(habits.files):
        moved = habits.changed if turn else 0.0
        change, new_luck = np.zeros(shape), luck
        if turn:
            change = _change(true, habits, rng)
            new_luck = _next_luck(luck, true, moved, n, rng)
        new_true = true + change
        score = new_true + new_luck
        sealed, gain = panel.seal(score), score - own
        given = panel.step(sealed, gain=gain, spread=panel.spread(both(apart, moved), gain, n))
        improved = given & (sealed.value > best)
        keep = improved
        if panel.rule not in ALWAYS:
            keep = improved | (~given & (change + habits.blur * rng.standard_normal(shape) > 0))
        best = np.where(improved, sealed.value, best)
        shown_true = np.where(improved, new_true, shown_true)
        true, luck = np.where(keep, new_true, true), np.where(keep, new_luck, luck)
        own = np.where(given, score, own)
        apart = np.where(keep, both(apart, moved), apart)
        apart = np.where(given, np.where(keep, 0.0, moved), apart)
    seen = best > panel.start
    shown = np.where(seen, panel.shown(best), np.nan)
    return Field(shown, panel.shown(best), np.where(seen, shown_true, true), true, panel.used)


def _change(true: np.ndarray, habits: Habits, rng) -> np.ndarray:
    """What the next file changes in truth: smaller steps the nearer the best there is."""
    low, high = habits.first
    room = (habits.best - true) / (habits.best - (low + high) / 2)
    return rng.standard_normal(true.shape) * habits.step * np.sqrt(np.clip(room, 0, 1))


def _sampling(true: np.ndarray, n: int) -> np.ndarray:
    return np.sqrt(true * (1 - true) / n)


def _next_luck(luck, true, changed: float, n: int, rng) -> np.ndarray:
    """Sampling error of a file that differs from one with error `luck` on a share of the rows.

    The difference of the two errors has variance changed/n, and the new error the law of the old.
    """
    fade = np.clip(changed / (2 * true * (1 - true)), 0, 1)
    fresh = _sampling(true, n) * rng.standard_normal(true.shape)
    return (1 - fade) * luck + np.sqrt(1 - (1 - fade) ** 2) * fresh


def disagreement(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """(1 - Kendall's tau_b) / 2 over the last axis: 0 for the same order, 0.5 for no relation.

    Where one side is all ties it says nothing about the order, which counts as no relation.
    """
    upper = np.triu_indices(first.shape[-1], 1)

    def signs(values):
        return np.sign(values[..., upper[0]] - values[..., upper[1]])

    one, two = signs(first), signs(second)
    scale = np.sqrt((one != 0).sum(axis=-1) * (two != 0).sum(axis=-1))
    tau = np.divide((one * two).sum(axis=-1), scale, out=np.zeros(scale.shape), where=scale > 0)
    return (1 - tau) / 2
