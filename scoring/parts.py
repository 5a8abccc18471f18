"""One part of a prepared solution: which rows it has, and their labels.

Apart from preparing, which loads more of pyarrow than scoring needs.
"""

import json
import struct
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from scoring.ids import Ids
from scoring.task import Task


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


def save_part(folder: Path, task: Task, ids: Ids, part: Part) -> None:
    """Write a part into an empty folder."""
    np.save(folder / "slots.npy", part.slots.astype(np.int32))
    if part.y.dtype == object:
        texts = [text.encode() for text in part.y.tolist()]
        ends = np.cumsum([0, *map(len, texts)], dtype=np.int64)
        np.save(folder / "text.npy", np.frombuffer(b"".join(texts), np.uint8))
        np.save(folder / "ends.npy", ends)
    else:
        np.save(folder / "y.npy", part.y)
    if part.weight is not None:
        np.save(folder / "weight.npy", part.weight)
    meta = {"kind": task.kind, "n": part.n, "ids": ids.sha256, "labels": list(task.labels)}
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
