"""Many accounts that start from one honest model: the strongest attacker known on a gate.

Every account holds the same honest file and spoils a random share of its rows, so much at first
that the score is barely released, and less with each further file, in steps as small as the rule
allows, until its new scores are used up or the whole model is out. Each released score says how
many of the spoiled rows had been right; a regression of all scores on the spoiled rows estimates,
row by row, whether the honest file is right, and the final file turns the rows that it thinks
wrong. Row by row, because the regression needs the rows.
"""

import numpy as np

from scoring.study.analysts import Arena, Finding, overshown
from scoring.study.panel import ALWAYS, PAIRED, Panel, blur

MARGIN = 1.5  # how far above the bar a file aims, in standard deviations of what may happen to it
ALWAYS_SHARE, ALWAYS_FILES = 0.3, 10  # spoiled rows and files of an account where all is shown
MOST_FILES = 40
ROUNDS = 80  # of the conjugate gradient


def from_honest_model(arena: Arena, accounts: int = 100, true: float = 0.75) -> Finding:
    """Spoil, ask, regress and repair, once per repetition."""
    results = [
        _once(arena, np.random.default_rng([arena.seed, 6, turn]), accounts, true)
        for turn in range(arena.repetitions)
    ]
    shown, public, released, files = (np.array(part) for part in zip(*results, strict=True))
    return Finding(
        name=f"sybils from {true:g}",
        files=round(files.mean()),
        accounts=accounts,
        shown=shown,
        gain=public - true,
        learned=public,
        released=released,
    )


def _once(arena: Arena, rng: np.random.Generator, accounts: int, true: float) -> tuple:
    n = arena.n
    right = np.where(rng.permutation(n) < round(true * n), 1.0, -1.0).astype(np.float32)
    campaign = Campaign(Panel(arena.settings, (1, accounts + 1), rng), right, rng)
    campaign.run()
    final = campaign.public
    if campaign.masks:
        spoiled = np.concatenate(campaign.masks).astype(np.float32)
        drops = campaign.public - np.concatenate(campaign.values)
        wrong = estimate(spoiled, drops, blur(arena.settings), true)
        final = float((np.where(wrong, -right, right) > 0).mean())
    shape = campaign.panel.shape
    campaign.send(np.full(shape, final), np.full(shape, 0.5), campaign.fresh)
    shown = float(overshown(campaign.panel, true)[0])
    return shown, final, int(campaign.panel.used.sum()), campaign.files


class Campaign:
    """All accounts but the last, which is kept fresh for the final file, send spoiled files."""

    def __init__(self, panel: Panel, right: np.ndarray, rng: np.random.Generator):
        self.panel, self.right, self.rng = panel, right, rng
        self.public = float((right > 0).mean())
        self.slope = 2 * self.public - 1  # what spoiling all rows would cost
        self.own = np.full(panel.shape, float(panel.settings.start))
        self.kept = np.full(panel.shape, np.nan)  # spoiled share of the reference file
        self.rows = np.zeros((panel.shape[-1], len(right)), bool)  # and which rows
        self.tries = np.zeros(panel.shape)
        self.fresh = np.arange(panel.shape[-1])[None] == panel.shape[-1] - 1
        self.masks: list[np.ndarray] = []
        self.values: list[np.ndarray] = []
        self.files = 0

    def run(self) -> None:
        """Send until no account has a new score left or a model that could get one."""
        cap = self.panel.settings.cap or MOST_FILES
        for _ in range(ALWAYS_FILES if self.panel.rule in ALWAYS else MOST_FILES):
            share = self._shares()
            sends = (share >= 0) & (self.panel.used < cap) & ~self.fresh
            if not sends.any():
                return
            self._send_spoiled(np.clip(share, 0, 0.5), sends)

    def _shares(self) -> np.ndarray:
        """Spoiled share of each account's next file; negative where even no spoiling is enough.

        Steps are as small as the rule allows, or larger where fewer new scores are left than such
        steps would take.
        """
        panel, settings, n = self.panel, self.panel.settings, len(self.right)
        if panel.rule in ALWAYS:
            return np.full(panel.shape, ALWAYS_SHARE)
        left = np.maximum((settings.cap or MOST_FILES) - panel.used, 1)
        if panel.rule != "gate_paired":
            bar = panel.floor_size if panel.rule in PAIRED else float(settings.tau)
            doubt = (blur(settings) ** 2 + float(settings.sigma_compare) ** 2) ** 0.5
            step = bar + (MARGIN + self.tries) * doubt
            reference = panel.shown(panel.reference)
            step = np.maximum(step, (self.public - reference) / left)
            return (self.public - reference - step) / self.slope
        # Paired: rows are given back; a share d of them brings slope * d, with spread sqrt(d/n).
        factor = panel.factor * (1.25 + 0.25 * self.tries)
        least = np.maximum(factor / self.slope / n, panel.floor_size) * factor / self.slope
        back = np.maximum(least, np.nan_to_num(self.kept) / left)
        first = self.own + factor * panel.spread(0.5, 0.0, n)
        return np.where(np.isnan(self.kept), (self.public - first) / self.slope, self.kept - back)

    def _send_spoiled(self, share: np.ndarray, sends: np.ndarray) -> None:
        mask = self.rng.random(self.rows.shape) < share[0, :, None]
        apart = np.full(self.panel.shape, 0.5)
        if self.panel.rule == "gate_paired":
            nested = ~np.isnan(self.kept[0])
            keep = np.where(nested, share[0] / np.maximum(np.nan_to_num(self.kept[0]), 1e-9), 1.0)
            inner = self.rows & (self.rng.random(self.rows.shape) < keep[:, None])
            mask = np.where(nested[:, None], inner, mask)
            apart = np.where(nested, (mask != self.rows).mean(axis=1), 0.5)[None]
        score = self.public - (mask @ self.right)[None] / len(self.right)
        given, value = self.send(score, apart, sends)
        self.files += int(sends.sum())
        self.tries = np.where(given, 0.0, self.tries + sends)
        self.kept = np.where(given, mask.mean(axis=1), self.kept)
        self.rows[given[0]] = mask[given[0]]
        if given.any():
            self.masks.append(mask[given[0]])
            self.values.append(value[given])

    def send(self, score, apart, sends) -> tuple[np.ndarray, np.ndarray]:
        """Send files from the accounts in the mask `sends`: where a new score is given, values."""
        sealed, gain = self.panel.seal(score), score - self.own
        spread = self.panel.spread(apart, gain, len(self.right))
        given = self.panel.step(sealed, gain=gain, spread=spread, where=sends)
        self.own = np.where(given, score, self.own)
        return given, self.panel.shown(sealed.value)


def estimate(spoiled: np.ndarray, drops: np.ndarray, noise: float, true: float) -> np.ndarray:
    """Which rows the honest file has probably wrong.

    `spoiled` (files, rows) is 0/1, `drops` how far each file fell, `noise` the blur of a drop.
    Best linear estimate of right minus its mean, by conjugate gradient in the space of files,
    then the likelier of right and wrong given how reliable the estimate is.
    """
    n, slope, prior = spoiled.shape[1], 2 * true - 1, 4 * true * (1 - true)
    surprise = drops - slope * spoiled.sum(axis=1) / n
    ridge = max(noise**2, 1e-8)

    def system(weights):
        return prior * (spoiled @ (weights @ spoiled)) / n**2 + ridge * weights

    weights = _solve(system, surprise.astype(np.float32))
    guess = prior * (weights @ spoiled) / n
    sure = np.clip((guess**2).mean() / prior, 1e-9, 0.999)
    return np.log(true / (1 - true)) + 2 * (guess + sure * slope) / ((1 - sure) * prior) < 0


def _solve(system, target: np.ndarray) -> np.ndarray:
    """Conjugate gradient for a positive definite system."""
    found = np.zeros_like(target)
    rest = target.copy()
    way, size = rest.copy(), float(rest @ rest)
    least = 1e-8 * size
    for _ in range(ROUNDS):
        if size <= least:
            break
        ahead = system(way)
        step = size / float(way @ ahead)
        found += step * way
        rest -= step * ahead
        size, before = float(rest @ rest), size
        way = rest + size / before * way
    return found
