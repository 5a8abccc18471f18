"""Settings: read from forms, written as JSON, refused field by field with a reason."""

import json
from dataclasses import replace
from decimal import Decimal

import pytest

from scoring.errors import BadSettings
from scoring.release import ReleaseSettings, describe, get, names


def refused(settings) -> dict:
    with pytest.raises(BadSettings) as caught:
        settings.validate()
    return caught.value.problems


@pytest.mark.parametrize("rule", names())
def test_every_rule_round_trips_through_json(make, rule):
    settings = make(rule)
    data = json.loads(json.dumps(settings.to_dict()))
    assert ReleaseSettings.from_dict(data) == settings
    assert all(isinstance(data[name], str) for name in ("tau", "grid", "start"))


def test_a_form_gives_text(make):
    made = make(tau="0.04", cap="7", looks="", standard_error="0.02", low="0", high="")
    assert (made.tau, made.cap, made.standard_error) == (Decimal("0.04"), 7, 0.02)
    assert (made.low, made.high, made.looks) == (0.0, None, 0)
    assert make("thresholdout_laplace", extra={"budget": "5"}).extra == {"budget": 5}


def test_a_float_keeps_its_shortest_decimal(make):
    assert make(tau=0.1).tau == Decimal("0.1")


def test_unknown_and_missing_names_are_refused(make):
    data = make().to_dict() | {"sigma": 1}
    del data["tau"]
    with pytest.raises(BadSettings) as caught:
        ReleaseSettings.from_dict(data)
    assert set(caught.value.problems) == {"sigma", "tau"}


CASES = [
    ("gate", {"tau": "-0.01"}, "tau", "above 0"),
    ("gate", {"tau": "0"}, "tau", "above 0"),
    ("gate", {"tau": "nan"}, "tau", "finite"),
    ("gate", {"tau": float("inf")}, "tau", "finite"),
    ("gate", {"tau": "much"}, "tau", "number"),
    ("gate", {"tau": None}, "tau", "number"),
    ("gate", {"tau": True}, "tau", "number"),
    ("gate", {"tau": "0.005"}, "tau", "one step"),
    ("gate", {"tau": "20000"}, "tau", "million"),
    ("gate", {"tau": "0.0412345678912345"}, "tau", "decimals"),
    ("gate", {"grid": "0"}, "grid", "above 0"),
    ("gate", {"grid": "-0.01"}, "grid", "above 0"),
    ("gate", {"grid": "0.003"}, "grid", "1, 2 or 5"),
    ("gate", {"grid": "0.015"}, "grid", "1, 2 or 5"),
    ("gate", {"grid": ""}, "grid", "number"),
    ("gate", {"sigma_compare": "-1"}, "sigma_compare", "0 or more"),
    ("gate", {"sigma_compare": "0.021"}, "sigma_compare", "random files"),
    ("gate", {"sigma_value": "0.05"}, "sigma_value", "luck"),
    ("gate", {"sigma_value": "nan"}, "sigma_value", "finite"),
    ("rounded", {"sigma_value": "0.01"}, "sigma_value", "no such noise"),
    ("exact", {"tau": "0.01"}, "tau", "no threshold"),
    ("ladder", {"tau": "0.045"}, "tau", "whole number"),
    ("gate", {"start": "0.505"}, "start", "grid"),
    ("gate", {"start": "1.2"}, "start", "range"),
    ("gate", {"start": "-0.1"}, "start", "range"),
    ("gate", {"start": "1e30", "high": None}, "start", "steps from 0"),
    ("gate", {"cap": 0}, "cap", "from 1"),
    ("gate", {"cap": 2.5}, "cap", "whole"),
    ("gate", {"cap": "ten"}, "cap", "whole"),
    ("gate", {"looks": -1}, "looks", "whole"),
    ("gate", {"looks": None}, "looks", "whole"),
    ("sealed", {"looks": 3}, "looks", "no looks"),
    ("gate", {"standard_error": 0}, "standard_error", "Choose a baseline"),
    ("gate", {"standard_error": -1}, "standard_error", "positive"),
    ("gate", {"standard_error": None}, "standard_error", "missing"),
    ("gate", {"standard_error": "x"}, "standard_error", "positive"),
    ("gate", {"low": 1.0, "high": 0.0}, "high", "above its lower"),
    ("gate", {"low": float("nan")}, "low", "finite"),
    ("gate", {"greater_is_better": None}, "greater_is_better", "larger"),
    ("gate", {"extra": {"budget": 3}}, "budget", "no setting"),
    ("gate_paired", {"extra": {"c": "0"}}, "c", "above 0"),
    ("gate_paired", {"extra": {"c": "x"}}, "c", "number"),
    ("gate_paired", {"extra": {"floor": "-1"}}, "floor", "above 0"),
    ("thresholdout", {"extra": {"reference": "claim"}}, "reference", "training"),
    ("thresholdout", {"extra": {"reference": "baseline"}, "cap": None}, "cap", "limit"),
    ("thresholdout_laplace", {"extra": {}}, "budget", "whole"),
    ("thresholdout_laplace", {"extra": {"budget": 0}}, "budget", "whole"),
    ("thresholdout_laplace", {"sigma_value": 0, "sigma_compare": 0}, "sigma_value", "needs noise"),
    ("thresholdout_laplace", {"sigma_compare": "0.001"}, "sigma_compare", "four times"),
]


@pytest.mark.parametrize("text", ["1e400", "-1e400", "1e999999999", "1e-999999999", "9" * 40])
@pytest.mark.parametrize("name", ["tau", "sigma_compare", "sigma_value", "start", "grid"])
def test_a_number_of_any_size_is_refused_and_not_an_error(make, name, text):
    assert name in refused(replace(make(), **{name: text}))


@pytest.mark.parametrize(("rule", "changes", "name", "words"), CASES)
def test_each_fault_has_its_reason(make, rule, changes, name, words):
    found = refused(replace(make(rule), **changes))
    assert set(found) == {name}
    assert words in found[name]
    assert found[name].endswith(".")


def test_an_unknown_rule_is_refused_alone(make):
    assert set(refused(replace(make(), rule="magic", tau="x"))) == {"rule"}


def test_all_faults_are_named_at_once(make):
    wrong = replace(make(), tau="x", grid="0.003", cap=0, start="y", standard_error=0)
    assert set(refused(wrong)) == {"tau", "grid", "cap", "start", "standard_error"}


@pytest.mark.parametrize("rule", names())
def test_every_rule_describes_itself(rule):
    made = describe(rule)
    assert made["name"] == rule
    assert made["title"]
    assert made["sentence"].endswith(".")
    assert made["words"].endswith(".")
    assert set(get(rule).extra) <= {p["name"] for p in made["parameters"]}
    for parameter in made["parameters"]:
        assert parameter["label"]
        assert parameter["meaning"].endswith(".")
        assert parameter["unit"] in ("score", "standard errors", "number", "choice")


def test_the_rules_are_those_of_the_product():
    assert names() == (
        "gate",
        "gate_paired",
        "thresholdout",
        "thresholdout_laplace",
        "ladder",
        "ladder_paired",
        "rounded",
        "exact",
        "sealed",
    )


@pytest.mark.parametrize("extra", ["abc", "1", 7, 1.5, True, ["c"], b"c"])
def test_what_single_rules_need_is_a_table(make, extra):
    with pytest.raises(BadSettings) as caught:
        ReleaseSettings.from_dict(make().to_dict() | {"extra": extra})
    assert "extra" in caught.value.problems


@pytest.mark.parametrize("rule", [[], {}, None, 3])
def test_a_rule_is_a_name(make, rule):
    assert "rule" in refused(ReleaseSettings.from_dict(make().to_dict() | {"rule": rule}))
