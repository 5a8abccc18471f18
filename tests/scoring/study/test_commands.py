"""The study's command lines: tables, JSON, and exit codes."""

import json

import pytest

from scoring.__main__ import main
from scoring.study.simulate import settings_for


def answer(capsys, *args: str):
    code = main(list(args))
    out = capsys.readouterr()
    return code, out.out, out.err


@pytest.mark.parametrize("command", ["experiment", "simulate", "calibrate", "recommend"])
def test_help_explains_with_examples(capsys, command):
    with pytest.raises(SystemExit) as stop:
        main([command, "--help"])
    assert stop.value.code == 0
    text = capsys.readouterr().out
    assert "examples:" in text
    assert f"python -m scoring {command}" in text


def test_experiment_prints_tables(capsys):
    code, out, err = answer(
        capsys, "experiment", "--size", "quick", "--repetitions", "2", "--sweep", "--signal", "none"
    )
    assert code == 0
    assert "No signal" in out
    assert "holdout / fresh (difference)" in out
    assert err == ""  # no progress bar where nobody looks


def test_experiment_prints_json(capsys):
    code, out, _ = answer(
        capsys, "experiment", "--size", "quick", "--repetitions", "2", "--json", "--signal", "some"
    )
    assert code == 0
    assert {row["signal"] for row in json.loads(out)["rows"]} == {10}


SIMULATE = ("simulate", "--n", "500", "--files", "60", "--accounts", "6", "--repetitions", "3")


def test_simulate_prints_every_rule_and_attack(capsys):
    code, out, _ = answer(capsys, *SIMULATE, "--rule", "all")
    assert code == 0
    for words in ("gate_paired, 500", "sealed, 500", "sybils from 0.75", "oracle log loss"):
        assert words in out


def test_simulate_prints_json_for_given_settings(capsys, tmp_path):
    path = tmp_path / "release.json"
    path.write_text(json.dumps(settings_for("gate", n=500).to_dict()), encoding="utf-8")
    code, out, _ = answer(capsys, *SIMULATE, "--settings", str(path), "--attack", "probe", "--json")
    (report,) = json.loads(out)
    assert code == 0
    assert report["rule"] == "gate"
    assert [row["attack"] for row in report["attacks"]] == ["boosting", "regression"]
    assert report["honest"]["true_accuracy_reached"] > 0.5


def test_simulate_refuses_settings_that_cannot_be_used(capsys, tmp_path):
    path = tmp_path / "release.json"
    path.write_text('{"rule": "gate"}', encoding="utf-8")
    assert answer(capsys, *SIMULATE, "--settings", str(path))[0] == 1
    assert answer(capsys, *SIMULATE, "--settings", str(tmp_path / "none.json"))[0] == 1


CALIBRATE = (
    *("calibrate", "--n", "500", "--competitions", "60", "--teams", "4", "--files", "6"),
    *("--attack-files", "20", "--sybil-files", "40", "--accounts", "5", "--c", "5"),
)


def test_calibrate_exits_by_whether_something_is_certified(capsys):
    code, out, err = answer(capsys, *CALIBRATE, "--risk", "attack=0.5")
    assert code == 0
    assert "Chosen: c = 5" in out
    assert "fewer than 600" in err
    code, out, _ = answer(capsys, *CALIBRATE, "--risk", "rank=0.01", "--json")
    assert code == 1
    assert json.loads(out)["choice"] is None


def test_recommend_prints_presets_and_what_to_expect(capsys):
    args = ("recommend", "--metric", "accuracy", "--n", "4000", "--baseline", "0.6")
    code, out, _ = answer(capsys, *args, "--baseline", "0.72")
    assert code == 0
    for words in ("Course:", "Open:", "Sealed:", "Exact:", "resolution", "gets a new score"):
        assert words in out
    code, out, _ = answer(capsys, *args, "--json", "--preset", "course")
    (proposal,) = json.loads(out)
    assert proposal["settings"]["rule"] in ("gate", "gate_paired")
    assert proposal["warnings"]  # one baseline: it is the start line itself


def test_recommend_for_a_metric_where_smaller_is_better(capsys):
    code, out, _ = answer(
        capsys,
        *("recommend", "--metric", "rmse", "--n", "2000", "--se", "12", "--preset", "open"),
        *("--baseline", "800", "--baseline", "350", "--json"),
    )
    assert code == 0
    assert json.loads(out)[0]["settings"]["start"] == "800"


@pytest.mark.parametrize(
    "args",
    [
        ("experiment", "--check", "--size", "quick"),
        ("experiment", "--tau", "-1"),
        ("simulate", "--n", "5"),
        ("simulate", "--files", "0"),
        ("calibrate", "--n", "1000", "--risk", "beauty"),
        ("calibrate", "--n", "1000", "--risk", "rank=much"),
        ("calibrate", "--n", "1000", "--risk", "rank=2"),
        ("calibrate", "--n", "1000", "--delta", "1"),
        ("recommend", "--metric", "rmse", "--n", "100", "--baseline", "3"),
        ("recommend", "--metric", "accuracy", "--n", "0", "--baseline", "0.5"),
    ],
)
def test_wrong_usage_says_why(capsys, args):
    code, out, err = answer(capsys, *args)
    assert code == 2
    assert out == ""
    assert err.strip()


@pytest.mark.parametrize(
    ("more", "piece"),
    [
        (["--se", "inf"], "--se"),
        (["--se", "nan"], "--se"),
        (["--expected", "-3"], "--expected"),
        (["--start", "7"], "7 is no score of Accuracy"),
        (["--baseline", "72"], "72 is no score of Accuracy"),
        (["--baseline", "nan"], "nan is no score"),
    ],
)
def test_recommend_refuses_what_cannot_be(capsys, more, piece):
    code, out, err = answer(
        capsys, "recommend", "--metric", "accuracy", "--n", "4000", "--baseline", "0.7", *more
    )
    assert (code, out) == (2, "")
    assert piece in err


def test_nobody_is_first_where_nobody_has_a_score(capsys):
    args = ["--metric", "accuracy", "--n", "4000", "--baseline", "0.7", "--start", "1"]
    code, out, _ = answer(capsys, "recommend", *args, "--preset", "open")
    assert code == 0
    assert "about 0 will have a score." in out
