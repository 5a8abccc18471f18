"""Attackers played row by row over the release rules themselves: slow, and beyond doubt.

The fast versions in `scoring.study.analysts` are checked against these, and the benchmark measures
how much faster they are. Nothing else should use them.
"""

import secrets

import numpy as np

from scoring.release import rules, units
from scoring.release.settings import ReleaseSettings
from scoring.study.panel import PAIRED


class Board:
    """One competition under a rule, with real keyed noise; answers files given as rows right."""

    def __init__(self, settings: ReleaseSettings, accounts: int, baseline: np.ndarray):
        self.settings = settings
        self.key = secrets.token_bytes(32)
        self.states = [rules.initial(settings)] * accounts
        self.files = [baseline] * accounts  # each account's reference file, as rows right
        self.asked = self.given = 0

    def ask(self, account: int, right: np.ndarray) -> int | None:
        """The new score in steps, or None. `right` is 1 where the file has the row right."""
        self.asked += 1
        identity = ("study", 1, "accuracy_score", 1, str(self.asked))
        sealed = rules.seal(self.settings, self.key, identity, float(right.mean()))
        facts = {}
        if self.settings.rule in PAIRED:
            ahead = right - self.files[account]
            spread = ahead.std() / len(right) ** 0.5
            facts["paired"] = rules.paired(self.settings, float(ahead.mean()), float(spread))
        if self.settings.rule == "thresholdout_laplace":
            facts["epoch"] = rules.epoch(self.settings, self.key, identity, self.given)
        self.states[account], outcome = rules.step(
            self.settings, self.states[account], sealed, **facts
        )
        if outcome.kind != "released":
            return None
        self.given += 1
        self.files[account] = right
        return outcome.value

    def references(self) -> list[int]:
        """Every account's reference in steps."""
        return [rules.reference(self.settings, state) for state in self.states]

    def overshown(self, true: float) -> float:
        """Best shown score minus the true one; 0 where none is shown."""
        best = max(self.references())
        start = units.steps(self.settings, self.settings.start)
        return best * float(self.settings.grid) - true if best > start else 0.0


def _board(settings, n: int, accounts: int, rng) -> Board:
    """A board whose baseline is a random file with half of the rows right."""
    return Board(settings, accounts, rng.permutation(np.arange(n) % 2).astype(float))


def probe(
    settings: ReleaseSettings, n: int, files: int, accounts: int, rng: np.random.Generator
) -> dict[str, float]:
    """Random files and a vote weighted by the shown advantage, as `analysts.probe`."""
    board = _board(settings, n, accounts, rng)
    start = units.steps(settings, settings.start)
    vote = np.zeros(n)
    for turn in range(files):
        right = rng.integers(0, 2, n).astype(float)
        value = board.ask(turn % accounts, right)
        if value is not None:
            vote += (value - start) * (2 * right - 1)
    final = np.where(vote == 0, rng.integers(0, 2, n), vote > 0).astype(float)
    references = board.references()
    board.ask(references.index(min(references)), final)
    return {"gain": final.mean() - 0.5, "shown": board.overshown(0.5), "released": board.given}


def climb(
    settings: ReleaseSettings,
    n: int,
    files: int,
    accounts: int,
    block: float,
    rng: np.random.Generator,
) -> dict[str, float]:
    """Random blocks flipped, kept when the board rises, as `analysts.climb`."""
    board = _board(settings, n, accounts, rng)
    size = max(1, round(block * n))
    best = units.steps(settings, settings.start)
    right = rng.integers(0, 2, n).astype(float)
    for turn in range(files):
        trial = right.copy()
        if turn:
            rows = rng.choice(n, size, replace=False)
            trial[rows] = 1 - trial[rows]
        value = board.ask(turn % accounts, trial)
        if value is not None and value > best:
            best, right = value, trial
    return {"gain": right.mean() - 0.5, "shown": board.overshown(0.5), "released": board.given}
