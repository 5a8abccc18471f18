"""The example of "How scores work": what files of coin flips gain on two kinds of board.

The labels are coin flips and so are the files, so every file is worth one half on rows that nobody
has seen. A participant sends them one by one and then the majority vote of those that the board
spoke well of. One board shows exact scores; the other one is Holdout's gate, by the rule itself.
"""

import functools
import hashlib
import random
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt

from scoring import release

ROWS = (200, 400, 1000)
FILES = (10, 50, 200)
SEEDS = 10_000
# Files after which the vote is sent as well, so that the lines have points.
POINTS = (1, 2, 3, 5, 7, 10, 15, 20, 30, 40, 50, 70, 100, 130, 160, 200)
# The chart: a drawing of this size, scores between these two.
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 520, 260, 48, 12, 12, 34
LOW, HIGH = 0.4, 0.9


@dataclass(frozen=True)
class Board:
    """How far somebody came on one board."""

    shown: list[tuple[int, float]]
    unseen: list[tuple[int, float]]
    new_scores: int

    @property
    def last(self) -> float | None:
        """The score shown at the end; None where none ever was."""
        return self.shown[-1][1] if self.shown else None

    @property
    def truth(self) -> float:
        """What the last vote is worth on rows that nobody has seen."""
        return self.unseen[-1][1]


@dataclass(frozen=True)
class Example:
    """Both boards, and their drawing."""

    rows: int
    files: int
    seed: int
    exact: Board
    gate: Board
    start: str

    @property
    def next_seed(self) -> int:
        return (self.seed + 1) % SEEDS

    @property
    def lines(self) -> list[tuple[str, str, str]]:
        """(name, colour class, points of an SVG line) of each line."""
        return [
            ("shown by a board with exact scores", "k6", self._line(self.exact.shown)),
            ("shown by Holdout", "k1", self._line(self.gate.shown)),
            ("worth on unseen rows", "k2", self._line(self.exact.unseen)),
        ]

    @property
    def start_y(self) -> float:
        """Where the start line lies in the drawing."""
        return _y(float(self.start))

    @property
    def ticks(self) -> list[tuple[float, str]]:
        return [(_y(value / 10), f"0.{value}") for value in range(4, 10)]

    @property
    def marks(self) -> list[tuple[float, int]]:
        """Where the numbers of files stand under the drawing."""
        return [(self._x(count), count) for count in (1, self.files // 2, self.files)]

    @property
    def table(self) -> list[tuple[int, str, str, str]]:
        """The numbers of the drawing."""
        gate, unseen = dict(self.gate.shown), dict(self.exact.unseen)
        return [
            (count, f"{value:.3f}", _told(gate, count), f"{unseen[count]:.3f}")
            for count, value in self.exact.shown
        ]

    def _line(self, points: list[tuple[int, float]]) -> str:
        return " ".join(f"{self._x(count):.1f},{_y(value):.1f}" for count, value in points)

    def _x(self, count: int) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * (count - 1) / max(self.files - 1, 1)


def _told(shown: dict[int, float], count: int) -> str:
    value = max((at for at in shown if at <= count), default=None)
    return "\N{EN DASH}" if value is None else f"{shown[value]:.2f}"


def _y(value: float) -> float:
    share = (min(max(value, LOW), HIGH) - LOW) / (HIGH - LOW)
    return HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * share


@functools.lru_cache(maxsize=64)
def example(rows: int, files: int, seed: int) -> Example:
    """Play the example; the same numbers give the same example. Rows and files from the lists."""
    source = random.Random(f"coins {rows} {seed}")
    truth, unseen = source.getrandbits(rows), source.getrandbits(rows)
    sent = [(source.getrandbits(rows), source.getrandbits(rows)) for _ in range(files)]
    settings = _settings(rows)
    return Example(
        rows=rows,
        files=files,
        seed=seed,
        exact=_exact(sent, truth, unseen, rows),
        gate=_gate(sent, truth, unseen, rows, settings, seed),
        start=release.text(settings, release.steps(settings, settings.start)),
    )


def _settings(rows: int):
    """The preset Open for so many rows of coin flips."""
    return release.preset(
        "open",
        se=0.5 / sqrt(rows),
        greater_is_better=True,
        low=0.0,
        high=1.0,
        start=0.5,
        n_public=rows,
        expected_submissions=1_000,
    )


def _right(file: int, truth: int, rows: int) -> int:
    """How many rows two lists of coin flips agree on."""
    return rows - (file ^ truth).bit_count()


def _votes(count: int) -> bool:
    """Whether the vote is sent after so many files; an even number of votes could be a tie."""
    return count in POINTS


class _Vote:
    """A majority vote, row by row; where it is a tie the first file decides."""

    def __init__(self, rows: int):
        self.rows = rows
        self.weights = [[0] * rows, [0] * rows]

    def add(self, files: tuple[int, int], weight: int) -> None:
        for weights, file in zip(self.weights, files, strict=True):
            for row in range(self.rows):
                weights[row] += weight if file >> row & 1 else -weight

    def file(self) -> tuple[int, int]:
        return tuple(
            sum(1 << row for row, weight in enumerate(weights) if weight > 0)
            for weights in self.weights
        )


def _exact(sent, truth: int, unseen: int, rows: int) -> Board:
    """Exact scores: a file above one half joins the vote, one below joins it turned round."""
    vote, shown, worth = _Vote(rows), [], []
    for count, files in enumerate(sent, 1):
        vote.add(files, 1 if 2 * _right(files[0], truth, rows) > rows else -1)
        if _votes(count):
            made = vote.file()
            shown.append((count, _right(made[0], truth, rows) / rows))
            worth.append((count, _right(made[1], unseen, rows) / rows))
    return Board(shown, worth, len(sent))


def _gate(sent, truth: int, unseen: int, rows: int, settings, seed: int) -> Board:
    """Holdout's gate: all that a file can tell is whether it got a new score."""
    key = hashlib.sha256(f"coins {rows} {seed}".encode()).digest()
    state, vote = release.initial(settings), _Vote(rows)
    shown, worth = [], []

    def send(file: int) -> bool:
        nonlocal state
        digest = hashlib.sha256(file.to_bytes(-(-rows // 8), "big")).hexdigest()
        exact = _right(file, truth, rows) / rows
        sealed = release.seal(settings, key, ("coins", 1, "accuracy_score", 1, digest), exact)
        state, outcome = release.step(settings, state, sealed)
        return outcome.kind == "released"

    for count, files in enumerate(sent, 1):
        vote.add(files, 1 if send(files[0]) else -1)
        if _votes(count):
            made = vote.file()
            send(made[0])
            if state.reference is not None:
                shown.append((count, float(release.shown(settings, state.reference))))
            worth.append((count, _right(made[1], unseen, rows) / rows))
    return Board(shown, worth, state.used)


def chance(rows: int) -> float:
    """The standard error of a score on so many rows of coin flips."""
    return float(Fraction(1, 2)) / sqrt(rows)
