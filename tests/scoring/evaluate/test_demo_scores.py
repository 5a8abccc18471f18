"""Every entry of the demo competitions scores what scikit-learn said when the data was made.

Files are read here with the csv module and rounded with format(), apart from the product's reader,
so that a fault in one cannot hide a fault in the other.
"""

import csv
import gzip
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from scoring.evaluate import evaluate
from scoring.task import Task

DEMO = Path(__file__).parents[3] / "leaderboard" / "hosting" / "demo"
TASKS = {
    "flights": Task("flight_id", ("late",), "probability"),
    "penguins-sex": Task("id", ("sex",), "label", id_type="str", classes=("female", "male")),
    "penguins-mass": Task("id", ("body_mass_g",), "number", low=0.0),
}


def table(path):
    content = path.read_bytes()
    content = gzip.decompress(content) if path.suffix == ".gz" else content
    return list(csv.DictReader(content.decode().splitlines()))


def values_of(task, texts):
    if task.kind == "label":
        return np.array([task.classes.index(text) for text in texts], np.int32)
    return np.array([float(f"{float(text):.6g}") for text in texts])


@cache
def solution(name):
    task = TASKS[name]
    rows = table(DEMO / name / "solution.csv")
    parts = {}
    for usage in ("Public", "Private"):
        slots = np.array([place for place, row in enumerate(rows) if row["Usage"] == usage])
        y = values_of(task, [rows[slot][task.value_columns[0]] for slot in slots])
        if task.kind == "probability":
            y = y.astype(np.int32)
        parts[usage.lower()] = SimpleNamespace(slots=slots, y=y, weight=None, n=len(y))
    return [row[task.id_column] for row in rows], parts


@cache
def predictions(name, path):
    task = TASKS[name]
    ids, _ = solution(name)
    given = {row[task.id_column]: row[task.value_columns[0]] for row in table(DEMO / name / path)}
    return SimpleNamespace(values=values_of(task, [given[one] for one in ids]))


ENTRIES = [
    pytest.param(name, row, id=f"{name}-{row['file'].partition('.')[0]}")
    for name in TASKS
    for row in table(DEMO / name / "submissions.csv")
]


@pytest.mark.parametrize(("name", "row"), ENTRIES)
def test_scores_as_listed(name, row):
    _, parts = solution(name)
    file = predictions(name, f"submissions/{row['file']}")
    compared = 0
    for column, value in row.items():
        usage, _, metric = column.partition("_")
        if usage in parts:
            compared += 1
            found = evaluate(TASKS[name], metric, parts[usage], file)
            assert found == pytest.approx(float(value), rel=0, abs=1e-9), column
    assert compared == (4 if name == "flights" else 8)


def test_the_start_line_and_the_ruler_of_the_flights():
    _, parts = solution("flights")
    for name, wanted in (("clock_logistic", 0.658), ("schedule_boosting", 0.674)):
        file = predictions("flights", f"baselines/{name}.csv.gz")
        auc = evaluate(TASKS["flights"], "roc_auc", parts["public"], file)
        assert auc == pytest.approx(wanted, abs=5e-4)
