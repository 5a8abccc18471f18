"""Reading row by row: forgives what is odd but clear, and explains what is wrong.

Slower than the fast road by a factor, and the only one that refuses. It works in chunks of rows
whose columns are converted together, and looks at single cells only where that fails.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from itertools import islice

import numpy as np

from scoring.errors import Problem, Refused
from scoring.ids import UNKNOWN, Ids
from scoring.labels import accented, plain_whole, same_form, trimmed
from scoring.reading_cells import CellReader, divided_notice, empty_values
from scoring.reading_problems import SHOWN, Problems, counted, listed, quoted
from scoring.reading_text import Layout
from scoring.task import Task

CHUNK = 16384
MOST_CELLS = 1 << 19
# A row with more cells than this beyond the header's is not looked at cell by cell.
SPARE_CELLS = 100
# Rows beyond twice the wanted number teach nobody anything more.
SPARE_ROWS = 10_000
# Nor do faults beyond these, which would take long to find in a wide file of nothing else.
MOST_FAULTS = 300_000
_PLAIN_IDS = re.compile(r"(?:-?[0-9]{1,18}+\n)*+")
_POINT_ZERO = re.compile(r"(?:-?[0-9]{1,18}+\.0*+\n)*+")
_SCIENTIFIC = re.compile(r"(?:-?[0-9](?:\.[0-9]*+)?[eE]\+?[0-9]{1,2}\n)*+")
_MANGLED = re.compile(r"[0-9](?:[.,][0-9]+)?E\+?[0-9]{2,}|[0-9]{1,2}[-.][A-Za-z]{3}", re.I)

Chunk = tuple[list[list[str]], Sequence[int]]


def _exact_wholes(texts: list[str]) -> list[int]:
    """Numbers written with an exponent as whole numbers; none where one is not or is too long."""
    numbers = list(map(Decimal, texts))
    wholes = list(map(int, numbers))
    small = max(map(abs, wholes)) < 1 << 63
    return wholes if small and wholes == numbers else []


class SlowReader:
    """Takes rows, keeps predictions in the order of the ids, and gathers problems."""

    def __init__(self, task: Task, ids: Ids, layout: Layout, place: str = "line") -> None:
        self.task, self.ids, self.layout = task, ids, layout
        self.problems = Problems(place)
        self.place = place
        self.notices: list[str] = []
        # Whether reading ended before the file did: rows not found may stand in the rest.
        self.partial = False
        self.rows = 0
        self.lines = np.zeros(ids.count, np.int64)
        self.values = empty_values(task, ids.count)
        self.cells = CellReader(task, self.problems)
        self._counts = dict.fromkeys(("decimal ids", "trailing", "blank"), 0)
        self._misshapen: list[tuple[int, int]] = []
        self._misshapen_count = 0
        self._beyond_id: list[str] = []
        # Whether every misshapen row has one field more than the header.
        self._row_names = True
        self._duplicates: list[tuple[str, int, int]] = []
        self._duplicate_count = 0
        self._unknown: list[tuple[str, int]] = []
        self._unknown_count = 0
        self._no_id_lines: list[int] = []

    def read(self, chunks: Iterable[Chunk], total: Callable[[], int]) -> None:
        """Read all rows; raises Refused with every problem of the file.

        chunks: rows of text and their line numbers. total: number of rows in the whole file,
        asked for only where the rest of it is not read.
        """
        most = 2 * self.ids.count + SPARE_ROWS
        looked = last = 0
        for rows, lines in chunks:
            if self._faults() > MOST_FAULTS:
                self._leave(total(), looked, last)
                break
            looked += max(len(rows), sum(map(len, rows)) // (self.layout.width + SPARE_CELLS))
            last = lines[-1]
            self._chunk(rows, lines)
            if looked > most:
                self._leave(total(), looked, last)
                break
        self._conclude()
        if self.problems:
            raise self.problems.refusal()
        self._say_notices()

    def _faults(self) -> int:
        return self.problems.cell_count + self._unknown_count + self._duplicate_count

    def _leave(self, count: int, looked: int, last: int) -> None:
        """Look at no more rows, and say so."""
        self.partial = True
        if max(count, looked) > self.ids.count:
            message = f"The file has {count} rows; {self.ids.count} expected."
            self.problems.add(Problem("rows", message, count=count - self.ids.count))
        self.problems.last_words = f"Only the first {last} {self.place}s were looked at."

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
        header = [same_form(name) for name in self.layout.names]
        blank = set(self.layout.blank)
        for row, line in zip(rows, lines, strict=True):
            if len(row) <= width + SPARE_CELLS and not any(map(trimmed, row)):
                self._counts["blank"] += len(row) > 1
                continue
            if width < len(row) <= width + SPARE_CELLS and not any(map(trimmed, row[width:])):
                self._counts["trailing"] += 1
                row = row[:width]
            elif len(row) < width and blank.issuperset(range(len(row), width)):
                row = row + [""] * (width - len(row))
            if len(row) != width:
                self._note_shape(row, line)
                continue
            if same_form(row[0]) == header[0] and [same_form(cell) for cell in row] == header:
                self._repeated(line)
                continue
            filled = [row[place] for place in blank if trimmed(row[place])]
            if filled:
                self.problems.cell(
                    "value", "A column without a name holds something", line, filled[0]
                )
            elif blank:
                self._counts["trailing"] += 1
            kept.append(row)
            kept_lines.append(line)
        return kept, kept_lines

    def _note_shape(self, row: list[str], line: int) -> None:
        self._misshapen_count += 1
        self._row_names &= len(row) == self.layout.width + 1
        if len(self._misshapen) < SHOWN:
            self._misshapen.append((line, len(row)))
            self._beyond_id += row[self.layout.columns[0] + 1 :][:1]

    def _repeated(self, line: int) -> None:
        if not self.problems.has("rows"):
            where = self.place.capitalize()
            message = f"{where} {line} repeats the header: two files seem to have been joined."
            self.problems.add(Problem("rows", message, line, (line,)))

    def _find(self, texts: list[str]) -> np.ndarray:
        """Rows of the ids as written; UNKNOWN where there is none, or it needs a closer look."""
        if self.ids.kind == "str":
            return self.ids.find_texts(texts)
        joined = "\n".join(texts) + "\n"
        wholes: Sequence[str | int] = texts
        if _PLAIN_IDS.fullmatch(joined):
            pass
        elif _POINT_ZERO.fullmatch(joined):
            wholes = [text.partition(".")[0] for text in texts]
            self._counts["decimal ids"] += len(texts)
        elif _SCIENTIFIC.fullmatch(joined) and (found := _exact_wholes(texts)):
            wholes = found
            self._counts["decimal ids"] += len(texts)
        else:
            return np.full(len(texts), UNKNOWN, np.int64)
        found = self.ids.find_ints(np.array(list(map(int, wholes)), np.int64))
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
        """Look again at unknown ids; notes and marks unknown and repeated ones as UNKNOWN."""
        odd = np.flatnonzero(slots < 0)
        if len(odd):
            slots[odd] = self._find_odd([texts[at] for at in odd.tolist()])
        unknown = np.flatnonzero(slots < 0).tolist()
        self._unknown_count += len(unknown)
        for at in unknown[: SHOWN - len(self._unknown)]:
            self._unknown.append((trimmed(texts[at]), lines[at]))
        none = (lines[at] for at in unknown if not trimmed(texts[at]))
        self._no_id_lines += islice(none, SHOWN - len(self._no_id_lines))
        known = np.flatnonzero(slots >= 0)
        first = np.zeros(len(known), bool)
        first[np.unique(slots[known], return_index=True)[1]] = True
        first &= self.lines[slots[known]] == 0
        self.lines[slots[known[first]]] = np.asarray(lines)[known[first]]
        again = known[~first]
        self._duplicate_count += len(again)
        for at in again[: SHOWN - len(self._duplicates)].tolist():
            before = int(self.lines[slots[at]])
            self._duplicates.append((trimmed(texts[at]), lines[at], before))
        slots[again] = UNKNOWN
        return slots

    def _find_odd(self, texts: list[str]) -> list[int] | np.ndarray:
        """Rows of ids with blanks around them or, for whole numbers, with a point or exponent."""
        plain = [trimmed(text) for text in texts]
        if self.ids.kind == "str":
            return self._find_texts(plain, texts)
        if _PLAIN_IDS.fullmatch("\n".join(texts) + "\n"):
            return self._find(texts)
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

    def _find_texts(self, plain: list[str], texts: list[str]) -> np.ndarray:
        """Rows of text ids without blanks around them, and in either way to write an accent."""
        found = np.full(len(plain), UNKNOWN, np.int64)
        if plain != texts:
            found = self.ids.find_texts(plain)
        for form in ("NFC", "NFD"):
            odd = [at for at in np.flatnonzero(found < 0).tolist() if not plain[at].isascii()]
            if odd:
                found[odd] = self.ids.find_texts([accented(plain[at], form) for at in odd])
        return found

    def _conclude(self) -> None:
        if self._misshapen_count:
            # With fields in the wrong places, whatever else was found may be wrong too.
            raise self._fields_refusal()
        if not self.rows and not self.partial:
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
        if not self._unknown_count and (self.partial or not len(missing)):
            return
        parts = []
        if self._unknown_count:
            shown = listed((quoted(text) for text, _ in self._unknown), self._unknown_count)
            parts.append(
                f"{counted(self._unknown_count, 'unknown id')}: {shown} "
                f"(first on {self.place} {self._unknown[0][1]})"
            )
        if len(missing) and not self.partial:
            shown = listed(map(quoted, self.ids.texts(missing[:SHOWN])), len(missing))
            parts.append(f"{counted(len(missing), 'id')} missing: {shown}")
        message = "; ".join(parts) + "."
        if self._no_id_lines:
            shown = listed((f"{self.place} {line}" for line in self._no_id_lines), 0)
            message += f" Some rows have no id ({shown})."
        message += self._ids_hint(missing)
        lines = tuple(line for _, line in self._unknown)
        first = lines[0] if lines else None
        count = self._unknown_count + (0 if self.partial else len(missing))
        self.problems.add(Problem("ids", message, first, lines, count))

    def _ids_hint(self, missing: np.ndarray) -> str:
        """A cure where the unknown ids look like known ones that a program has changed."""
        unknown = [text for text, _ in self._unknown]
        mangled = next((text for text in unknown if _MANGLED.fullmatch(text)), None)
        wanted = self.ids.texts(missing[:1000])
        numbers = {plain_whole(text) for text in wanted} - {None}
        same = next((text for text in unknown if plain_whole(text) in numbers), None)
        changed = mangled or same
        if changed:
            return (
                f" Some look changed by a spreadsheet or another program ({changed[:40]}): do not "
                "open the file in Excel before you upload it; with pandas read ids with dtype=str."
            )
        folded = {same_form(text) for text in wanted}
        if any(same_form(text) in folded for text in unknown):
            return " Some differ from the wanted ids only in upper and lower case."
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
        beyond = self._beyond_id
        shifted = self._row_names and len(set(beyond)) == len(beyond)
        if shifted and (self._find(beyond) >= 0).all():
            message += (
                " The rows seem to begin with row names that the header does not have: in R, "
                "write them with row.names = FALSE."
            )
            return self._misshapen_refusal(message)
        numeric = self.task.kind in ("probability", "probabilities", "number")
        if numeric and width > self.layout.width and self.layout.delimiter == ",":
            message += (
                " Perhaps the numbers have decimal commas (0,25) or commas between thousands "
                "(3,700.5): write 0.25 and 3700.5."
            )
        elif width > self.layout.width:
            message += " Put quotation marks around a value that holds the separator."
        return self._misshapen_refusal(message)

    def _misshapen_refusal(self, message: str) -> Refused:
        lines = tuple(line for line, _ in self._misshapen)
        problem = Problem("fields", message, lines[0], lines, self._misshapen_count)
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
            "divided": divided_notice(counts["divided"]),
            "truth": "TRUE and FALSE were read as 1 and 0.",
            "number": f"{counted(counts['number'], 'value')} of {name} written another way (1.0, "
            "01) were read as the label with the same number.",
            "case": f"{counted(counts['case'], 'label')} differed from the allowed ones only in "
            "upper and lower case.",
        }
        self.notices += [sentence for key, sentence in sentences.items() if counts[key]]
