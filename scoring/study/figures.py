"""Figures of the studies, drawn without a display."""

from collections.abc import Sequence
from pathlib import Path

from scoring.study.experiment import SETS, Curve

COLOURS = {"train": "#2e7d32", "holdout": "#1f5fbf", "fresh": "#c77700"}
MARKS = {"train": "s", "holdout": "o", "fresh": "^"}
NAMES = {"train": "training set", "holdout": "holdout, as answered", "fresh": "fresh data"}
INK, FAINT = "#22262b", "#d9dde2"


def _canvas(columns: int, rows: int, width: float, height: float):
    """A figure and its axes (rows, columns) sharing both scales, in the house style."""
    # lazy: matplotlib takes half a second to import and only figures need it
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), dpi=150, layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False, sharex=True, sharey=True)
    for axis in axes.flat:
        axis.spines[["top", "right"]].set_visible(False)
        axis.spines[["left", "bottom"]].set_color("#8a929c")
        axis.tick_params(colors=INK, labelsize=9, length=3)
        axis.grid(axis="y", color=FAINT, linewidth=0.8)
        axis.set_axisbelow(True)
    return figure, axes


def _accuracy_axis(axis, curve: Curve) -> None:
    for of in SETS:
        mean, spread = curve.mean(of), curve.spread(of)
        axis.fill_between(
            curve.counts, mean - spread, mean + spread, color=COLOURS[of], alpha=0.16, linewidth=0
        )
        axis.plot(
            curve.counts,
            mean,
            color=COLOURS[of],
            marker=MARKS[of],
            markersize=4.5,
            linewidth=1.8,
            label=NAMES[of],
        )
    axis.axhline(0.5, color="#8a929c", linewidth=0.8, linestyle=(0, (4, 3)))
    axis.set_xlim(0, max(curve.counts) * 1.02)


def experiment_figure(pairs: Sequence[tuple[Curve, Curve]], path: Path) -> Path:
    """Draw accuracy against the number of features, one row per (naive, protected) pair.

    Bands are one standard deviation over the repetitions. Returns the path written.
    """
    figure, axes = _canvas(2, len(pairs), 9.2, 0.6 + 3.3 * len(pairs))
    for row, pair in enumerate(pairs):
        signal = pair[0].signal
        what = f"{signal} informative features" if signal else "no signal"
        for axis, curve in zip(axes[row], pair, strict=True):
            _accuracy_axis(axis, curve)
            method = "naive holdout" if curve.tau is None else "Thresholdout"
            axis.set_title(f"{method}, {what}", fontsize=11, color=INK, loc="left")
        axes[row][0].set_ylabel("accuracy", fontsize=10, color=INK)
    for axis in axes[-1]:
        axis.set_xlabel("number of features in the vote", fontsize=10, color=INK)
    axes[0][0].legend(frameon=False, fontsize=9, loc="upper left", labelcolor=INK)
    return _save(figure, path)


def sweep_figure(groups: Sequence[Sequence[Curve]], path: Path) -> Path:
    """Draw holdout minus fresh against tau, a line per number of features, a panel per signal.

    Each group starts with the naive curve, whose difference is the dashed line of that colour.
    """
    figure, axes = _canvas(len(groups), 1, 4.6 * len(groups), 3.9)
    for axis, (naive, *swept) in zip(axes[0], groups, strict=True):
        counts = [count for count in naive.counts if count in (10, 20, 50, 100, 200, 500)]
        taus = [curve.tau for curve in swept]
        for shade, count in enumerate(counts):
            colour = _shade(shade / max(1, len(counts) - 1))
            axis.plot(
                taus,
                [_overshoot(curve, count) for curve in swept],
                color=colour,
                marker="o",
                markersize=4,
                linewidth=1.6,
                label=f"{count} features",
            )
            axis.axhline(
                _overshoot(naive, count), color=colour, linewidth=0.9, linestyle=(0, (2, 3))
            )
        axis.axhline(0, color="#8a929c", linewidth=0.8)
        axis.set_xscale("log")
        axis.set_xticks(taus, [f"{tau:.3g}" for tau in taus], fontsize=8, rotation=45)
        axis.minorticks_off()
        signal = f"{naive.signal} informative features" if naive.signal else "no signal"
        axis.set_title(signal, fontsize=11, color=INK, loc="left")
        axis.set_xlabel("threshold tau (noise tau/4); dashed: naive", fontsize=10, color=INK)
    axes[0][0].set_ylabel("holdout minus fresh accuracy", fontsize=10, color=INK)
    handles, labels = axes[0][0].get_legend_handles_labels()
    figure.legend(
        handles,
        labels,
        frameon=False,
        fontsize=9,
        loc="outside lower center",
        ncols=len(labels),
        labelcolor=INK,
    )
    return _save(figure, path)


def _overshoot(curve: Curve, count: int) -> float:
    return curve.at("holdout", count)[0] - curve.at("fresh", count)[0]


def _shade(share: float) -> str:
    """A blue from light to dark, so that the order of the lines can be read off."""
    light, dark = (0x7F, 0xB2, 0xE5), (0x0B, 0x2E, 0x66)
    mixed = (round(a + (b - a) * share) for a, b in zip(light, dark, strict=True))
    return "#" + "".join(f"{part:02x}" for part in mixed)


def _save(figure, path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, facecolor="white", metadata={"Software": None})
    return path
