"""Many teams in many repetitions under one release rule at once.

The same integer arithmetic as `scoring.release.rules`, on arrays: given the same sealed numbers
the outcomes are the same, which the tests check rule by rule. Only the noise differs: a study draws
it from a seeded generator, a competition from its secret key.

Scores here are larger-is-better in displayed units: a metric that is better when smaller enters
with its sign changed, its start line too.
"""

import copy
from dataclasses import dataclass

import numpy as np

from scoring.release import rules, units
from scoring.release.catalogue import RULES
from scoring.release.settings import ReleaseSettings

ALWAYS = frozenset(("rounded", "exact"))
SILENT = frozenset(("sealed",))
PAIRED = frozenset(("gate_paired", "ladder_paired"))
NO_LIMIT = np.iinfo(np.int64).max


@dataclass(frozen=True)
class SealedArrays:
    """`rules.Sealed` for many files: integer arrays of one shape."""

    exact_fine: np.ndarray
    compare_draw: np.ndarray
    value: np.ndarray

    def __getitem__(self, key) -> "SealedArrays":
        return SealedArrays(self.exact_fine[key], self.compare_draw[key], self.value[key])


class Panel:
    """References and used counts of many teams, an array of shape `shape`.

    The first axis are repetitions; with thresholdout_laplace the last one are the teams that share
    a budget and a threshold, judged in their order.
    """

    def __init__(self, settings: ReleaseSettings, shape: tuple[int, ...], rng: np.random.Generator):
        self.settings, self.rule, self.rng = settings, settings.rule, rng
        self.shape = shape
        self.step_size = float(settings.grid)
        self.fine_size = self.step_size / units.FINE
        self.start = units.steps(settings, settings.start)
        self.reference = np.full(shape, self.start, np.int64)
        self.used = np.zeros(shape, np.int64)
        self._cap = NO_LIMIT if settings.cap is None else settings.cap
        self._tau = rules.threshold(settings)
        self._against = settings.extra.get("reference", "best")
        self._two_sided = self._against == "training"
        self._stride = int(settings.tau / settings.grid) if self.rule == "ladder" else 1
        self._low, self._high = _range(settings)
        if self.rule in PAIRED:
            self._floor = float(rules.floor(settings))
            self.floor_size = self._floor * self.fine_size
        if self.rule == "gate_paired":
            self.factor = float(settings.extra_decimal("c", RULES["gate_paired"].defaults["c"]))
        if self.rule == "thresholdout_laplace":
            self.given = np.zeros(shape[:-1], np.int64)
            self.epoch_draw = self._laplace(shape[:-1], 2 * self._scale("sigma_value"))

    # -- noise -----------------------------------------------------------------------------------

    def _scale(self, name: str) -> float:
        return float(units.in_fine(self.settings, getattr(self.settings, name)))

    def _laplace(self, shape, scale: float) -> np.ndarray:
        """Discrete Laplace: the difference of two geometric numbers."""
        if not scale:
            return np.zeros(shape, np.int64)
        chance = -np.expm1(-1 / scale)
        return self.rng.geometric(chance, shape) - self.rng.geometric(chance, shape)

    def _gaussian(self, shape, scale: float) -> np.ndarray:
        """Rounded normals whose variance, rounding included, is that of the discrete Gaussian."""
        spread = np.float32(max(scale**2 - 1 / 12, 0) ** 0.5)
        if not spread:
            return np.zeros(shape, np.float32)
        return np.rint(self.rng.standard_normal(shape, dtype=np.float32) * spread)

    def _draws(self, shape, scale: float) -> np.ndarray:
        kind = RULES[self.rule].noise
        if kind is None:
            return np.zeros(shape, np.int64)
        return (self._laplace if kind == "laplace" else self._gaussian)(shape, scale)

    # -- the rule --------------------------------------------------------------------------------

    def seal(self, exact: np.ndarray) -> SealedArrays:
        """Seal exact scores, as `rules.seal` does, with noise from the generator."""
        fine = np.rint(np.asarray(exact, float) / self.fine_size).astype(np.int64)
        compare = self._scale("sigma_compare")
        if self.rule == "gate_paired":
            compare = rules.UNIT * float(self.settings.sigma_compare / self.settings.tau)
        noisy = fine + self._draws(fine.shape, self._scale("sigma_value"))
        value = self._stride * np.rint(noisy / (units.FINE * self._stride)).astype(np.int64)
        draws = self._draws(fine.shape, compare).astype(np.int64)
        return SealedArrays(fine, draws, np.clip(value, self._low, self._high))

    def step(
        self, sealed: SealedArrays, *, gain=None, spread=None, training=None, where=True, team=None
    ) -> np.ndarray:
        """Judge a file of each team; True where a new score is given, its value is `sealed.value`.

        `gain` and `spread` (displayed units) are what the paired rules compare, `training` the
        score on rows marked Training. Teams outside `where` send nothing. With `team`, an index of
        the last axis, only that team sends and all arrays lack the last axis; with an array of
        different indices, only those teams.
        """
        place = ... if team is None else (..., team)
        if self.rule in SILENT:
            return np.zeros(np.shape(sealed.value), bool)
        if self.rule != "thresholdout_laplace":
            given = where & (self.used[place] < self._cap)
            if self.rule not in ALWAYS:
                given &= self._beats(sealed, self.reference[place], gain, spread, training)
            self._record(given, sealed.value, place)
            return given
        if np.ndim(team) == 0 and team is not None:
            return self._laplace_step(sealed, training, where, place)
        given = np.zeros(np.shape(sealed.value), bool)
        where = np.broadcast_to(where, given.shape)
        for column, one in enumerate(range(self.shape[-1]) if team is None else team):
            at = (..., column)
            own = None if training is None else np.asarray(training)[at]
            given[at] = self._laplace_step(sealed[at], own, where[at], (..., one))
        return given

    def promising(self, sealed: SealedArrays) -> np.ndarray:
        """Which rounds (first axis) hold a file that could get a new score at all.

        References never fall, so a file that does not beat the start line never will. Rounds of
        other rules than the unpaired gates are all promising.
        """
        rounds = np.arange(len(sealed.value))
        if self.rule in SILENT:
            return rounds[:0]
        if self.rule not in ("gate", "ladder", "thresholdout") or self._two_sided:
            return rounds
        bar = units.FINE * self.start + self._tau
        passes = sealed.exact_fine - sealed.compare_draw > bar
        return rounds[passes.reshape(len(rounds), -1).any(axis=1)]

    def _record(self, given, value, place) -> None:
        if not np.any(given):
            return
        self.used[place] += given
        kept = self.reference[place]
        self.reference[place] = np.where(given, np.maximum(kept, value), kept)

    def _beats(self, sealed, reference, gain, spread, training) -> np.ndarray:
        if self.rule in PAIRED:
            width = np.maximum(np.ceil(np.asarray(spread) / self.fine_size), self._floor)
        if self.rule == "gate_paired":
            fine = np.rint(np.asarray(gain) / self.fine_size)
            return fine * rules.UNIT > self.factor * width * (rules.UNIT + sealed.compare_draw)
        bound = width if self.rule == "ladder_paired" else self._tau
        return self._margin(sealed, reference, training) > bound + sealed.compare_draw

    def _margin(self, sealed, reference, training) -> np.ndarray:
        """How far a file is above what it is compared with, in fine steps."""
        if self._two_sided:
            own = np.rint(np.asarray(training) / self.fine_size).astype(np.int64)
            return np.abs(own - sealed.exact_fine)
        against = self.start if self._against == "baseline" else reference
        return sealed.exact_fine - units.FINE * against

    def _laplace_step(self, sealed, training, where, place) -> np.ndarray:
        """One team of each repetition; the budget and the threshold's noise belong to all."""
        given = where & (self.used[place] < self._cap)
        given &= self.given < self.settings.extra["budget"]
        margin = self._margin(sealed, self.reference[place], training)
        given &= margin > self._tau + sealed.compare_draw + self.epoch_draw
        self._record(given, sealed.value, place)
        if given.any():
            fresh = self._laplace(self.given.shape, 2 * self._scale("sigma_value"))
            self.epoch_draw = np.where(given, fresh, self.epoch_draw)
            self.given += given
        return given

    def spread(self, unlike, gain, n: int) -> np.ndarray:
        """Standard error of the mean advantage of one file over another, for an accuracy.

        `unlike` is the share of the n rows on which one of the two is right and the other wrong.
        """
        return np.sqrt(np.maximum(unlike - np.square(gain), 0) / n)

    def copy(self) -> "Panel":
        """A panel in the same state that goes its own way from here."""
        other = copy.copy(self)
        for name in ("reference", "used", "given", "epoch_draw"):
            if hasattr(self, name):
                setattr(other, name, getattr(self, name).copy())
        return other

    def shown(self, steps: np.ndarray) -> np.ndarray:
        """Values in steps as larger-is-better numbers."""
        return np.asarray(steps) * self.step_size

    def best(self) -> np.ndarray:
        """The best shown score of each team; NaN where it has none above the start line."""
        return np.where(self.reference > self.start, self.shown(self.reference), np.nan)


def _range(settings) -> tuple[int, int]:
    limit = 1 << 60
    return units.clamp(settings, -limit), units.clamp(settings, limit)


def blur(settings) -> float:
    """Standard deviation of a shown score about the exact one, rounding included."""
    share = 2 if settings.rule == "thresholdout_laplace" else 1
    noise = share * float(settings.sigma_value) ** 2
    step = float(settings.tau if settings.rule == "ladder" else settings.grid)
    return (noise + step**2 / 12) ** 0.5
