"""Harmless rewritings of a table give the same predictions and the same digest."""

import csv
import gzip
import io
import zipfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from scoring.answers import Ids
from scoring.digest import digest
from scoring.errors import Refused
from scoring.reading import read
from scoring.reading_blocks import GiveUp, blocks_of
from scoring.reading_fast import Filler, read_fast
from scoring.reading_text import find_layout
from scoring.task import Task

# Found failures are not made smaller: that can take minutes, and the seed is fixed.
FIXED = settings(
    max_examples=200, deadline=None, derandomize=True, phases=[Phase.explicit, Phase.generate]
)
CLASSES = ("cat", "dog", "NA", "Ünder score")
words = st.text(st.characters(codec="utf-8", exclude_characters="\0\x1a\r\v\f\x1c\x1d\x1e\x85"))


@st.composite
def tables(draw):
    """A task, its ids as written, and the cells of the value columns as canonical texts."""
    kind = draw(st.sampled_from(["label", "probability", "probabilities", "number", "text"]))
    count = draw(st.integers(1, 30))
    if draw(st.booleans()):
        ids = draw(
            st.lists(st.integers(-(10**17), 10**17), min_size=count, max_size=count, unique=True)
        )
        id_type, written = "int", list(map(str, ids))
    else:
        plain = st.text(st.characters(categories=["Lu", "Ll", "Nd"]), min_size=1, max_size=40)
        ids = written = draw(st.lists(plain, min_size=count, max_size=count, unique=True))
        id_type = "str"
    columns = ("a",) if kind != "probabilities" else ("a", "b", "c")
    task = Task(
        "id",
        columns,
        kind,
        id_type,
        classes=CLASSES if kind == "label" else (),
        allow_empty=kind == "text",
    )
    if kind == "label":
        cell = st.sampled_from(CLASSES)
    elif kind == "text":
        cell = words
    elif kind == "number":
        cell = st.floats(allow_nan=False, allow_infinity=False)
    else:
        cell = st.floats(0, 1)
    rows = draw(st.lists(st.tuples(*[cell] * len(columns)), min_size=count, max_size=count))
    if kind == "probabilities":
        rows = [(x / 2, (1 - x / 2) / 2, (1 - x / 2) / 2) for x, _, _ in rows]
    return task, ids, written, rows


def number_text(value, form: str) -> str:
    if not isinstance(value, float):
        return value
    text = {"repr": repr(value), "e": f"{value:.17e}", "E": f"{value:.16E}"}.get(form, repr(value))
    return f"+{text}" if form == "plus" and not text.startswith("-") else text


@st.composite
def rewritten(draw, task, written, rows):
    """The bytes of a file that says the same."""
    names = list(task.columns)
    order = draw(st.permutations(range(len(written))))
    places = draw(st.permutations(range(len(names))))
    form = draw(st.sampled_from(["repr", "e", "E", "plus"]))
    end = draw(st.sampled_from(["\n", "\r\n", "\r"]))
    out = io.StringIO()
    delimiter = draw(st.sampled_from([",", ";", "\t"]))
    quoting = draw(st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
    if end == "\r":
        # Before Python 3.13 the writer does not quote a field for another kind of line end in it.
        quoting = csv.QUOTE_ALL
    writer = csv.writer(out, delimiter=delimiter, lineterminator=end, quoting=quoting)
    writer.writerow([names[place] for place in places])
    for row in order:
        cells = [written[row], *(number_text(value, form) for value in rows[row])]
        writer.writerow([cells[place] for place in places])
    text = out.getvalue()
    if draw(st.booleans()):
        text = text.removesuffix(end) if text.endswith(f"{delimiter}{end}") is False else text
    if draw(st.booleans()):
        text += end * 3
    data = text.encode(draw(st.sampled_from(["utf-8", "utf-8-sig", "utf-16"])))
    pack = draw(st.sampled_from(["", "gzip", "zip"]))
    if pack == "gzip":
        return gzip.compress(data)
    if pack == "zip":
        whole = io.BytesIO()
        with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("folder/mine.csv", data)
            archive.writestr("__MACOSX/folder/._mine.csv", b"\0\5\x16")
        return whole.getvalue()
    return data


def parquet(task, ids, rows) -> bytes:
    columns = dict(zip(task.columns, [ids, *map(list, zip(*rows, strict=True))], strict=True))
    out = io.BytesIO()
    pq.write_table(pa.table(columns), out)
    return out.getvalue()


@given(st.data())
@FIXED
def test_rewriting_changes_nothing(data):
    task, ids, written, rows = data.draw(tables())
    index = Ids.of(ids)
    first = read(parquet(task, ids, rows), task, index)
    second = read(data.draw(rewritten(task, written, rows)), task, index)
    assert first.values.tolist() == second.values.tolist()
    assert digest(task, first) == digest(task, second)


@given(st.data())
@FIXED
def test_values_are_those_written(data):
    task, ids, written, rows = data.draw(tables())
    found = read(data.draw(rewritten(task, written, rows)), task, Ids.of(ids)).values
    if task.kind == "label":
        assert [CLASSES[place] for place in found] == [row[0] for row in rows]
    elif task.kind in ("number", "probability"):
        assert found.tolist() == [float(f"{row[0]:.6g}") + 0 for row in rows]
    elif task.kind == "probabilities":
        assert np.allclose(found, rows, rtol=1.1e-5, atol=0)
        assert np.allclose(found.sum(axis=1), 1, rtol=0, atol=2e-9)


MUTANTS = [
    "0x10",
    "1_0",
    "+5",
    " 7",
    "７",
    "1e2",
    "1.0",
    "-0",
    "nan",
    "inf",
    "0.5",
    ".5",
    "5.",
    "1e999",
]


@given(st.lists(st.sampled_from([*MUTANTS, "1", "2", "3"]), min_size=6, max_size=6))
@FIXED
def test_the_fast_road_takes_nothing_that_the_slow_one_refuses(cells):
    """What typed parsing accepts, reading row by row accepts too, with the same values."""
    task = Task("id", ("a",), "number", "int")
    ids = Ids.of([1, 2, 3])
    text = f"id,a\n{cells[0]},{cells[1]}\n{cells[2]},{cells[3]}\n{cells[4]},{cells[5]}\n".encode()
    layout = find_layout(text, task, 3, lambda one: True)
    try:
        fast = read_fast(blocks_of(text, layout.body), layout, Filler(task, ids)).tolist()
    except GiveUp:
        return
    # A byte-order mark of nothing but a quoted cell sends the file down the slow road.
    slow = read(text.replace(b"\n1,", b"\n 1 ,") + b",\n", task, ids).values.tolist()
    assert fast == slow


def test_not_one_of_a_thousand_orders_matters():
    task = Task("id", ("a",), "number", "int")
    rng = np.random.default_rng(3)
    ids = rng.permutation(200_000)[:100_000] - 50_000
    values = rng.normal(size=len(ids))
    index = Ids.of(ids.tolist())
    digests = set()
    for _ in range(3):
        order = rng.permutation(len(ids))
        lines = "\n".join(
            f"{i},{v!r}" for i, v in zip(ids[order].tolist(), values[order].tolist(), strict=True)
        )
        digests.add(digest(task, read(f"id,a\n{lines}\n".encode(), task, index)))
    assert len(digests) == 1


@pytest.mark.parametrize("left_out", range(0, 49, 7))
@pytest.mark.parametrize("again", [0, 1])
def test_a_file_with_a_row_missing_is_never_read(left_out, again):
    task = Task("id", ("a",), "number", "int")
    rows = [f"{number},0.5\n" for number in range(1, 50)]
    kept = rows[:left_out] + rows[left_out + 1 :] + rows[-1:] * again
    with pytest.raises(Refused) as caught:
        read(("id,a\n" + "".join(kept)).encode(), task, Ids.of(list(range(1, 50))))
    assert caught.value.code == ("duplicate" if again else "ids")
    assert f"'{left_out + 1}'" in caught.value.sentence
