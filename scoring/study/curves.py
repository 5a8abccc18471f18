"""The two drawings beside release settings: an honest team's files, and an attack.

Plain lists, ready for JSON; None where there is nothing to draw. One course each, not an average:
what a person would see on the board.
"""

import numpy as np

from scoring.release import resolution, units
from scoring.release.settings import ReleaseSettings
from scoring.study.analysts import NOTHING, Tally, ask
from scoring.study.outlook import Course, Scale, exact_rule
from scoring.study.panel import SILENT, Panel
from scoring.study.simulate import in_accuracy

FILES, CANDIDATES = 40, 41
ATTACK_FILES, ATTACK_ACCOUNTS, EVERY = 2_000, 100, 40


def curves(
    settings: ReleaseSettings,
    *,
    n_public: int,
    standard_error: float,
    baselines: list[float],
    seed: int = 1,
) -> dict:
    """What the settings page draws, in displayed units.

    `honest`: a team's 40 files: `true`, `best` (best shown so far), `upper` and `lower` (half a
    resolution around it), `released` (the new score of a file), `no_score` (whether it had none),
    `used`. `attack`: 2,000 random files from 100 accounts, the vote of the answered ones sent after
    every 40: `exact` and `best`, the best shown score under exact scores and under these settings,
    `released`, `no_score`, `truth`, and the gains at the end. `up`: higher is better.
    """
    band = float(resolution(settings))
    return {
        "rule": settings.rule,
        "up": settings.greater_is_better,
        "resolution": band,
        "honest": _honest(settings, Scale.of(settings, standard_error, baselines), band, seed),
        "attack": _attack(settings, n_public, standard_error, band, seed),
    }


def _honest(settings, scale: Scale, band: float, seed: int) -> dict:
    """The course of the team, of many, whose last file is the middling one."""
    course = Course(settings, scale, (1, CANDIDATES), np.random.default_rng([seed, 11]))
    true, best, released = [], [], []
    for _ in range(FILES):
        given, value = course.send()
        true.append(course.true[0].copy())
        released.append(np.where(given, course.panel.shown(value), np.nan)[0])
        best.append(course.panel.best()[0])
    team = int(np.argsort(true[-1])[CANDIDATES // 2])
    sign = units.sign(settings)

    def path(rows):
        return [None if np.isnan(row[team]) else round(float(sign * row[team]), 9) for row in rows]

    shown = path(best)
    return {
        "file": list(range(1, FILES + 1)),
        "true": path(true),
        "best": shown,
        "upper": [_moved(value, band / 2) for value in shown],
        "lower": [_moved(value, -band / 2) for value in shown],
        "released": path(released),
        "no_score": [value is None for value in path(released)],
        "used": int(course.panel.used[0, team]),
    }


def _moved(value: float | None, by: float) -> float | None:
    return None if value is None else round(value + by, 9)


def _attack(settings, n: int, standard_error: float, band: float, seed: int) -> dict:
    """Played in accuracy and drawn in rulers from the start line, where the files truly are."""
    ruled, answers = probing(in_accuracy(settings, n), n, seed)
    bare, _ = probing(in_accuracy(exact_rule(settings, standard_error), n), n, seed)
    width = units.sign(settings) * standard_error / (0.5 / n**0.5)
    start = float(settings.start)

    low, high = settings.low, settings.high

    def drawn(scores):
        moved = np.array([start + (score - NOTHING) * width for score in scores])
        if low is not None or high is not None:
            moved = np.clip(moved, low, high)
        return [None if np.isnan(value) else round(float(value), 9) for value in moved]

    released = drawn(answers)
    return {
        "file": list(range(EVERY, ATTACK_FILES + 1, EVERY)),
        "truth": round(start, 9),
        "upper": round(start + band / 2, 9),
        "lower": round(start - band / 2, 9),
        "exact": drawn(bare),
        "best": drawn(ruled),
        "released": released,
        "no_score": [value is None for value in released],
        "gain": round(abs(width) * (ruled[-1] - NOTHING), 9),
        "exact_gain": round(abs(width) * (bare[-1] - NOTHING), 9),
    }


def probing(settings: ReleaseSettings, n: int, seed: int) -> tuple[list[float], list[float]]:
    """Best shown score (0.5 before there is one) and answer to the vote, after every 40 files."""
    rng = np.random.default_rng([seed, 12])
    scores = NOTHING + rng.standard_normal((ATTACK_FILES // EVERY, 1, EVERY)) * 0.5 / n**0.5
    panel = Panel(settings, (1, ATTACK_ACCOUNTS), np.random.default_rng([seed, 13]))
    own, tally = np.full(panel.shape, NOTHING), Tally(1)
    best, answers = [], []
    for turn, files in enumerate(scores):
        accounts = (np.arange(EVERY) + turn * EVERY) % ATTACK_ACCOUNTS
        sealed = panel.seal(files)
        given = ask(panel, sealed, files, own, n, team=accounts)
        tally.add(given, panel.shown(sealed.value - panel.start), files)
        account = (turn + 1) % ATTACK_ACCOUNTS
        vote = tally.accuracy()
        sealed = panel.seal(vote)
        given = ask(panel, sealed, vote, own, n, team=account)
        answers.append(float(panel.shown(sealed.value)[0]) if given[0] else np.nan)
        shown = float(panel.shown(panel.reference.max()))
        best.append(NOTHING if panel.rule in SILENT else max(shown, NOTHING))
    return best, answers
