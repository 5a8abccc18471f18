import json

import pytest

from scoring.errors import BadSolution
from scoring.task import Task


@pytest.mark.parametrize(
    "task",
    [
        Task("id", ("label",), "label", "str", classes=("a", "b", "c")),
        Task("id", ("p",), "probability", classes=("no", "yes")),
        Task("id", ("a", "b"), "probabilities"),
        Task("id", ("x", "y"), "number", low=0, high=2.5),
        Task("id", ("mask",), "text", allow_empty=True, solution_column="truth"),
    ],
    ids=lambda task: task.kind,
)
def test_a_task_survives_json(task):
    assert Task.from_dict(json.loads(json.dumps(task.to_dict()))) == task


def test_what_is_left_out_is_filled_in():
    assert Task("id", ("a", "b"), "probabilities").classes == ("a", "b")
    assert Task("id", ("p",), "probability", classes=("no", "yes")).positive == "yes"
    assert Task("id", ("p",), "probability", classes=("no", "yes"), positive="no").labels == (
        "yes",
        "no",
    )
    assert Task("id", ("p",), "probability").labels == ("0", "1")
    assert Task("id", ("x",), "number").header == "id,x"


@pytest.mark.parametrize(
    ("change", "piece"),
    [
        ({"kind": "picture"}, "Unknown kind"),
        ({"id_type": "float"}, "id type"),
        ({"value_columns": []}, "no column to predict"),
        ({"value_columns": ["id"]}, "same name"),
        ({"value_columns": ["ID"]}, "same name"),
        ({"value_columns": ["Usage"]}, "kept for the solution"),
        ({"value_columns": [" x"]}, "begin or end"),
        ({"value_columns": ["x", "y"], "kind": "text", "classes": []}, "one column"),
        ({"classes": ["a"]}, "two classes"),
        ({"classes": ["a", "a"]}, "named twice"),
        ({"classes": ["a", ""]}, "not empty"),
        ({"classes": "ab"}, "must be a list"),
        ({"positive": "z"}, "not one of the classes"),
        ({"kind": "probability", "classes": ["a", "b", "c"]}, "two classes"),
        ({"kind": "probabilities", "classes": []}, "at least two columns"),
        ({"kind": "number"}, "no classes"),
        ({"kind": "number", "classes": [], "low": 3, "high": 2}, "below"),
        ({"kind": "number", "classes": [], "low": float("nan")}, "finite"),
        ({"low": 0}, "Only a number has a range"),
        ({"allow_empty": True}, "Only a text"),
        ({"colour": "red"}, "Unknown task setting 'colour'"),
        ({"kind": None}, "Unknown kind"),
    ],
)
def test_bad_tasks(change, piece):
    good = {"id_column": "id", "value_columns": ["x"], "kind": "label", "classes": ["a", "b"]}
    Task.from_dict(good)
    with pytest.raises(BadSolution, match=piece):
        Task.from_dict({**good, **change})


def test_all_faults_of_a_task_are_named_at_once():
    with pytest.raises(BadSolution) as caught:
        Task("id", ("id",), "label", "float")
    assert len(caught.value.problems) == 3
