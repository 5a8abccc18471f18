"""Made-up tasks and boards for the study of the paired gate.

A *world* is one set of public rows: its labels, its baseline, its ruler, and what an attacker can
compute from it. Three metrics are linear in the labels once the file is fixed (accuracy, log loss,
ROC AUC), so an attacker who is shown scores of files can solve for the labels. The fourth, F1, has
no per-row losses; its differences get their spread from a paired Bayesian bootstrap.

Scores are larger-is-better throughout: log loss enters with its sign turned.
"""

from dataclasses import dataclass, field

import numpy as np

from scoring.release.resolution import grid_for

COMPARE_NOISE = 1 / 8  # of the threshold
CLIP = 34.5  # the logit of 1 - 1e-15
FLOOR = 0.3  # least spread of a difference, in standard errors of the ruler


@dataclass(frozen=True)
class Rule:
    """A gate: threshold `c`, value noise in standard errors, new scores a team may have."""

    name: str
    c: float
    paired: bool
    value_noise: float
    cap: int
    floor: float = FLOOR


def gate(c: float) -> Rule:
    return Rule("gate", c, False, 1 / 2, 10)


def gate_paired(
    c: float, *, value_noise: float = 1 / 4, cap: int = 25, floor: float = FLOOR
) -> Rule:
    return Rule("gate_paired", c, True, value_noise, cap, floor)


def passes(rule: Rule, se: float, score, reference, gain, spread, z):
    """Whether a file gets a new score; arrays or numbers, `z` the comparison's standard noise."""
    blur = 1 + COMPARE_NOISE * z
    if rule.paired:
        return gain > rule.c * np.maximum(spread, rule.floor * se) * blur
    return score > reference + rule.c * se * blur


@dataclass
class File:
    """A file: what it predicts, its exact score, its rows for a paired comparison, its noise.

    The noise belongs to the predictions, so it is kept with them: sent again, from any account, the
    file meets the same draws.
    """

    vector: np.ndarray
    score: float
    rows: object
    noise: tuple[float, float]


@dataclass
class Account:
    """One team's view of the board."""

    world: "World"
    rule: Rule
    used: int = 0
    reference: float = field(init=False)
    file: File = field(init=False)

    def __post_init__(self):
        self.reference, self.file = self.world.start, self.world.baseline

    def send(self, file: File) -> float | None:
        """The new score that the file gets, or None."""
        if self.used >= self.rule.cap:
            return None
        world, z = self.world, file.noise[0]
        gain, spread = world.compare(file, self.file) if self.rule.paired else (0.0, 0.0)
        if not passes(self.rule, world.se, file.score, self.reference, gain, spread, z):
            return None
        raw = file.score + self.rule.value_noise * world.se * file.noise[1]
        value = round(raw / world.grid) * world.grid
        self.used += 1
        self.reference = max(self.reference, value)
        self.file = file
        return value


class World:
    """Common to all tasks.

    `prior` holds mean and variance of the unknown labels (or signs), `model` what the attacker has
    to begin with and `worth` its score on new rows.
    """

    linear = True

    def __init__(self, n: int, rng: np.random.Generator):
        self.n, self.rng = n, rng
        self._make()
        self.worth = self.population(self.model)
        self.grid = float(grid_for(float(self.se)))

    def file(self, vector: np.ndarray) -> File:
        score, rows = self.measure(vector)
        return File(vector, score, rows, tuple(self.rng.normal(size=2)))

    def compare(self, new: File, old: File) -> tuple[float, float]:
        """Mean per-row advantage of the new file and its standard error."""
        difference = new.rows - old.rows
        mean = difference.mean()
        return mean, np.sqrt((difference @ difference / self.n - mean * mean) / (self.n - 1))

    def pattern(self) -> np.ndarray:
        """An account's own random direction."""
        return self.rng.normal(size=self.n)

    def spread_of(self, vector: np.ndarray) -> float:
        rows = self.measure(vector)[1]
        return float(rows.std(ddof=1) / np.sqrt(self.n))


class Accuracy(World):
    """Two classes. A file says for each row whether it agrees (1) with a known model or not (-1).

    The model is right on each row with chance `quality`: 0.5 is a file of no value, 0.75 an honest
    model. The ruler is the largest possible, 0.5 / sqrt(n); the start line is chance.
    """

    quality = 0.5

    def _make(self):
        self.truth = np.where(self.rng.random(self.n) < self.quality, 1, -1).astype(np.float32)
        self.se, self.start = 0.5 / np.sqrt(self.n), 0.5
        self.prior = (2 * self.quality - 1, 1 - (2 * self.quality - 1) ** 2)
        self.model = np.ones(self.n, np.float32)
        self.baseline = self.file(self._first())

    def _first(self):
        return self.model if self.quality == 0.5 else self.random()

    def measure(self, vector):
        right = vector * self.truth
        return 0.5 + float(right.mean()) / 2, right / 2

    def random(self):
        return np.where(self.rng.random(self.n) < 0.5, 1, -1).astype(np.float32)

    def changed(self, vector, share):
        """A copy with a random block of rows turned over."""
        made = vector.copy()
        rows = self.rng.integers(0, self.n, max(1, round(share * self.n)))
        made[rows] = -vector[rows]
        return made

    def pattern(self):
        return self.rng.random(self.n, np.float32)

    def rung(self, height, pattern, amplitude):
        """The model with a share of rows turned over that falls from a half to nothing."""
        return np.where(pattern < 0.5 * (1 - height), -1, 1).astype(np.float32)

    def design(self, vector):
        return vector / (2 * self.n), 0.5

    def final(self, posterior):
        return np.where(posterior < 0, -1, 1).astype(np.float32)

    def population(self, vector):
        return 0.5 + (2 * self.quality - 1) * float(vector.mean()) / 2


class HonestAccuracy(Accuracy):
    quality = 0.75


class Labelled(World):
    """Labels drawn from chances that an honest model knows; files are logits or scores."""

    def _make(self):
        self.model = self.rng.normal(0, 1.5, self.n)
        self.chance = 1 / (1 + np.exp(-self.model))
        self.labels = self.rng.random(self.n) < self.chance
        self.prior = (self.chance, self.chance * (1 - self.chance))
        self._settle()
        self.baseline = self.file(np.zeros(self.n))

    def changed(self, vector, share):
        made = vector.copy()
        rows = self.rng.integers(0, self.n, max(1, round(share * self.n)))
        made[rows] += self.rng.normal()
        return made


class LogLoss(Labelled):
    """Log loss of predictions clipped to [1e-15, 1 - 1e-15]; the start line is a constant 0.5."""

    def _settle(self):
        self.start = -float(np.log(2))
        self.se = self.spread_of(self.model)

    def measure(self, vector):
        rows = -np.logaddexp(0, np.where(self.labels, -vector, vector))
        return float(rows.mean()), rows

    def rung(self, height, pattern, amplitude):
        """The model, faded, with disturbed rows: those whose pattern is `cut` deviations out."""
        cut, size = amplitude
        made = height * self.model + size * pattern * (np.abs(pattern) >= cut)
        return np.clip(made, -CLIP, CLIP)

    def design(self, vector):
        return vector / self.n, -float(np.logaddexp(0, vector).mean())

    def final(self, posterior):
        sure = np.clip(posterior, 0.002, 0.998)
        return np.log(sure / (1 - sure))

    def population(self, vector):
        return float((self.chance * vector - np.logaddexp(0, vector)).mean())


class Auc(Labelled):
    """ROC AUC; differences of two files have DeLong's variance."""

    def _settle(self):
        self.positives = int(self.labels.sum())
        self.start = 0.5
        self.se = self.spread_of(self.model)

    def measure(self, vector):
        rows = auc_parts(vector, self.labels)
        return float(rows[0].mean()), rows

    def compare(self, new, old):
        return new.score - old.score, delong_spread(
            new.rows[0] - old.rows[0], new.rows[1] - old.rows[1]
        )

    def spread_of(self, vector):
        return delong_spread(*auc_parts(vector, self.labels))

    def rung(self, height, pattern, amplitude):
        """The model mixed with noise, less and less of it."""
        return height * self.model / 1.5 + (1 - height) * amplitude * pattern

    def design(self, vector):
        ranks = np.argsort(np.argsort(vector)) + 1.0
        p, q = self.positives, self.n - self.positives
        return ranks / (p * q), -(p + 1) / (2 * q)

    def final(self, posterior):
        return posterior

    def population(self, vector):
        drawn = [self.rng.random(self.n) < self.chance for _ in range(12)]
        return float(np.mean([auc_parts(vector, labels)[0].mean() for labels in drawn]))


class F1(World):
    """F1 of random yes-no predictions; the spread comes from 200 Bayesian bootstrap draws.

    The weights are drawn once per world, as a product would key them, so that the same two files
    always have the same spread.
    """

    linear = False
    draws = 200

    def _make(self):
        self.labels = (self.rng.random(self.n) < 0.3).astype(np.float32)
        self.weights = self.rng.exponential(size=(self.draws, self.n)).astype(np.float32)
        self.positives = self.weights @ self.labels
        honest = np.where(self.rng.random(self.n) < 0.75, self.labels, 1 - self.labels)
        self.se = float(self.measure(honest.astype(np.float32))[1].std(ddof=1))
        self.model = (self.rng.random(self.n) < 0.3).astype(np.float32)
        self.baseline = self.file(self.model)
        self.start = self.population(self.model)

    def measure(self, vector):
        hits = self.weights @ (vector * self.labels)
        rows = 2 * hits / (self.positives + self.weights @ vector)
        score = 2 * float(vector @ self.labels) / float(self.labels.sum() + vector.sum())
        return score, rows

    def compare(self, new, old):
        return new.score - old.score, float((new.rows - old.rows).std(ddof=1))

    def changed(self, vector, share):
        made = vector.copy()
        rows = self.rng.integers(0, self.n, max(1, round(share * self.n)))
        made[rows] = 1 - vector[rows]
        return made

    def population(self, vector):
        said = float(vector.mean())
        return 2 * 0.3 * said / (0.3 + said)


def auc_parts(vector: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For each positive the share of negatives below it, for each negative of positives above."""
    positive, negative = vector[labels], vector[~labels]
    ups, downs = np.sort(positive), np.sort(negative)
    below = np.searchsorted(downs, positive, "left") + np.searchsorted(downs, positive, "right")
    above = np.searchsorted(ups, negative, "left") + np.searchsorted(ups, negative, "right")
    return below / (2 * len(negative)), 1 - above / (2 * len(positive))


def delong_spread(up: np.ndarray, down: np.ndarray) -> float:
    """Standard error from structural components (DeLong, DeLong and Clarke-Pearson 1988)."""
    return float(np.sqrt(up.var(ddof=1) / len(up) + down.var(ddof=1) / len(down)))
