"""Ten thousand damaged files: each is refused or read as finite numbers, quickly, never a crash."""

import gzip
import io
import random
import time
import zipfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from scoring.errors import REFUSAL_CODES, Refused
from scoring.reading import Limits, read
from tests.scoring.reading.test_awkward import CASES, FOLDER, TASKS, ids_of

FILES = 10_000
LIMITS = Limits(packed=1 << 20, unpacked=1 << 20)
PIECES = [b'"', b",", b"\n", b"\r", b"\0", b"nan", b"inf", b"1e999", b"-", b"\xff\xfe", b";", b"id"]
PIECES += ["−".encode(), b"0x1", b"1_0", b"PK\x03\x04", b"\x1f\x8b", b"PAR1", b"\x1a", b"9" * 400]


def seeds() -> list[tuple[str, bytes]]:
    """The small awkward files, and good ones packed in every way."""
    found = []
    for case in CASES:
        data = (FOLDER / "files" / case["file"]).read_bytes()
        if len(data) < 4000:
            found.append((case["task"], data))
    for name in TASKS:
        data = (FOLDER / "files" / f"clean_{name}.csv").read_bytes()
        whole = io.BytesIO()
        with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("mine.csv", data)
        header, *lines = data.decode().splitlines()
        columns = list(zip(*(line.split(",") for line in lines), strict=True))
        table = pa.table(dict(zip(header.split(","), map(list, columns), strict=True)))
        for types in (None, (pa.int64(), *[pa.float64()] * (len(columns) - 1))):
            if types and name not in ("prob", "mass", "multi"):
                continue
            if types:
                cast = [one.cast(kind) for one, kind in zip(table.columns, types, strict=True)]
                table = pa.table(cast, names=table.column_names)
            out = io.BytesIO()
            pq.write_table(table, out)
            found += [(name, out.getvalue())] * 6
        found += [(name, gzip.compress(data))] * 4 + [(name, whole.getvalue())] * 4
        found += [(name, data)] * 6
    return found


def mutated(data: bytes, draw: random.Random) -> bytes:
    kept = bytearray(data)
    for _ in range(draw.choice([1, 1, 2, 3, 8])):
        at = draw.randrange(len(kept) + 1)
        match draw.randrange(6):
            case 0 if at < len(kept):
                kept[at] ^= 1 << draw.randrange(8)
            case 1:
                kept[at:at] = draw.choice(PIECES)
            case 2:
                del kept[at : at + draw.choice([1, 2, 20])]
            case 3:
                kept[at:at] = kept[draw.randrange(len(kept) + 1) :][:40]
            case 4 if at < len(kept):
                kept[at] = draw.choice([0, 0x7F, 0x80, 0xFF])
            case 5:
                del kept[at + len(kept) // 2 :]
    return bytes(kept)


def test_ten_thousand_damaged_files():
    draw = random.Random(11)
    files = seeds()
    indexes = {name: ids_of(name) for name in TASKS}
    slowest, accepted = 0.0, 0
    for _ in range(FILES):
        name, data = draw.choice(files)
        task = TASKS[name][0]
        data = mutated(data, draw)
        start = time.thread_time()
        found = outcome(data, task, indexes[name])
        slowest = max(slowest, time.thread_time() - start)
        if isinstance(found, Refused):
            assert found.code in REFUSAL_CODES
            assert found.sentence
            assert found.problems
        else:
            accepted += 1
            check(task, found.values)
    assert slowest < 1
    assert 300 < accepted < FILES


def outcome(data: bytes, task, ids):
    try:
        return read(data, task, ids, name="mine.csv", limits=LIMITS)
    except Refused as refusal:
        return refusal


def check(task, values) -> None:
    if task.kind == "label":
        assert values.min() >= 0
        assert values.max() < len(task.classes)
    elif task.kind == "text":
        assert all(isinstance(value, str) for value in values)
    else:
        assert np.isfinite(values).all()
        if task.kind != "number":
            assert values.min() >= 0
            assert values.max() <= 1 + 1e-9
