"""Gathering what is wrong with a participant's file, and saying it all at once."""

from collections.abc import Iterable
from itertools import islice

from scoring.errors import REFUSAL_CODES, Problem, Refused
from scoring.labels import trimmed

SHOWN = 10
LONGEST_SHOWN = 60
EXCERPT_WIDTH = 160
# Of several faults the refusal carries the code of the first in this order: what comes earlier
# may be the cause of what comes later.
ORDER = (
    "empty",
    "not_csv",
    "bad_archive",
    "too_large",
    "encoding",
    "header",
    "quoting",
    "fields",
    "rows",
    "duplicate",
    "ids",
    "missing",
    "value",
    "range",
    "sum",
)
assert set(ORDER) == REFUSAL_CODES
_TITLES = {
    "missing": "Missing values",
    "value": "Bad values",
    "range": "Values out of range",
    "sum": "Probabilities that do not add up to 1",
    "duplicate": "Duplicate ids",
}


def quoted(text: str) -> str:
    """A participant's own text in quotation marks, shortened, with odd characters escaped."""
    if len(text) > LONGEST_SHOWN:
        text = text[: LONGEST_SHOWN - 1] + "…"
    return repr(text)


def size_text(size: int) -> str:
    for unit, name in ((1 << 20, "MiB"), (1 << 10, "KiB")):
        if size >= unit:
            return f"{size / unit:g} {name}"
    return f"{size} bytes"


def counted(count: int, thing: str) -> str:
    return f"{count} {thing}" if count == 1 else f"{count} {thing}s"


def listed(items: Iterable[str], total: int, shown: int = SHOWN) -> str:
    """A list for a sentence, cut after the first few with the number of the rest."""
    items = list(items)[:shown]
    rest = total - len(items)
    return ", ".join(items) + (f" and {rest} more" if rest > 0 else "")


class Problems:
    """Faults by code and reason; each keeps the first ten places and counts all."""

    def __init__(self, place: str = "line") -> None:
        self.place = place
        self._cells: dict[tuple[str, str], list] = {}
        self._whole: list[Problem] = []
        self.cell_count = 0
        self.last_words = ""

    def __bool__(self) -> bool:
        return bool(self._cells or self._whole)

    def has(self, *codes: str) -> bool:
        return any(code in codes for code, _ in self._cells) or any(
            problem.code in codes for problem in self._whole
        )

    def cell(self, code: str, reason: str, line: int, text: str) -> None:
        """One faulty value (or row): why, on which line, and the participant's own text."""
        kept = self._cells.setdefault((code, reason), [0, []])
        kept[0] += 1
        self.cell_count += 1
        if len(kept[1]) < SHOWN:
            kept[1].append((line, quoted(trimmed(text))))

    def cells(self, code: str, reason: str, count: int, places: Iterable[tuple[int, str]]) -> None:
        """Many faulty values at once; the places, with what to show of them, as far as needed."""
        kept = self._cells.setdefault((code, reason), [0, []])
        kept[0] += count
        self.cell_count += count
        kept[1] += islice(places, SHOWN - len(kept[1]))

    def add(self, problem: Problem) -> None:
        self._whole.append(problem)

    def all(self) -> list[Problem]:
        """One Problem per code, in the order of what should be read first."""
        found = [*self._whole, *map(self._joined, {code for code, _ in self._cells})]
        return sorted(found, key=lambda problem: ORDER.index(problem.code))

    def _joined(self, code: str) -> Problem:
        reasons = [(reason, *kept) for (one, reason), kept in self._cells.items() if one == code]
        total = sum(count for _, count, _ in reasons)
        texts = []
        for reason, count, places in reasons[:SHOWN]:
            shown = [
                f"{self.place} {line}" + (f" ({text})" if text else "") for line, text in places
            ]
            texts.append(f"{reason}: {listed(shown, count)}")
        rest = sum(count for _, count, _ in reasons[SHOWN:])
        more = f"; and {rest} more" if rest else ""
        lines = sorted(line for _, _, places in reasons for line, _ in places)[:SHOWN]
        message = f"{_TITLES[code]} ({total}): {'; '.join(texts)}{more}."
        return Problem(code, message, lines[0], tuple(lines), total)

    def refusal(self) -> Refused:
        problems = self.all()
        sentences = [*(problem.message for problem in problems), self.last_words]
        sentence = " ".join(filter(None, sentences))
        return Refused(problems[0].code, sentence, problems)
