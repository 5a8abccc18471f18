"""The ids of a competition's rows, and finding a block of ids among them.

An artefact of its own: it knows neither labels nor the split. Whole numbers in a dense range are
looked up in a table; all other ids in an open-addressing hash table over whole ids, padded to
words of 8 bytes. A match compares the complete id, so a collision cannot misalign rows. All
arrays are mapped from disk, so that processes share them.
"""

import json
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    # A process that finds ids which are no Arrow array need not load it.
    import pyarrow as pa

LONGEST_ID = 256
UNKNOWN = -1
_DENSE = 4
# Odd multipliers for the words of an id, once drawn at random (numpy's default_rng(20)).
_ODD = np.frombuffer(
    bytes.fromhex(
        "7ba96ae4eb0eb3479fcafa42f5b50d7671321ee59205291f9fdad03f33a9c985"
        "7d80d73dc642bf682303235828f856124949d0084ce1551935199ba9eb647dfc"
        "a70d08eec76eaeb1877435ec363fdd72075bf98c98a0e2a31d9e8d67f8c13e45"
        "812d89b3bf9c474dad93288eb58bc612f5536c367c3f760da91ba89da4b0b6ce"
        "4d4605e14ac734d00712edebd0d1450117a9cec4cc817e54033fc4a56f65ce16"
        "b52b5138595ecb775fa8ca447de5209ef9fdfee7607c118d0d463feffde05122"
        "ffea4471324bd3b3f5efa0262090eb9cb343b9683030a977b57bfa873686104c"
        "03fea2b390dc1bebebc9fd22d64d5c15791fd242b6340f25333917664a03ea60"
    ),
    "<u8",
)


def _hash(words: np.ndarray, bits: int) -> np.ndarray:
    """Hash rows of (n, W) words to n positions below 2**bits."""
    mixed = words[:, 0] * _ODD[0]
    for column in range(1, words.shape[1]):
        mixed += words[:, column] * _ODD[column % len(_ODD)]
    mixed ^= mixed >> np.uint64(32)
    mixed *= _ODD[0]
    mixed >>= np.uint64(64 - bits)
    return mixed.view(np.int64)


def build_table(words: np.ndarray) -> np.ndarray:
    """Open-addressing table over distinct rows of words, filled to at most a quarter."""
    bits = max(int(4 * len(words) - 1).bit_length(), 4)
    table = np.full(1 << bits, UNKNOWN, np.int32)
    waiting = np.arange(len(words), dtype=np.int32)
    place = _hash(words, bits)
    while len(waiting):
        free = table[place] < 0
        table[place[free]] = waiting[free]
        # Of several that wrote to one place the last stands; the others move on.
        lost = table[place] != waiting
        waiting = waiting[lost]
        place = (place[lost] + 1) & ((1 << bits) - 1)
    return table


Packed = tuple[np.ndarray, np.ndarray]


def text_buffers(texts: "pa.Array | Sequence[str]") -> Packed:
    """Where each of n texts begins and the last ends (n + 1), and their bytes."""
    if hasattr(texts, "buffers"):
        buffers = texts.buffers()
        offsets = np.frombuffer(buffers[1], np.int32)[texts.offset : texts.offset + len(texts) + 1]
        return offsets, np.frombuffer(buffers[2] or b"", np.uint8)
    # Not by way of pyarrow.array, which imports pandas where it is installed.
    joined = "".join(texts)
    parts = texts if joined.isascii() else [text.encode() for text in texts]
    offsets = np.cumsum([0, *map(len, parts)])
    return offsets, np.frombuffer(joined.encode(), np.uint8)


def pack_texts(buffers: Packed, width: int) -> Packed:
    """Pad texts to (n, width/8) words with zeros; also says which are too long for that."""
    offsets, data = buffers
    count = len(offsets) - 1
    lengths = np.diff(offsets)
    padded = np.zeros((count, width), np.uint8)
    shortest, longest = int(lengths.min(initial=width)), int(lengths.max(initial=0))
    if shortest == longest <= width:
        start = int(offsets[0])
        block = data[start : start + count * longest]
        padded[:, :longest] = block.reshape(count, longest)
    else:
        for length in np.unique(lengths):
            if not 0 < length <= width:
                continue
            rows = np.flatnonzero(lengths == length)
            padded[rows, :length] = data[offsets[rows][:, None] + np.arange(length)]
    return padded.view(np.uint64), lengths > width


def ends_in_zero(buffers: Packed) -> np.ndarray:
    """Which of the texts end in a NUL, as bool (n,)."""
    offsets, data = buffers
    ends = offsets[1:]
    filled = ends > offsets[:-1]
    return filled & (data.take(ends - 1, mode="clip") == 0) if len(data) else filled


class Ids:
    """The ids in the solution's file order; `count` of them, of `kind` "int" or "str"."""

    def __init__(self, meta: dict, arrays: dict[str, np.ndarray]) -> None:
        self.kind: str = meta["kind"]
        self.count: int = meta["count"]
        self.sha256: str = meta["sha256"]
        self._base: int = meta.get("base", 0)
        self._ids = arrays["ids"]
        self._table = arrays.get("table")
        self._dense: bool = meta["lookup"] == "dense"

    def __len__(self) -> int:
        return self.count

    @cached_property
    def _words(self) -> np.ndarray:
        return self._ids.view(np.uint64).reshape(self.count, -1)

    @classmethod
    def from_ints(cls, ids: np.ndarray) -> "Ids":
        """Index distinct int64 ids."""
        ids = np.ascontiguousarray(ids, np.int64)
        base, top = int(ids.min()), int(ids.max())
        dense = top - base < _DENSE * len(ids) + 1024
        if dense:
            table = np.full(top - base + 1, UNKNOWN, np.int32)
            table[ids - base] = np.arange(len(ids), dtype=np.int32)
        else:
            table = build_table(ids.view(np.uint64)[:, None])
        return cls._made("int", ids, table, dense, base)

    @classmethod
    def from_texts(cls, texts: "pa.Array | Sequence[str]") -> "Ids":
        """Index distinct text ids of at most LONGEST_ID bytes."""
        buffers = text_buffers(texts)
        longest = int(np.diff(buffers[0]).max(initial=1))
        words, _ = pack_texts(buffers, -(-longest // 8) * 8)
        return cls._made("str", words, build_table(words), False, 0)

    @classmethod
    def of(cls, ids: Sequence[int] | Sequence[str]) -> "Ids":
        """Index distinct ids of one type, for use without files."""
        if all(isinstance(one, str) for one in ids):
            return cls.from_texts(ids)
        return cls.from_ints(np.array(ids, np.int64))

    @classmethod
    def _made(cls, kind: str, ids: np.ndarray, table: np.ndarray, dense: bool, base: int) -> "Ids":
        # Imported here: opening ids that were made before does without OpenSSL.
        import hashlib

        sha256 = hashlib.sha256(kind.encode() + np.ascontiguousarray(ids).data).hexdigest()
        lookup = "dense" if dense else "hash"
        meta = {"kind": kind, "count": len(ids), "base": base, "lookup": lookup, "sha256": sha256}
        return cls(meta, {"ids": ids, "table": table})

    def save(self, folder: Path) -> None:
        """Write the artefact into an empty folder."""
        meta = {
            "kind": self.kind,
            "count": self.count,
            "base": self._base,
            "lookup": "dense" if self._dense else "hash",
            "sha256": self.sha256,
        }
        np.save(folder / "ids.npy", self._ids)
        np.save(folder / "table.npy", self._table)
        (folder / "meta.json").write_text(json.dumps(meta, sort_keys=True), encoding="utf-8")

    def texts(self, slots: Sequence[int] | np.ndarray) -> list[str]:
        """The ids at these rows, as they are written in a file."""
        if self.kind == "int":
            return [str(one) for one in self._ids[np.asarray(slots, np.int64)].tolist()]
        rows = self._words[np.asarray(slots, np.int64)]
        return [row.tobytes().rstrip(b"\0").decode() for row in rows]

    def find(self, block: "pa.Array") -> np.ndarray | slice:
        """Rows of a block of ids, UNKNOWN where there is none.

        block: pyarrow int64 or string array without nulls, as `kind` says. Returns a slice
        where the block follows the solution's own order, else int32 or int64 positions.
        """
        if self.kind == "int":
            start = block.offset
            numbers = np.frombuffer(block.buffers()[1], np.int64, start + len(block))
            return self.find_ints(numbers[start:])
        return self._find_packed(text_buffers(block))

    def _find_packed(self, buffers: Packed) -> np.ndarray | slice:
        words, too_long = pack_texts(buffers, self._words.shape[1] * 8)
        found = self._find_words(words)
        if not isinstance(found, slice) and too_long.any():
            found[too_long] = UNKNOWN
        zeros = ends_in_zero(buffers)
        if zeros.any():
            # Padding makes them equal to the ids without that character.
            if isinstance(found, slice):
                found = np.arange(found.start, found.stop)
            found[zeros] = UNKNOWN
        return found

    def find_ints(self, block: np.ndarray) -> np.ndarray | slice:
        """Rows of a block of int64 ids; see find."""
        if not self._dense:
            return self._find_words(block.view(np.uint64)[:, None])
        if not len(block):
            return slice(0, 0)
        low, high = int(block.min()), int(block.max())
        top = self._base + len(self._table) - 1
        if low >= self._base and high <= top:
            run = self._as_run(self._ids, block, int(self._table[int(block[0]) - self._base]))
            # Clipping is faster than an error would be.
            return run or self._table.take(block - self._base, mode="clip")
        inside = (block >= self._base) & (block <= top)
        found = np.full(len(block), UNKNOWN, np.int32)
        found[inside] = self._table.take(block[inside] - self._base)
        return found

    def find_texts(self, texts: list[str]) -> np.ndarray:
        """Rows of text ids, int64, UNKNOWN where there is none; for ids of kind "str"."""
        found = self._find_packed(text_buffers(texts))
        if isinstance(found, slice):
            return np.arange(found.start, found.stop)
        return found.astype(np.int64)

    def _as_run(self, ids: np.ndarray, block: np.ndarray, first: int) -> slice | None:
        """The block as a slice of the published order, or None; the ends are compared first."""
        last = first + len(block) - 1
        if first < 0 or last >= self.count or (ids[last] != block[-1]).any():
            return None
        same = np.array_equal(ids[first : last + 1], block)
        return slice(first, last + 1) if same else None

    def _find_words(self, words: np.ndarray) -> np.ndarray | slice:
        if not len(words):
            return slice(0, 0)
        first = self._probe(words[:1])[0]
        return self._as_run(self._words, words, int(first)) or self._probe(words)

    def _probe(self, words: np.ndarray) -> np.ndarray:
        mask = len(self._table) - 1
        place = _hash(words, mask.bit_length())
        found = self._table.take(place)
        waiting = np.flatnonzero(self._differs(found, words) & (found >= 0))
        place = place[waiting]
        while len(waiting):
            place = (place + 1) & mask
            candidate = self._table.take(place)
            found[waiting] = candidate
            on = self._differs(candidate, words.take(waiting, axis=0)) & (candidate >= 0)
            place, waiting = place[on], waiting[on]
        return found

    def _differs(self, slots: np.ndarray, words: np.ndarray) -> np.ndarray:
        """Whether each row of words is another id than the one at its slot (clipped at 0)."""
        stored = self._words.take(slots, axis=0, mode="clip")
        differs = stored[:, 0] != words[:, 0]
        for column in range(1, words.shape[1]):
            differs |= stored[:, column] != words[:, column]
        return differs


def load_ids(folder: Path) -> Ids:
    """Open the ids of a prepared solution; arrays are mapped, not read. Raises OSError."""
    folder = Path(folder)
    meta = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
    arrays = {
        name: np.asarray(np.load(folder / f"{name}.npy", mmap_mode="r", allow_pickle=False))
        for name in ("ids", "table")
    }
    return Ids(meta, arrays)
