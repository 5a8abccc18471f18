"""Facts and warnings about a file, without any label."""

import time
from types import SimpleNamespace

import numpy as np
import pytest

from scoring.checks import describe
from scoring.task import Task

NUMBER = Task("id", ("price",), "number")
TWO = Task("id", ("x", "y"), "number")
LABEL = Task("id", ("x",), "label", classes=("female", "male"))
MANY = Task("id", ("x",), "label", classes=tuple("abcdefgh"))
CHANCE = Task("id", ("late",), "probability")
CHANCES = Task("id", ("a", "b", "c"), "probabilities")
TEXT = Task("id", ("x",), "text", allow_empty=True)


def file_of(values):
    return SimpleNamespace(values=np.asarray(values))


def labels_like(first, share, rng):
    """The same labels but for a share of the rows, which are flipped."""
    return np.where(rng.random(len(first)) < share, 1 - first, first).astype(np.int32)


def only(found, code):
    (check,) = [check for check in found if check.code == code]
    return check


def test_shares_and_ranges_are_told():
    found = describe(LABEL, file_of(np.array([1, 1, 0, 1], np.int32)))
    assert [check.sentence for check in found] == ["Predicted: 75% male, 25% female."]
    assert not found[0].warning
    found = describe(MANY, file_of(np.array([0, 1, 2, 3, 4, 5, 5, 5], np.int32)))
    assert found[0].sentence == (
        "Predicted: 38% f, 12% a, 12% b, 12% c, 12% d and 1 more. Never predicted: g, h."
    )
    found = describe(NUMBER, file_of([1.5, 2.0, 4.0]))
    assert found[0].sentence == "price: from 1.5 to 4, mean 2.5."
    found = describe(CHANCES, file_of([[0.5, 0.3, 0.2], [0.1, 0.1, 0.8]]))
    assert found[0].sentence == "Most probable: 50% a, 50% c. Never predicted: b."
    found = describe(TEXT, file_of(np.array(["abc", "", "a"], dtype=object)))
    assert found[0].sentence == "Texts of 0 to 3 characters; 1 empty."


@pytest.mark.parametrize(
    ("task", "values", "sentence"),
    [
        (NUMBER, np.full(5, 2.0), "Every row has the same prediction."),
        (LABEL, np.ones(5, np.int32), "Every row has the same prediction."),
        (CHANCES, np.full((5, 3), 1 / 3), "Every row has the same prediction."),
        (TWO, np.c_[np.arange(5.0), np.ones(5)], "The column y has the same value in every row."),
        (TEXT, np.array(["a"] * 5, dtype=object), "Every row has the same prediction."),
    ],
)
def test_a_constant_file_is_a_warning_and_comes_first(task, values, sentence):
    found = describe(task, file_of(values))
    assert found[0].warning
    assert found[0].sentence == sentence


def test_rows_out_of_order_are_found_among_labels():
    rng = np.random.default_rng(1)
    first = (rng.random(1000) < 0.5).astype(np.int32)
    earlier = [(22 + place, file_of(labels_like(first, 0.03, rng))) for place in range(3)]
    found = describe(LABEL, file_of(rng.permutation(first)), earlier)
    check = only(found, "out_of_order")
    assert check.warning
    assert check.sentence.endswith("your files usually agree on 94%: rows out of order?")
    assert "of rows agree with your file 24;" in check.sentence
    fine = describe(LABEL, file_of(labels_like(first, 0.03, rng)), earlier)
    assert not any(check.warning for check in fine)
    assert only(fine, "likeness").sentence.startswith("94% of rows agree with your file 24;")


def test_rows_out_of_order_are_found_among_numbers():
    rng = np.random.default_rng(2)
    first = rng.normal(size=1000)
    earlier = [(place, file_of(first + 0.2 * rng.normal(size=1000))) for place in (1, 2, 5)]
    found = describe(NUMBER, file_of(rng.permutation(first)), earlier)
    check = only(found, "out_of_order")
    assert check.warning
    assert "Correlation with your file 5: " in check.sentence
    assert check.sentence.endswith("between your files it is usually 0.96: rows out of order?")


def test_a_first_comparison_has_no_habit_to_go_by():
    rng = np.random.default_rng(3)
    first = (rng.random(2000) < 0.3).astype(np.int32)
    earlier = [(1, file_of(first))]
    shuffled = describe(LABEL, file_of(rng.permutation(first)), earlier)
    assert only(shuffled, "out_of_order").sentence.endswith("file 1: rows out of order?")
    near = describe(LABEL, file_of(labels_like(first, 0.15, rng)), earlier)
    assert not only(near, "likeness").warning


def test_an_inverted_file_is_found():
    rng = np.random.default_rng(4)
    p = np.round(rng.random(500), 3)
    found = describe(CHANCE, file_of(1 - p), [(7, file_of(p))])
    check = only(found, "inverted")
    assert check.warning
    assert check.sentence == (
        "Correlation with your file 7: \u22121.00. Is the direction the wrong way round?"
    )
    y = (p > 0.5).astype(np.int32)
    check = only(describe(LABEL, file_of(1 - y), [(7, file_of(y))]), "inverted")
    assert check.sentence.startswith("0% of rows agree with your file 7.")


def test_the_same_predictions_are_found_however_far_back():
    rng = np.random.default_rng(5)
    files = [(number, file_of(rng.random(50))) for number in range(1, 5)]
    found = describe(NUMBER, file_of(files[1][1].values.copy()), files)
    assert only(found, "identical").sentence.endswith("your file 2.")


def test_constant_earlier_files_say_nothing_about_order():
    rng = np.random.default_rng(6)
    found = describe(NUMBER, file_of(rng.random(50)), [(1, file_of(np.ones(50)))])
    assert [check.code for check in found] == ["range"]


def test_shares_are_whole_only_where_they_are_exact():
    values = np.zeros(100_000, np.int32)
    values[0] = 1
    found = describe(LABEL, file_of(values))
    assert found[0].sentence == "Predicted: 99.99% female, 0.01% male."


def test_texts_are_compared_whole():
    first = np.array([f"t{place}" for place in range(100)], dtype=object)
    found = describe(TEXT, file_of(np.roll(first, 1)), [(1, file_of(first)), (2, file_of(first))])
    assert only(found, "out_of_order").warning


@pytest.mark.parametrize("task", [NUMBER, LABEL, CHANCES, TEXT])
def test_ten_thousand_rows_take_a_few_milliseconds(task):
    rng = np.random.default_rng(7)
    makers = {
        "number": lambda: rng.random(10_000),
        "label": lambda: rng.integers(0, 2, 10_000).astype(np.int32),
        "probabilities": lambda: rng.dirichlet(np.ones(3), 10_000),
        "text": lambda: np.array([f"word {n}" for n in rng.integers(0, 99, 10_000)], dtype=object),
    }
    files = [(number, file_of(makers[task.kind]())) for number in range(8)]
    new = file_of(makers[task.kind]())
    best = min(_seconds(lambda: describe(task, new, files)) for _ in range(5))
    assert best < 0.01


def _seconds(work):
    started = time.process_time()
    work()
    return time.process_time() - started
