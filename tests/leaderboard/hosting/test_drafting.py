"""Drafts of release settings: presets, typed values, and the reason beside what cannot be used."""

import pytest
from django.http import QueryDict

from leaderboard.competitions import release_settings
from leaderboard.hosting import drafting
from scoring import release
from tests.leaderboard import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def contest():
    return factories.competition(
        "penguins", rule={"sigma_compare": "0.00625", "sigma_value": "0.01", "looks": 0}
    )


@pytest.fixture
def current(contest):
    return release_settings.rule(release_settings.in_force(contest))


def typed(current, **changes) -> QueryDict:
    sent = {
        "preset": "custom",
        "rule": current.rule,
        "tau": str(current.tau),
        "sigma_compare": str(current.sigma_compare),
        "sigma_value": str(current.sigma_value),
        "cap": str(current.cap),
        "looks": str(current.looks),
    } | changes
    made = QueryDict(mutable=True)
    made.update(sent)
    return made


def read(contest, current, **changes):
    return drafting.read(contest, current, typed(current, **changes), drafting.marks(contest))


def test_what_was_typed_unchanged_is_what_is_in_force(contest, current):
    draft = read(contest, current)
    assert draft.problems == {}
    assert draft.settings == current


@pytest.mark.parametrize("preset", ["course", "open", "sealed", "exact"])
def test_a_preset_filled_in_and_sent_back_keeps_its_name(contest, current, preset):
    filled = drafting.of_preset(contest, current, preset)
    sent = {name: text for name, text in filled.texts.items() if name in filled.uses}
    draft = read(contest, current, **sent, rule=filled.rule, preset=preset)
    assert draft.problems == {}
    assert draft.preset == preset
    changed = read(contest, current, **sent | {"cap": "7"}, rule="gate", preset="course")
    assert changed.preset == "custom"


def test_presets_keep_the_grid_and_the_ruler_of_the_launch(contest, current):
    for preset in drafting.PRESETS:
        made = drafting.recommended(contest, current, preset)
        assert (made.grid, made.standard_error) == (current.grid, current.standard_error)


@pytest.mark.parametrize(
    ("field", "text", "reason"),
    [
        ("tau", "", "Write a number"),
        ("tau", "a lot", "Write a number"),
        ("tau", "0,05", "Write a number"),
        ("tau", "NaN", "finite"),
        ("tau", "Infinity", "finite"),
        ("tau", "-0.05", "above 0"),
        ("tau", "0", "above 0"),
        ("tau", "0.001", "at least one step"),
        ("sigma_value", "-1", "0 or more"),
        ("sigma_value", "0.9", "larger than the threshold"),
        ("sigma_compare", "0.04", "lets random files through"),
        ("cap", "0", "from 1 to 10,000"),
        ("cap", "2.5", "from 1 to 10,000"),
        ("cap", "ten", "from 1 to 10,000"),
        ("looks", "-1", "from 0 to 1,000"),
        ("rule", "no_rule", "no rule of this name"),
        ("preset", "nonsense", "no preset of this name"),
        ("start", "999999", "one of the baselines"),
        ("tau", "9" * 4_000, "digits before the point"),
        ("tau", "9" * 20, "a million steps"),
        ("tau", "0.0500000000000001", "more than 12 decimals"),
    ],
)
def test_a_bad_value_is_refused_with_the_reason_beside_it(contest, current, field, text, reason):
    draft = read(contest, current, **{field: text})
    assert reason in draft.problems[field]
    assert draft.told is None


def test_all_faults_are_named_at_once(contest, current):
    draft = read(contest, current, tau="x", sigma_value="y", cap="z")
    assert set(draft.problems) >= {"tau", "sigma_value", "cap"}


def test_an_empty_cap_is_no_limit(contest, current):
    assert read(contest, current, cap="").settings.cap is None


def test_nothing_but_the_form_can_be_set(contest, current):
    draft = read(
        contest, current, grid="0.5", standard_error="9", low="-5", greater_is_better="", high="9"
    )
    assert draft.settings == current


@pytest.mark.parametrize("rule", release.names())
def test_every_rule_can_be_drafted(contest, current, rule):
    given = {
        "thresholdout_laplace": {
            "tau": "0.24",
            "sigma_value": "0.01",
            "sigma_compare": "0.04",
            "budget": "50",
            "reference": "best",
        },
        "thresholdout": {"reference": "baseline"},
        "gate_paired": {"c": "1.5", "floor": "0.3"},
        "ladder_paired": {"floor": "2", "sigma_compare": "0"},
    }.get(rule, {})
    draft = read(contest, current, rule=rule, **given)
    assert draft.problems == {}
    assert draft.settings.rule == rule


def test_the_training_reference_is_not_offered():
    assert "training" not in dict(drafting.REFERENCES)


def test_advice_has_three_plain_answers_for_each_preset(contest, current):
    advice = drafting.advice(contest, current)
    assert [item.name for item in advice] == ["course", "open", "sealed", "exact", "custom"]
    for item in advice:
        assert item.notice
        assert item.cheat
        assert item.small
    words = " ".join(f"{item.notice} {item.cheat} {item.small}" for item in advice)
    assert "within τ" not in words
    assert "cannot be overfit" not in words
