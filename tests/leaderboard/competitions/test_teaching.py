"""What "How scores work" teaches: its figures are the experiment's, its example the rule's."""

import json
import statistics

import pytest
from django.urls import reverse

from leaderboard.competitions import coin_flips, experiment
from scoring.study import experiment as study


def test_the_figures_are_what_the_experiment_gives():
    rows = json.loads(experiment.SOURCE.read_text(encoding="utf-8"))["rows"]
    kept = {tuple(row[:4]): row[4:] for row in rows}
    compared = 0
    for curve in study.run(study.SIZES["standard"], repetitions=8, seed=7):
        for row in curve.rows():
            mean, sd = kept[0, row["method"], row["set"], row["features"]]
            assert row["mean"] == pytest.approx(mean, abs=5 * sd / 8**0.5 + 0.002)
            compared += 1
    assert compared == 60


def test_the_figures_tell_the_story():
    (_, (naive, guarded)), (_, (_, signal)) = experiment.panels()
    holdout = {panel.title: panel.lines[1].means[-1] for panel in (naive, guarded)}
    assert holdout[naive.title] > 0.6
    assert abs(holdout[guarded.title] - 0.5) < 0.03
    assert signal.lines[2].means[-1] > 0.53


def test_a_board_of_exact_scores_is_climbed_and_the_gate_is_not():
    played = [coin_flips.example(400, 200, seed) for seed in range(12)]
    climbed = [example.exact.last for example in played]
    assert min(climbed) > 0.65
    # Told by new scores only, the vote knows nothing of the rows.
    assert statistics.mean(example.gate.new_scores for example in played) < 2
    truth = statistics.mean(example.exact.truth for example in played)
    assert truth == pytest.approx(0.5, abs=5 * coin_flips.chance(400) / 12**0.5)


def test_the_same_address_is_the_same_example(client):
    address = reverse("scores") + "?rows=200&files=50&seed=7"
    first, second = client.get(address), client.get(address)
    assert first.context["example"] == second.context["example"]
    assert first.context["example"].rows == 200


@pytest.mark.parametrize("asked", ["rows=7&files=x&seed=-1", "rows=999999999999", "seed=\u0665"])
def test_what_is_not_offered_is_the_default(client, asked):
    example = client.get(reverse("scores") + "?" + asked).context["example"]
    assert (example.rows, example.files, example.seed) == (400, 200, 1)


def test_htmx_gets_the_example_alone(client):
    answer = client.get(reverse("scores"), headers={"HX-Request": "true"})
    assert b"<html" not in answer.content
    assert b'id="coin-flips"' in answer.content
