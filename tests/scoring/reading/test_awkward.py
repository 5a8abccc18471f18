"""Every awkward file comes out as the table beside it says.

Parquet is read here, unlike where the table was first made: the case of that kind holds only the
first bytes of one and is refused as damaged.
"""

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from scoring.answers import Ids
from scoring.errors import Refused
from scoring.reading import Limits, read
from scoring.task import Task

FOLDER = Path(__file__).parents[1] / "awkward"
LIMITS = Limits(packed=8 << 20, unpacked=8 << 20)
KINDS = {"prob": "probability", "multi": "probabilities"}
CASES = list(csv.DictReader((FOLDER / "index.csv").read_text(encoding="utf-8").splitlines()))
EXPECTED = json.loads((FOLDER / "expected.json").read_text(encoding="utf-8"))


def _task(given: dict) -> Task:
    return Task(
        id_column=given["id"],
        value_columns=tuple(given["values"]),
        kind=KINDS.get(given["kind"], given["kind"]),
        id_type=given["id_type"],
        classes=tuple(given.get("labels", ())),
        allow_empty=given.get("allow_empty", False),
    )


TASKS = {
    name: (_task(given), given["ids"])
    for name, given in json.loads((FOLDER / "tasks.json").read_text(encoding="utf-8")).items()
}


def ids_of(name: str) -> Ids:
    task, ids = TASKS[name]
    return Ids.of([int(one) for one in ids] if task.id_type == "int" else ids)


@pytest.mark.parametrize("case", CASES, ids=[case["file"] for case in CASES])
def test_case(case):
    task, texts = TASKS[case["task"]]
    ids = ids_of(case["task"])
    path = FOLDER / "files" / case["file"]
    mentions = [piece for piece in case["must_mention"].split("|") if piece]
    if case["expected"] == "reject":
        with pytest.raises(Refused) as caught:
            read(path, task, ids, name=case["file"], limits=LIMITS)
        assert caught.value.code in case["code"].split("|"), caught.value.sentence
        for piece in mentions:
            assert piece in caught.value.sentence
        return
    found = read(path, task, ids, name=case["file"], limits=LIMITS)
    expected = EXPECTED.get(case["file"], EXPECTED[case["task"]])
    values = [expected[text] for text in texts]
    if task.kind == "label":
        assert [task.classes[place] for place in found.values] == [row[0] for row in values]
    elif task.kind == "text":
        assert found.values.tolist() == [row[0] for row in values]
    else:
        assert np.array_equal(found.values.reshape(len(texts), -1), np.array(values))
    said = " ".join(found.notices)
    assert bool(case["wants_notice"]) == bool(said) or not case["wants_notice"], said
    for piece in mentions:
        assert piece in said
