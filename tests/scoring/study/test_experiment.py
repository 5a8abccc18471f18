"""The experiment shows what it is known for, and its two ways of drawing data agree."""

import csv
import subprocess
import sys

import numpy as np
import pytest

from scoring.__main__ import main
from scoring.study import figures
from scoring.study.experiment import SETS, SIZES, Size, acceptance, run, thresholdout

SMALL = Size(400, 300, 1000, 10, (5, 20, 60), 30)


def test_standard_size_without_signal():
    naive, protected = run(SIZES["standard"], repetitions=30, seed=1)
    for criterion in acceptance(naive, protected):
        assert criterion.holds, criterion
    assert naive.selected.mean() == pytest.approx(101, abs=6)
    assert protected.selected.mean() == pytest.approx(606, abs=12)
    assert protected.above.mean() == pytest.approx(42, abs=5)


def test_standard_size_with_ten_informative_features():
    naive, protected = run(SIZES["standard"], signal=10, repetitions=12, seed=1)
    for of, expected in (("train", 0.664), ("holdout", 0.664), ("fresh", 0.664)):
        assert naive.at(of, 10)[0] == pytest.approx(expected, abs=0.012)
    assert naive.at("holdout", 100)[0] == pytest.approx(0.671, abs=0.01)
    assert naive.at("fresh", 100)[0] == pytest.approx(0.554, abs=0.006)
    assert protected.at("fresh", 200)[0] == pytest.approx(0.538, abs=0.006)
    assert protected.at("train", 200)[0] == pytest.approx(0.759, abs=0.01)


def test_drawing_scores_first_has_the_law_of_drawing_rows():
    for signal in (0, 10):
        rows, quick = (
            run(SMALL, signal=signal, repetitions=60, seed=seed, literal=literal)
            for seed, literal in ((3, True), (4, False))
        )
        for one, other in zip(rows, quick, strict=True):
            for of in SETS:
                chance = np.hypot(one.spread(of), other.spread(of)) / 60**0.5
                assert (np.abs(one.mean(of) - other.mean(of)) < 4.5 * chance).all(), of
            chance = np.hypot(one.selected.std(), other.selected.std()) / 60**0.5
            assert abs(one.selected.mean() - other.selected.mean()) < 4.5 * chance + 0.01


def test_thresholdout_answers_by_the_training_value_below_the_threshold():
    rng = np.random.default_rng(1)
    train = np.zeros(20_000)
    answer, above = thresholdout(train, np.full(20_000, 0.01), 1.0, rng)
    assert not above.any()  # four standard deviations of the comparison away
    assert (answer == 0).all()
    answer, above = thresholdout(train, np.full(20_000, 3.0), 1.0, rng)
    assert above.all()
    assert answer.mean() == pytest.approx(3.0, abs=0.01)
    assert answer.std() == pytest.approx(0.25, rel=0.03)


def test_noise_of_the_comparison_is_not_that_of_the_answer():
    # One noise for both would leave only large values above the threshold.
    rng = np.random.default_rng(2)
    answer, above = thresholdout(np.zeros(50_000), np.full(50_000, 1.0), 1.0, rng)
    assert above.mean() == pytest.approx(0.5, abs=0.01)
    assert answer[above].mean() == pytest.approx(1.0, abs=0.01)


def test_a_sweep_is_best_in_the_middle():
    curves = run(SIZES["standard"], taus=(None, 0.01, 0.0, 0.25), repetitions=8)
    naive, low, usual, high = (
        curve.at("holdout", 100)[0] - curve.at("fresh", 100)[0] for curve in curves
    )
    assert low > naive - 0.02
    assert usual < 0.05
    assert high > 0.1


def test_the_same_seed_gives_the_same_curves():
    one, two = (run(SMALL, repetitions=3, seed=9)[1] for _ in range(2))
    assert (one.accuracy == two.accuracy).all()


def test_figures_are_written(tmp_path):
    groups = [run(SMALL, signal=s, taus=(None, 0.0, 0.1, 0.4), repetitions=3) for s in (0, 10)]
    pairs = [(group[0], group[1]) for group in groups]
    drawn = figures.experiment_figure(pairs, tmp_path / "new" / "experiment.png")
    swept = figures.sweep_figure([[g[0], *g[2:]] for g in groups], tmp_path / "sweep.png")
    for path in (drawn, swept):
        assert path.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
        assert path.stat().st_size > 10_000


def test_the_module_needs_no_drawing_library_until_it_draws():
    code = (
        "import sys, scoring.study.figures, scoring.commands.experiment, scoring.study.simulate;"
        "assert not {'matplotlib', 'tqdm', 'pandas', 'sklearn', 'django'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_csv_has_a_row_for_each_point(tmp_path):

    assert (
        main(["experiment", "--size", "quick", "--repetitions", "2", "--out", str(tmp_path)]) == 0
    )
    with (tmp_path / "experiment.csv").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == 2 * 2 * 3 * len(SIZES["quick"].counts)
    assert {row["set"] for row in rows} == set(SETS)
    assert all(0.3 < float(row["mean"]) < 1 for row in rows)
