"""What a file must look like: words for the submit page and rules for the checks in the browser."""

import csv
from dataclasses import dataclass
from itertools import islice

from django.conf import settings

from leaderboard.competitions import store
from leaderboard.competitions.models import Competition, DataFile
from scoring.task import Task

EXAMPLE_LINES = 3
# Ids of the sample's first rows: a file that has other ones is not of this competition.
FIRST_IDS = 5
LONGEST_LINE = 200
CLASSES_NAMED = 6
EXAMPLES = {"probability": "0.031", "number": "12.5", "text": "some text"}


@dataclass(frozen=True)
class Expected:
    """The form of a file: header, rows, values in words, the first lines of an example."""

    header: str
    rows: int
    values: str
    example: str
    sample: DataFile | None
    first_ids: list[str]
    # What static/upload.js checks before anything is sent; the worker checks all of it again.
    rules: dict


def expected(competition: Competition) -> Expected:
    """Return the form of a competition's files."""
    task = Task.from_dict(competition.task)
    sample = competition.files.filter(name__startswith="sample_submission").first()
    lines = _first_lines(sample)
    first_ids = _first_ids(task, lines)
    return Expected(
        header=task.header,
        rows=competition.test_rows,
        values=values_in_words(task),
        example="\n".join(_example(task, lines)),
        sample=sample,
        first_ids=first_ids,
        rules={
            "id": task.id_column,
            "idType": task.id_type,
            "values": list(task.value_columns),
            "kind": task.kind,
            "classes": list(task.classes),
            "low": 0 if task.kind.startswith("probabilit") else task.low,
            "high": 1 if task.kind.startswith("probabilit") else task.high,
            "allowEmpty": task.allow_empty,
            "rows": competition.test_rows,
            "firstIds": first_ids,
            "packed": competition.packed_limit,
            "unpacked": competition.unpacked_limit,
        },
    )


def values_in_words(task: Task) -> str:
    """Say in a few words what may stand in the value columns."""
    if task.kind == "probability":
        return "0 to 1, none missing"
    if task.kind == "probabilities":
        return "0 to 1 each, adding up to 1 in a row"
    if task.kind == "label":
        if len(task.classes) > CLASSES_NAMED:
            return f"one of {len(task.classes)} labels, none missing"
        return f"{', '.join(task.classes[:-1])} or {task.classes[-1]}"
    if task.kind == "text":
        return "text, may be empty" if task.allow_empty else "text, none empty"
    if task.low is not None and task.high is not None:
        return f"{task.low:g} to {task.high:g}, none missing"
    if task.low is not None:
        return f"{task.low:g} or more, none missing"
    if task.high is not None:
        return f"{task.high:g} or less, none missing"
    return "finite numbers, none missing"


def _first_lines(sample: DataFile | None) -> list[str]:
    """The first lines of the sample file; none where it is no plain CSV."""
    if not sample or not sample.name.endswith(".csv"):
        return []
    try:
        with store.open_file(settings.DOWNLOADS_DIR, sample.path) as file:
            lines = [line.decode() for line in islice(_lines(file), 1 + FIRST_IDS)]
    except (OSError, UnicodeDecodeError):
        # The example is a help, not the page; without it the made-up lines serve.
        return []
    return [line.rstrip("\r\n").removeprefix("\N{BOM}") for line in lines]


def _example(task: Task, lines: list[str]) -> list[str]:
    """The first lines of the sample file, or made-up ones where there are none."""
    if lines:
        return lines[:EXAMPLE_LINES]
    value = task.classes[0] if task.kind == "label" else EXAMPLES.get(task.kind, "0.5")
    if task.kind == "probabilities":
        value = "0"
    return [task.header, ",".join(["1", *[value] * len(task.value_columns)])]


def _first_ids(task: Task, lines: list[str]) -> list[str]:
    """The ids of the sample's first rows; none where its lines are not read that easily."""
    if max(map(len, lines), default=0) >= LONGEST_LINE - len("\r\n"):
        # Such a line was cut, and its rest would pass for a line of its own.
        return []
    try:
        rows = list(csv.reader(lines, strict=True))
        place = rows[0].index(task.id_column) if rows else 0
        return [row[place].strip() for row in rows[1:]]
    except (csv.Error, ValueError, IndexError):
        return []


def _lines(file):
    while line := file.readline(LONGEST_LINE):
        yield line
