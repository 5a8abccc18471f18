"""A participant's file as predictions in the order of the ids, or the reasons against it.

Two roads lead to the same predictions. The fast one parses typed columns in blocks and gives up
at anything odd. The slow one reads rows as text, forgives what is clear, and explains the rest.
"""

import csv
import io
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from types import ModuleType

import numpy as np

from scoring.errors import Problem, Refused
from scoring.ids import Ids
from scoring.reading_blocks import BLOCK, GiveUp, blocks_of
from scoring.reading_container import is_packed, load, name_notice, unpack
from scoring.reading_limits import Limits
from scoring.reading_problems import EXCERPT_WIDTH
from scoring.reading_slow import CHUNK, MOST_CELLS, Chunk, SlowReader
from scoring.reading_text import Layout, clean_text, find_layout, refuse_long_lines
from scoring.task import Task

__all__ = ["Limits", "Predictions", "read"]
# Larger files are read in blocks, so that memory holds little but the predictions.
STREAMED = BLOCK
# Short enough that a file of hopeless rows is given up after few of them.
SMALL_BLOCK = 1 << 17
# Reading so much text row by row takes a tenth of the time that loading pyarrow does.
SMALL_FILE = 1 << 19
_small_files = count()
# Enough for a header, with as many blank lines above it as are forgiven.
HEAD = 1 << 17


@dataclass(frozen=True, eq=False)
class Predictions:
    """Canonical predictions, aligned with the ids.

    values: float64 (n,) or (n, c) rounded to 6 significant digits, int32 class index (n,) for
    labels, str objects (n,) for texts. notices: what was odd about the file but accepted.
    """

    values: np.ndarray
    notices: tuple[str, ...] = ()

    @property
    def n(self) -> int:
        return len(self.values)


def read(
    source: bytes | Path, task: Task, ids: Ids, *, name: str = "", limits: Limits | None = None
) -> Predictions:
    """Read a submission: CSV, also in .gz or a one-file .zip, or Parquet, by its first bytes.

    source: the file's bytes, or a path to them. name: the name it was sent under, for notices
    only. Returns predictions for every id. Raises Refused, naming every fault of a kind at once.
    """
    limits = limits or Limits()
    if isinstance(source, Path) and source.stat().st_size > STREAMED:
        try:
            return _read_blocks(source, task, ids, name, limits)
        except (GiveUp, Refused):
            pass  # with the whole file at hand it can be explained, or read after all
    data = load(source, limits)
    if not data:
        find_layout(b"", task, ids.count, lambda _: False)
    data, notices = unpack(data, name, limits)
    if data.startswith(b"PAR1"):
        # Loaded when needed: pyarrow's Parquet takes a cold process longer than scoring a file.
        from scoring.reading_parquet import read_parquet

        values, more = read_parquet(data, task, ids, limits)
        return Predictions(values, (*notices, *more))
    text, more = clean_text(data)
    del data
    values, last = _read_text(text, task, ids, limits)
    return Predictions(values, (*notices, *more, *last))


def _read_text(text: bytes, task: Task, ids: Ids, limits: Limits) -> tuple[np.ndarray, list[str]]:
    layout = find_layout(text, task, ids.count, lambda one: _is_id(ids, one))
    refuse_long_lines(text, limits.field)
    if not _read_without_arrow(len(text)):
        try:
            values, notices = _fast_road().read_text(text, layout, task, ids)
            return values, layout.notices + notices
        except GiveUp:
            pass
    reader = SlowReader(task, ids, layout)
    try:
        reader.read(_rows(text, layout, limits), lambda: _count_rows(text, layout))
    except Refused as refusal:
        raise _with_excerpts(refusal, text) from None
    return reader.values, layout.notices + reader.notices


def _read_blocks(path: Path, task: Task, ids: Ids, name: str, limits: Limits) -> Predictions:
    """Read a plain CSV file block by block; raises GiveUp or Refused, both meaning: not so."""
    if path.stat().st_size > min(limits.packed, limits.unpacked) or task.kind == "text":
        raise GiveUp
    with path.open("rb") as stream:
        head = stream.read(HEAD)
        if is_packed(head) or head.startswith(b"PAR1") or not head.isascii():
            raise GiveUp
        notices = name_notice(name)
        layout = find_layout(head, task, ids.count, lambda _: False)
        values, more = _fast_road().read_file(stream.fileno(), layout, task, ids, limits)
    return Predictions(values, (*notices, *layout.notices, *more))


def _fast_road() -> ModuleType:
    # Imported here: pyarrow takes longer to load than a small file to be read without it.
    from scoring import reading_fast

    return reading_fast


def _read_without_arrow(size: int) -> bool:
    """Whether a process that may read one small file only should not load pyarrow for it."""
    return size <= SMALL_FILE and "pyarrow" not in sys.modules and next(_small_files) == 0


def _is_id(ids: Ids, text: str) -> bool:
    if ids.kind == "int":
        whole = text.lstrip("-")
        return whole.isascii() and whole.isdigit() and len(whole) <= 18
    return not isinstance(found := ids.find_texts([text]), slice) and found[0] >= 0


def _count_rows(text: bytes, layout: Layout) -> int:
    ends = text.count(b"\n", layout.body)
    if text.find(b"\r", layout.body) >= 0:
        ends += text.count(b"\r", layout.body) - text.count(b"\r\n", layout.body)
    return ends + (not text.endswith((b"\n", b"\r")))


def _rows(text: bytes, layout: Layout, limits: Limits) -> Iterator[Chunk]:
    """The rows after the header with the line each begins on; raises Refused (quoting)."""
    lone_returns = text.count(b"\r") != text.count(b"\r\n")
    if lone_returns or text.find(b'"', layout.body) >= 0:
        yield from _careful_rows(text, layout, limits)
        return
    # Without quotation marks every line is a row.
    line = layout.line
    for _, start, stop in blocks_of(text, layout.body, SMALL_BLOCK):
        stream = io.StringIO(text[start:stop].decode(), newline="")
        rows = list(csv.reader(stream, delimiter=layout.delimiter))
        yield rows, range(line, line + len(rows))
        line += len(rows)


def _careful_rows(text: bytes, layout: Layout, limits: Limits) -> Iterator[Chunk]:
    """The same for fields that may run over several lines, and for all kinds of line end."""
    body = io.BytesIO(text)
    body.seek(layout.body)
    stream = io.TextIOWrapper(body, encoding="utf-8", newline="")
    # A blank before a quotation mark is skipped where the header has one too.
    reader = csv.reader(
        stream, delimiter=layout.delimiter, strict=True, skipinitialspace=layout.spaced
    )
    rows: list[list[str]] = []
    lines: list[int] = []
    line, cells = layout.line, 0
    try:
        for row in reader:
            rows.append(row)
            lines.append(line)
            cells += len(row)
            if len(rows) == CHUNK or cells > MOST_CELLS:
                yield rows, lines
                rows, lines, cells = [], [], 0
            line = layout.line + reader.line_num
    except csv.Error as error:
        raise _quoting(str(error), line, limits) from None
    if rows:
        yield rows, lines


def _quoting(error: str, line: int, limits: Limits) -> Refused:
    if "field larger" in error:
        # Long lines have been refused before, so this field runs over many of them.
        message = (
            f"A quotation mark opened on line {line} is never closed, or not within "
            f"{limits.field} characters."
        )
    elif "unexpected end" in error:
        message = f"A quotation mark opened on line {line} is never closed."
    else:
        message = (
            f"Line {line}: a quoted field is followed by other text. Inside a quoted field, write "
            'a quotation mark twice ("").'
        )
    return Refused("quoting", message, [Problem("quoting", message, line, (line,))])


def _with_excerpts(refusal: Refused, text: bytes) -> Refused:
    """Add the lines around the first place of each problem."""
    wanted = {
        near
        for problem in refusal.problems
        if problem.line
        for near in range(problem.line - 1, problem.line + 2)
    }
    if not wanted:
        return refusal
    found = {
        near: line if len(line) <= EXCERPT_WIDTH else f"{line[: EXCERPT_WIDTH - 1]}…"
        for near, line in _lines(text, wanted)
    }
    problems = [
        problem
        if not problem.line or problem.excerpt
        else replace(
            problem,
            excerpt=tuple(
                (near, found[near])
                for near in range(problem.line - 1, problem.line + 2)
                if near in found
            ),
        )
        for problem in refusal.problems
    ]
    return Refused(refusal.code, refusal.sentence, problems)


def _lines(text: bytes, wanted: set[int]) -> Iterator[tuple[int, str]]:
    """The lines with these numbers."""
    line, last = 1, max(wanted)
    returns = b"\r" in text
    for _, start, stop in blocks_of(text, 0):
        data = text[start:stop]
        if returns:
            data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        after = line + data.count(b"\n") + (not data.endswith(b"\n"))
        here = [number for number in wanted if line <= number < after]
        if here:
            pieces = data.split(b"\n")
            for number in sorted(here):
                yield number, pieces[number - line].decode(errors="replace")
        line = after
        if line > last:
            return
