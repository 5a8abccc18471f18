"""``python -m scoring``: scores, exit codes, and commitments that can be checked later."""

import json
from pathlib import Path

import pytest

from scoring.__main__ import main
from scoring.answers import artefact_bytes, prepare
from scoring.commitments import PRIVATE_PART, verify
from scoring.task import Task

AWKWARD = Path(__file__).parent / "awkward"


def run(capsys, *args: str) -> tuple[int, str, str]:
    code = main(list(args))
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def score(capsys, name: str, metric: str, file: str, *more: str) -> tuple[int, str, str]:
    solution = AWKWARD / f"solution_{name}.csv"
    submission = AWKWARD / "files" / file
    args = ["--metric", metric, "--solution", str(solution), "--submission", str(submission)]
    return run(capsys, "score", *args, *more)


@pytest.mark.parametrize(
    ("name", "metric"),
    [
        ("label", "accuracy"),
        ("prob", "roc_auc"),
        ("mass", "rmse"),
        ("code", "f1_macro"),
        ("multi", "log_loss"),
    ],
)
def test_the_task_is_inferred(capsys, name, metric):
    code, out, err = score(capsys, name, metric, f"clean_{name}.csv", "--json")
    assert (code, err) == (0, "")
    answer = json.loads(out)
    assert answer["rows"] == {"public": 4, "private": 7}
    assert set(answer["scores"]) == {"public", "private"}


def test_one_part_for_people(capsys):
    code, _, _ = score(capsys, "mass", "rmse", "semicolons.csv", "--part", "public")
    assert code == 1
    code, out, _ = score(capsys, "mass", "rmse", "number_forms.csv", "--part", "public")
    assert code == 0
    assert "RMSE (lower is better)" in out
    assert "private" not in out


def test_a_refusal_is_told_on_standard_error(capsys):
    code, out, err = score(capsys, "prob", "roc_auc", "nan_value.csv", "--json")
    assert code == 1
    assert "line 4 ('nan')" in err
    assert json.loads(out)["code"] == "missing"


def test_notices_are_told(capsys):
    code, _, err = score(capsys, "label", "accuracy", "tabs.csv")
    assert code == 0
    assert "Notice: Fields are separated by tabs" in err


def test_a_task_file(capsys, tmp_path):
    task = Task("id", ("prob",), "probability")
    path = tmp_path / "task.json"
    path.write_text(json.dumps(task.to_dict()), encoding="utf-8")
    assert score(capsys, "prob", "log_loss", "clean_prob.csv", "--task", str(path))[0] == 0
    path.write_text("{", encoding="utf-8")
    assert score(capsys, "prob", "log_loss", "clean_prob.csv", "--task", str(path))[0] == 1


@pytest.mark.parametrize("args", [[], ["nonsense"], ["_task"], ["__init__"]])
def test_wrong_usage(capsys, args):
    code, _, err = run(capsys, *args)
    assert code == 2
    assert "score" in err


def test_help(capsys):
    code, out, _ = run(capsys, "--help")
    assert code == 0
    assert "Score a submission against a solution" in out
    with pytest.raises(SystemExit) as stop:
        main(["score", "--help"])
    assert stop.value.code == 0
    assert "examples:" in capsys.readouterr().out
    with pytest.raises(SystemExit) as stop:
        main(["score"])
    assert stop.value.code == 2


def test_a_file_that_is_not_there(capsys):
    assert score(capsys, "prob", "roc_auc", "nowhere.csv")[0] == 2


def test_a_folder_is_no_file(capsys):
    code, out, err = score(capsys, "prob", "roc_auc", "")
    assert (code, out) == (2, "")
    assert err.endswith("Is a directory.\n")


def test_a_competition_may_have_a_lower_limit(capsys):
    code, _, err = score(capsys, "label", "accuracy", "zip_bomb.zip", "--limit", "8")
    assert (code, err) == (1, "Unpacked, the file is larger than the limit of 8 MiB.\n")
    assert score(capsys, "label", "accuracy", "clean_label.csv", "--limit", "8")[0] == 0
    assert score(capsys, "label", "accuracy", "clean_label.csv", "--limit", "0")[0] == 2


def test_a_commitment_can_be_checked_after_the_close(capsys, tmp_path):
    solution, kept = AWKWARD / "solution_prob.csv", tmp_path / "kept"
    args = ["--solution", str(solution), "--competition", "c1", "--out", str(kept), "--json"]
    code, out, _ = run(capsys, "commit", *args)
    assert code == 0
    upload = (kept / "upload.csv").read_text(encoding="utf-8").splitlines()
    assert upload[1:3] == ["1,1,Public", "2,,Private"]
    task = Task("id", ("prob",), "probability")
    prepared = prepare(task, kept / "upload.csv", tmp_path / "early", withheld=True)
    assert prepared.n_private == 7
    prepare(task, solution, tmp_path / "late")
    early, late = (tmp_path / when / "public" for when in ("early", "late"))
    assert artefact_bytes(early) == artefact_bytes(late)
    salt = bytes.fromhex((kept / "salt.hex").read_text(encoding="utf-8"))
    private = artefact_bytes(tmp_path / "late" / "private")
    assert verify(json.loads(out)["commitment"], PRIVATE_PART, "c1", salt, private)
    assert run(capsys, "commit", *args)[0] == 1
    again = [*args[:-2], str(tmp_path / "again"), "--json", "--salt", salt.hex()]
    assert run(capsys, "commit", *again)[1] == out
