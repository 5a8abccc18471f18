"""How fast submissions are scored, against three scripts that people write, and the limit.

    python -m tests.benchmarks.scoring            (10 thousand to 1 million rows)
    python -m tests.benchmarks.scoring --full     (10 million rows as well)

Files are made with a fixed seed. Every round runs each method once, in a process of its own that
first scores a small file twice; the table shows medians over the rounds (the two pandas scripts run
once from 1 million rows), and ratios hold within a row only. Processor time, of all threads
together, is what holds on a busy machine. A time counts only if the scores agree with
scikit-learn's to 2e-5: predictions are rounded to six digits before they are scored, so that one
row in a million may cross 0.5. "Limit" is pyarrow parsing the same file into typed columns. The
script checks the file with pandas and scores it with scikit-learn; "unchecked" only merges and
scores; "polars" checks and joins with polars and scores with plain numpy.
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SIX_DIGITS = 2e-5
ROUNDS = {10_000: 5, 100_000: 5, 1_000_000: 5, 10_000_000: 1}
# Scripts that take seconds run in the first round only: a ratio of ten or thirty needs no more.
SLOW, SLOW_FROM = ("script", "unchecked"), 1_000_000
CLASSES = 10
MODULE = "tests.benchmarks.scoring"

# --- in the processes ---------------------------------------------------------------------------
# Each imports what it measures inside its class, so that no method pays for another's imports.

COLD = """
import pathlib, sys
from scoring import Task, load_ids, load_part, read
from scoring.evaluate import evaluate
folder = pathlib.Path(sys.argv[1])
task = Task("id", ("prediction",), "probability", "int")
ids = load_ids(folder / "prepared" / "ids")
part = load_part(folder / "prepared" / "public", ids)
evaluate(task, "roc_auc_score", part, read(folder / "sample.csv", task, ids))
"""


def peak_mib() -> float:
    status = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return int(next(line for line in status if line.startswith("VmHWM")).split()[1]) / 1024


def columns_of(kind: str) -> list[str]:
    return [f"p{place}" for place in range(CLASSES)] if kind == "ten" else ["prediction"]


class Ours:
    """The product: answers prepared beforehand, everything else per submission."""

    def __init__(self, folder: Path, kind: str) -> None:
        from scoring import Limits, Task, load_ids, load_part, read
        from scoring.evaluate import evaluate_parts
        from scoring.reading import Predictions

        self.read, self.evaluate, self.predictions = read, evaluate_parts, Predictions
        id_type = "str" if kind == "str" else "int"
        shape = "probabilities" if kind == "ten" else "probability"
        self.task = Task("id", tuple(columns_of(kind)), shape, id_type)
        self.number = Task("id", ("prediction",), "number", id_type)
        self.label = Task("id", ("prediction",), "label", id_type, classes=("0", "1"))
        self.limits = Limits(packed=1 << 32, unpacked=1 << 32)
        self.ids = load_ids(folder / "prepared" / "ids")
        self.parts = [load_part(folder / "prepared" / p, self.ids) for p in ("public", "private")]
        self.kind = kind

    def run(self, path: Path) -> list[float]:
        found = self.read(path, self.task, self.ids, limits=self.limits)
        if self.kind == "ten":
            return self.evaluate(self.task, "log_loss", self.parts, found)
        by_metric = [
            self.evaluate(task, metric, self.parts, found)
            for task, metric in (
                (self.task, "roc_auc_score"),
                (self.task, "log_loss"),
                (self.number, "rmse"),
            )
        ]
        scores = [score for by_part in zip(*by_metric, strict=True) for score in by_part]
        # Classes of their own, which a task scored by accuracy would have been sent.
        labels = self.predictions((found.values > 0.5).astype("int32"))
        return scores + self.evaluate(self.label, "accuracy_score", self.parts, labels)


class Script:
    """What an organiser would write: pandas to read, check and merge, scikit-learn to score."""

    def __init__(self, folder: Path, kind: str) -> None:
        import pandas
        import sklearn.metrics

        self.pandas, self.metrics, self.kind = pandas, sklearn.metrics, kind
        self.types = {"id": str} if kind == "str" else None
        self.solution = folder / "solution.csv"

    def run(self, path: Path) -> list[float]:
        solution = self.pandas.read_csv(self.solution, dtype=self.types)
        sent = self.pandas.read_csv(path, dtype=self.types)
        names = columns_of(self.kind)
        assert list(sent.columns) == ["id", *names]
        assert not sent["id"].duplicated().any()
        assert sent["id"].isin(solution["id"]).all()
        assert len(sent) == len(solution)
        assert not sent[names].isna().any().any()
        return self.scores(solution.merge(sent, on="id"))

    def scores(self, merged) -> list[float]:
        names = columns_of(self.kind)
        scores, right = [], []
        for part in ("Public", "Private"):
            rows = merged[merged["Usage"] == part]
            truth, given = rows["truth"], rows[names]
            if self.kind == "ten":
                scores.append(self.metrics.log_loss(truth, given, labels=list(range(CLASSES))))
                continue
            given = given["prediction"]
            scores.append(self.metrics.roc_auc_score(truth, given))
            scores.append(self.metrics.log_loss(truth, given))
            scores.append(self.metrics.root_mean_squared_error(truth, given))
            right.append(self.metrics.accuracy_score(truth, given > 0.5))
        return scores + right


class Unchecked(Script):
    """The same without a check: a missing or doubled id goes unnoticed."""

    def run(self, path: Path) -> list[float]:
        solution = self.pandas.read_csv(self.solution, dtype=self.types)
        return self.scores(solution.merge(self.pandas.read_csv(path, dtype=self.types), on="id"))


class Polars:
    """Polars to read, check and join, plain numpy to score."""

    def __init__(self, folder: Path, kind: str) -> None:
        import numpy
        import polars

        self.polars, self.np, self.kind = polars, numpy, kind
        self.types = {"id": polars.String} if kind == "str" else {"id": polars.Int64}
        self.solution = folder / "solution.csv"

    def run(self, path: Path) -> list[float]:
        solution = self.polars.read_csv(self.solution, schema_overrides=self.types)
        sent = self.polars.read_csv(path, schema_overrides=self.types)
        names = columns_of(self.kind)
        assert sent.columns == ["id", *names]
        assert sent["id"].n_unique() == len(sent) == len(solution)
        assert not sum(sent[name].null_count() for name in names)
        merged = solution.join(sent, on="id", how="inner")
        assert len(merged) == len(solution)
        scores, right = [], []
        for part in ("Public", "Private"):
            rows = merged.filter(self.polars.col("Usage") == part)
            truth, given = rows["truth"].to_numpy(), rows.select(names).to_numpy()
            if self.kind == "ten":
                own = given[self.np.arange(len(truth)), truth] / given.sum(axis=1)
                scores.append(float(-self.np.log(own).mean()))
                continue
            found = self._binary(truth, given[:, 0])
            scores += found[:3]
            right.append(found[3])
        return scores + right

    def _binary(self, truth, given) -> list[float]:
        np = self.np
        _, place, count = np.unique(given, return_inverse=True, return_counts=True)
        ranks = (np.cumsum(count) - (count - 1) / 2)[place]
        positives = int(truth.sum())
        above = ranks[truth == 1].sum() - positives * (positives + 1) / 2
        own = np.where(truth == 1, given, 1 - given)
        return [
            float(above / (positives * (len(truth) - positives))),
            float(-np.log(own).mean()),
            float(np.sqrt(np.mean((truth - given) ** 2))),
            float(np.mean((given > 0.5) == truth)),
        ]


class Limit:
    """Typed parsing alone."""

    def __init__(self, folder: Path, kind: str) -> None:
        import pyarrow
        import pyarrow.csv

        types = {name: pyarrow.float64() for name in columns_of(kind)}
        types["id"] = pyarrow.string() if kind == "str" else pyarrow.int64()
        self.options = pyarrow.csv.ConvertOptions(column_types=types)
        self.csv = pyarrow.csv

    def run(self, path: Path) -> list[float]:
        self.csv.read_csv(path, convert_options=self.options)
        return []


METHODS = {
    "ours": Ours,
    "script": Script,
    "unchecked": Unchecked,
    "polars": Polars,
    "limit": Limit,
}
PEERS = ("script", "unchecked", "polars")


def measure(method: str, folder: Path, kind: str, order: str) -> dict:
    tool = METHODS[method](folder, kind)
    warm = METHODS[method](folder / "warm", kind)
    for _ in range(2):  # the first small file of a process is read without loading pyarrow
        warm.run(folder / "warm" / "sample.csv")
    before, start, spent = peak_mib(), time.perf_counter(), time.process_time()
    scores = tool.run(folder / f"{order}.csv")
    return {
        "seconds": time.perf_counter() - start,
        "processor": time.process_time() - spent,
        "mib": peak_mib() - before,
        "scores": scores,
        "pandas": "pandas" in sys.modules,
    }


# --- making files -------------------------------------------------------------------------------


def make(folder: Path, rows: int, kind: str) -> None:
    """A solution, its prepared form, and a submission in the sample's order and another."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.csv as pacsv

    from scoring import Task, prepare

    folder.mkdir(parents=True)
    rng = np.random.default_rng(rows)
    if kind == "str":
        ids = np.array([f"{number:012x}" for number in rng.permutation(rows * 9)[:rows].tolist()])
    else:
        ids = rng.permutation(rows) + 1000
    names = columns_of(kind)
    if kind == "ten":
        truth = rng.integers(0, CLASSES, rows)
        values = rng.random((rows, CLASSES)) + 0.01
        values[np.arange(rows), truth] += 1
        values /= values.sum(axis=1, keepdims=True)
    else:
        truth = rng.integers(0, 2, rows)
        values = np.clip(0.3 + 0.4 * truth + 0.25 * rng.normal(size=rows), 1e-6, 1 - 1e-6)[:, None]
    usage = np.where(rng.random(rows) < 0.5, "Public", "Private")
    write = pacsv.WriteOptions(quoting_style="none")
    solution = pa.table({"id": ids, "truth": truth, "Usage": usage})
    pacsv.write_csv(solution, folder / "solution.csv", write)
    for order, places in (("sample", np.arange(rows)), ("shuffled", rng.permutation(rows))):
        table = pa.table([ids[places], *values[places].T], names=["id", *names])
        pacsv.write_csv(table, folder / f"{order}.csv", write)
    shape = "probabilities" if kind == "ten" else "probability"
    classes = tuple(map(str, range(CLASSES))) if kind == "ten" else ()
    task = Task("id", tuple(names), shape, "str" if kind == "str" else "int", classes=classes)
    prepare(task, folder / "solution.csv", folder / "prepared")


# --- the parent ---------------------------------------------------------------------------------


def child(*args: str) -> dict:
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-m", MODULE, "--child", *args]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    return json.loads(done.stdout or "{}")


def compare(folder: Path, rows: int, kind: str, order: str, methods: list[str]) -> dict:
    found: dict[str, list[dict]] = {method: [] for method in methods}
    for turn in range(ROUNDS[rows]):
        for method in methods:
            if turn and method in SLOW and rows >= SLOW_FROM:
                continue
            found[method].append(child("measure", method, str(folder), kind, order))
    ours = found["ours"][0]["scores"]
    for peer in PEERS:
        if peer in found:
            pairs = zip(ours, found[peer][0]["scores"], strict=True)
            worst = max(abs(a - b) for a, b in pairs)
            assert worst < SIX_DIGITS, f"scores differ from those of {peer} by {worst}"
    assert not any(one["pandas"] for one in found["ours"])
    return {
        method: tuple(
            statistics.median(one[what] for one in runs) for what in ("seconds", "mib", "processor")
        )
        for method, runs in found.items()
    }


def row(name: str, result: dict, rows: int) -> str:
    ours, mib, spent = result["ours"]
    limit, _, limit_spent = result["limit"]
    cells = [name, f"{ours * 1000:.1f} ms", f"{ours / limit:.2f}", f"{spent / limit_spent:.2f}"]
    cells += [f"{result[peer][0] / ours:.1f}" if peer in result else "" for peer in PEERS]
    theirs = f"{result['script'][1]:.0f} MiB" if "script" in result else ""
    cells += [f"{mib:.0f} MiB", f"{mib * (1 << 20) / rows:.0f} B", theirs]
    return f"| {' | '.join(cells)} |"


def cold(folder: Path) -> None:
    """A new process that scores ten thousand rows, against its imports and the script."""
    times: dict[str, list[float]] = {}
    commands = {
        "imports of numpy and pyarrow": [sys.executable, "-c", "import numpy, pyarrow.csv"],
        "Holdout": [sys.executable, "-c", COLD, str(folder)],
        "script": [sys.executable, "-m", MODULE, "--child", "cold", "script", str(folder)],
    }
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": os.getcwd()}
    for _ in range(7):
        for name, command in commands.items():
            start = time.perf_counter()
            subprocess.run(command, check=True, env=environment, capture_output=True)
            times.setdefault(name, []).append(time.perf_counter() - start)
    print("\nA new process that scores 10,000 rows (S4)\n\n| | median |\n| --- | --- |")
    for name, taken in times.items():
        print(f"| {name} | {statistics.median(taken) * 1000:.0f} ms |")


def refusals(folder: Path) -> None:
    """Malformed copies of a million rows: each must be refused, with the right reason (S5)."""
    import pytest

    from scoring import Refused

    ours = Ours(folder, "int")
    header, *lines = (folder / "sample.csv").read_text(encoding="utf-8").splitlines()
    at = len(lines) * 3 // 4
    first, value = lines[at].split(",")
    other = lines[at - 5].split(",")[0]
    spoilt = {
        "id twice": ("duplicate", f"{other},{value}"),
        "row missing": ("ids", None),
        "unknown id": ("ids", f"77{first},{value}"),
        "id as text": ("ids", f"x{first},{value}"),
        "no id": ("ids", f",{value}"),
        "nan": ("missing", f"{first},nan"),
        "empty value": ("missing", f"{first},"),
        "inf": ("value", f"{first},inf"),
        "text": ("value", f"{first},high"),
        "out of range": ("range", f"{first},1.5"),
        "three fields": ("fields", f"{first},{value},1"),
        "open quotation mark": ("quoting", f'{first},"{value}'),
    }
    print("\nRefusals of a spoilt file of 1,000,000 rows (S5)\n")
    print("| fault | code | told in | sentence |\n| --- | --- | --- | --- |")
    for good in ("sample", "shuffled"):
        assert ours.read(folder / f"{good}.csv", ours.task, ours.ids, limits=ours.limits).n
        print(f"| none, {good} order | accepted | | |")
    headers = {"wrong column": "id,target", "extra column": f"{header},more"}
    for name, (code, line) in {**spoilt, **dict.fromkeys(headers, ("header", ""))}.items():
        body = (
            lines if name in headers else [*lines[:at], *([line] if line else []), *lines[at + 1 :]]
        )
        text = "\n".join([headers.get(name, header), *body, ""]).encode()
        start = time.perf_counter()
        with pytest.raises(Refused) as caught:
            ours.read(text, ours.task, ours.ids, limits=ours.limits)
        taken, refusal = time.perf_counter() - start, caught.value
        assert refusal.code == code, refusal.sentence
        print(f"| {name} | {refusal.code} | {taken:.2f} s | {refusal.sentence[:110]} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--quick", action="store_true", help="up to 1 million rows (the default)")
    size.add_argument("--full", action="store_true", help="10 million rows as well")
    parser.add_argument("--most", type=int, default=None, help="leave out larger files")
    parser.add_argument("--child", nargs="+", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.child:
        act, method, folder, *rest = args.child
        if act == "cold":
            METHODS[method](Path(folder), "int").run(Path(folder, "sample.csv"))
        else:
            print(json.dumps(measure(method, Path(folder), *rest)))
        return
    most = args.most or (10_000_000 if args.full else 1_000_000)
    print(f"{platform.platform()}, {os.cpu_count()} processors, Python {platform.python_version()}")
    heads = (
        "rows, ids, order|Holdout|times the limit|of its processor time|script takes|"
        "unchecked takes|polars takes|memory|a row|script's memory"
    )
    print("\nPeers take so many times as long as Holdout.")
    print(f"\n| {' | '.join(heads.split('|'))} |\n|{' --- |' * 10}")
    with tempfile.TemporaryDirectory() as where:
        root = Path(where)
        for kind in ("int", "str", "ten"):
            make(root / kind / "warm", 1000, kind)
            for rows in (10_000, 100_000, 1_000_000, 10_000_000):
                if rows > most or (kind == "ten" and rows in (10_000, 10_000_000)):
                    continue
                folder = root / kind / str(rows)
                make(folder, rows, kind)
                (folder / "warm").symlink_to(root / kind / "warm")
                for order in ("shuffled", "sample"):
                    methods = list(METHODS)
                    if rows == 10_000_000 and kind == "str":
                        # Several minutes a round.
                        methods = ["ours", "polars", "limit"]
                    result = compare(folder, rows, kind, order, methods)
                    name = {"int": "whole numbers", "str": "12 letters", "ten": "10 classes"}[kind]
                    print(row(f"{rows:,}, {name}, {order}", result, rows), flush=True)
        cold(root / "int" / "10000")
        if most >= 1_000_000:
            refusals(root / "int" / "1000000")


if __name__ == "__main__":
    main()
