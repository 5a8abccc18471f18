"""Whichever way a file is read - whole, in blocks, without pyarrow - it says the same."""

import numpy as np
import pytest

from scoring import evaluate as evaluating
from scoring import reading, reading_blocks
from scoring.answers import Ids, Part
from scoring.digest import digest
from scoring.errors import Refused
from scoring.ids import _ODD
from scoring.reading import Predictions, read
from scoring.task import Task

RNG = np.random.default_rng(8)
COUNT = 3000
WHOLE = RNG.permutation(COUNT) - 50
TASKS = {
    "number": Task("id", ("x",), "number"),
    "wide": Task("id", ("x", "y", "z"), "number"),
    "probability": Task("id", ("x",), "probability", "str"),
    "probabilities": Task("id", ("a", "b", "c"), "probabilities"),
    "label": Task("id", ("x",), "label", "str", classes=("cat", "dog")),
}


def table(name: str) -> tuple[Task, Ids, list[list[str]]]:
    """A task, its ids and the rows of a file in an order of its own."""
    task = TASKS[name]
    ids = WHOLE.tolist() if task.id_type == "int" else [f"row {one}" for one in WHOLE]
    columns = len(task.value_columns)
    if task.kind == "label":
        cells = [[label] for label in RNG.choice(task.classes, COUNT).tolist()]
    elif task.kind == "number":
        size = 10 ** RNG.uniform(-20, 9, (COUNT, columns))
        values = RNG.normal(size=size.shape) * size
        cells = [[repr(cell) for cell in row] for row in values.tolist()]
    else:
        values = RNG.random((COUNT, columns))
        values /= values.sum(axis=1, keepdims=True) if columns > 1 else 1
        cells = [[repr(cell) for cell in row] for row in values.tolist()]
    rows = [[str(one), *row] for one, row in zip(ids, cells, strict=True)]
    return task, Ids.of(ids), [rows[at] for at in RNG.permutation(COUNT)]


def text(task: Task, rows: list[list[str]], end: str = "\n", last: bool = True) -> bytes:
    lines = end.join([task.header, *map(",".join, rows)])
    return (lines + (end if last else "")).encode()


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(reading, "STREAMED", 0)
    monkeypatch.setattr(reading_blocks, "BLOCK", 1000)


@pytest.mark.parametrize("name", TASKS)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("last", [True, False])
def test_blocks_of_a_file_hold_what_the_whole_file_does(name, end, last, tmp_path, small_blocks):
    task, ids, rows = table(name)
    data = text(task, rows, end, last)
    path = tmp_path / "mine.csv"
    path.write_bytes(data)
    whole = read(data, task, ids)
    blocks = reading._read_blocks(path, task, ids, "", reading.Limits())
    assert whole.values.tobytes() == blocks.values.tobytes()
    assert digest(task, whole) == digest(task, read(path, task, ids))


@pytest.mark.parametrize("name", TASKS)
def test_reading_row_by_row_gives_the_same(name, monkeypatch):
    task, ids, rows = table(name)
    data = text(task, rows)
    fast = read(data, task, ids)
    monkeypatch.setattr(reading, "_read_without_arrow", lambda size: True)
    slow = read(data, task, ids)
    assert fast.values.tobytes() == slow.values.tobytes()
    assert fast.notices == slow.notices


@pytest.mark.parametrize(
    ("name", "at", "cells"),
    [
        ("number", 0, "0x10"),
        ("number", 1, "0x1p3"),
        ("number", 1, "1\0"),
        ("number", 1, '"1'),
        ("number", 1, "1\u00a0€"),
        ("number", 1, "1,2"),
        ("number", 1, "x" * 140_000),
        ("probability", 0, "row \0"),
        ("label", 1, '"cat'),
        ("label", 1, "c\u00e4t"),
    ],
)
def test_a_spoilt_row_is_told_the_same_way(name, at, cells, tmp_path, small_blocks):
    task, ids, rows = table(name)
    rows[COUNT // 2] = [*rows[COUNT // 2][:at], cells, *rows[COUNT // 2][at + 1 :]]
    data = text(task, rows)
    path = tmp_path / "mine.csv"
    path.write_bytes(data)
    told = []
    for source in (data, path):
        with pytest.raises(Refused) as caught:
            read(source, task, ids)
        told.append((caught.value.code, caught.value.sentence))
    assert told[0] == told[1]


@pytest.mark.parametrize("fast", [True, False])
def test_rows_divided_by_their_sum_are_told(fast, monkeypatch):
    monkeypatch.setattr(reading, "_read_without_arrow", lambda size: not fast)
    task, ids = Task("id", ("a", "b"), "probabilities"), Ids.of([1, 2])
    found = read(b"id,a,b\n1,0.5,0.499\n2,0.333333,0.666667\n", task, ids)
    assert found.notices == (
        "The probabilities of 1 row do not add up to 1; they were divided by their sum.",
    )
    assert not read(b"id,a,b\n1,0.5,0.5\n2,0.333333,0.666667\n", task, ids).notices


@pytest.mark.parametrize("metric", ["log_loss", "rmse", "accuracy_score"])
def test_scoring_in_stretches_gives_the_same_bits(metric, monkeypatch):
    kind = {"log_loss": "probabilities", "rmse": "wide", "accuracy_score": "label"}[metric]
    task, ids, rows = table(kind)
    found = read(text(task, rows), task, ids)
    slots = np.flatnonzero(RNG.random(COUNT) < 0.5).astype(np.int32)
    y = found.values.take(slots, axis=0)
    if kind != "wide":
        y = RNG.integers(0, len(task.classes), len(slots))
    part = Part(slots, y + 0.5 if kind == "wide" else y)
    scores = []
    for cells in (1 << 20, 100):
        monkeypatch.setattr(evaluating, "_CELLS", cells)
        scores.append(evaluating.evaluate(task, metric, part, Predictions(found.values)))
    assert scores[0] == scores[1]


def test_prepared_tables_of_ids_stay_good():
    drawn = np.random.default_rng(20).integers(0, 1 << 64, len(_ODD), np.uint64)
    assert np.array_equal(_ODD, drawn | np.uint64(1))
