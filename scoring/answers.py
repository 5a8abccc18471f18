"""From an organiser's solution file to three artefacts: the ids, the public and the private part.

Each is a folder of its own, so that whoever scores the public part needs no right to read the
private one. Arrays are .npy files, mapped from disk when opened; nothing is ever pickled.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from scoring.arrow_arrays import as_numpy
from scoring.errors import BadSolution
from scoring.ids import Ids, load_ids
from scoring.lint import warnings
from scoring.parts import Part, artefact_bytes, load_part, save_part
from scoring.solution import IGNORED, PRIVATE, PUBLIC, Solution, read_solution
from scoring.task import Task

__all__ = [
    "Ids",
    "Part",
    "Prepared",
    "artefact_bytes",
    "load_ids",
    "load_part",
    "prepare",
    "split",
]


@dataclass(frozen=True)
class Prepared:
    """What was prepared: numbers of rows, and warnings for the organiser in `lint`."""

    n_rows: int
    n_public: int
    n_private: int
    n_ignored: int
    lint: tuple[str, ...] = ()
    withheld: bool = False


def prepare(
    task: Task,
    source: bytes | Path,
    folder: Path,
    *,
    public_fraction: float | None = None,
    rng: np.random.Generator | None = None,
    withheld: bool = False,
) -> Prepared:
    """Check a solution file and write folder/ids, folder/public and folder/private.

    source: CSV (or .csv.gz, one-file .zip, Parquet) with the id column, the label column or
    columns, `Usage` (Public, Private or Ignored) and optionally `weight`. Without a Usage column,
    public_fraction and rng make the split. withheld: private labels are not in the file, and
    folder/private is not written. Raises BadSolution with every fault at once, and
    FileExistsError where the folder already holds artefacts: they are never overwritten.
    """
    folder = Path(folder)
    solution = read_solution(task, source, withheld=withheld)
    if solution.usage is None:
        if public_fraction is None or rng is None:
            raise BadSolution("The solution has no column Usage (Public, Private or Ignored).")
        solution.usage = _made_usage(task, solution, public_fraction, rng)
    usage = solution.usage
    if task.id_type == "str":
        ids = Ids.from_texts(solution.ids)
    else:
        ids = Ids.from_ints(as_numpy(solution.ids))
    for name in ("ids", "public", "private"):
        if (folder / name).exists():
            raise FileExistsError(f"{name} has been prepared before")
    _new_folder(folder / "ids")
    ids.save(folder / "ids")
    for name, part in (("public", PUBLIC), ("private", PRIVATE)):
        if part == PRIVATE and withheld:
            continue
        _new_folder(folder / name)
        rows = np.flatnonzero(usage == part)
        weight = None if solution.weight is None else solution.weight[rows]
        save_part(folder / name, task, ids, Part(rows, solution.y[rows], weight))
    counts = [int((usage == part).sum()) for part in (PUBLIC, PRIVATE, IGNORED)]
    lint = tuple(solution.notes) + (() if withheld else _lint(task, solution, usage))
    return Prepared(len(usage), *counts, lint, withheld)


def _new_folder(folder: Path) -> None:
    folder.mkdir(parents=True)
    folder.chmod(0o700)


def _made_usage(
    task: Task, solution: Solution, fraction: float, rng: np.random.Generator
) -> np.ndarray:
    strata = None if solution.y.dtype == object else solution.y
    public = split(len(solution.ids), rng=rng, fraction=fraction, strata=strata)
    return np.where(public, PUBLIC, PRIVATE).astype(np.int8)


def split(
    n: int,
    *,
    rng: np.random.Generator,
    fraction: float = 0.5,
    strata: np.ndarray | None = None,
) -> np.ndarray:
    """Choose the public rows at random: a bool array (n,) with round(fraction * n) of them.

    strata: class index (n,), or numbers (n,) or (n, c), of which tenths of the first column are
    taken; each stratum is divided in the same proportion. Raises BadSolution for a fraction that
    leaves a part empty.
    """
    wanted = round(fraction * n)
    if not 0 < wanted < n:
        raise BadSolution(f"A public share of {fraction:g} leaves a part of {n} rows empty.")
    groups = np.zeros(n, np.int64) if strata is None else _groups(np.asarray(strata))
    # Within a group at random, the groups one after the other: taking every 1/fraction-th row of
    # this sequence gives each group its share, to within one row.
    order = np.lexsort((rng.random(n), groups))
    ends = (np.arange(n + 1, dtype=np.int64) * wanted + int(rng.integers(n))) // n
    public = np.zeros(n, bool)
    public[order] = np.diff(ends) > 0
    return public


def _groups(strata: np.ndarray) -> np.ndarray:
    if strata.ndim > 1:
        strata = strata[:, 0]
    if np.issubdtype(strata.dtype, np.integer):
        return strata
    edges = np.quantile(strata, np.linspace(0, 1, 11)[1:-1])
    return np.searchsorted(edges, strata, side="right")


def _lint(task: Task, solution: Solution, usage: np.ndarray) -> tuple[str, ...]:
    counts = usage != IGNORED
    public = usage[counts] == PUBLIC
    labels = None
    if solution.y.dtype != object:
        labels = solution.y[counts]
        labels = labels if labels.ndim == 1 else labels[:, 0]
    numbers = None
    if task.id_type == "int":
        numbers = as_numpy(solution.ids)[counts]
    return warnings(labels, public, numbers, task.labels)
