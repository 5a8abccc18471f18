"""Words about a file's form and cures: one for every kind of task and every code of the reader."""

import pytest

from leaderboard.submissions import cures, progress
from leaderboard.submissions.expected import expected, values_in_words
from scoring.errors import REFUSAL_CODES
from scoring.task import Task
from tests.leaderboard import factories

KINDS = [
    (Task("id", ("p",), "probability"), "0 to 1, none missing"),
    (Task("id", ("a", "b"), "probabilities"), "0 to 1 each, adding up to 1 in a row"),
    (Task("id", ("y",), "label", classes=("x", "y", "z")), "x, y or z"),
    (
        Task("id", ("y",), "label", classes=tuple("abcdefgh")),
        "one of 8 labels, none missing",
    ),
    (Task("id", ("v",), "number"), "finite numbers, none missing"),
    (Task("id", ("v",), "number", low=0), "0 or more, none missing"),
    (Task("id", ("v",), "number", high=9.5), "9.5 or less, none missing"),
    (Task("id", ("v",), "number", low=0, high=9.5), "0 to 9.5, none missing"),
    (Task("id", ("t",), "text"), "text, none empty"),
    (Task("id", ("t",), "text", allow_empty=True), "text, may be empty"),
]


@pytest.mark.parametrize(("task", "words"), KINDS)
def test_values_in_words(task, words):
    assert values_in_words(task) == words


@pytest.mark.parametrize("code", sorted(REFUSAL_CODES | {"unscorable"}))
@pytest.mark.parametrize("task", [task for task, _ in KINDS], ids=lambda task: task.kind)
def test_every_fault_has_a_title_and_a_cure(code, task):
    sentence, _ = cures.cure(code, task)
    assert sentence
    assert cures.title(code) != "Problem"


def test_an_unknown_fault_is_still_told():
    assert cures.title("new") == "Problem"
    assert cures.cure("new", KINDS[0][0]) == ("", "")


@pytest.mark.db
def test_without_a_sample_file_the_example_is_made_up():
    made = expected(factories.competition())
    assert made.example == "id,label\n1,no"
    assert made.sample is None
    assert made.rules["values"] == ["label"]


@pytest.mark.parametrize(
    ("span", "text"),
    [(0, "1 ms"), (0.012, "12 ms"), (0.4, "0.4 s"), (41.2, "41 s"), (1234, "1,234 s")],
)
def test_short_spans(span, text):
    assert progress.seconds(span) == text
