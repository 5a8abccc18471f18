"""Participants who adapt to what they are shown: honest teams, and attackers who model nothing.

Each function plays one kind of participant against one rule, in many repetitions at once, and
draws scores from their exact or limiting law rather than from rows, so its cost hardly depends on
the size of the public set. `scoring.study.literal` plays the same participants row by row.

The metric is accuracy with fair labels. Attackers that start from nothing have files of true
accuracy 0.5 whatever they do: all that the public score says above 0.5 is overfitting.
"""

from dataclasses import dataclass, field

import numpy as np
from scipy.special import gammaln, ndtr

from scoring.release.settings import ReleaseSettings
from scoring.study.panel import ALWAYS, PAIRED, Panel

NOTHING = 0.5  # true accuracy of a file made without knowledge


@dataclass(frozen=True)
class Arena:
    """A public set of n rows under one rule, played in a number of repetitions."""

    settings: ReleaseSettings
    n: int
    repetitions: int
    seed: int = 1

    def rng(self, purpose: int) -> np.random.Generator:
        """A generator of its own for each participant: adding one changes no other."""
        return np.random.default_rng([self.seed, purpose])

    @property
    def ceiling(self) -> float:
        """Largest standard error of an accuracy on these rows."""
        return 0.5 / self.n**0.5


@dataclass(frozen=True)
class Finding:
    """What an attack achieved, one number per repetition.

    `shown` is the best score the board shows for the attacker's accounts minus its file's true
    score (0 where none is shown), `gain` the final file's exact public minus its true score,
    `learned` the share of public labels the attacker has right, `released` the scores given.
    """

    name: str
    files: int
    accounts: int
    shown: np.ndarray = field(repr=False)
    gain: np.ndarray = field(repr=False)
    learned: np.ndarray = field(repr=False)
    released: np.ndarray = field(repr=False)

    def to_dict(self) -> dict:
        """Means over the repetitions, with the spread of the two that are compared."""
        return {
            "attack": self.name,
            "files": self.files,
            "accounts": self.accounts,
            "shown_minus_true": round(float(self.shown.mean()), 5),
            "shown_sd": round(float(self.shown.std()), 5),
            "public_minus_true": round(float(self.gain.mean()), 5),
            "public_sd": round(float(self.gain.std()), 5),
            "labels_right": round(float(self.learned.mean()), 4),
            "released": round(float(self.released.mean()), 2),
            "repetitions": len(self.gain),
        }


def overshown(panel: Panel, true: float | np.ndarray) -> np.ndarray:
    """Best shown score over all teams of each repetition, minus the true one; 0 without any."""
    best = np.max(panel.reference, axis=-1)
    return np.where(best > panel.start, panel.shown(best) - true, 0.0)


def vote_accuracy(advantage: np.ndarray, squares: np.ndarray, count: np.ndarray) -> np.ndarray:
    """Accuracy of a weighted vote of independent files, on the rows they were scored on.

    `advantage` is the sum of weight times (2 accuracy - 1), `squares` the sum of squared weights,
    `count` the number of files. Normal limit of the vote, with the slope at 0 that a majority of
    so many files has in truth, so that a single file's vote is the file itself. No file: 0.5.
    """
    files = np.maximum(count, 1)
    odd = files - 1 + files % 2  # an even vote, ties drawn by lot, is near the odd one below it
    half = (odd - 1) // 2
    pivotal = np.exp(gammaln(odd) - 2 * gammaln(half + 1) - 2 * half * np.log(2)) * odd / files
    slope = pivotal * np.sqrt(files * np.pi / 2)
    z = np.divide(advantage, np.sqrt(squares), out=np.zeros(np.shape(count)), where=squares > 0)
    return np.where(count > 0, ndtr(z * slope), NOTHING)


# -- probing with random files -------------------------------------------------------------------


class Tally:
    """The sums over released files that a weighted vote of them needs, one per repetition."""

    def __init__(self, repetitions: int):
        self.advantage = np.zeros(repetitions)
        self.squares = np.zeros(repetitions)
        self.count = np.zeros(repetitions, np.int64)

    def add(self, given: np.ndarray, weight: np.ndarray, score: np.ndarray) -> None:
        """Count released files; the last axis are the accounts of one repetition."""
        kept = np.where(given, weight, 0.0)
        self.advantage += (kept * (2 * score - 1)).sum(axis=-1)
        self.squares += (kept * kept).sum(axis=-1)
        self.count += (given & (weight != 0)).sum(axis=-1)

    def accuracy(self) -> np.ndarray:
        return vote_accuracy(self.advantage, self.squares, self.count)


def probe(arena: Arena, files: int, accounts: int = 1) -> dict[str, Finding]:
    """Random files, then one file combined from those that were answered.

    `boosting` takes the majority of them (turned round where the score was below the start),
    `regression` weighs each by its shown advantage. Accounts send in turn; the combined file goes
    out from the account that is easiest to please. Scores of random files are independent
    normals with the standard error of an accuracy of 0.5.
    """
    rng, shape = arena.rng(1), (arena.repetitions, accounts)
    panel = Panel(arena.settings, shape, rng)
    rounds, rest = divmod(files, accounts)
    sent = np.arange(rounds + (rest > 0)) * accounts
    scores = rng.standard_normal((len(sent), *shape), dtype=np.float32) * arena.ceiling + NOTHING
    sealed = panel.seal(scores)
    votes = {"boosting": Tally(arena.repetitions), "regression": Tally(arena.repetitions)}
    own = np.full(shape, NOTHING)  # exact score of each account's reference file
    if panel.rule in ALWAYS and panel.settings.cap is None:
        return _probe_everything(arena.n, panel, sealed, scores, votes, files)
    for turn in panel.promising(sealed):
        before = sent[turn]
        where = True if before + accounts <= files else np.arange(accounts) < files - before
        given = ask(panel, sealed[turn], scores[turn], own, arena.n, where=where)
        if given.any():
            shift = panel.shown(sealed.value[turn] - panel.start)
            votes["boosting"].add(given, np.sign(shift), scores[turn])
            votes["regression"].add(given, shift, scores[turn])
    return {
        name: _closing(name, arena.n, panel, tally.accuracy(), own, files)
        for name, tally in votes.items()
    }


def _probe_everything(n, panel: Panel, sealed, scores, votes, files) -> dict[str, Finding]:
    """Where every file is answered nothing depends on the order, and no loop is needed."""
    repetitions, accounts = panel.shape
    sends = (np.arange(len(scores) * accounts) < files).reshape(-1, 1, accounts)
    panel.used += sends.sum(axis=0)
    value = np.where(sends, sealed.value, panel.start)
    np.maximum(panel.reference, value.max(axis=0), out=panel.reference)
    shift = panel.shown(value - panel.start)

    def side_by_side(array):
        return np.moveaxis(array, 0, 1).reshape(repetitions, -1)

    asked = side_by_side(np.broadcast_to(sends, value.shape))
    for name, weight in (("boosting", np.sign(shift)), ("regression", shift)):
        votes[name].add(asked, side_by_side(weight), side_by_side(scores))
    return {
        name: _closing(name, n, panel, tally.accuracy(), scores[-1], files)
        for name, tally in votes.items()
    }


def ask(panel: Panel, sealed, scores, own, n: int, *, where=True, team=None) -> np.ndarray:
    """Send one file of each account, unlike its reference file on half of the rows.

    `own` holds the exact scores of the accounts' reference files and is brought up to date;
    `where` and `team` choose accounts as in `Panel.step`.
    """
    place = ... if team is None else (..., team)
    gain = scores - own[place]
    facts = {}
    if panel.rule in PAIRED:
        facts = {"gain": gain, "spread": panel.spread(0.5, gain, n)}
    given = panel.step(sealed, where=where, team=team, **facts)
    own[place] = np.where(given, scores, own[place])
    return given


def _closing(name, n, panel: Panel, accuracy, own, files) -> Finding:
    """Send the final file from the account with the lowest reference and sum up."""
    panel, accounts = panel.copy(), panel.shape[-1]
    easiest = np.arange(accounts) == panel.reference.argmin(axis=-1)[:, None]
    scores = np.broadcast_to(accuracy[:, None], panel.shape)
    ask(panel, panel.seal(scores), scores, own.copy(), n, where=easiest)
    return _finding(name, files, panel, accuracy, NOTHING)


def _finding(name: str, files: int, panel: Panel, public: np.ndarray, true) -> Finding:
    return Finding(
        name=name,
        files=files,
        accounts=panel.shape[-1],
        shown=overshown(panel, true),
        gain=public - true,
        learned=public,
        released=panel.used.sum(axis=-1),
    )


# -- climbing and luck ---------------------------------------------------------------------------


def climb(arena: Arena, files: int, accounts: int = 1, block: float = 0.06) -> Finding:
    """Flip a random block of rows of the best file so far; keep the flip when the board rises.

    `block` is the share of rows flipped, at least one row. Accounts send in turn. The number of
    right rows is followed exactly: of a block, a hypergeometric number was right before.
    """
    rng, repetitions, n = arena.rng(2), arena.repetitions, arena.n
    panel = Panel(arena.settings, (repetitions, accounts), rng)
    size = max(1, round(block * n))
    right = rng.binomial(n, NOTHING, repetitions)
    best = np.full(repetitions, panel.start)
    own = np.full(panel.shape, NOTHING)  # exact score of each account's reference file
    apart = np.full(panel.shape, 0.5)  # share of rows on which it differs from the best file
    share = size / n
    for turn in range(files):
        account = turn % accounts
        moved = 0.0 if turn == 0 else share
        trial = (
            right if turn == 0 else right + size - 2 * rng.hypergeometric(right, n - right, size)
        )
        score = trial / n
        sealed, gain = panel.seal(score), score - own[:, account]
        spread = panel.spread(both(apart[:, account], moved), gain, n)
        given = panel.step(sealed, gain=gain, spread=spread, team=account)
        better = given & (sealed.value > best)
        best = np.where(better, sealed.value, best)
        right = np.where(better, trial, right)
        apart[better] = both(apart[better], moved)
        apart[:, account] = np.where(given, np.where(better, 0.0, moved), apart[:, account])
        own[:, account] = np.where(given, score, own[:, account])
    return _finding(f"climb {share:.2%}", files, panel, right / n, NOTHING)


def both(first, second):
    """Share of rows changed by one of two independent random changes, not by both."""
    return first + second - 2 * first * second


def lucky(
    arena: Arena, files: int, accounts: int = 1, true: float = 0.75, changed: float = 0.02
) -> Finding:
    """Variants of one honest model, none better than it: the best shown one is luck.

    `changed` is the share of rows on which a variant is right where the model is wrong or the
    other way round; the model's own sampling error is shared by all variants.
    """
    rng, shape = arena.rng(3), (arena.repetitions, accounts)
    panel = Panel(arena.settings, shape, rng)
    rounds = -(-files // accounts)
    base = true + rng.standard_normal((arena.repetitions, 1)) * (true * (1 - true) / arena.n) ** 0.5
    scores = base + rng.standard_normal((rounds, *shape)) * (changed / arena.n) ** 0.5
    sealed = panel.seal(scores)
    own, apart = np.full(shape, float(arena.settings.start)), 0.5
    best = np.full(shape, NOTHING)
    for turn in range(rounds):
        where = turn * accounts + np.arange(accounts) < files
        gain = scores[turn] - own
        spread = panel.spread(apart, gain, arena.n)
        given = panel.step(sealed[turn], gain=gain, spread=spread, where=where)
        own = np.where(given, scores[turn], own)
        apart = np.where(given, 2 * changed, apart)
        best = np.where(given, np.maximum(best, scores[turn]), best)
    public = np.maximum(best.max(axis=-1), base[:, 0])
    return _finding("lucky draw", files, panel, public, true)
