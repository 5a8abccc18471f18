"""The figures of the reusable-holdout experiment, as "How scores work" draws them.

The numbers lie in `experiment.json`, as `python -m scoring experiment --json` printed them: a web
process does not simulate.
"""

import functools
import json
from dataclasses import dataclass
from pathlib import Path

SOURCE = Path(__file__).with_name("experiment.json")
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 420, 250, 44, 12, 10, 34
LOW, HIGH = 0.45, 0.8
SETS = (
    ("train", "training set", "k4", "4 3"),
    ("holdout", "holdout, as answered", "k1", ""),
    ("fresh", "fresh data", "k2", ""),
)
METHODS = {
    "naive": "Every score is answered exactly",
    "thresholdout": "Scores pass through Thresholdout",
}
SIGNALS = {0: "No signal: every accuracy above 0.5 is overfitting", 10: "Ten features carry signal"}


@dataclass(frozen=True)
class Line:
    """One set's accuracy: mean, and a band of one standard deviation to each side."""

    name: str
    css: str
    dash: str
    points: str
    band: str
    means: list[float]


@dataclass(frozen=True)
class Panel:
    """One drawing: accuracy against the number of features chosen."""

    title: str
    features: list[int]
    lines: list[Line]

    @property
    def table(self) -> list[tuple[int, list[str]]]:
        return [
            (count, [f"{line.means[index]:.3f}" for line in self.lines])
            for index, count in enumerate(self.features)
        ]

    @property
    def label(self) -> str:
        """What the drawing shows, for those who do not see it."""
        ends = ", ".join(f"{line.name} {line.means[-1]:.3f}" for line in self.lines)
        return f"{self.title}. With {self.features[-1]} features: {ends}."

    @property
    def marks(self) -> list[tuple[float, int]]:
        return [(_x(count), count) for count in (0, 50, 100, 150, 200)]

    @property
    def ticks(self) -> list[tuple[float, str]]:
        return [(_y(value / 100), f"0.{value}") for value in range(50, 81, 10)]

    @property
    def chance(self) -> float:
        return _y(0.5)


@functools.cache
def panels() -> list[tuple[str, list[Panel]]]:
    """Return (what the data is like, its panels) for both kinds of data."""
    rows = json.loads(SOURCE.read_text(encoding="utf-8"))["rows"]
    return [
        (title, [_panel(rows, signal, method) for method in METHODS])
        for signal, title in SIGNALS.items()
    ]


def repetitions() -> int:
    """Return how often the experiment was repeated."""
    return json.loads(SOURCE.read_text(encoding="utf-8"))["repetitions"]


def _panel(rows: list, signal: int, method: str) -> Panel:
    lines, features = [], []
    for key, name, css, dash in SETS:
        found = [row[3:] for row in rows if row[:3] == [signal, method, key]]
        features = [count for count, _, _ in found]
        upper = [(_x(count), _y(mean + sd)) for count, mean, sd in found]
        lower = [(_x(count), _y(mean - sd)) for count, mean, sd in reversed(found)]
        lines.append(
            Line(
                name=name,
                css=css,
                dash=dash,
                points=_path((_x(count), _y(mean)) for count, mean, _ in found),
                band=_path(upper + lower),
                means=[mean for _, mean, _ in found],
            )
        )
    return Panel(METHODS[method], features, lines)


def _path(points) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)


def _x(count: float) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * count / 200


def _y(value: float) -> float:
    share = (min(max(value, LOW), HIGH) - LOW) / (HIGH - LOW)
    return HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * share
