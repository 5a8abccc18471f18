"""Presets, display grid, resolution and the warnings before publishing."""

import math
from decimal import Decimal
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.errors import BadSettings
from scoring.release import (
    ReleaseSettings,
    grid_for,
    preset,
    resolution,
    resolution_steps,
    warnings,
)
from scoring.release.presets import PRESET_RULE, half_split, threshold_factor
from scoring.release.resolution import ruler

FACTS = {"greater_is_better": True, "low": 0.0, "high": 1.0, "start": 0.658}


def test_the_course_preset():
    made = preset("course", se=0.0127, **FACTS)
    assert made.rule == PRESET_RULE == "gate"
    assert made.tau == Decimal("0.019")
    assert made.grid == Decimal("0.005")
    assert made.sigma_compare == Decimal("0.00238")
    assert made.sigma_value == Decimal("0.00635")
    assert made.start == Decimal("0.660")
    assert (made.cap, made.looks) == (10, 3)
    assert resolution(made) == Decimal("0.035")


def test_the_open_preset_of_the_example():
    facts = FACTS | {"start": 0.742}
    made = preset("open", se=0.0025, expected_submissions=10_000, **facts)
    assert (made.tau, made.grid) == (Decimal("0.01"), Decimal("0.001"))
    assert (made.sigma_compare, made.sigma_value) == (Decimal("0.00125"), Decimal("0.00125"))
    assert (made.cap, made.looks) == (10, 0)
    assert resolution(made) == Decimal("0.010")


@pytest.mark.parametrize(
    ("expected", "factor"),
    [
        (1, "2.5"),
        (300, "2.5"),
        (301, "3"),
        (1000, "3"),
        (1001, "4"),
        (10_000, "4"),
        (10_001, "4.5"),
    ],
)
def test_open_goes_by_the_submissions_expected(expected, factor):
    assert threshold_factor("open", expected) == Decimal(factor)
    made = preset("open", se=0.02, expected_submissions=expected, **FACTS)
    assert made.tau == Decimal(factor) * Decimal("0.02")


def test_without_a_number_open_expects_ten_thousand():
    assert threshold_factor("open") == 4
    assert preset("custom", se=0.02, **FACTS) == preset("open", se=0.02, **FACTS)


def test_the_paired_gate_can_be_switched_in():
    made = preset("course", se=0.02, rule="gate_paired", **FACTS)
    assert made.extra == {"c": "1.5", "floor": "0.3"}
    assert (made.tau, made.sigma_value, made.cap) == (Decimal("0.018"), Decimal("0.005"), 25)
    assert resolution(made) <= resolution(preset("course", se=0.02, **FACTS))


def test_sealed_and_exact():
    hidden = preset("sealed", se=None, **FACTS)
    assert (hidden.rule, hidden.cap, hidden.looks) == ("sealed", None, 0)
    plain = preset("exact", se=0.02, **FACTS)
    assert (plain.rule, plain.tau, plain.cap) == ("exact", 0, None)
    assert (plain.start, plain.grid) == (Decimal("0.658"), Decimal("0.00001"))
    assert resolution(plain) >= Decimal("0.04")


@pytest.mark.parametrize("name", ["course", "open", "custom", "exact"])
@pytest.mark.parametrize("se", [0, None])
def test_a_preset_needs_a_ruler(name, se):
    with pytest.raises(BadSettings) as caught:
        preset(name, se=se, **FACTS)
    assert set(caught.value.problems) == {"standard_error"}


@given(
    st.sampled_from(["course", "open", "sealed", "exact", "custom"]),
    st.floats(1e-5, 5e4),
    st.floats(-1e6, 1e6),
    st.booleans(),
    st.sampled_from(["gate", "gate_paired"]),
)
def test_every_preset_passes_its_own_validation(name, se, start, greater, rule):
    start *= se  # a start line lies within a million standard errors of 0
    made = preset(
        name, se=se, greater_is_better=greater, low=None, high=None, start=start, rule=rule
    )
    made.validate()
    if name != "exact":
        assert abs(made.start - Decimal(repr(start))) <= made.grid / 2


@given(st.floats(1e-7, 1e6))
def test_the_grid_is_the_widest_up_to_half_a_standard_error(se):
    grid = grid_for(se)
    half = Decimal(repr(se)) / 2
    assert grid <= half
    assert grid.normalize().as_tuple().digits in ((1,), (2,), (5,))
    assert half < grid * Decimal("2.5")


@pytest.mark.parametrize(
    ("se", "grid"), [(0.0025, "0.001"), (0.1, "0.05"), (0.2, "0.1"), (40, "20"), (0.3999, "0.1")]
)
def test_grids_at_round_numbers(se, grid):
    assert grid_for(se) == Decimal(grid)


def test_a_grid_needs_a_standard_error():
    with pytest.raises(ValueError, match="above 0"):
        grid_for(0)


@given(st.integers(1, 500), st.integers(1, 400), st.integers(0, 400))
def test_the_resolution_is_the_formula_rounded_up(tau, se, sigma):
    grid = 0.01
    made = ReleaseSettings(
        "gate", Decimal(tau) / 100, 0, Decimal(sigma) / 1000, "0.01", 0, standard_error=se / 1000
    )
    formula = max(
        tau / 100, 2 * math.sqrt(2 * (sigma / 1000) ** 2 + grid**2 / 6 + (se / 1000) ** 2)
    )
    steps = resolution_steps(made)
    assert steps >= formula / grid - 1e-6
    assert steps - 1 < formula / grid + 1e-6


def test_the_resolution_by_rule(make):
    """Noise 0.01, grid 0.01, SE 0.02: 2 sqrt(0.0002 + 0.0000167 + 0.0004) = 0.0497."""
    assert resolution(make()) == Decimal("0.05")
    assert resolution(make(tau="0.08")) == Decimal("0.08")
    assert resolution(make("gate_paired", tau="0.08")) == Decimal("0.05")
    assert resolution(make("exact")) == resolution(make("rounded")) == Decimal("0.05")
    assert resolution(make("ladder", tau="0.1", sigma_value=0)) == Decimal("0.10")


def _metric(rule, rows="row"):
    return SimpleNamespace(sensitivity=lambda n, **facts: rule(n), rows=rows)


def test_the_ruler_has_a_floor_for_averages_over_rows_only():
    average, root, none = (
        _metric(lambda n: 1 / n),
        _metric(lambda n: 1 / math.sqrt(n)),
        _metric(lambda n: None),
    )
    assert ruler(0.0001, average, 10_000) == pytest.approx(0.00125)
    assert ruler(0.004, average, 10_000) == 0.004
    for other in (root, none, _metric(lambda n: 1 / n, rows="query")):
        assert ruler(0.0001, other, 10_000) == 0.0001
    assert ruler(0.0001) == 0.0001
    made = preset("open", se=0.0001, metric=average, n_public=10_000, **FACTS)
    assert made.standard_error == pytest.approx(0.00125)


def test_no_warning_where_all_is_well():
    made = preset("course", se=0.005, **(FACTS | {"start": 0.6}))
    assert warnings(made, [0.6, 0.7]) == []


def test_a_start_line_too_near_the_best_baseline():
    """The demo of the flights: course, 0.658 against 0.674, is warned about."""
    made = preset("course", se=0.0127, **FACTS)
    assert "A team at the level of the best baseline" in warnings(made, [0.658, 0.674])[0]
    turned = preset("course", se=0.1, greater_is_better=False, low=0, high=None, start=2.0)
    assert any("no score" in w for w in warnings(turned, [2.0, 1.9]))
    assert not any("no score" in w for w in warnings(turned, [2.0, 1.0]))


def test_a_start_line_above_the_best_baseline():
    made = preset("course", se=0.005, **FACTS)
    assert any("no score" in w for w in warnings(made, [0.5]))


def test_a_public_set_that_is_too_small():
    made = preset("open", se=0.03, expected_submissions=10_000, **(FACTS | {"start": 0.6}))
    assert any("too small" in w for w in warnings(made, [0.6, 0.95]))
    assert not any("too small" in w for w in warnings(made, [0.6, 0.95], best_plausible=1.5))


def test_a_metric_without_a_bound():
    made = preset("open", se=0.01, greater_is_better=False, low=0.0, high=None, start=2.0)
    assert any("no bound" in w for w in warnings(made, [2.0, 1.0]))
    bounded = _metric(lambda n: 1 / n)
    assert not any("no bound" in w for w in warnings(made, [2.0, 1.0], 100, metric=bounded))


def test_warnings_of_single_rules(make):
    assert any("eighth" in w for w in warnings(make(sigma_compare="0.015"), []))
    assert any("climbed" in w for w in warnings(make("ladder_paired", extra={"floor": "1"}), []))
    assert any("grid is wider" in w for w in warnings(make(grid="0.05", tau="0.1"), []))
    assert "protect nothing" in warnings(make("exact"), [0.5])[0]
    assert warnings(make("sealed", cap=None), []) == []


def test_half_of_a_small_set_is_public():
    assert half_split(4_999)
    assert not half_split(5_000)


def test_an_unknown_preset():
    with pytest.raises(ValueError, match="no preset"):
        preset("house", se=0.1, **FACTS)
