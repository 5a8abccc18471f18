"""`python -m scoring metrics`, and what importing the metrics loads."""

import json
import subprocess
import sys

import pytest

from scoring.__main__ import main
from scoring.metrics import names


def test_the_table_has_a_line_for_every_metric(capsys):
    assert main(["metrics"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[1:]] == list(names())
    assert "lower" in next(line for line in lines if line.startswith("log_loss"))


def test_json_holds_every_fact(capsys):
    assert main(["metrics", "--json"]) == 0
    found = {metric["name"]: metric for metric in json.loads(capsys.readouterr().out)}
    assert set(found) == set(names())
    assert found["roc_auc_score"]["greater_is_better"]
    assert found["log_loss"]["params"] == {"clip": 1e-6}
    assert not found["r2_score"]["has_bound"]


def test_metrics_of_one_kind(capsys):
    assert main(["metrics", "--kind", "probability", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {"roc_auc_score", "log_loss"} <= {metric["name"] for metric in found}
    assert all("probability" in metric["kinds"] for metric in found)


def test_one_metric_is_explained(capsys):
    assert main(["metrics", "ndcg@5"]) == 0
    text = capsys.readouterr().out
    assert text.startswith("NDCG@5 (ndcg_at_k@5;")
    assert "Higher is better. Range 0 to 1" in text
    assert "def one(true, predicted):" in text


def test_an_unknown_metric_is_refused(capsys):
    assert main(["metrics", "acuracy"]) == 1
    assert "Is accuracy meant?" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("imported", "forbidden"),
    [
        ("scoring.metrics", {"numpy", "pyarrow"}),
        ("scoring.commands.metrics", {"numpy", "pyarrow"}),
        (
            "scoring.evaluate, scoring.intervals, scoring.checks, scoring.metrics.text",
            {"pandas", "scipy", "sklearn", "sacrebleu", "rapidfuzz", "rouge_score", "nltk"},
        ),
    ],
)
def test_imports_load_no_more_than_they_need(imported, forbidden):
    program = f"import sys, {imported}; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert not forbidden & set(loaded.stdout.split())
