"""Files made to waste time or memory are refused in under a second and 200 MB."""

import gzip
import io
import json
import stat
import struct
import subprocess
import sys
import zipfile
import zlib

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

MIB = 1 << 20
# A process that reads every file in a child of its own, forked when all is loaded. Times are of
# the processor, so that a busy machine changes little.
PROBE = """
import json, os, pathlib, sys, time
import pyarrow.parquet
from scoring import Refused, Task, read
from scoring.ids import Ids

def peak():
    status = pathlib.Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in status if line.startswith("VmHWM")).split()[1]) / 1024

label = Task("id", ("label",), "label", classes=("0", "1"))
text = Task("id", ("label",), "text")
ids = Ids.of(list(range(1, 13)))
for path in map(pathlib.Path, sys.argv[1:]):
    if os.fork():
        os.wait()
        continue
    before, start = peak(), time.process_time()
    try:
        read(path, text if "text" in path.name else label, ids, name="mine.csv")
        code, length = "accepted", 0
    except Refused as refusal:
        code, length = refusal.code, len(refusal.sentence)
    answer = [path.name, code, length, time.process_time() - start, peak() - before]
    print(json.dumps(answer), flush=True)
    os._exit(0)
"""


def zipped(*members: tuple[str, bytes], **options) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, **options) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return out.getvalue()


def link() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        entry = zipfile.ZipInfo("mine.csv")
        entry.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(entry, "/etc/passwd")
    return out.getvalue()


def lzma_zip() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("mine.csv", b"id,label\n")
    return out.getvalue()


def lying_zip() -> bytes:
    """A member that claims to be small and unpacks to 10 MiB."""
    data = bytearray(zipped(("mine.csv", b"0" * (10 * MIB))))
    for magic, at in ((b"PK\x01\x02", 24), (b"PK\x03\x04", 22)):
        place = data.index(magic) + at
        data[place : place + 4] = struct.pack("<I", 100)
    return bytes(data)


def parquet(table: pa.Table, **options) -> bytes:
    out = io.BytesIO()
    pq.write_table(table, out, **options)
    return out.getvalue()


def ids_and(values, **options) -> bytes:
    return parquet(pa.table({"id": list(range(1, 13)), "label": values}), **options)


def deep_parquet() -> bytes:
    """A footer that describes fifty thousand groups, each inside the one before."""
    element = b"\x48\x01a\x15\x02\x00"  # name 'a', one child
    count = 50_000
    size = bytearray()
    while count >= 0x80:
        size.append(count & 0x7F | 0x80)
        count >>= 7
    size.append(count)
    meta = b"\x15\x02\x19\xfc" + bytes(size) + element * 50_000 + b"\x16\x18\x19\x0c\x00"
    return b"PAR1" + meta + len(meta).to_bytes(4, "little") + b"PAR1"


def lying_parquet() -> bytes:
    """A page whose header claims two gigabytes."""
    data = bytearray(ids_and(["0"] * 12, compression="snappy", use_dictionary=False))
    # The first page header: type 0, then the size when unpacked as a zigzag varint.
    assert data[4:7] == b"\x15\x00\x15"
    place = 7
    while data[place] & 0x80:
        place += 1
    return bytes(data[:7]) + b"\xfe\xff\xff\xff\x0f" + bytes(data[place + 1 :])


def many_rows_parquet() -> bytes:
    rows = 3_000_000
    table = pa.table({"id": pa.array([1]).take(pa.array([0] * rows)), "label": pa.nulls(rows)})
    return parquet(table)


ROWS = b"".join(b"%d,0\n" % number for number in range(1, 13))
HOSTILE = {
    "a zip bomb": (lambda: zipped(("mine.csv", b"0" * (80 * MIB))), "too_large"),
    "a zip that lies about its size": (lying_zip, "bad_archive too_large"),
    "a zip in a zip": (lambda: zipped(("mine.csv", zipped(("a.csv", ROWS)))), "bad_archive"),
    "a gzip in a zip": (lambda: zipped(("mine.csv", gzip.compress(ROWS))), "bad_archive"),
    "a gzip in a gzip": (lambda: gzip.compress(gzip.compress(ROWS)), "bad_archive"),
    "two tables in a zip": (lambda: zipped(("a.csv", ROWS), ("b.csv", ROWS)), "bad_archive"),
    "many files in a zip": (
        lambda: zipped(*((f"{number}.csv", b"") for number in range(20_000))),
        "bad_archive",
    ),
    "a link in a zip": (link, "bad_archive"),
    "an unusual method in a zip": (lzma_zip, "bad_archive"),
    "a gzip bomb": (lambda: gzip.compress(b"0" * (80 * MIB)), "too_large"),
    "a gzip bomb of many parts": (lambda: gzip.compress(b"0" * (10 * MIB)) * 30, "too_large"),
    "a gzip of a million empty parts": (lambda: gzip.compress(b"") * 1_000_000, "bad_archive"),
    "garbage after a gzip": (lambda: gzip.compress(ROWS) + b"garbage", "bad_archive"),
    "a million columns": (
        lambda: b",".join(b"c%d" % number for number in range(1_000_000)) + b"\n",
        "too_large",
    ),
    "ten thousand columns": (
        lambda: b",".join(b"c%d" % number for number in range(10_000)) + b"\n1\n",
        "header",
    ),
    "one column ten thousand times": (lambda: b"id," * 10_000 + b"label\n", "header"),
    "one line of 60 MiB": (lambda: b"id,label\n1," + b"0" * (60 * MIB), "too_large"),
    "a number of 100,000 digits": (
        lambda: b"id,label\n1," + b"0" * 100_000 + b"x\n" + ROWS,
        "value duplicate",
    ),
    "an id of 100,000 digits": (
        lambda: b"id,label\n" + b"1" * 100_000 + b",0\n" + ROWS,
        "ids",
    ),
    "a quotation mark that swallows the file": (
        lambda: b'id,label\n1,"' + b"2,0\n" * (10 * MIB),
        "too_large quoting",
    ),
    "quotation marks only": (lambda: b"id,label\n" + b'"' * (MIB // 16), "quoting ids fields"),
    "sixteen million rows": (lambda: b"id,label\n" + b"1,0\n" * (15 * MIB), "rows duplicate"),
    "thirty million empty rows": (lambda: b"id,label\n" + b",\n" * (30 * MIB), "rows"),
    "sixty million blank lines": (lambda: b"id,label\n" + b"\n" * (60 * MIB), "rows"),
    "blank lines before the header": (lambda: b"\n" * (60 * MIB) + b"id,label\n" + ROWS, "header"),
    "fifteen million short rows": (lambda: b"id,label\n" + b"1,x\n" * (15 * MIB), "rows duplicate"),
    "rows of many fields": (lambda: b"id,label\n" + (b"," * 60_000 + b"\n") * 1000, "rows fields"),
    "letters with accents": (
        lambda: b"id,label\n" + "é".encode() * (30 * MIB),
        "too_large",
    ),
    "UTF-16 bomb": (
        lambda: gzip.compress(("id,label\n" + "€\n" * (10 * MIB)).encode("utf-16")),
        "fields",
    ),
    "zlib noise": (lambda: b"\x1f\x8b\x08" + zlib.compress(b"0" * MIB), "bad_archive"),
    "parquet that claims a page of gigabytes": (lying_parquet, "not_csv too_large"),
    "deep parquet": (deep_parquet, "not_csv"),
    "parquet of many rows": (many_rows_parquet, "rows"),
    "parquet with one long text": (
        lambda: ids_and(["x" * (40 * MIB)] + ["0"] * 11, compression="zstd"),
        "too_large",
    ),
    "parquet with a long text many times": (
        lambda: ids_and(["x" * (10 * MIB)] * 12, compression="zstd"),
        "too_large",
    ),
    "parquet with lists": (lambda: ids_and([[0.5]] * 12), "not_csv"),
    "parquet with times": (lambda: ids_and(pa.array([0] * 12, pa.timestamp("ms"))), "header"),
    "parquet with many columns": (
        lambda: parquet(pa.table({f"c{number}": [1] for number in range(3000)})),
        "not_csv",
    ),
    "parquet with a column twice": (
        lambda: parquet(pa.table([pa.array([1])] * 3, names=["id", "label", "label"])),
        "header",
    ),
}


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory) -> dict[str, list]:
    """What became of each file: code, length of the sentence, seconds, MiB."""
    folder = tmp_path_factory.mktemp("hostile")
    paths = [folder / name for name in HOSTILE]
    for path in paths:
        path.write_bytes(HOSTILE[path.name][0]())
    probe = subprocess.run(
        [sys.executable, "-c", PROBE, *map(str, paths)], capture_output=True, text=True, timeout=120
    )
    for path in paths:
        path.unlink()
    assert not probe.stderr
    found = map(json.loads, probe.stdout.splitlines())
    return {name: rest for name, *rest in found}


@pytest.mark.parametrize("name", HOSTILE)
def test_refused_quickly(name, outcomes):
    code, length, seconds, mib = outcomes[name]
    assert code in HOSTILE[name][1].split()
    assert 20 < length < 5000
    assert seconds < 1
    assert mib < 200
