"""What a refusal says: what, where, how many and the cure, all at once, and no secrets."""

import gzip
import io

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from scoring.answers import Ids
from scoring.errors import Refused
from scoring.reading import Limits, read
from scoring.task import Task

TASK = Task("id", ("x",), "number", "int", low=0, high=10)
IDS = Ids.of(list(range(1, 31)))


def refusal(text, task=TASK, ids=IDS, **options) -> Refused:
    with pytest.raises(Refused) as caught:
        read(text.encode() if isinstance(text, str) else text, task, ids, **options)
    return caught.value


def rows(changed: dict[int, str]) -> str:
    lines = [changed.get(number, f"{number},{number / 10}") for number in range(1, 31)]
    return "\n".join(["id,x", *lines, ""])


def test_several_kinds_of_fault_are_told_together():
    found = refusal(rows({2: "2,nan", 4: "4,abc", 5: "4,1", 7: "99,1", 9: "9,11"}))
    assert found.code == "duplicate"
    assert [problem.code for problem in found.problems] == [
        "duplicate",
        "ids",
        "missing",
        "value",
        "range",
    ]
    for piece in ("'4' on line 6", "'99'", "2 ids missing: '5', '7'", "line 3 ('nan')"):
        assert piece in found.sentence
    assert "must be from 0 to 10: line 10 (11)" in found.sentence


def test_ten_are_shown_and_all_are_counted():
    found = refusal(rows({number: f"{number},bad" for number in range(1, 26)}))
    problem = found.problems[0]
    assert problem.count == 25
    assert problem.lines == tuple(range(2, 12))
    assert "line 11 ('bad') and 15 more" in found.sentence
    assert "line 12" not in found.sentence


def test_an_excerpt_shows_the_lines_around_the_first_place():
    found = refusal(rows({4: "4,oops"}).replace("\n", "\r\n"))
    assert found.problems[0].line == 5
    assert found.problems[0].excerpt == ((4, "3,0.3"), (5, "4,oops"), (6, "5,0.5"))


def test_lines_are_those_of_the_file():
    task = Task("id", ("x",), "text", "int", allow_empty=True)
    text = 'sep=;\n\nid;x\n1;"a\nb"\n\n2;"c"\n2;d\n'
    found = refusal(text, task, Ids.of([1, 2, 3]))
    assert "id '2' on line 8 was already on line 7" in found.sentence


def test_parquet_has_rows():
    out = io.BytesIO()
    pq.write_table(pa.table({"id": list(range(1, 31)), "x": [1.0] * 3 + [None] + [1.0] * 26}), out)
    assert "row 4" in refusal(out.getvalue()).sentence


def test_long_and_odd_texts_are_shortened_and_escaped():
    found = refusal(rows({4: "4," + "y" * 5000, 5: "5,\x1b[31m"}))
    assert len(found.sentence) < 500
    assert "\x1b" not in found.sentence


def test_missing_ids_are_named_but_never_their_part():
    found = refusal("id,x\n1,1\n")
    assert "29 ids missing: '2', '3'" in found.sentence
    assert "ublic" not in found.sentence
    assert "rivate" not in found.sentence


@pytest.mark.parametrize(
    ("text", "code", "pieces"),
    [
        ("id,x\n" + "1;1\n" * 3, "fields", ["Line 2 has 1 field", "3 rows"]),
        ("ID;X\n1;0,5\n2;0.5\n", "ids", ["decimal comma", "other values have a point"]),
        ("id,x\n001.5,1\n", "ids", ["'001.5'"]),
        ("x\n1\n", "header", ["Missing column 'id'"]),
        ("id x\n1 1\n", "header", ["spaces", "to_csv"]),
        ("| id | x |\n|---|---|\n| 1 | 1 |\n", "header", ["Markdown", "to_csv"]),
        ("id|y\n1|1\n", "header", ["Perhaps 'y' should be 'x'"]),
        ("1,0.5\n2,0.5\n", "header", ["no header", "'id,x'"]),
        ("{\"id\": [1]}", "not_csv", ["JSON"]),
        ("id,x\n1,$5\n", "ids", ["currency"]),
        ("id,x\n1,\"3,700.50\"\n", "ids", ["thousands"]),
        ("id,x\n1,1e400\n", "ids", ["finite"]),
        ("id,x\n1,é\n".encode("latin-1"), "encoding", ["Line 2", "0xE9", "UTF-8"]),
        ("id,x\n".encode("utf-32"), "encoding", ["UTF-32"]),
    ],
)  # fmt: skip
def test_kinds_of_fault(text, code, pieces):
    found = refusal(text)
    assert found.code == code, found.sentence
    for piece in pieces:
        assert piece in found.sentence


def test_rounded_and_shortened_ids_get_a_cure():
    ids = Ids.of(["0001", "0002", "880469022592172033"])
    task = Task("id", ("x",), "number", "str")
    assert "Excel" in refusal("id,x\n1,1\n2,1\n880469022592172033,1\n", task, ids).sentence
    rounded = "id,x\n0001,1\n0002,1\n880469022592172032,1\n"
    assert "floating point" in refusal(rounded, task, ids).sentence


def test_long_ids_never_pass_through_a_float():
    numbers = [9007199254740993, 9007199254740992, 123456789012345678]
    ids = Ids.of(numbers)
    task = Task("id", ("x",), "number", "int")
    text = "id,x\n9007199254740993.0,1\n9007199254740992,2\n1.23456789012345678E17,3\n"
    found = read(text.encode(), task, ids)
    assert found.values.tolist() == [1, 2, 3]
    assert "2 ids" in found.notices[0]


@pytest.mark.parametrize("size", [-1, 0, 1])
def test_limits_hold_to_the_byte(size):
    text = rows({}).encode()
    limits = Limits(packed=len(text) - size)
    if size > 0:
        assert refusal(text, limits=limits).code == "too_large"
    else:
        assert read(text, TASK, IDS, limits=limits).n == 30
    packed = gzip.compress(text)
    limits = Limits(unpacked=len(text) - size)
    if size > 0:
        assert refusal(packed, limits=limits).code == "too_large"
    else:
        assert read(packed, TASK, IDS, limits=limits).n == 30


@pytest.mark.parametrize(
    "text",
    [
        "x;id\n0,5;1\n1;2\n",
        "sep=\t\nid\tx\n1\t0.5\n2\t1\n",
        "id,x,,\n1,0.5,,\n2,1,,\n,,,\n",
        "\n\n Id , X\n 1 , .5\n2.0,1e0\n",
        "Unnamed: 0,id,x\n0,1,0.5\n1,2,1\n",
        'id,x\r\n"1","0.5"\r\n"2","1"\r\n\x1a',
        "id,x\r2,+1\r1,5E-1\r",
    ],
)
def test_odd_but_clear(text):
    assert read(text.encode(), TASK, Ids.of([1, 2])).values.tolist() == [0.5, 1.0]


def test_gzip_members_and_padding():
    text = rows({}).encode()
    data = gzip.compress(text[:50]) + gzip.compress(text[50:]) + b"\0" * 600
    assert read(data, TASK, IDS).n == 30


def test_roundings_of_the_range_are_forgiven():
    task = Task("id", ("p",), "probability", "int")
    found = read(b"id,p\n1,1.0000001192092896\n", task, Ids.of([1]))
    assert found.values.tolist() == [1.0]
    assert refusal("id,p\n1,1.001\n", task, Ids.of([1])).code == "range"


def test_a_broken_million_is_explained_without_delay():
    """The whole-file checks see every row; this holds the slow road to its speed, loosely."""
    count = 100_000
    ids = Ids.of(list(range(count)))
    lines = [f"{number},{number % 10}.25" for number in range(count)]
    lines[77_777] = "77,5.5"
    found = refusal("id,x\n" + "\n".join(lines) + "\n", TASK, ids)
    assert "id '77' on line 77779 was already on line 79" in found.sentence
    assert "1 id missing: '77777'" in found.sentence
    assert np.all(found.problems[0].lines == (77_779,))
