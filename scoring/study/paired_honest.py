"""Honest teams at a board, for the study of the paired gate: what a rule costs them."""

import numpy as np

from scoring.study.paired_worlds import Account, Accuracy, File, Rule

TEAMS, FILES = 12, 25
FIRST, BASELINE = 0.66, 0.60
OWN_ROWS = 1_000  # of a team's own validation set


class Season(Accuracy):
    """A public set with a baseline of accuracy 0.6; files are kept as right (1) or wrong (-1)."""

    def _make(self):
        self.truth = self.model = np.ones(self.n, np.float32)
        self.se, self.start = 0.5 / np.sqrt(self.n), BASELINE
        self.baseline = self.file(self.of_accuracy(BASELINE))

    def of_accuracy(self, accuracy: float) -> np.ndarray:
        return np.where(self.rng.random(self.n) < accuracy, 1, -1).astype(np.float32)


def honest(n: int, rule: Rule | None, rng: np.random.Generator) -> tuple[float, float, float]:
    """One season of twelve teams with 25 files each; no rule means exact scores.

    Answers the mean true accuracy that the teams reach, the mean distance of a shown score from its
    file's true accuracy, and the new scores used by a team.
    """
    world = Season(n, rng)
    reached, errors, used = [], [], []
    for _ in range(TEAMS):
        accuracy, wrong, count = _team(world, rule, rng)
        reached.append(accuracy)
        errors += wrong
        used.append(count)
    return float(np.mean(reached)), float(np.mean(errors)) if errors else np.nan, np.mean(used)


def _team(world: Season, rule: Rule | None, rng) -> tuple[float, list[float], int]:
    account = Account(world, rule) if rule else None
    accuracy, errors = FIRST, []
    best: File = world.file(world.of_accuracy(FIRST))
    for turn in range(FILES):
        share = rng.uniform(0.03, 0.2)
        chance = float(np.clip(rng.normal(0.5, 0.085), 0.05, 0.95))
        file, truth = best, accuracy
        if turn:
            file, truth = _variant(world, best, accuracy, share, chance, rng)
        own = rng.normal(truth - accuracy, np.sqrt(share / OWN_ROWS))
        if rule is None:
            errors.append(abs(file.score - truth))
            gain = (world.n * (file.score - best.score) + OWN_ROWS * own) / (world.n + OWN_ROWS)
            keep = gain > 0
        else:
            value = account.send(file)
            if value is not None:
                errors.append(abs(value - truth))
            keep = value is not None or own > np.sqrt(share / OWN_ROWS)
        if keep:
            best, accuracy = file, truth
    return accuracy, errors, account.used if account else FILES


def _variant(world, best: File, accuracy: float, share: float, chance: float, rng):
    """A file that differs on a share of the rows and is right on them with a chance."""
    share = min(share, 0.9 * (1 - accuracy) / chance, 0.9 * accuracy / (1 - chance))
    up, down = share * chance / (1 - accuracy), share * (1 - chance) / accuracy
    turned = rng.random(world.n) < np.where(best.vector < 0, up, down)
    vector = np.where(turned, -best.vector, best.vector)
    return world.file(vector), accuracy + share * (2 * chance - 1)
