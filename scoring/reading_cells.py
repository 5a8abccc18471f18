"""The value columns of rows read as text: forgiving what is clear, noting what is wrong."""

from collections.abc import Sequence

import numpy as np

from scoring.canonical import normalise_in_place, round_in_place, sum_tolerance
from scoring.labels import Labels, plain_text, trimmed
from scoring.reading_problems import SHOWN, Problems, listed, quoted
from scoring.reading_values import COMMA_REASON, LONGEST_NUMBER, MISSING, all_numbers, number
from scoring.task import Task

MOST_SPELLINGS = 10_000
# Sums that miss 1 by more than this are worth a word.
NOTED = 1e-4


def empty_values(task: Task, count: int) -> np.ndarray:
    """Room for predictions, holding anything."""
    if task.kind == "label":
        return np.empty(count, np.int32)
    if task.kind == "text":
        return np.empty(count, object)
    columns = len(task.value_columns)
    return np.empty(count if columns == 1 else (count, columns))


def far_from_one(sums: np.ndarray) -> np.ndarray:
    """Which rows of probabilities miss 1 by more than six digits of each can do."""
    return np.abs(sums - 1) > NOTED


def divided_notice(count: int) -> str:
    rows = "1 row" if count == 1 else f"{count} rows"
    return f"The probabilities of {rows} do not add up to 1; they were divided by their sum."


class CellReader:
    """Turns columns of text into predictions; `counts` says how often something was odd."""

    def __init__(self, task: Task, problems: Problems) -> None:
        self.task, self.problems = task, problems
        self.counts = dict.fromkeys(("case", "number", "truth", "comma", "point", "divided"), 0)
        self._labels = Labels(task)
        self._spellings: dict[str, int] = {}
        self._numbers: dict[str, tuple[float | None, str, str]] = {}
        self._commas: dict[str, list] = {}

    def read(self, cells: list[list[str]], lines: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
        """Which rows hold good values, and the values."""
        if self.task.kind == "label":
            return self._label_values(cells[0], lines)
        if self.task.kind == "text":
            return self._text_values(cells[0], lines)
        columns = [
            self._number_values(name, column, lines)
            for name, column in zip(self.task.value_columns, cells, strict=True)
        ]
        good = np.logical_and.reduce([ok for ok, _ in columns])
        if len(columns) == 1:
            return good, columns[0][1]
        matrix = np.column_stack([values for _, values in columns])
        if self.task.kind == "probabilities":
            self._check_sums(matrix, good, lines)
        return good, matrix

    def _check_sums(self, matrix: np.ndarray, good: np.ndarray, lines: Sequence[int]) -> None:
        with np.errstate(invalid="ignore"):
            sums = normalise_in_place(matrix)
        off = good & ~(np.abs(sums - 1) <= sum_tolerance(matrix.shape[1]))
        if off.any():
            places = ((lines[at], f"{sums[at]:.6g}") for at in np.flatnonzero(off).tolist())
            reason = "the probabilities of a row must add up to 1"
            self.problems.cells("sum", reason, int(off.sum()), places)
        self.counts["divided"] += int(np.count_nonzero(far_from_one(sums) & good & ~off))

    def _number_values(
        self, name: str, texts: list[str], lines: Sequence[int]
    ) -> tuple[np.ndarray, np.ndarray]:
        plain = all_numbers(texts)
        if plain is not None:
            values, good = np.array(plain), np.ones(len(texts), bool)
            self.counts["point"] += any("." in text for text in texts)
        else:
            values, good = self._odd_numbers(name, texts, lines)
        round_in_place(values)
        low, high, wanted = self._range()
        if low is not None or high is not None:
            outside = np.zeros(len(values), bool)
            if low is not None:
                outside |= values < low
            if high is not None:
                outside |= values > high
            outside &= good
            if outside.any():
                where = np.flatnonzero(outside).tolist()
                places = ((lines[at], trimmed(texts[at])[:40]) for at in where)
                self.problems.cells("range", f"{quoted(name)} must be {wanted}", len(where), places)
                good &= ~outside
        return good, values

    def _range(self) -> tuple[float | None, float | None, str]:
        """Lowest and highest allowed value, and how to say so."""
        if self.task.kind != "number":
            return 0.0, 1.0, "a probability from 0 to 1"
        low, high = self.task.low, self.task.high
        if low is not None and high is not None:
            return low, high, f"from {low:g} to {high:g}"
        if low is not None:
            return low, high, f"at least {low:g}"
        return low, high, "" if high is None else f"at most {high:g}"

    def _odd_numbers(
        self, name: str, texts: list[str], lines: Sequence[int]
    ) -> tuple[np.ndarray, np.ndarray]:
        values, good = np.zeros(len(texts)), np.zeros(len(texts), bool)
        shown = quoted(name)
        seen = self._numbers
        for at, text in enumerate(texts):
            found = seen.get(text)
            if found is None:
                found = number(text)
                if len(seen) < MOST_SPELLINGS and len(text) <= LONGEST_NUMBER:
                    seen[text] = found
            value, code, reason = found
            if value is None:
                self.problems.cell(code, f"{shown} {reason}", lines[at], text)
                continue
            if code == "comma":
                self.counts["comma"] += 1
                kept = self._commas.setdefault(name, [0, []])
                kept[0] += 1
                if len(kept[1]) < SHOWN:
                    kept[1].append((lines[at], quoted(trimmed(text))))
            elif "." in text:
                self.counts["point"] += 1
            values[at], good[at] = value, True
        return values, good

    def _label_values(
        self, texts: list[str], lines: Sequence[int]
    ) -> tuple[np.ndarray, np.ndarray]:
        labels = self._labels
        name = quoted(self.task.value_columns[0])
        wanted = f"{name} must be one of {listed(labels.names, len(labels.names))}"
        found = [self._spellings.get(text) for text in texts]
        for at, place in enumerate(found):
            if place is not None:
                continue
            text = texts[at]
            place, how = labels.find(text)
            if place is None:
                if trimmed(text).casefold() in MISSING:
                    self.problems.cell("missing", f"{name} is missing", lines[at], text)
                else:
                    self.problems.cell("value", wanted, lines[at], text)
                continue
            found[at] = place
            if how:
                self.counts[how] += 1
            elif len(self._spellings) < MOST_SPELLINGS:
                self._spellings[text] = place
        values = np.array([-1 if place is None else place for place in found], np.int32)
        return values >= 0, values

    def _text_values(self, texts: list[str], lines: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
        values = np.empty(len(texts), object)
        values[:] = [plain_text(text) for text in texts]
        good = np.ones(len(texts), bool)
        if not self.task.allow_empty:
            name = quoted(self.task.value_columns[0])
            for at, text in enumerate(texts):
                if not values[at]:
                    self.problems.cell("missing", f"{name} is missing", lines[at], text)
                    good[at] = False
        return good, values

    def conclude(self, delimiter: str) -> None:
        """Decimal commas are read where they cannot be anything else, in all of the file."""
        if not self.counts["comma"]:
            return
        if delimiter != "," and not self.counts["point"]:
            return
        reason = COMMA_REASON
        if self.counts["point"]:
            reason += " (other values have a point)"
        for name, (count, places) in self._commas.items():
            self.problems.cells("value", f"{quoted(name)} {reason}", count, places)
