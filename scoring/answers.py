"""From an organiser's solution file to three artefacts: the ids, the public and the private part.

Each is a folder of its own, so that whoever scores the public part needs no right to read the
private one. Arrays are .npy files, mapped from disk when opened; nothing is ever pickled.
"""

import json
import struct
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from scoring.arrow_arrays import as_numpy
from scoring.errors import BadSolution
from scoring.ids import Ids, load_ids
from scoring.lint import warnings
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


@dataclass(frozen=True, eq=False)
class Part:
    """One part of a solution.

    slots: positions of its rows among the ids, ascending, int32 (n,). y: class index int32 (n,)
    for label and probabilities, 0/1 int32 (n,) for probability, float64 (n,) or (n, c) for
    number, str objects (n,) for text. weight: float64 (n,) or None.
    """

    slots: np.ndarray
    y: np.ndarray
    weight: np.ndarray | None = None

    @property
    def n(self) -> int:
        return len(self.slots)


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
        _save_part(folder / name, task, solution, np.flatnonzero(usage == part), ids)
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


def _save_part(folder: Path, task: Task, solution: Solution, rows: np.ndarray, ids: Ids) -> None:
    np.save(folder / "slots.npy", rows.astype(np.int32))
    if solution.y.dtype == object:
        texts = [text.encode() for text in solution.y[rows].tolist()]
        ends = np.cumsum([0, *map(len, texts)], dtype=np.int64)
        np.save(folder / "text.npy", np.frombuffer(b"".join(texts), np.uint8))
        np.save(folder / "ends.npy", ends)
    else:
        np.save(folder / "y.npy", solution.y[rows])
    if solution.weight is not None:
        np.save(folder / "weight.npy", solution.weight[rows])
    meta = {"kind": task.kind, "n": len(rows), "ids": ids.sha256, "labels": list(task.labels)}
    (folder / "meta.json").write_text(json.dumps(meta, sort_keys=True), encoding="utf-8")


def _open(path: Path) -> np.ndarray:
    # As a plain array: slices of a memmap object cost more than they read.
    return np.asarray(np.load(path, mmap_mode="r", allow_pickle=False))


def load_part(folder: Path, ids: Ids) -> Part:
    """Open one part of a prepared solution.

    Raises ValueError where the part was made for other ids, OSError where it cannot be read.
    """
    folder = Path(folder)
    meta = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
    if meta["ids"] != ids.sha256:
        raise ValueError("this part belongs to other ids")
    if (folder / "y.npy").exists():
        y = _open(folder / "y.npy")
    else:
        data, ends = _open(folder / "text.npy").tobytes(), _open(folder / "ends.npy").tolist()
        y = np.empty(meta["n"], object)
        y[:] = [data[a:b].decode() for a, b in pairwise(ends)]
    weight = folder / "weight.npy"
    return Part(_open(folder / "slots.npy"), y, _open(weight) if weight.exists() else None)


def artefact_bytes(folder: Path) -> bytes:
    """The canonical bytes of a prepared part, for commitments.

    A line that names the form, then for meta.json and each array in order of its name: the
    lengths of name, type with shape, and content as 8 bytes each, then these three. Numbers are
    little-endian, arrays in C order. The same solution always gives the same bytes.
    """
    folder = Path(folder)
    pieces = [b"holdout solution part 1\n"]
    meta = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
    entries = [("meta.json", "json", json.dumps(meta, sort_keys=True).encode())]
    for path in sorted(folder.glob("*.npy")):
        array = _open(path)
        array = np.ascontiguousarray(array, array.dtype.newbyteorder("<"))
        form = f"{array.dtype.str} {','.join(map(str, array.shape))}"
        entries.append((path.name, form, array.tobytes()))
    for name, form, content in entries:
        head = (name.encode(), form.encode())
        pieces.append(struct.pack(">QQQ", *map(len, (*head, content))))
        pieces += [*head, content]
    return b"".join(pieces)


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
