"""Reading an organiser's solution file into checked columns, collecting every fault on the way."""

import csv
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv

from scoring.arrow_arrays import as_numpy
from scoring.errors import BadSolution, Refused
from scoring.ids import LONGEST_ID
from scoring.labels import Labels, plain_text, trimmed
from scoring.reading_container import load, unpack
from scoring.reading_limits import Limits
from scoring.reading_parquet import parquet_texts
from scoring.reading_problems import counted, listed, quoted
from scoring.reading_text import choose_delimiter, clean_text
from scoring.task import Task

PUBLIC, PRIVATE, IGNORED = 0, 1, 2
USAGES = {"public": PUBLIC, "private": PRIVATE, "ignored": IGNORED}
SOLUTION_LIMITS = Limits(packed=1 << 31, unpacked=1 << 31)
_WHOLE = r"^-?[0-9]{1,18}$"
_NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"


@dataclass
class Solution:
    """Checked columns in file order.

    ids: pyarrow int64 or string; y: class index int32 (n,), 0/1 int32 (n,), float64 (n,) or
    (n, c), or str objects (n,); usage: int8 of PUBLIC, PRIVATE, IGNORED, or None where
    the file has no such column; weight: float64 or None. Rows that do not count hold zeros.
    """

    ids: pa.Array
    y: np.ndarray
    usage: np.ndarray | None
    weight: np.ndarray | None
    notes: list[str] = field(default_factory=list)


def read_solution(task: Task, source: bytes | Path, *, withheld: bool = False) -> Solution:
    """Read and check a solution file; raises BadSolution naming every fault.

    withheld: the labels of Private rows are not in the file and are not asked for.
    """
    table = solution_table(source)
    if table.num_rows == 0:
        raise BadSolution("The solution file has no rows.")
    return _Reader(task, table, withheld).read()


def solution_table(source: bytes | Path) -> pa.Table:
    """The file's columns as text, by name; raises BadSolution where it is no table."""
    try:
        data, _ = unpack(load(source, SOLUTION_LIMITS), "", SOLUTION_LIMITS)
        if data.startswith(b"PAR1"):
            return parquet_texts(data)
        data, _ = clean_text(data)
    except Refused as refusal:
        raise BadSolution(f"The solution file cannot be read. {refusal.sentence}") from None
    if not data.strip():
        raise BadSolution("The solution file is empty.")
    first = data.lstrip(b"\r\n").splitlines()[0].decode()
    delimiter = choose_delimiter(first, ())
    names = [trimmed(name) for name in next(csv.reader([first], delimiter=delimiter))]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise BadSolution(f"The solution's header names the column {quoted(twice[0])} twice.")
    ragged: list = []

    def note(row) -> str:
        ragged.append(row)
        return "skip"

    try:
        table = pacsv.read_csv(
            pa.BufferReader(data.lstrip(b"\r\n")),
            # In several threads the numbers of faulty rows are not known.
            pacsv.ReadOptions(column_names=names, skip_rows=1, use_threads=False),
            pacsv.ParseOptions(
                delimiter=delimiter, newlines_in_values=True, invalid_row_handler=note
            ),
            pacsv.ConvertOptions(
                column_types={name: pa.string() for name in names}, strings_can_be_null=False
            ),
        )
    except (pa.ArrowInvalid, pa.ArrowKeyError) as error:
        raise BadSolution(f"The solution file is not a table with one header: {error}.") from None
    if ragged:
        places = listed(
            (f"line {row.number} has {row.actual_columns}" for row in ragged), len(ragged)
        )
        raise BadSolution(
            f"{counted(len(ragged), 'row')} of the solution do not have {len(names)} fields: "
            f"{places}."
        )
    return table


def label_columns(task: Task, names: list[str]) -> list[str]:
    """Which columns of a solution hold its labels: one, or one for each value column.

    The task's own names, else the one column that is neither id nor Usage nor weight. Raises
    BadSolution where that is not clear.
    """
    folded = {name.casefold() for name in names}
    wanted = [task.solution_column] if task.solution_column else list(task.value_columns)
    missing = [name for name in wanted if name.casefold() not in folded]
    if not missing:
        return wanted
    known = {task.id_column.casefold(), "usage", "weight"}
    left = [name for name in names if name.casefold() not in known]
    single = task.kind == "probabilities" or len(task.value_columns) == 1
    if single and len(left) == 1 and not task.solution_column:
        return left
    raise BadSolution(
        f"The solution has no label column {listed(map(repr, missing), len(missing))} "
        f"(it has {', '.join(names)})."
    )


class _Reader:
    """Takes the columns one after the other; every fault is kept and raised at the end."""

    def __init__(self, task: Task, table: pa.Table, withheld: bool) -> None:
        self.task = task
        self.withheld = withheld
        self.faults: list[str] = []
        self.notes: list[str] = []
        self.n = table.num_rows
        self.columns: dict[str, pa.Array] = {}
        for name in table.column_names:
            column = table[name].combine_chunks()
            self.columns[name] = column
        self.names = {name.casefold(): name for name in reversed(table.column_names)}

    def read(self) -> Solution:
        ids = self._ids()
        usage = self._usage()
        counts = np.ones(self.n, bool) if usage is None else usage != IGNORED
        if self.withheld and usage is not None:
            counts &= usage != PRIVATE
        weight = self._weight(counts, usage)
        y = self._labels(counts)
        if self.faults:
            raise BadSolution(self.faults)
        assert ids is not None
        assert y is not None
        return Solution(ids, y, usage, weight, self.notes)

    def _take(self, name: str) -> pa.Array | None:
        exact = self.columns.get(name)
        if exact is None:
            exact = self.columns.get(self.names.get(name.casefold(), ""))
        return None if exact is None else pc.utf8_trim_whitespace(exact)

    def _fault(self, bad: np.ndarray, what: str, values: pa.Array | None) -> None:
        """Note a fault of some rows: 'what', with the first rows and what stands in them."""
        rows = np.flatnonzero(bad)
        if not len(rows):
            return
        shown = []
        for row in rows[:10].tolist():
            text = f" ({quoted(values[row].as_py())})" if values is not None else ""
            shown.append(f"row {row + 1}{text}")
        self.faults.append(f"{what}: {listed(shown, len(rows))}.")

    def _ids(self) -> pa.Array | None:
        texts = self._take(self.task.id_column)
        if texts is None:
            found = ", ".join(self.columns)
            self.faults.append(
                f"The solution has no column {self.task.id_column!r} (it has {found})."
            )
            return None
        if self.task.id_type == "int":
            whole = as_numpy(pc.match_substring_regex(texts, _WHOLE))
            if not whole.all():
                self._fault(
                    ~whole,
                    "The ids are declared as whole numbers (of at most 18 digits), but some are "
                    "not; declare them as text (id_type str) if that is meant",
                    texts,
                )
                return None
            ids = texts.cast(pa.int64())
        else:
            lengths = as_numpy(pc.binary_length(texts))
            self._fault(lengths == 0, "Some rows have no id", None)
            self._fault(lengths > LONGEST_ID, f"Some ids are longer than {LONGEST_ID} bytes", texts)
            zeros = as_numpy(pc.match_substring(texts, "\0"))
            self._fault(zeros, "Some ids hold a NUL", texts)
            ids = texts
        self._duplicates(ids, texts)
        return ids

    def _duplicates(self, ids: pa.Array, texts: pa.Array) -> None:
        codes = as_numpy(ids.dictionary_encode().indices)
        if codes.max(initial=0) + 1 == len(codes):
            return
        later = np.ones(len(codes), bool)
        later[np.unique(codes, return_index=True)[1]] = False
        self._fault(later, f"Duplicate ids ({int(later.sum())})", texts)

    def _usage(self) -> np.ndarray | None:
        texts = self._take("Usage")
        if texts is None:
            return None
        encoded = texts.dictionary_encode()
        names = encoded.dictionary.to_pylist()
        known = np.array([USAGES.get(name.casefold(), -1) for name in names], np.int8)
        usage = known[as_numpy(encoded.indices)]
        self._fault(usage < 0, "Usage must be Public, Private or Ignored", texts)
        for part, name in ((PUBLIC, "Public"), (PRIVATE, "Private")):
            if not (usage == part).any():
                self.faults.append(f"No row has the Usage {name}.")
        return usage

    def _weight(self, counts: np.ndarray, usage: np.ndarray | None) -> np.ndarray | None:
        if "weight" not in self.names or self.names["weight"] in self.task.columns:
            return None
        texts = self._take("weight")
        weight, good = self._numbers(texts)
        self._fault(~good & counts, "A weight must be a finite number", texts)
        self._fault(good & counts & (weight < 0), "A weight must not be negative", texts)
        for part, name in ((PUBLIC, "Public"), (PRIVATE, "Private")):
            rows = counts if usage is None else counts & (usage == part)
            if rows.any() and good[rows].all() and not weight[rows].sum() > 0:
                self.faults.append(f"The weights of the {name} rows are all 0.")
        return weight

    def _labels(self, counts: np.ndarray) -> np.ndarray | None:
        try:
            names = label_columns(self.task, list(self.columns))
        except BadSolution as error:
            self.faults += error.problems
            return None
        texts = [self._take(name) for name in names]
        kind = self.task.kind
        if kind == "text":
            raw = self.columns.get(names[0], texts[0])
            if not self.task.allow_empty:
                empty = as_numpy(pc.binary_length(texts[0])) == 0
                self._fault(empty & counts, f"Some rows have no label in {names[0]!r}", None)
            values = np.empty(self.n, object)
            values[:] = list(map(plain_text, raw.to_pylist()))
            return values
        if kind == "number":
            return self._targets(names, texts, counts)
        if kind == "probabilities" and len(names) > 1:
            return self._one_hot(texts, counts)
        return self._classes(names[0], texts[0], counts)

    def _classes(self, name: str, texts: pa.Array, counts: np.ndarray) -> np.ndarray:
        labels = Labels(self.task)
        encoded = texts.dictionary_encode()
        found = [labels.find(text)[0] for text in encoded.dictionary.to_pylist()]
        known = np.array([-1 if place is None else place for place in found], np.int32)
        y = known[as_numpy(encoded.indices)]
        empty = as_numpy(pc.binary_length(texts)) == 0
        self._fault(counts & empty & (y < 0), f"Some rows have no label in {name!r}", None)
        allowed = listed(map(repr, labels.names), len(labels.names))
        self._fault(
            counts & ~empty & (y < 0), f"Labels in {name!r} that are none of {allowed}", texts
        )
        return np.where(counts, y, 0).astype(np.int32)

    def _one_hot(self, texts: list[pa.Array], counts: np.ndarray) -> np.ndarray:
        matrix = np.column_stack([self._numbers(column)[0] for column in texts])
        good = ((matrix == 0) | (matrix == 1)).all(axis=1) & (matrix.sum(axis=1) == 1)
        self._fault(counts & ~good, "Rows without exactly one 1 among zeros", None)
        return np.where(counts, matrix.argmax(axis=1), 0).astype(np.int32)

    def _targets(self, names: list[str], texts: list[pa.Array], counts: np.ndarray) -> np.ndarray:
        columns = []
        for name, column in zip(names, texts, strict=True):
            values, good = self._numbers(column)
            empty = as_numpy(pc.binary_length(column)) == 0
            self._fault(counts & empty, f"Some rows have no label in {name!r}", None)
            self._fault(
                counts & ~empty & ~good, f"Values in {name!r} that are not finite numbers", column
            )
            columns.append(np.where(counts, values, 0.0))
        return columns[0] if len(columns) == 1 else np.column_stack(columns)

    def _numbers(self, texts: pa.Array) -> tuple[np.ndarray, np.ndarray]:
        """The texts as float64, and which of them are finite numbers; 0 for the others."""
        written = pc.match_substring_regex(texts, _NUMBER)
        plain = pc.if_else(
            written, pc.replace_substring_regex(texts, r"^\+", ""), pa.nulls(self.n, pa.string())
        )
        try:
            # Nulls hold anything in their places; they are masked below.
            values = np.frombuffer(plain.cast(pa.float64()).buffers()[1], np.float64, self.n)
        except pa.ArrowInvalid:  # a number beyond the range of a double
            values = np.array([float(text or 0) for text in plain.to_pylist()])
        good = as_numpy(written) & np.isfinite(values)
        return np.where(good, values, 0.0), good
