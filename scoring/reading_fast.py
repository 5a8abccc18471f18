"""Reading typed columns in blocks; gives up at anything that is not plain.

A block is parsed, found among the ids, rounded and put in its place while it is in the cache, by
as many threads as there are processors: memory holds the predictions and a few blocks.
"""

import os
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv

from scoring.arrow_arrays import as_numpy
from scoring.canonical import normalise_in_place, round_in_place, sum_tolerance
from scoring.ids import Ids
from scoring.labels import Labels, plain_text
from scoring.reading_cells import empty_values
from scoring.reading_text import Layout
from scoring.task import Task

BLOCK = 1 << 20
_THREADS = min(4, os.cpu_count() or 1)


class GiveUp(Exception):
    """The block is not plain; the slow road will tell why, or read it all the same."""


class Filler:
    """Puts typed blocks of a file where they belong; may be called from several threads."""

    def __init__(self, task: Task, ids: Ids) -> None:
        self.task, self.ids = task, ids
        self.values = empty_values(task, ids.count)
        self.rows = 0
        self._lock = threading.Lock()
        self._labels = Labels(task)
        self._id_type = pa.int64() if ids.kind == "int" else pa.string()

    def column_types(self) -> list[pa.DataType]:
        """The types that the id and the value columns are wanted in."""
        cell = {"label": pa.dictionary(pa.int32(), pa.string()), "text": pa.string()}
        wanted = cell.get(self.task.kind, pa.float64())
        return [self._id_type, *[wanted] * len(self.task.value_columns)]

    def add(self, columns: list[pa.Array]) -> None:
        """One block: the id column and the value columns, in the types of column_types."""
        if not len(columns[0]):
            return
        if any(column.null_count for column in columns):
            raise GiveUp
        with self._lock:
            self.rows += len(columns[0])
            if self.rows > self.ids.count:
                raise GiveUp
        slots = self.ids.find(columns[0])
        if not isinstance(slots, slice) and slots.min() < 0:
            raise GiveUp
        self.values[slots] = self._cells(columns[1:])

    def finish(self) -> np.ndarray:
        """The predictions; raises GiveUp where a row is missing (so another came twice)."""
        if self.rows != self.ids.count:
            raise GiveUp
        if self.task.kind == "label":
            complete = self.values.min() >= 0
        elif self.task.kind == "text":
            complete = not any(value is None for value in self.values.tolist())
        else:
            # NaN spreads through a minimum, so this needs no array of its own.
            complete = not np.isnan(self.values.min())
        if not complete:
            raise GiveUp
        return self.values

    def _cells(self, columns: list[pa.Array]) -> np.ndarray:
        if self.task.kind == "label":
            return self._classes(columns[0])
        if self.task.kind == "text":
            return self._texts(columns[0])
        if len(columns) == 1:
            values = np.array(as_numpy(columns[0]))
        else:
            values = np.empty((len(columns[0]), len(columns)))
            for place, column in enumerate(columns):
                values[:, place] = as_numpy(column)
        if not np.isfinite(values).all():
            raise GiveUp
        round_in_place(values)
        self._check_range(values)
        if self.task.kind == "probabilities":
            sums = normalise_in_place(values)
            if np.abs(sums - 1).max() > sum_tolerance(values.shape[1]):
                raise GiveUp
        return values

    def _check_range(self, values: np.ndarray) -> None:
        low, high = self.task.low, self.task.high
        if self.task.kind != "number":
            low, high = 0.0, 1.0
        if low is not None and values.min() < low:
            raise GiveUp
        if high is not None and values.max() > high:
            raise GiveUp

    def _classes(self, column: pa.DictionaryArray) -> np.ndarray:
        found = [self._labels.exact(text) for text in column.dictionary.to_pylist()]
        if None in found:
            raise GiveUp
        return np.array(found, np.int32).take(as_numpy(column.indices))

    def _texts(self, column: pa.Array) -> np.ndarray:
        values = np.empty(len(column), object)
        values[:] = [plain_text(text) for text in column.to_pylist()]
        if not self.task.allow_empty and not all(values.tolist()):
            raise GiveUp
        return values


def read_fast(blocks: Iterable[bytes | memoryview], layout: Layout, filler: Filler) -> np.ndarray:
    """Read blocks of whole lines without quotation marks; raises GiveUp."""
    names = [str(place) for place in range(layout.width)]
    chosen = [names[place] for place in layout.columns]
    if layout.blank:
        raise GiveUp
    parse = pacsv.ParseOptions(delimiter=layout.delimiter, quote_char=False)
    convert = pacsv.ConvertOptions(
        include_columns=chosen,
        column_types=dict(zip(chosen, filler.column_types(), strict=True)),
        null_values=[],
        strings_can_be_null=False,
    )

    def take(block: bytes | memoryview) -> None:
        # Arrow reads 0x10 as 16 where a whole number is wanted.
        if filler.ids.kind == "int" and _may_hold_hex(bytes(block)):
            raise GiveUp
        options = pacsv.ReadOptions(
            column_names=names, use_threads=False, block_size=len(block) + 1
        )
        try:
            table = pacsv.read_csv(pa.BufferReader(pa.py_buffer(block)), options, parse, convert)
        except pa.ArrowException:
            raise GiveUp from None
        if not table.num_rows:
            raise GiveUp  # blank lines, perhaps millions of them
        for batch in table.to_batches():
            filler.add(batch.columns)

    _run(take, blocks)
    return filler.finish()


def _run(take, blocks: Iterable) -> None:
    """Call take on every block, a few at a time; the first GiveUp ends it."""
    blocks = iter(blocks)
    first, second = next(blocks, None), next(blocks, None)
    if first is None:
        return
    if second is None:
        take(first)
        return
    with ThreadPoolExecutor(_THREADS) as pool:
        running = deque([pool.submit(take, first), pool.submit(take, second)])
        try:
            for block in blocks:
                running.append(pool.submit(take, block))
                if len(running) > 2 * _THREADS:
                    running.popleft().result()
            while running:
                running.popleft().result()
        finally:
            for future in running:
                future.cancel()


def _may_hold_hex(block: bytes) -> bool:
    return (b"x" in block or b"X" in block) and (b"0x" in block or b"0X" in block)


def without_quotes(text: bytes, start: int, delimiter: str) -> bytes | None:
    """The text without its quotation marks, where all of them stand around whole fields.

    None where one stands elsewhere. A separator or line end between two of them changes the
    number of fields, which the parser notices.
    """
    data = np.frombuffer(text, np.uint8)
    places = np.flatnonzero(data[start:] == 0x22) + start
    if len(places) % 2:
        return None
    around = np.zeros(256, bool)
    around[[*b"\r\n", ord(delimiter)]] = True
    opening, closing = places[0::2], places[1::2] + 1
    inside = closing[closing < len(data)]
    if not around[data[opening - 1]].all() or not around[data[inside]].all():
        return None
    return text[:start] + text[start:].replace(b'"', b"")


def blocks_of(text: bytes, start: int, length: int = BLOCK) -> Iterator[memoryview]:
    """Whole lines of the text from `start`, about `length` bytes at a time."""
    view, size = memoryview(text), len(text)
    while start < size:
        stop = min(start + length, size)
        if stop < size:
            stop = text.rfind(b"\n", start, stop) + 1 or text.find(b"\n", stop) + 1 or size
        yield view[start:stop]
        start = stop


def blocks_of_file(stream: BinaryIO) -> Iterator[bytes]:
    """The same of an open file; raises GiveUp at what only whole files are checked for."""
    rest = b""
    while piece := stream.read(BLOCK):
        cut = piece.rfind(b"\n") + 1
        if b'"' in piece or b"\0" in piece or not piece.isascii() or not cut:
            raise GiveUp
        yield b"".join((rest, memoryview(piece)[:cut]))
        rest = piece[cut:]
    if rest:
        yield rest
