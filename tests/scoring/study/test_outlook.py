"""The numbers and drawings of the settings page."""

import json
import time

import numpy as np
import pytest

from scoring.release import names, preset, resolution
from scoring.study.curves import curves
from scoring.study.outlook import outlook
from scoring.study.simulate import settings_for

FLIGHTS = {"n_public": 2000, "standard_error": 0.0127, "baselines": [0.658, 0.674]}


def course(name: str = "course", **changes):
    facts = {"se": 0.0127, "greater_is_better": True, "low": 0.0, "high": 1.0, "start": 0.658}
    return preset(name, **(facts | changes))


def test_the_outlook_of_a_course_is_plausible():
    found = outlook(course(), **FLIGHTS, teams=27)
    assert found.to_dict()["resolution"] == format(resolution(course()), "f")
    assert [amount for amount, _ in found.points] == pytest.approx([0.01, 0.02, 0.03])
    shares = [share for _, share in found.points]
    assert shares == sorted(shares)
    assert 0.1 < shares[0] < 0.4 < shares[2]
    assert 18 <= found.with_score <= 27
    assert 8 <= found.tied <= 18
    assert 0.5 < found.new_scores < 4
    assert found.copies_gain < found.copies_exact


def test_the_stricter_the_rule_the_less_is_shown():
    lax = outlook(course(), **FLIGHTS)
    strict = outlook(course("open", expected_submissions=1000), **FLIGHTS)
    assert strict.new_scores < lax.new_scores
    assert strict.with_score < lax.with_score
    assert strict.copies_gain <= lax.copies_gain + 0.001
    bare = outlook(course("exact"), **FLIGHTS)
    assert bare.new_scores == 15
    assert bare.with_score > lax.with_score


@pytest.mark.parametrize("rule", names())
def test_every_rule_has_an_outlook_and_curves(rule):
    settings = settings_for(rule, n=2000, start=0.6)
    facts = {"n_public": 2000, "standard_error": 0.0112, "baselines": [0.6, 0.7]}
    begun = time.process_time()
    found, drawn = outlook(settings, **facts), curves(settings, **facts)
    assert time.process_time() - begun < 3
    json.dumps(found.to_dict(), allow_nan=False)
    json.dumps(drawn, allow_nan=False)
    assert found.sentences()
    assert all(sentence.endswith(".") for sentence in found.sentences())
    assert found == outlook(settings, **facts)
    assert drawn == curves(settings, **facts)
    honest, attack = drawn["honest"], drawn["attack"]
    assert {len(honest[name]) for name in honest if name != "used"} == {40}
    assert {len(attack[name]) for name in ("file", "exact", "best", "released", "no_score")} == {50}
    assert attack["file"][-1] == 2000
    assert attack["exact"] == sorted(attack["exact"])
    assert attack["gain"] <= attack["exact_gain"] + 0.01
    if rule == "sealed":
        assert found.sentences()[0].startswith("No score is shown")
        assert all(honest["no_score"])


def test_drawn_values_are_on_the_grid_and_the_used_count_is_that_of_the_points():
    settings = settings_for("gate", n=4000, start=0.6)
    found = curves(settings, n_public=4000, standard_error=0.0079, baselines=[0.6, 0.72])
    drawn = found["honest"]
    assert found["up"] is True
    points = [value for value in drawn["released"] if value is not None]
    assert len(points) == drawn["used"] > 0
    steps = np.array(points) / float(settings.grid)
    assert np.allclose(steps, np.rint(steps))
    shown = [value for value in drawn["best"] if value is not None]
    assert shown == sorted(shown)
    assert drawn["upper"][-1] - drawn["lower"][-1] == pytest.approx(float(resolution(settings)))


def test_where_smaller_is_better_everything_points_the_other_way():
    settings = preset("course", se=12.0, greater_is_better=False, low=0.0, high=None, start=800.0)
    facts = {"n_public": 170, "standard_error": 12.0, "baselines": [800.0, 350.0]}
    found, drawn = outlook(settings, **facts), curves(settings, **facts)
    assert [amount for amount, _ in found.points] == [5, 10, 15]
    assert drawn["honest"]["true"][-1] < 800
    assert drawn["honest"]["best"][-1] < 800
    assert min(drawn["attack"]["exact"]) < 800
    assert drawn["attack"]["exact"] == sorted(drawn["attack"]["exact"], reverse=True)
