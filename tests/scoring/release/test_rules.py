"""Each rule's decision, and what holds for all of them."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.release import (
    Epoch,
    Outcome,
    Paired,
    ReleaseSettings,
    Sealed,
    State,
    epoch,
    initial,
    look,
    names,
    paired,
    reference,
    seal,
    step,
    text,
    used_up,
)
from scoring.release.rules import FINE, UNIT, threshold
from scoring.release.units import clamp

NO_CHANGE = Outcome("no_change")
USED_UP = Outcome("used_up")


def test_the_gate_step_by_step(make, sealed):
    """The pseudo-code of the gate: s - xi > R + tau, then R = max(R, value), then the count."""
    settings = make()
    state = initial(settings)
    assert reference(settings, state) == 50
    state, outcome = step(settings, state, sealed(54))
    assert (state, outcome) == (State(None, 0), NO_CHANGE), "strict: exactly tau is not above"
    state, outcome = step(settings, state, sealed(54.05, value=53))
    assert (state, outcome) == (State(53, 1), Outcome("released", 53))
    state, outcome = step(settings, state, sealed(56.9))
    assert (state, outcome) == (State(53, 1), NO_CHANGE), "judged against the shown value, 0.53"
    state, outcome = step(settings, state, sealed(56.9, draw=-1))
    assert (state, outcome) == (State(53, 1), NO_CHANGE), "0.5695 is still below 0.57"
    state, outcome = step(settings, state, sealed(56.9, draw=-3))
    assert (state, outcome) == (State(57, 2), Outcome("released", 57))


def test_a_value_below_the_reference_is_shown_and_the_reference_stays(make, sealed):
    settings = make()
    state, outcome = step(settings, State(60, 3), sealed(70, value=58))
    assert outcome == Outcome("released", 58)
    assert state == State(60, 4)


def test_a_first_value_below_the_start_line_leaves_the_start_line(make, sealed):
    settings = make()
    state, outcome = step(settings, initial(settings), sealed(60, value=49))
    assert outcome == Outcome("released", 49)
    assert state == State(None, 1)
    assert reference(settings, state) == 50


def test_the_same_sealed_numbers_meet_each_team_at_its_own_reference(make, key, identity):
    settings = make()
    numbers = seal(settings, key, identity("same"), 0.62)
    assert numbers == seal(settings, key, identity("same"), 0.62), "any retry, any team"
    low, outcome_low = step(settings, State(50, 1), numbers)
    high, outcome_high = step(settings, State(61, 4), numbers)
    assert outcome_low == Outcome("released", numbers.value)
    assert low.used == 2
    assert (high, outcome_high) == (State(61, 4), NO_CHANGE)


class Untouchable:
    def __getattr__(self, name):
        raise AssertionError("nothing of the file is looked at")


@pytest.mark.parametrize("rule", [name for name in names() if name != "sealed"])
def test_used_up_is_a_constant(make, rule):
    settings = make(rule)
    state = State(70, settings.cap)
    answer = step(settings, state, Untouchable(), Untouchable(), epoch=Epoch(0, 0))
    assert answer == (state, USED_UP)


def test_sealed_needs_no_score(make):
    settings = make("sealed", cap=None)
    assert step(settings, State(), None) == (State(), Outcome("received"))
    assert step(settings, State(), Untouchable()) == (State(), Outcome("received"))


@pytest.mark.parametrize("rule", ["exact", "rounded"])
def test_rules_without_protection_show_every_score(make, key, identity, rule):
    settings = make(rule, cap=None)
    state, shown = initial(settings), []
    for i, score in enumerate([0.614, 0.5, 0.4449, 0.999]):
        state, outcome = step(settings, state, seal(settings, key, identity(i), score))
        shown.append(outcome.value)
    assert shown == [61, 50, 44, 100]
    assert state == State(100, 4)


def test_the_ladder_moves_in_whole_steps(make, key, identity):
    settings = make("ladder", tau="0.05", sigma_compare=0, sigma_value=0)
    state, values = initial(settings), []
    for i, score in enumerate([0.549, 0.5506, 0.58, 0.62, 0.64]):
        state, outcome = step(settings, state, seal(settings, key, identity(i), score))
        values.append(outcome.value)
    assert values == [None, 55, None, 60, None]


def test_the_paired_ladder_uses_the_spread_and_its_floor(make, sealed):
    settings = make("ladder_paired", extra={"floor": "0.5"})  # floor: 0.01 = 20 fine steps
    narrow, wide = Paired(0, 3), Paired(0, 60)
    assert step(settings, State(60, 1), sealed(61), narrow)[1] == NO_CHANGE
    assert step(settings, State(60, 1), sealed(61.05), narrow)[1].kind == "released"
    assert step(settings, State(60, 1), sealed(63), wide)[1] == NO_CHANGE
    assert step(settings, State(60, 1), sealed(63.05), wide)[1].kind == "released"


def test_the_paired_gate(make, sealed):
    settings = make("gate_paired", extra={"c": "1.5", "floor": "0.3"})
    gain = 150  # fine steps; c times a spread of 100
    assert step(settings, State(), sealed(60), Paired(gain, 100))[1] == NO_CHANGE
    assert step(settings, State(), sealed(60), Paired(gain + 1, 100))[1].kind == "released"
    blurred = sealed(60, draw=UNIT // 8)
    assert step(settings, State(), blurred, Paired(168, 100))[1] == NO_CHANGE
    assert step(settings, State(), blurred, Paired(169, 100))[1].kind == "released"
    # 0.3 SE = 0.006 = 12 fine steps: files that differ in a row or two need 18
    assert step(settings, State(), sealed(60), Paired(18, 1))[1] == NO_CHANGE
    assert step(settings, State(), sealed(60), Paired(19, 1))[1].kind == "released"


def test_paired_numbers_are_rounded_with_the_spread_up(make):
    assert paired(make("gate_paired"), 0.0123, 0.00001) == Paired(25, 1)
    assert paired(make("gate_paired"), -0.0123, 0) == Paired(-25, 0)


def test_the_noise_of_the_paired_gate_is_relative(make, key, identity):
    settings = make("gate_paired")  # 0.005 / 0.04 = 1/8
    drawn = [seal(settings, key, identity(i), 0.6).compare_draw for i in range(600)]
    spread = math.sqrt(sum(d * d for d in drawn) / len(drawn))
    assert spread == pytest.approx(UNIT / 8, rel=0.1)


def test_thresholdout_compares_upwards_with_best_and_baseline(make, sealed):
    best = make("thresholdout")
    baseline = make("thresholdout", extra={"reference": "baseline"})
    state = State(60, 1)
    assert step(best, state, sealed(62))[1] == NO_CHANGE
    assert step(baseline, state, sealed(62))[1] == Outcome("released", 62)
    for settings in (best, baseline):
        assert step(settings, state, sealed(20))[1] == NO_CHANGE, "no negative new scores"


def test_thresholdout_compares_both_ways_with_the_training_score(make, sealed):
    settings = make("thresholdout", extra={"reference": "training"})

    def judge(score, training):
        return step(settings, State(), sealed(score), training=training)[1]

    assert judge(60, 0.63) == NO_CHANGE
    assert judge(60, 0.95) == Outcome("released", 60), "a model that knows its training rows"
    assert judge(60, 0.50) == Outcome("released", 60)


def test_a_loss_is_judged_with_the_sign_turned(key, identity):
    settings = ReleaseSettings(
        "gate", "0.4", 0, 0, "0.1", "20", standard_error=0.2, greater_is_better=False, low=0
    ).validate()
    state, outcome = step(settings, State(), seal(settings, key, identity(1), 19.7))
    assert outcome == NO_CHANGE
    state, outcome = step(settings, state, seal(settings, key, identity(2), 19.52))
    assert outcome == Outcome("released", -195)
    state, outcome = step(settings, state, seal(settings, key, identity(3), 25.0))
    assert (state, outcome) == (State(-195, 1), NO_CHANGE)


def test_released_values_are_clamped_to_the_range(make, key, identity):
    settings = make(sigma_value="0.04")
    top = [seal(settings, key, identity(i), 1.0).value for i in range(200)]
    assert max(top) == 100
    assert min(top) < 100
    loss = make(sigma_value="0.04", greater_is_better=False)
    assert max(seal(loss, key, identity(i), 0.0).value for i in range(200)) == 0
    assert max(look(settings, key, identity(i), 1.0) for i in range(200)) == 100


def test_a_range_off_the_grid_is_clamped_inside(make):
    settings = make(low=-0.004, high=0.996)
    assert clamp(settings, 150) == 99
    assert clamp(settings, -150) == 0


def test_ties_go_to_the_even_step(make, key, identity):
    settings = make("rounded")
    for score, value in ((0.125, 12), (0.375, 38)):
        assert seal(settings, key, identity(0), score).value == value


def test_comparison_value_and_look_carry_different_noise(make, key, identity):
    settings = make(sigma_compare="0.02", sigma_value="0.02")
    rows = []
    for i in range(300):
        numbers = seal(settings, key, identity(i), 0.5)
        rows.append((numbers.compare_draw, FINE * (numbers.value - 50)))
    moment = sum(a * b for a, b in rows)
    size = math.sqrt(sum(a * a for a, _ in rows) * sum(b * b for _, b in rows))
    assert abs(moment / size) < 0.2


def test_a_look_is_the_same_each_time_and_has_one_standard_error(make, key, identity):
    settings = make()
    assert look(settings, key, identity("a"), 0.5) == look(settings, key, identity("a"), 0.5)
    looks = [look(settings, key, identity(i), 0.5) - 50 for i in range(600)]
    assert math.sqrt(sum(x * x for x in looks) / 600) == pytest.approx(2.0, rel=0.1)


def test_the_noise_belongs_to_the_solution_and_not_to_the_settings(make, key, identity):
    one = seal(make(), key, identity("x", solution=1), 0.6)
    assert one == seal(make(tau="0.06", cap=3), key, identity("x", solution=1), 0.6)
    others = {seal(make(), key, identity("x", solution=s), 0.6) for s in range(2, 12)}
    assert len(others) > 5


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_a_score_that_is_no_number_is_never_sealed(make, key, identity, bad):
    with pytest.raises(ValueError, match="finite"):
        seal(make(), key, identity(1), bad)


def test_an_absurd_loss_fits_what_is_stored(key, identity):
    settings = ReleaseSettings(
        "exact", 0, 0, 0, "0.000001", 20, cap=None, standard_error=0.2, greater_is_better=False
    ).validate()
    numbers = seal(settings, key, identity(1), 1e300)
    assert all(-(2**63) <= number < 2**63 for number in (numbers.exact_fine, numbers.value))
    assert text(settings, numbers.value).startswith("230,584,300,921.")
    assert step(settings, State(), numbers)[0].used == 1


def test_the_threshold_rounded_down_decides_as_the_fraction_does(make):
    settings = make(tau="0.0411")  # 82.2 fine steps
    assert threshold(settings) == 82
    assert all((s > Fraction(822, 10)) == (s > 82) for s in range(70, 95))


@given(st.data())
def test_reference_and_count_never_fall(data):
    rule = data.draw(st.sampled_from([name for name in names() if name != "sealed"]))
    settings = ReleaseSettings(
        rule,
        "0.04",
        "0.002",
        "0.01",
        "0.01",
        "0.5",
        cap=4,
        standard_error=0.02,
        greater_is_better=data.draw(st.booleans()),
        low=0,
        high=1,
        extra={"budget": 6} if rule == "thresholdout_laplace" else {},
    )
    state = initial(settings)
    number = st.integers(-3000, 3000)
    for _ in range(data.draw(st.integers(1, 12))):
        numbers = Sealed(data.draw(number), data.draw(number), data.draw(number) // FINE)
        against = Paired(data.draw(number), data.draw(st.integers(0, 300)))
        before = reference(settings, state)
        after, outcome = step(settings, state, numbers, against, epoch=Epoch(0, 0))
        assert reference(settings, after) >= before
        assert after.used == state.used + (outcome.kind == "released")
        assert after.used <= 4
        assert outcome.value == (numbers.value if outcome.kind == "released" else None)
        state = after


@given(
    st.floats(0, 1),
    st.integers(0, 10**6),
    st.sampled_from(["0.001", "0.02", "0.5", "0.00005"]),
    st.booleans(),
)
def test_values_are_on_the_grid_and_in_the_range(score, digest, grid, greater):
    settings = ReleaseSettings(
        "gate", "0.5", "0.05", "0.3", grid, 0, standard_error=0.1,
        greater_is_better=greater, low=0.0, high=1.0,
    ).validate()  # fmt: skip
    numbers = seal(settings, bytes(32), ("c", 1, "m", 1, str(digest)), score)
    sign = 1 if greater else -1
    assert isinstance(numbers.value, int)
    assert 0 <= sign * numbers.value * Fraction(settings.grid) <= 1


def test_used_up_counts_alone(make):
    assert not used_up(make(), State(99, 9))
    assert used_up(make(), State(0, 10))
    assert not used_up(make(cap=None), State(0, 10**6))


def test_the_epoch_belongs_to_the_competition(make, key, identity):
    settings = make("thresholdout_laplace")
    assert epoch(settings, key, identity("a"), 2) == epoch(settings, key, identity("b"), 2)
