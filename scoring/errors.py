"""The refusals of the scoring library, as one tree.

    HoldoutError              base; ``sentence`` may be shown to whoever caused it
    ├── Refused               a participant's file cannot be read as predictions
    ├── BadSolution           an organiser's solution file, task or metric cannot be used
    ├── Unscorable            the metric has no value on these rows
    └── BadSettings           release settings are refused, field by field

A sentence names ids and the sender's own values only. It never contains a label of the
solution, nor which part of the split a row belongs to, so it can be shown without review.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

REFUSAL_CODES = frozenset(
    {
        "empty",
        "header",
        "fields",
        "quoting",
        "encoding",
        "rows",
        "duplicate",
        "ids",
        "value",
        "missing",
        "range",
        "sum",
        "too_large",
        "bad_archive",
        "not_csv",
    }
)


class HoldoutError(Exception):
    """Base of every error this library raises on purpose."""

    code = "error"

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


@dataclass(frozen=True)
class Problem:
    """One kind of fault in a participant's file.

    ``lines`` holds at most the first ten places, ``count`` the number of all of them.
    ``excerpt`` holds (line number, text) pairs around the first place, shortened for a page.
    For Parquet, which has no lines, the numbers count rows from 1.
    """

    code: str
    message: str
    line: int | None = None
    lines: tuple[int, ...] = ()
    count: int = 1
    excerpt: tuple[tuple[int, str], ...] = ()


class Refused(HoldoutError):
    """A participant's file is refused; ``code`` is one of REFUSAL_CODES."""

    def __init__(self, code: str, sentence: str, problems: Iterable[Problem] = ()) -> None:
        if code not in REFUSAL_CODES:
            raise ValueError(f"unknown refusal code {code!r}")
        super().__init__(sentence)
        self.code = code
        self.problems = tuple(problems) or (Problem(code, sentence),)


class BadSolution(HoldoutError):
    """An organiser's solution, task or metric is refused; ``problems`` names every fault."""

    code = "bad_solution"

    def __init__(self, problems: str | Iterable[str]) -> None:
        self.problems = (problems,) if isinstance(problems, str) else tuple(problems)
        super().__init__(" ".join(self.problems))


class Unscorable(HoldoutError):
    """The metric is undefined on these rows: one class only, no variance, no rows."""

    code = "unscorable"


class BadSettings(HoldoutError):
    """Release settings are refused; ``problems`` maps each field to its reason."""

    code = "bad_settings"

    def __init__(self, problems: Mapping[str, str]) -> None:
        self.problems = dict(problems)
        super().__init__(" ".join(self.problems.values()))
