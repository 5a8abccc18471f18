"""What the library loads: nothing heavy where a web process imports it, no pandas when scoring."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from scoring.answers import prepare
from scoring.task import Task

AWKWARD = Path(__file__).parent / "awkward"
NUMERIC = {"numpy", "pyarrow", "pandas", "scipy", "sklearn", "django"}
NUMPY_FREE = [
    "scoring",
    "scoring.errors",
    "scoring.task",
    "scoring.commitments",
    "scoring.ranks",
    "scoring.metrics",
    "scoring.release",
]
SCORE = """
import sys, tempfile, pathlib
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "django":
            raise ImportError(name)
sys.meta_path.insert(0, Absent())
from scoring import Task, load_ids, load_part, prepare, read
from scoring.digest import digest
from scoring.evaluate import evaluate
files, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
task = Task("id", ("prob",), "probability")
prepare(task, files / "solution_prob.csv", folder)
ids = load_ids(folder / "ids")
part = load_part(folder / "public", ids)
for name in ("clean_prob.csv", "utf16_be.csv", "semicolons_decimal_commas.csv"):
    found = read(files / "files" / name, task, ids, name=name)
    for metric in ("roc_auc", "log_loss", "brier_score"):
        evaluate(task, metric, part, found)
    digest(task, found, part.slots)
"""


def loaded(code: str, *args: str) -> set[str]:
    """The top-level packages a process has loaded after running this."""
    code += "\nimport sys; print(*{name.partition('.')[0] for name in sys.modules})"
    done = subprocess.run(
        [sys.executable, "-c", code, *args],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())


@pytest.mark.parametrize("module", NUMPY_FREE)
def test_light_modules_load_nothing_heavy(module):
    assert not loaded(f"import {module}") & NUMERIC


def test_scoring_needs_neither_django_nor_pandas(tmp_path):
    found = loaded(SCORE, str(AWKWARD), str(tmp_path))
    assert {"numpy", "pyarrow"} <= found
    assert not found & {"django", "celery", "pandas", "scipy", "sklearn"}


ONE_FILE = """
import sys, pathlib
from scoring import Task, load_ids, load_part, read
from scoring.evaluate import evaluate
files, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
task = Task("id", ("prob",), "probability")
ids = load_ids(folder / "ids")
found = read(files / "files" / "clean_prob.csv", task, ids)
evaluate(task, "roc_auc", load_part(folder / "public", ids), found)
"""


def test_one_small_file_is_scored_without_loading_pyarrow(tmp_path):
    prepare(Task("id", ("prob",), "probability"), AWKWARD / "solution_prob.csv", tmp_path)
    assert "pyarrow" not in loaded(ONE_FILE, str(AWKWARD), str(tmp_path))
    assert "pyarrow" in loaded(ONE_FILE + ONE_FILE, str(AWKWARD), str(tmp_path))


def test_the_public_face_is_whole():
    code = "import scoring; [getattr(scoring, name) for name in scoring.__all__]; dir(scoring)"
    loaded(code)
    assert "sorted" not in loaded("from scoring import *; assert read and Task and Refused")
