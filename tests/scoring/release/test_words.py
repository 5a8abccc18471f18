"""The exact sentences, and how values are printed."""

from decimal import Decimal

import pytest

from scoring.release import Outcome, ReleaseSettings, State, cell, sentence, shown, steps, text


@pytest.fixture
def fine(make):
    return make(grid="0.001", start="0.625", tau="0.01", sigma_compare=0, sigma_value=0)


def test_the_sentences_of_the_product(fine):
    assert sentence(fine, Outcome("released", 902), State()) == "New score 0.902."
    assert sentence(fine, Outcome("no_change"), State(902, 4)) == (
        "No new score. This file is not clearly above your best, 0.902. It may be a little better, "
        "equal or much worse; this is not an estimate of it."
    )
    assert "not clearly above the start line, 0.625." in sentence(
        fine, Outcome("no_change"), State()
    )
    assert sentence(fine, Outcome("used_up"), State(902, 10)) == (
        "Your new scores are used up. Files are still accepted, checked and count for the final "
        "ranking."
    )
    assert sentence(fine, Outcome("received"), State()) == "Received and valid."


def test_the_reference_decides_the_words(make):
    baseline = make("thresholdout", extra={"reference": "baseline"})
    assert "the start line, 0.50." in sentence(baseline, Outcome("no_change"), State(70, 2))
    training = make("thresholdout", extra={"reference": "training"})
    assert "on the training rows." in sentence(training, Outcome("no_change"), State(70, 2))


def test_no_sentence_says_how_near(fine):
    for state in (State(), State(902, 3)):
        said = sentence(fine, Outcome("no_change"), state)
        assert "within" not in said
        assert "0.01 " not in said


def test_a_file_without_a_new_score_has_a_dash(fine):
    assert cell(fine, Outcome("released", 902)) == "0.902"
    assert cell(fine, Outcome("no_change")) == cell(fine, Outcome("used_up")) == "–"


@pytest.mark.parametrize(
    ("grid", "greater", "units", "printed"),
    [
        ("0.005", True, 131, "0.655"),
        ("0.001", True, 900, "0.900"),
        ("0.01", True, -12, "−0.12"),
        ("0.1", False, -203, "20.3"),
        ("0.1", False, 203, "−20.3"),
        ("20", False, -1017, "20,340"),
        ("1E+1", True, 3, "30"),
        ("0.01", False, 0, "0.00"),
    ],
)
def test_values_are_printed_with_the_decimals_of_the_grid(grid, greater, units, printed):
    made = ReleaseSettings("gate", 1, 0, 0, grid, 0, greater_is_better=greater)
    assert text(made, units) == printed
    assert shown(made, units) == Decimal(printed.replace("−", "-").replace(",", ""))
    assert steps(made, shown(made, units)) == units
