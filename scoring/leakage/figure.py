"""A figure of epsilon against the number of steps, for every accountant."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from scoring.leakage import buckets, pld, rdp
from scoring.leakage.curves import Curve

STEPS = (1, 3, 10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000, 100_000)
GRID = 1e-3


def accountants(delta: float) -> dict[str, Callable[[Sequence[tuple[Curve, int]]], float]]:
    """Return the accountants of the figure, by the label of their line."""
    return {
        "Renyi (RDP)": lambda events: rdp.epsilon(events, delta),
        f"buckets, upper, grid {GRID:g}": lambda e: buckets.epsilon(e, delta, grid=GRID),
        "buckets, upper, grid 0.0001": lambda e: buckets.epsilon(e, delta, grid=1e-4),
        "buckets, lower, grid 0.0001": lambda e: buckets.epsilon(
            e, delta, grid=1e-4, pessimistic=False
        ),
        f"Connect-the-Dots, upper, grid {GRID:g}": lambda e: pld.estimate(e, delta, grid=GRID),
        "Connect-the-Dots, lower": lambda e: pld.estimate(e, delta, pessimistic=False),
    }


STYLES = (
    {"color": "#8c510a", "linestyle": "-", "marker": "s"},
    {"color": "#9e9e9e", "linestyle": ":", "marker": "v"},
    {"color": "#5f6b76", "linestyle": "--", "marker": "v"},
    {"color": "#5f6b76", "linestyle": "--", "marker": "^"},
    {"color": "#0b6e99", "linestyle": "-", "marker": "o"},
    {"color": "#d1495b", "linestyle": (0, (2, 2)), "marker": "x"},
)


def lines(
    curve: Curve, delta: float, steps: Iterable[int] = STEPS
) -> dict[str, list[tuple[int, float]]]:
    """Return (steps, eps) points per accountant."""
    steps = list(steps)
    return {
        label: [(count, epsilon([(curve, count)])) for count in steps]
        for label, epsilon in accountants(delta).items()
    }


def draw(data: dict[str, list[tuple[int, float]]], path: Path, *, title: str) -> None:
    """Write the figure; the kind of file follows from the path's ending."""
    # Only whoever asks for a figure pays for matplotlib.
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 5), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    for (label, points), style in zip(data.items(), STYLES, strict=True):
        shown = [(x, y) for x, y in points if 0.0 < y < float("inf")]
        if shown:
            axes.plot(*zip(*shown, strict=True), label=label, markersize=5, **style)
    axes.set(xscale="log", yscale="log", xlabel="steps", ylabel="epsilon", title=title)
    axes.set_ylim(0.04, 20)
    axes.set_yticks([0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20])
    axes.yaxis.set_major_formatter("{x:g}")
    axes.minorticks_off()
    axes.grid(alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, fontsize=9, loc="lower right")
    figure.savefig(path, dpi=150)
