"""What a file must look like: words for the submit page and rules for the checks in the browser."""

from dataclasses import dataclass
from itertools import islice

from django.conf import settings

from leaderboard.competitions import store
from leaderboard.competitions.models import Competition, DataFile
from scoring.task import Task

EXAMPLE_LINES = 3
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
    # What static/upload.js checks before anything is sent; the worker checks all of it again.
    rules: dict


def expected(competition: Competition) -> Expected:
    """Return the form of a competition's files."""
    task = Task.from_dict(competition.task)
    sample = competition.files.filter(name__startswith="sample_submission").first()
    return Expected(
        header=task.header,
        rows=competition.test_rows,
        values=values_in_words(task),
        example="\n".join(_example(task, sample)),
        sample=sample,
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


def _example(task: Task, sample: DataFile | None) -> list[str]:
    """The first lines of the sample file, or made-up ones where it is no plain CSV."""
    if sample and sample.name.endswith(".csv"):
        try:
            with store.open_file(settings.DOWNLOADS_DIR, sample.path) as file:
                lines = [line.decode() for line in islice(_lines(file), EXAMPLE_LINES)]
        except (OSError, UnicodeDecodeError):
            # The example is a help, not the page; without it the made-up lines serve.
            lines = []
        if lines:
            return [line.rstrip("\r\n").removeprefix("\N{BOM}") for line in lines]
    value = task.classes[0] if task.kind == "label" else EXAMPLES.get(task.kind, "0.5")
    if task.kind == "probabilities":
        value = "0"
    return [task.header, ",".join(["1", *[value] * len(task.value_columns)])]


def _lines(file):
    while line := file.readline(LONGEST_LINE):
        yield line
