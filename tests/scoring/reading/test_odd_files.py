"""Files as other programs and other countries write them: read where clear, else told the cure."""

import gzip
import io
import tarfile
import time
import zipfile
from decimal import Decimal
from unicodedata import normalize

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from scoring.answers import Ids, prepare
from scoring.errors import BadSolution, Refused
from scoring.reading import read
from scoring.reading_slow import MOST_FAULTS
from scoring.task import Task

NUMBER = Task("id", ("x",), "number")
NUMBERS = Ids.of([1, 2, 3])
TEXT_IDS = Task("id", ("x",), "number", "str")


def refusal(data: bytes | str, task: Task = NUMBER, ids: Ids = NUMBERS) -> Refused:
    with pytest.raises(Refused) as caught:
        read(data.encode() if isinstance(data, str) else data, task, ids)
    return caught.value


def parquet(**columns) -> bytes:
    out = io.BytesIO()
    pq.write_table(pa.table(columns), out)
    return out.getvalue()


def tar() -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("mine.csv"), io.BytesIO())
    return out.getvalue()


@pytest.mark.parametrize(
    "text",
    [
        # a header with an empty column at its end, and rows without
        "id,x,\n1,1\n2,2\n3,3\n",
        # quotation marks after a blank
        '"id", "x"\n"1", "1"\n"2", "2"\n"3", "3"\n',
        # ids as numpy and pandas write floating point numbers
        "id,x\n1.0,1\n2.00,2\n3.,3\n",
        "id,x\n1.000000000000000000e+00,1\n2e0,2\n3.0e+0,3\n",
        # R: row names with a name of their own, empty
        '"","id","x"\n"1",1,1\n"2",2,2\n"3",3,3\n',
    ],
)
def test_clear_though_odd(text):
    assert read(text.encode(), NUMBER, NUMBERS).values.tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    ("text", "code", "piece"),
    [
        ('"id","x"\n"1",1,1\n"2",2,2\n"3",3,3\n', "fields", "row.names = FALSE"),
        ("id,x\n1,0,5\n2,0,5\n3,0,5\n", "fields", "decimal commas"),
        ('"id" "x"\n"1" 1 1\n', "header", "separated by spaces"),
        ("# id,x\n1,1\n", "header", "comments=''"),
        ("[1,1]\n[2,0]\n", "not_csv", "JSON"),
        ("id,x\n1,5\u2009000\n2,2\n3,3\n", "value", "thousands"),
        ("id,x\n1,3\u2019700.5\n2,2\n3,3\n", "value", "thousands"),
        ("id,x\n1,\uff11\n2,2\n3,3\n", "value", "digits other than 0 to 9"),
        ("id,x\n1,(4.5)\n2,2\n3,3\n", "value", "brackets"),
        (b"\x7f\0\0\0\1\2\0\0\3\4\0\5\0\0" * 50, "encoding", "not a text file"),
        (b"i\0d\0,\0x\0\n\x001\0,\x001\0\n\0", "encoding", "UTF-16"),
        (gzip.compress(tar(), mtime=0), "bad_archive", "tar"),
    ],
)
def test_a_cure_is_told(text, code, piece):
    found = refusal(text)
    assert found.code == code, found.sentence
    assert piece in found.sentence


@pytest.mark.parametrize(
    ("wanted", "written", "piece"),
    [
        ("1e5", "100000", "another program"),
        ("7", "7.0", "another program"),
        ("MAR1", "Mar1", "upper and lower case"),
    ],
)
def test_a_changed_id_is_recognised(wanted, written, piece):
    found = refusal(f"id,x\n{written},1\n", TEXT_IDS, Ids.of([wanted]))
    assert found.code == "ids"
    assert piece in found.sentence


@pytest.mark.parametrize(("here", "there"), [("NFC", "NFD"), ("NFD", "NFC")])
def test_an_accent_may_be_written_in_two_ways(here, there):
    wanted, written = normalize(here, "caf\u00e9"), normalize(there, "caf\u00e9")
    task = Task(wanted, (f"{wanted} y",), "label", "str", classes=(wanted, "other"))
    text = f"{written},{written} y\n{written},{written}\n"
    assert read(text.encode(), task, Ids.of([wanted])).values.tolist() == [0]


def test_only_whole_ids_match(tmp_path):
    ids = Ids.of(["0001", "0002"])
    for written in ("0001\0", "0001\0\0\0\0\0", "\0"):
        assert refusal(parquet(id=[written, "0002"], x=[1.0, 2.0]), TEXT_IDS, ids).code == "ids"
    twins = parquet(id=["a", "a\0"], x=["1", "2"], Usage=["Public", "Private"])
    with pytest.raises(BadSolution, match="NUL"):
        prepare(TEXT_IDS, twins, tmp_path)


@pytest.mark.parametrize("form", ["%.18e", "%e", "%.0f.0"])
def test_ids_that_passed_through_floats(form):
    """numpy.savetxt writes whole numbers so; none of them is read by way of a float here."""
    rows = "".join(f"{form % one},{one}.5\n" for one in (3, 1, 2))
    found = read(f"id,x\n{rows}".encode(), NUMBER, NUMBERS)
    assert found.values.tolist() == [1.5, 2.5, 3.5]
    assert found.notices[0].startswith("3 ids written as numbers")
    for wrong in ("1.0000000000000000001e+00", "1.5e+00", "1e+30", "1e-01"):
        assert refusal(f"id,x\n{wrong},1\n2,1\n3,1\n").code == "ids"


def test_parquet_ids_written_as_text():
    assert read(
        parquet(id=["3", "1", "2"], x=[3.0, 1.0, 2.0]), NUMBER, NUMBERS
    ).values.tolist() == [
        1,
        2,
        3,
    ]
    assert refusal(parquet(id=["0x3", "1", "2"], x=[3.0, 1.0, 2.0])).code == "ids"
    assert read(parquet(id=["3.0", "1", "2"], x=[3.0, 1.0, 2.0]), NUMBER, NUMBERS).notices


def test_parquet_types():
    decimals = pa.array([Decimal("0.5"), Decimal("-2.25"), Decimal("3")])
    assert read(parquet(id=[1, 2, 3], x=decimals), NUMBER, NUMBERS).values.tolist() == [
        0.5,
        -2.25,
        3,
    ]
    assert refusal(parquet(id=[1, 2, 3], x=pa.nulls(3))).code == "missing"
    beyond = pa.array([1, 2, 2**64 - 1], pa.uint64())
    found = refusal(parquet(id=beyond, x=[1.0, 2.0, 3.0]))
    assert (found.code, "18446744073709551615" in found.sentence) == ("ids", True)
    # A signed reading of 2**64 - 5 would be another id.
    beyond = pa.array([2**64 - 5], pa.uint64())
    assert refusal(parquet(id=beyond, x=[1.0]), NUMBER, Ids.of([-5])).code == "ids"


def test_a_zip_with_a_comment_and_without_sizes():
    class Pipe(io.BytesIO):
        def seekable(self) -> bool:
            return False

    out = Pipe()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.comment = b"made by a program"
        with archive.open("mine.csv", "w", force_zip64=True) as member:
            member.write(b"id,x\n1,1\n2,2\n3,3\n")
    assert read(out.getvalue(), NUMBER, NUMBERS).values.tolist() == [1, 2, 3]


MANY = 2 * MOST_FAULTS


@pytest.mark.parametrize(
    ("row", "code"),
    [
        (lambda number: f"{number},x{number}\n", "value"),
        (lambda number: f"{number},nan\n", "missing"),
        (lambda number: f"{number + MANY},1\n", "ids"),
        (lambda _: "0,1\n", "duplicate"),
    ],
)
def test_a_hopeless_file_is_left_early_and_says_so(row, code):
    ids = Ids.of(range(MANY))
    text = "id,x\n" + "".join(map(row, range(MANY)))
    start = time.process_time()
    found = refusal(text, ids=ids)
    assert time.process_time() - start < 6
    assert found.code == code
    assert "lines were looked at." in found.sentence
    assert "missing:" not in found.sentence or code == "missing"
    assert MOST_FAULTS < found.problems[0].count < MOST_FAULTS + 40_000


def test_blank_rows_of_all_line_ends_do_not_make_a_file():
    ids = Ids.of(range(10))
    found = refusal("id,x\n1,1\n" + "\r" * 60_000 + "\n", ids=ids)
    assert found.code == "rows"
    assert np.all(found.problems[0].count > 50_000)


def test_letters_with_thousands_of_marks_cost_nothing():
    marked = "e" + "\u0301\u0323" * 30_000
    text = "id,x\n" + "".join(f"{marked},{marked}\n" for _ in range(200))
    task = Task("id", ("x",), "label", "str", classes=("0", "1"))
    start = time.process_time()
    found = refusal(text, task, Ids.of(["1", "2"]))
    assert time.process_time() - start < 4
    assert found.problems[0].count == 202  # 200 unknown, 2 missing
