"""Attackers who read labels out of a metric: log loss and ROC AUC used as oracles.

Each file treats a few rows specially so that every possible set of their labels gives another
score. The attacker decodes the answer and goes on with the next rows. Where a rule shows only
scores above the reference, the special rows ride on an honest model from a fresh account each time.

Sources: Whitehill, "Climbing the Kaggle leaderboard by exploiting the log-loss oracle" (2017) and
"Exploiting an oracle that reports AUC scores" (2015). Both in our own construction.
"""

import itertools

import numpy as np

from scoring.study.analysts import Arena, Finding
from scoring.study.panel import ALWAYS, PAIRED, Panel, blur

CLIP = 34.5  # ln(1e15): the largest loss of a row, at predictions clipped to 1e-15
SAFETY = 4.0  # gap between two codes, in standard deviations of what blurs an answer
MOST_BITS = 12


def log_loss_code(settings, n: int) -> np.ndarray:
    """Changes of the score, by label, for as many rows as one answer can tell apart.

    Row i costs 2^i units of loss when its label is the unlikely one. The unit is what a blurred
    answer resolves; the largest row stays within the clip. One row at least, told apart or not.
    """
    unit = max(SAFETY * blur(settings) * n, 1e-9)
    bits = min(max(1, int(np.floor(np.log2(CLIP / unit))) + 1), MOST_BITS) if unit < CLIP else 1
    costs = CLIP * 0.5 ** np.arange(bits)[::-1]
    patterns = np.array(list(itertools.product((0, 1), repeat=bits)))
    return -(patterns @ costs) / n


def auc_code(settings, n: int) -> np.ndarray:
    """Changes of ROC AUC when one to three rows are ranked above all others, which are tied.

    Three rows give eight different values; the smallest difference is a single swapped pair, so
    three are used only where that can be seen, otherwise one.
    """
    positives = negatives = n / 2
    bits = 3 if blur(settings) * SAFETY * positives * negatives < 1 else 1
    values = []
    for labels in itertools.product((0, 1), repeat=bits):
        pairs, above = 0.0, 0
        for label in labels:
            if label:
                pairs += negatives - above
            else:
                above += 1
        rest = (positives - sum(labels)) * (negatives - above) / 2
        values.append((pairs + rest) / (positives * negatives) - 0.5)
    return np.array(values)


CODES = {"log loss": log_loss_code, "ROC AUC": auc_code}


def oracle(arena: Arena, metric: str, files: int, accounts: int = 1) -> Finding:
    """Read labels through the answers of a metric.

    `metric` is "log loss" or "ROC AUC"; the settings are those of that metric, larger is better
    (log loss with its sign changed) with the start line at a file of no knowledge. Under a rule
    that shows every score the rows ride on a constant; under any other on an honest model eight
    thresholds above the start line, so that each account's first file is answered. `learned`
    counts half of the unread labels as right by chance.
    """
    rng, shape = arena.rng(5), (arena.repetitions, accounts)
    panel = Panel(arena.settings, shape, rng)
    start = panel.shown(panel.start)
    code = CODES[metric](arena.settings, arena.n)
    bits = int(np.log2(len(code)))
    base = (
        start if panel.rule in ALWAYS else start + 8 * max(float(arena.settings.tau), arena.ceiling)
    )
    own = np.full(shape, start)
    read = np.zeros(arena.repetitions)
    best = np.full(arena.repetitions, start)
    for turn in range(files):
        account = turn % accounts
        truth = rng.integers(len(code), size=arena.repetitions)
        score = base + code[truth]
        sealed, gain = panel.seal(score), score - own[:, account]
        facts = {"spread": panel.spread(0.5, gain, arena.n), "gain": gain}
        given = panel.step(sealed, team=account, **(facts if panel.rule in PAIRED else {}))
        answer = panel.shown(sealed.value) - base
        guess = np.abs(answer[:, None] - code).argmin(axis=-1)
        hits = bits - _wrong(guess, truth)
        read += np.where(given, hits, bits / 2)
        best = np.where(given, np.maximum(best, score), best)
        own[:, account] = np.where(given, score, own[:, account])
    rows = min(files * bits, arena.n)
    learned = (read * rows / (files * bits) + (arena.n - rows) / 2) / arena.n
    top = np.max(panel.reference, axis=-1)
    return Finding(
        name=f"oracle {metric}",
        files=files,
        accounts=accounts,
        shown=np.where(top > panel.start, panel.shown(top) - base, 0.0),
        gain=learned - 0.5,
        learned=learned,
        released=panel.used.sum(axis=-1),
    )


def _wrong(guess: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Number of binary places in which two codes differ."""
    return np.bitwise_count(np.bitwise_xor(guess, truth)).astype(int)
