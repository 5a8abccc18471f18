"""python -m scoring leakage: what it prints, refuses and writes."""

import json
import subprocess
import sys

import pytest

from scoring.__main__ import main
from scoring.leakage import figure, records, tables
from scoring.leakage.curves import SampledGaussian

GATE = ["--comparisons", "1000", "--values", "100", "--sigma-compare", "0.0079057"]


def ask(capsys, *arguments):
    code = main(["leakage", *map(str, arguments)])
    out, err = capsys.readouterr()
    return code, out, err


def test_the_cost_of_a_gate_in_words_and_as_json(capsys):
    given = [*GATE, "--sigma-value", "0.0079057", "--metric", "accuracy", "--rows", "4000"]
    code, out, _ = ask(capsys, *given)
    assert code == 0
    assert "between 5.159 and 5.160" in out
    assert "exact 5.159" in out
    code, out, _ = ask(capsys, *given, "--json")
    answer = json.loads(out)
    assert answer["ok"]
    assert answer["statement"]["low"] <= answer["statement"]["exact"]
    assert answer["statement"]["exact"] <= answer["statement"]["high"]
    assert answer["certificate"]["sentence"].startswith("No worst-case guarantee")


def test_the_counter_guarantee_needs_the_number_of_files(capsys):
    given = ["--epochs", 3, "--laplace", 0.01, "--metric", "accuracy", "--rows", 4000]
    _, out, _ = ask(capsys, *given)
    assert "With --submissions" in out
    assert "Guaranteed" not in out
    _, out, _ = ask(capsys, *given, "--submissions", 1000)
    assert "Guaranteed within ±0.0" in out
    assert "all 1,000 files" in out


def test_records_from_a_file_cost_the_same(capsys, tmp_path):
    made = records.Account().charged(
        [records.GaussianComparison(1000, 0.008, 0.001), records.LaplaceValue(3, 0.02, 0.001)]
    )
    path = tmp_path / "records.json"
    path.write_text(json.dumps(made.to_dicts()))
    code, out, _ = ask(capsys, "--records", path, "--json")
    assert code == 0
    assert json.loads(out)["records"] == made.to_dicts()
    path.write_text('[{"kind": "shaky"}]')
    assert ask(capsys, "--records", path)[0] == 1
    path.write_text("{")
    assert ask(capsys, "--records", path)[0] == 1


@pytest.mark.parametrize("metric", ["r2", "matthews_corrcoef", "roc_auc"])
def test_a_metric_without_a_bound_gets_no_epsilon(capsys, metric):
    code, out, err = ask(
        capsys, *GATE[:2], "--sigma-compare", "0.01", "--metric", metric, "--rows", 500
    )
    assert code == 1
    assert err.strip().endswith(".")
    assert "epsilon" not in out


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--comparisons", "10", "--sensitivity", "0.1"],
        ["--comparisons", "10", "--sigma-compare", "0.1"],
        ["--comparisons", "-1"],
        ["--epochs", "3", "--sensitivity", "0.1"],
        ["--values", "3", "--sigma-value", "0"],
        ["--values", "3", "--sigma-value", "1", "--sensitivity", "1", "--delta", "1"],
    ],
)
def test_wrong_usage_exits_with_two(capsys, arguments):
    with pytest.raises(SystemExit) as stopped:
        main(["leakage", *arguments])
    assert stopped.value.code == 2
    assert "error" in capsys.readouterr().err


def test_help_explains_with_examples(capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["leakage", "--help"])
    out = capsys.readouterr().out
    assert stopped.value.code == 0
    assert "examples:" in out
    assert "--sigma-compare" in out


def test_tables_print_the_reference_digits(capsys, monkeypatch):
    # One row of the first table: its lower estimate takes a second or two.
    monkeypatch.setattr(tables, "STEPS", (1000,))
    monkeypatch.setattr(tables.sampled_rows, "__defaults__", ((1000,),))
    code, out, _ = ask(capsys, "--tables")
    assert code == 0
    for printed in ("3.421", "0.8742 .. 0.9742", "0.94932 .. 0.94933", "0.9494"):
        assert printed in out
    for row in (
        ("4.83657", "4.88653", "4.88655", "4.88660", "4.93657"),
        ("18.92372", "19.42355", "19.42366", "19.42386", "19.92372"),
        ("2.42190", "2.92125", "2.92160", "2.92228", "3.42190"),
        ("0.00000", "2.87427", "2.92160", "2.98852"),
        ("2.37030", "2.37535", "2.38406"),
        ("3.24554", "3.24555"),
        ("3.80578", "3.80663"),
    ):
        assert any(all(value in line for value in row) for line in out.splitlines()), row


def test_a_figure_is_written(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr(figure, "STEPS", (1, 10))
    monkeypatch.setattr(tables, "SAMPLED", SampledGaussian(1.0, 0.05))
    path = tmp_path / "leakage.png"
    code, _, err = ask(capsys, "--figure", path)
    assert code == 0
    assert "written" in err
    assert path.read_bytes().startswith(b"\x89PNG")
    assert ask(capsys, "--figure", tmp_path / "missing" / "a.png")[0] == 1


def test_a_statement_needs_neither_scipy_nor_matplotlib():
    code = (
        "import sys; from scoring.__main__ import main; "
        "main(['leakage', '--values', '3', '--sigma-value', '1', '--sensitivity', '0.1']); "
        "print(sorted({'scipy', 'matplotlib', 'django', 'pandas'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_records_and_the_counter_guarantee_are_free_of_numpy():
    code = (
        "import sys; import scoring.leakage.records, scoring.leakage.certificate, scoring.certify; "
        "print('numpy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
