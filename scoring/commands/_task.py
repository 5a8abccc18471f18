"""The options that say what a submission looks like, and the task made of them."""

import argparse
import json
from collections.abc import Callable
from pathlib import Path

from scoring.errors import BadSolution
from scoring.labels import plain_whole, trimmed
from scoring.solution import solution_table
from scoring.task import KINDS, Task

MOST_CLASSES = 1000
_GUESSED = ("id", "row_id", "image_id", "passengerid")


def add_task_arguments(parser: argparse.ArgumentParser) -> None:
    """Add --solution and the options from which task_from makes the task."""
    parser.add_argument("--solution", required=True, type=Path, help="the solution file")
    form = parser.add_argument_group("the form of a submission (inferred where left out)")
    form.add_argument("--task", type=Path, help="a JSON file as written by Task.to_dict")
    form.add_argument("--id", dest="id_column", help="the id column; default: the first column")
    form.add_argument("--id-type", choices=("int", "str"), help="default: int if all ids are whole")
    form.add_argument("--target", action="append", help="a column to predict; may be repeated")
    form.add_argument("--kind", choices=KINDS, help="default: by metric and labels")
    form.add_argument("--classes", help="allowed labels in order, separated by commas")
    form.add_argument("--positive", help="the positive class; default: the last of two")


def task_from(args: argparse.Namespace, kinds: tuple[str, ...] = ()) -> Task:
    """The task of a file, or the one that the solution suggests; raises BadSolution.

    kinds: the kinds that the metric takes, in order of preference; empty where none is given.
    """
    if args.task:
        try:
            return Task.from_dict(json.loads(args.task.read_text(encoding="utf-8")))
        except (OSError, ValueError) as error:
            raise BadSolution(f"The task file cannot be read: {error}.") from None
    table = solution_table(args.solution)
    names = table.column_names

    def column(name: str) -> list[str]:
        return list(map(trimmed, table[name].to_pylist()))

    spare = {"usage", "weight"}
    rest = [name for name in names if name.casefold() not in spare]
    id_column = args.id_column or next(
        (name for name in rest if name.casefold() in _GUESSED), rest[0] if rest else "id"
    )
    if id_column not in names:
        raise BadSolution(f"The solution has no column {id_column!r} (it has {', '.join(names)}).")
    targets = args.target or [name for name in rest if name != id_column]
    if not targets:
        raise BadSolution("The solution has no label column besides the id and Usage.")
    kind = args.kind or _kind(kinds, targets, column)
    id_type = args.id_type or (
        "int" if all(plain_whole(text) == text for text in column(id_column)) else "str"
    )
    classes: tuple[str, ...] = ()
    if args.classes:
        classes = tuple(args.classes.split(","))
    elif kind == "label" or (kind == "probability" and _binary(column(targets[0])) is None):
        classes = _classes(column(targets[0]))
    return Task(
        id_column, tuple(targets), kind, id_type, classes=classes, positive=args.positive or None
    )


def _kind(kinds: tuple[str, ...], targets: list[str], column: Callable[[str], list[str]]) -> str:
    """The first kind that fits the number of columns and what the labels look like."""
    if len(targets) > 1:
        fitting = [kind for kind in ("probabilities", "number") if kind in kinds or not kinds]
    else:
        labels = set(column(targets[0])) - {""}
        two = len(labels) <= 2
        order = ("probability", "label") if two else ("label", "number", "text")
        fitting = [kind for kind in (*order, "number", "text") if kind in kinds or not kinds]
    if fitting:
        return fitting[0]
    if "probabilities" in kinds:
        raise BadSolution("Name the probability columns with --target, in order of the classes.")
    return kinds[0]


def _binary(texts: list[str]) -> tuple[str, str] | None:
    return ("0", "1") if set(texts) <= {"0", "1", ""} else None


def _classes(texts: list[str]) -> tuple[str, ...]:
    found = set(texts) - {""}
    if len(found) > MOST_CLASSES:
        raise BadSolution(f"The label column has {len(found)} different labels; is it a number?")
    if all(plain_whole(text) is not None for text in found):
        return tuple(sorted(found, key=lambda text: int(plain_whole(text) or 0)))
    return tuple(sorted(found))
