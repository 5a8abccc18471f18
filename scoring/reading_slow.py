"""Reading row by row: forgives what is odd but clear, and explains what is wrong.

Slower than the fast road by a factor, and the only one that refuses. It works in chunks of rows
whose columns are converted together, and looks at single cells only where that fails.
"""

import re
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from scoring.errors import Problem, Refused
from scoring.ids import UNKNOWN, Ids
from scoring.labels import plain_whole, trimmed
from scoring.reading_cells import CellReader, empty_values
from scoring.reading_problems import SHOWN, Problems, counted, listed, quoted
from scoring.reading_text import Layout
from scoring.task import Task

CHUNK = 16384
MOST_CELLS = 1 << 19
# A row with more cells than this beyond the header's is not looked at cell by cell.
SPARE_CELLS = 100
# Rows beyond twice the wanted number teach nobody anything more.
SPARE_ROWS = 10_000
_PLAIN_IDS = re.compile(r"(?:-?[0-9]{1,18}+\n)*+")
_MANGLED = re.compile(r"[0-9](?:[.,][0-9]+)?E\+?[0-9]{2,}|[0-9]{1,2}[-.][A-Za-z]{3}", re.I)

Chunk = tuple[list[list[str]], Sequence[int]]


class SlowReader:
    """Takes rows, keeps predictions in the order of the ids, and gathers problems."""

    def __init__(self, task: Task, ids: Ids, layout: Layout, place: str = "line") -> None:
        self.task, self.ids, self.layout = task, ids, layout
        self.problems = Problems(place)
        self.place = place
        self.notices: list[str] = []
        self.rows = 0
        self.lines = np.zeros(ids.count, np.int64)
        self.values = empty_values(task, ids.count)
        self.cells = CellReader(task, self.problems)
        self._counts = dict.fromkeys(("decimal ids", "trailing", "blank"), 0)
        self._misshapen: list[tuple[int, int]] = []
        self._misshapen_count = 0
        self._duplicates: list[tuple[str, int, int]] = []
        self._duplicate_count = 0
        self._unknown: list[tuple[str, int]] = []
        self._unknown_count = 0
        self._no_id_lines: list[int] = []

    def read(self, chunks: Iterable[Chunk], total: Callable[[], int]) -> None:
        """Read all rows; raises Refused with every problem of the file.

        chunks: rows of text and their line numbers. total: number of rows in the whole file,
        asked for only where it is absurd.
        """
        most = 2 * self.ids.count + SPARE_ROWS
        looked = 0
        for rows, lines in chunks:
            looked += max(len(rows), sum(map(len, rows)) // (self.layout.width + SPARE_CELLS))
            self._chunk(rows, lines)
            if looked > most:
                count = total()
                self.problems.add(
                    Problem(
                        "rows",
                        f"The file has {count} rows; {self.ids.count} expected. Only the first "
                        f"{lines[-1]} lines were looked at.",
                        count=count - self.ids.count,
                    )
                )
                break
        self._conclude()
        if self.problems:
            raise self.problems.refusal()
        self._say_notices()

    def _chunk(self, rows: list[list[str]], lines: Sequence[int]) -> None:
        at = self.layout.columns[0]
        slots = None
        if set(map(len, rows)) == {self.layout.width} and not self.layout.blank:
            slots = self._find([row[at] for row in rows])
        # A row that repeats the header or is all blank has no id that is known.
        if slots is None or slots.min() < 0:
            rows, lines = self._shaped(rows, lines)
            if not rows:
                return
            slots = self._find([row[at] for row in rows])
        self.rows += len(rows)
        columns = list(zip(*rows, strict=True))
        if self._new(slots):
            self.lines[slots] = lines
        else:
            slots = self._note_ids(slots, list(columns[at]), lines)
        cells = [list(columns[place]) for place in self.layout.columns[1:]]
        good, found = self.cells.read(cells, lines)
        keep = (slots >= 0) & good
        target = slots[keep]
        self.values[target] = found[keep]

    def _shaped(self, rows: list[list[str]], lines: Sequence[int]) -> Chunk:
        """Rows that have the header's width; says what is wrong with the others."""
        width, kept, kept_lines = self.layout.width, [], []
        header = [name.casefold() for name in self.layout.names]
        for row, line in zip(rows, lines, strict=True):
            if len(row) <= width + SPARE_CELLS and not any(map(trimmed, row)):
                self._counts["blank"] += len(row) > 1
                continue
            if width < len(row) <= width + SPARE_CELLS and not any(map(trimmed, row[width:])):
                self._counts["trailing"] += 1
                row = row[:width]
            if len(row) != width:
                self._misshapen_count += 1
                if len(self._misshapen) < SHOWN:
                    self._misshapen.append((line, len(row)))
                continue
            if [trimmed(cell).casefold() for cell in row] == header:
                self._repeated(line)
                continue
            filled = [row[place] for place in self.layout.blank if trimmed(row[place])]
            if filled:
                self.problems.cell(
                    "value", "A column without a name holds something", line, quoted(filled[0])
                )
            elif self.layout.blank:
                self._counts["trailing"] += 1
            kept.append(row)
            kept_lines.append(line)
        return kept, kept_lines

    def _repeated(self, line: int) -> None:
        if not self.problems.has("rows"):
            where = self.place.capitalize()
            message = f"{where} {line} repeats the header: two files seem to have been joined."
            self.problems.add(Problem("rows", message, line, (line,)))

    def _find(self, texts: list[str]) -> np.ndarray:
        """Rows of the ids as written; UNKNOWN where there is none, or it needs a closer look."""
        if self.ids.kind == "str":
            return self.ids.find_texts(texts)
        if _PLAIN_IDS.fullmatch("\n".join(texts) + "\n"):
            found = self.ids.find_ints(np.array(list(map(int, texts)), np.int64))
        else:
            return np.full(len(texts), UNKNOWN, np.int64)
        if isinstance(found, slice):
            return np.arange(found.start, found.stop)
        return found.astype(np.int64)

    def _new(self, slots: np.ndarray) -> bool:
        """Whether all these rows are known and none has been seen before."""
        if (slots < 0).any() or self.lines[slots].any():
            return False
        ordered = np.sort(slots)
        return not (ordered[1:] == ordered[:-1]).any()

    def _note_ids(self, slots: np.ndarray, texts: list[str], lines: Sequence[int]) -> np.ndarray:
        """Look at ids one by one; marks unknown and repeated ones as UNKNOWN."""
        found = slots.tolist()
        odd = [at for at, slot in enumerate(found) if slot < 0]
        if odd:
            for at, slot in zip(odd, self._find_odd([texts[at] for at in odd]), strict=True):
                found[at] = slot
        for at, slot in enumerate(found):
            line = lines[at]
            if slot < 0:
                self._unknown_count += 1
                if len(self._unknown) < SHOWN:
                    self._unknown.append((trimmed(texts[at]), line))
                if not trimmed(texts[at]) and len(self._no_id_lines) < SHOWN:
                    self._no_id_lines.append(line)
                continue
            before = int(self.lines[slot])
            if before:
                self._duplicate_count += 1
                if len(self._duplicates) < SHOWN:
                    self._duplicates.append((trimmed(texts[at]), line, before))
                found[at] = UNKNOWN
            else:
                self.lines[slot] = line
        return np.array(found, np.int64)

    def _find_odd(self, texts: list[str]) -> list[int]:
        """Rows of ids with blanks around them or, for whole numbers, with a point or exponent."""
        plain = [trimmed(text) for text in texts]
        if self.ids.kind == "str":
            return self.ids.find_texts(plain).tolist()
        wholes = [None if text.startswith("+") else plain_whole(text) for text in plain]
        numbers = [int(whole) if whole and len(whole) <= 19 else None for whole in wholes]
        usable = [abs(one) < 1 << 63 if one is not None else False for one in numbers]
        block = np.array(
            [one if ok else 0 for one, ok in zip(numbers, usable, strict=True)], np.int64
        )
        found = self.ids.find_ints(block)
        slots = range(found.start, found.stop) if isinstance(found, slice) else found.tolist()
        answer = [slot if ok else UNKNOWN for slot, ok in zip(slots, usable, strict=True)]
        for text, slot in zip(plain, answer, strict=True):
            if slot >= 0 and not text.lstrip("-").isdigit():
                self._counts["decimal ids"] += 1
        return answer

    def _conclude(self) -> None:
        if self._misshapen_count:
            # With fields in the wrong places, whatever else was found may be wrong too.
            raise self._fields_refusal()
        if not self.rows:
            message = f"The file has a header but no rows; {self.ids.count} expected."
            self.problems.add(Problem("rows", message))
            return
        self.cells.conclude(self.layout.delimiter)
        if self._duplicate_count:
            shown = (
                f"id {quoted(text)} on {self.place} {line} was already on {self.place} {before}"
                for text, line, before in self._duplicates
            )
            message = f"Duplicate ids ({self._duplicate_count}): "
            lines = tuple(line for _, line, _ in self._duplicates)
            message += listed(shown, self._duplicate_count) + "."
            self.problems.add(Problem("duplicate", message, lines[0], lines, self._duplicate_count))
        self._conclude_ids()

    def _conclude_ids(self) -> None:
        missing = np.flatnonzero(self.lines == 0)
        if not self._unknown_count and not len(missing):
            return
        parts = []
        if self._unknown_count:
            shown = listed((quoted(text) for text, _ in self._unknown), self._unknown_count)
            parts.append(
                f"{counted(self._unknown_count, 'unknown id')}: {shown} "
                f"(first on {self.place} {self._unknown[0][1]})"
            )
        if len(missing):
            shown = listed(map(quoted, self.ids.texts(missing[:SHOWN])), len(missing))
            parts.append(f"{counted(len(missing), 'id')} missing: {shown}")
        message = "; ".join(parts) + "."
        if self._no_id_lines:
            shown = listed((f"{self.place} {line}" for line in self._no_id_lines), 0)
            message += f" Some rows have no id ({shown})."
        message += self._ids_hint(missing)
        lines = tuple(line for _, line in self._unknown)
        first = lines[0] if lines else None
        count = self._unknown_count + len(missing)
        self.problems.add(Problem("ids", message, first, lines, count))

    def _ids_hint(self, missing: np.ndarray) -> str:
        """A cure where the unknown ids look like known ones that a program has changed."""
        unknown = [text for text, _ in self._unknown]
        mangled = next((text for text in unknown if _MANGLED.fullmatch(text)), None)
        wanted = self.ids.texts(missing[:1000])
        bare = {text.lstrip("0") for text in wanted if text.startswith("0")}
        shortened = next((text for text in unknown if text in bare), None)
        changed = mangled or shortened
        if changed:
            return (
                f" Some look changed by a spreadsheet program ({changed[:40]}): do not open the "
                "file in Excel before you upload it; with pandas read ids with dtype=str."
            )
        starts = {text[:14] for text in wanted if len(text) >= 16}
        if any(len(text) >= 16 and text[:14] in starts for text in unknown):
            return (
                " The last digits of some look rounded, as when long ids pass through floating "
                "point: read ids with dtype=str."
            )
        return ""

    def _fields_refusal(self) -> Refused:
        line, width = self._misshapen[0]
        where = self.place.capitalize()
        message = f"{where} {line} has {counted(width, 'field')}, the header has "
        message += f"{self.layout.width}."
        if self._misshapen_count > 1:
            others = listed(
                (f"{self.place} {other} has {fields}" for other, fields in self._misshapen[1:]),
                self._misshapen_count - 1,
            )
            message += f" So it is with {self._misshapen_count} rows: {others}."
        numeric = self.task.kind in ("probability", "probabilities", "number")
        if numeric and width > self.layout.width and self.layout.delimiter == ",":
            message += (
                " Perhaps the numbers have decimal commas (0,25) or commas between thousands "
                "(3,700.5): write 0.25 and 3700.5."
            )
        elif width > self.layout.width:
            message += " Put quotation marks around a value that holds the separator."
        lines = tuple(line for line, _ in self._misshapen)
        problem = Problem("fields", message, line, lines, self._misshapen_count)
        return Refused("fields", message, [problem])

    def _say_notices(self) -> None:
        counts = self._counts | self.cells.counts
        name = quoted(self.task.value_columns[0])
        sentences = {
            "trailing": "Empty columns at the end of the lines were ignored.",
            "blank": f"{counted(counts['blank'], 'row')} with nothing but separators were ignored.",
            "decimal ids": f"{counted(counts['decimal ids'], 'id')} written as numbers with a "
            "decimal point or exponent (1.0) were read as whole numbers.",
            "comma": "Decimal commas were read as decimal points.",
            "truth": "TRUE and FALSE were read as 1 and 0.",
            "number": f"{counted(counts['number'], 'value')} of {name} written another way (1.0, "
            "01) were read as the label with the same number.",
            "case": f"{counted(counts['case'], 'label')} differed from the allowed ones only in "
            "upper and lower case.",
        }
        self.notices += [sentence for key, sentence in sentences.items() if counts[key]]
