"""Reading typed columns in blocks; gives up at anything that is not plain.

A block is parsed, found among the ids, rounded and put in its place while it is in the cache, by
as many threads as there are processors: memory holds the predictions and a few blocks.
"""

import threading
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv

from scoring.arrow_arrays import as_numpy
from scoring.canonical import normalise_in_place, round_into, rounded, sum_tolerance
from scoring.ids import Ids
from scoring.labels import Labels, plain_text
from scoring.reading_blocks import Block, FileBlocks, GiveUp, blocks_of, without_quotes
from scoring.reading_cells import divided_notice, empty_values, far_from_one
from scoring.reading_limits import Limits
from scoring.reading_text import Layout
from scoring.task import Task
from scoring.threads import spread

# So many cells and what is made of them on the way stay in the cache; less work than this at a
# time, and threads would mostly wait for one another between numpy's steps.
CELLS, MOST_ROWS = 1 << 17, 1 << 15


class Filler:
    """Puts typed blocks of a file where they belong; may be called from several threads."""

    def __init__(self, task: Task, ids: Ids) -> None:
        self.task, self.ids = task, ids
        self.values = empty_values(task, ids.count)
        self.rows = 0
        self._seen = np.zeros(ids.count, bool)
        # Rows of probabilities that were divided by their sum.
        self._divided = 0
        self._lock, self._own = threading.Lock(), threading.local()
        self._step = min(max(CELLS // len(task.value_columns), 1), MOST_ROWS)
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
        cells = self._cells(columns[1:])
        for start in range(0, len(columns[0]), self._step):
            slots = self.ids.find(columns[0].slice(start, self._step))
            if not isinstance(slots, slice) and slots.min() < 0:
                raise GiveUp
            self._put(slots, [cell[start : start + self._step] for cell in cells])
            self._seen[slots] = True

    def finish(self) -> np.ndarray:
        """The predictions; raises GiveUp where a row is missing (so another came twice)."""
        if self.rows != self.ids.count or not self._seen.all():
            raise GiveUp
        return self.values

    def notices(self) -> list[str]:
        """What a participant is told about predictions that were accepted."""
        return [divided_notice(self._divided)] if self._divided else []

    def _cells(self, columns: list[pa.Array]) -> list[np.ndarray]:
        if self.task.kind == "label":
            return [self._classes(columns[0])]
        if self.task.kind == "text":
            return [self._texts(columns[0])]
        return list(map(as_numpy, columns))

    def _put(self, slots: np.ndarray | slice, cells: list[np.ndarray]) -> None:
        """Put cells in their rows, numbers rounded, changing nothing outside these."""
        if self.task.kind in ("label", "text"):
            self.values[slots] = cells[0]
            return
        least = min(map(self._least, cells))
        in_order = isinstance(slots, slice)
        if len(cells) == 1:
            target = self.values[slots] if in_order else self._room(len(cells[0]))[0, 0]
            round_into(cells[0], target, least)
            if not in_order:
                self.values[slots] = target
            return
        # Column by column is how the parser has them, and how numpy is fastest.
        block, turned = self._room(len(cells[0]))
        np.stack(cells, out=block)
        round_into(block.reshape(-1), block.reshape(-1), least)
        if self.task.kind == "probabilities":
            self._normalise(block.T)
        if in_order:
            self.values[slots] = block.T
            return
        rows = turned.reshape(len(cells[0]), len(cells))
        np.copyto(rows, block.T)
        _as_wholes(self.values)[slots] = _as_wholes(rows)

    def _room(self, count: int) -> np.ndarray:
        """Room for so many rows, twice: (2, c, count), used again for the next in a thread."""
        columns = len(self.task.value_columns)
        room = getattr(self._own, "room", None)
        if room is None:
            room = self._own.room = np.empty(2 * columns * self._step)
        return room[: 2 * columns * count].reshape(2, columns, count)

    def _least(self, values: np.ndarray) -> float:
        """The least of the values; raises GiveUp where one is out of range or not finite."""
        least, most = float(values.min()), float(values.max())
        low, high = self.task.low, self.task.high
        if self.task.kind != "number":
            low, high = 0.0, 1.0
        # NaN is the minimum where there is one, and fails every comparison.
        if not (least > -np.inf and most < np.inf):
            raise GiveUp
        # Rounding keeps the order, so that the ends tell where all of them will lie.
        if low is not None and rounded(least) < low:
            raise GiveUp
        if high is not None and rounded(most) > high:
            raise GiveUp
        return least

    def _normalise(self, rows: np.ndarray) -> None:
        sums = normalise_in_place(rows)
        if np.abs(sums - 1).max() > sum_tolerance(rows.shape[1]):
            raise GiveUp
        divided = far_from_one(sums)
        with self._lock:
            self._divided += int(np.count_nonzero(divided))

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


def _as_wholes(rows: np.ndarray) -> np.ndarray:
    """Rows (n, c) as n elements without a type, which are moved several times faster."""
    return rows.view(np.dtype((np.void, rows.itemsize * rows.shape[1])))[:, 0]


def read_text(text: bytes, layout: Layout, task: Task, ids: Ids) -> tuple[np.ndarray, list[str]]:
    """Predictions and notices of a whole text; raises GiveUp."""
    if text.find(b'"', layout.body) >= 0:
        plain = None
        if task.kind != "text":
            plain = without_quotes(text, layout.body, layout.delimiter)
        if plain is None:
            raise GiveUp
        text = plain
    if text.find(b"\n", layout.body) < 0 <= text.find(b"\r", layout.body):
        raise GiveUp
    filler = Filler(task, ids)
    return read_fast(blocks_of(text, layout.body), layout, filler), filler.notices()


def read_file(
    descriptor: int, layout: Layout, task: Task, ids: Ids, limits: Limits
) -> tuple[np.ndarray, list[str]]:
    """The same of an open file, of which memory never holds more than some blocks."""
    numbers = ids.kind == "int" and task.kind != "label" and layout.width == len(task.columns)
    blocks = FileBlocks(descriptor, layout.body, layout.width, limits, numbers=numbers)
    filler = Filler(task, ids)
    return read_fast(range(len(blocks)), layout, filler, blocks.lines), filler.notices()


def read_fast(
    blocks: Iterable[Any],
    layout: Layout,
    filler: Filler,
    lines: Callable[[Any], Block] = tuple,
) -> np.ndarray:
    """Read blocks of whole lines without quotation marks; raises GiveUp.

    lines: gets the text of a block, in the thread that reads it.
    """
    if layout.blank:
        raise GiveUp
    names = [str(place) for place in range(layout.width)]
    chosen = [names[place] for place in layout.columns]
    parse = pacsv.ParseOptions(delimiter=layout.delimiter, quote_char=False)
    convert = pacsv.ConvertOptions(
        include_columns=chosen,
        column_types=dict(zip(chosen, filler.column_types(), strict=True)),
        null_values=[],
        strings_can_be_null=False,
    )

    def take(block: Any) -> None:
        text, start, stop = lines(block)
        if start == stop:
            return  # the end of a line that begins in the block before
        # Arrow reads 0x10 as 16 where a whole number is wanted.
        if filler.ids.kind == "int" and _may_hold_hex(text, start, stop):
            raise GiveUp
        view = memoryview(text)[start:stop]
        options = pacsv.ReadOptions(column_names=names, use_threads=False, block_size=len(view) + 1)
        try:
            table = pacsv.read_csv(pa.BufferReader(pa.py_buffer(view)), options, parse, convert)
        except pa.ArrowException:
            raise GiveUp from None
        if not table.num_rows:
            raise GiveUp  # blank lines, perhaps millions of them
        for batch in table.to_batches():
            filler.add(batch.columns)

    spread(take, blocks)
    return filler.finish()


def _may_hold_hex(text: bytes, start: int, stop: int) -> bool:
    return text.find(b"x", start, stop) >= 0 or text.find(b"X", start, stop) >= 0
