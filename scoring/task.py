"""What a competition asks for: the columns of a submission and what may stand in them."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields

from scoring.errors import BadSolution

KINDS = ("label", "probability", "probabilities", "number", "text")
ID_TYPES = ("int", "str")
RESERVED_COLUMNS = frozenset({"usage", "weight"})
MOST_COLUMNS = 1000


@dataclass(frozen=True)
class Task:
    """The form of a submission; checks itself when made and raises BadSolution.

    id_column       column that names the rows
    value_columns   columns to predict; in class order for kind "probabilities"
    kind            label, probability, probabilities, number or text
    id_type         "int" (whole numbers of at most 18 digits) or "str" (any text)
    classes         label: the allowed labels. probability: (negative, positive) where the
                    solution's labels are not 0 and 1. probabilities: the label each column
                    stands for; the column names when left out
    positive        the class that counts as positive; the last of two when left out
    low, high       allowed range of a number; a probability always lies in 0 to 1
    allow_empty     text only: an empty cell is an answer
    solution_column label column of the solution where its name differs from the value column
    """

    id_column: str
    value_columns: tuple[str, ...]
    kind: str
    id_type: str = "int"
    classes: tuple[str, ...] = ()
    positive: str | None = None
    low: float | None = None
    high: float | None = None
    allow_empty: bool = False
    solution_column: str | None = None

    def __post_init__(self) -> None:
        columns = self.value_columns
        columns = (columns,) if isinstance(columns, str) else tuple(columns)
        object.__setattr__(self, "value_columns", columns)
        object.__setattr__(self, "classes", tuple(self.classes))
        if self.kind == "probabilities" and not self.classes:
            object.__setattr__(self, "classes", columns)
        binary = self.kind in ("label", "probability") and len(self.classes) == 2
        if binary and self.positive is None:
            object.__setattr__(self, "positive", self.classes[1])
        faults = [*self._column_faults(), *self._kind_faults(), *self._range_faults()]
        if faults:
            raise BadSolution(faults)

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns of a submission in their usual order."""
        return (self.id_column, *self.value_columns)

    @property
    def header(self) -> str:
        """The header line of a submission."""
        return ",".join(self.columns)

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels that may stand in a solution, in class order; empty where none apply."""
        if self.kind == "probability":
            if not self.classes:
                return ("0", "1")
            negative = next(label for label in self.classes if label != self.positive)
            return (negative, str(self.positive))
        return self.classes

    def _column_faults(self) -> list[str]:
        faults = []
        names = self.columns
        if not self.value_columns:
            faults.append("The task names no column to predict.")
        if any(not isinstance(name, str) or not name.strip() for name in names):
            faults.append("A column of the task has no name.")
            return faults
        if len(names) > MOST_COLUMNS:
            faults.append(f"The task has {len(names)} columns; {MOST_COLUMNS} are the most.")
        if any(name != name.strip() or not name.isprintable() for name in names):
            faults.append("Column names must be printable and must not begin or end with a space.")
        if len({name.casefold() for name in names}) < len(names):
            faults.append("Two columns of the task have the same name.")
        taken = sorted(name for name in names if name.casefold() in RESERVED_COLUMNS)
        if taken:
            faults.append(f"The column name {taken[0]!r} is kept for the solution file.")
        return faults

    def _kind_faults(self) -> list[str]:
        if self.kind not in KINDS:
            return [f"Unknown kind {self.kind!r}; it is one of {', '.join(KINDS)}."]
        faults = []
        if self.id_type not in ID_TYPES:
            faults.append(f"Unknown id type {self.id_type!r}; it is int or str.")
        if any(not isinstance(label, str) or not label.strip() for label in self.classes):
            faults.append("Every class must be a text that is not empty.")
        if len(set(self.classes)) < len(self.classes):
            faults.append("A class is named twice.")
        if self.kind in ("label", "probability", "text") and len(self.value_columns) > 1:
            faults.append(f"A task of kind {self.kind} has one column to predict.")
        if self.kind == "label" and len(self.classes) < 2:
            faults.append("A task of kind label names at least two classes.")
        if self.kind == "probability" and len(self.classes) not in (0, 2):
            faults.append("A task of kind probability names two classes (negative, positive).")
        if self.kind == "probabilities":
            if len(self.value_columns) < 2:
                faults.append("A task of kind probabilities has at least two columns.")
            if len(self.classes) != len(self.value_columns):
                faults.append("There must be as many classes as probability columns.")
        if self.kind in ("number", "text") and self.classes:
            faults.append(f"A task of kind {self.kind} has no classes.")
        if self.positive is not None and self.positive not in (self.classes or ("0", "1")):
            faults.append(f"The positive class {self.positive!r} is not one of the classes.")
        if self.allow_empty and self.kind != "text":
            faults.append("Only a text may be left empty.")
        return faults

    def _range_faults(self) -> list[str]:
        bounds = [bound for bound in (self.low, self.high) if bound is not None]
        if not bounds:
            return []
        if self.kind != "number":
            return ["Only a number has a range of its own."]
        if any(
            isinstance(bound, bool)
            or not isinstance(bound, int | float)
            or not math.isfinite(bound)
            for bound in bounds
        ):
            return ["The bounds of the range must be finite numbers."]
        if len(bounds) == 2 and bounds[0] >= bounds[1]:
            return ["The lower bound of the range must be below the upper one."]
        return []

    def to_dict(self) -> dict:
        """Return the task as a dict that JSON can hold; from_dict makes the same task again."""
        kept = {}
        for field in fields(self):
            value = getattr(self, field.name)
            kept[field.name] = list(value) if isinstance(value, tuple) else value
        return kept

    @classmethod
    def from_dict(cls, given: Mapping) -> "Task":
        """Make a task from a dict as written by to_dict; raises BadSolution."""
        if not isinstance(given, Mapping):
            raise BadSolution("The task must be a table of names and values.")
        known = {field.name for field in fields(cls)}
        faults = [f"Unknown task setting {key!r}." for key in given if key not in known]
        faults += [
            f"The task setting {key!r} is missing."
            for key in ("id_column", "value_columns", "kind")
            if key not in given
        ]
        for key in ("value_columns", "classes"):
            if not isinstance(given.get(key, ()), list | tuple | str):
                faults.append(f"The task setting {key!r} must be a list.")
        if isinstance(given.get("classes"), str):
            faults.append("The task setting 'classes' must be a list.")
        for key in ("id_column", "kind", "id_type", "positive", "solution_column"):
            if not isinstance(given.get(key, ""), str | None):
                faults.append(f"The task setting {key!r} must be a text.")
        if not isinstance(given.get("allow_empty", False), bool):
            faults.append("The task setting 'allow_empty' must be true or false.")
        if faults:
            raise BadSolution(faults)
        return cls(**given)
