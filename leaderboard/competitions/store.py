"""The file store: whole files or none, below a root that no path leaves."""

import contextlib
import hashlib
import os
import re
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

# Half-written files lie here, on the same file system, until they are renamed into place.
INCOMING = ".incoming"
ABANDONED_AFTER = 3600
SAFE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}\Z")


class TooLarge(Exception):
    """More bytes came than the limit allows; nothing was kept."""

    def __init__(self, limit: int):
        super().__init__(f"more than {limit} bytes")
        self.limit = limit


@dataclass(frozen=True)
class Stored:
    """A file in the store: path below the root, bytes, SHA-256."""

    path: str
    size: int
    sha256: str


def write(
    root: Path, folder: str, name: str, chunks: Iterable[bytes], limit: int | None = None
) -> Stored:
    """Write a file so that it is there whole and on the disk when this returns, or not at all.

    Temporary file, flush, rename, flush of the folder. Raises TooLarge past `limit` bytes and
    ValueError for a path that leaves the root; an existing file of the name is replaced.
    """
    target = inside(root, f"{folder}/{name}")
    incoming = Path(root) / INCOMING
    incoming.mkdir(mode=0o700, parents=True, exist_ok=True)
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=incoming)
    try:
        with os.fdopen(handle, "wb") as file:
            size, sha256 = _copy(chunks, file, limit)
            file.flush()
            os.fsync(file.fileno())
        os.rename(temporary, target)
    except BaseException:
        # Whatever went wrong, a full disk or a stopped process, the half file must not stay.
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
        raise
    _flush_folder(target.parent)
    return Stored(f"{folder}/{name}", size, sha256)


def open_file(root: Path, path: str):
    """Open a stored file for reading bytes."""
    return inside(root, path).open("rb")


def remove(root: Path, path: str) -> None:
    """Remove a stored file that nothing refers to; one that is gone already is no error."""
    inside(root, path).unlink(missing_ok=True)


def inside(root: Path, path: str) -> Path:
    """Return the full path of a stored file; raises ValueError where it would leave the root."""
    parts = path.split("/")
    if not all(SAFE_NAME.match(part) for part in parts):
        raise ValueError("a stored path is made of plain names")
    base = Path(root).resolve()
    full = base.joinpath(*parts)
    # A symbolic link inside the store could still lead out of it.
    if not full.resolve().is_relative_to(base):
        raise ValueError("a stored path stays below its root")
    return full


def sweep_abandoned(root: Path, now: float) -> int:
    """Remove half-written files of processes that died; `now` is a time.time() of this machine."""
    removed = 0
    for file in (Path(root) / INCOMING).glob("*"):
        with contextlib.suppress(FileNotFoundError):
            if now - file.stat().st_mtime > ABANDONED_AFTER:
                file.unlink()
                removed += 1
    return removed


def _copy(chunks: Iterable[bytes], file, limit: int | None) -> tuple[int, str]:
    digest, size = hashlib.sha256(), 0
    for chunk in chunks:
        size += len(chunk)
        if limit is not None and size > limit:
            raise TooLarge(limit)
        digest.update(chunk)
        file.write(chunk)
    return size, digest.hexdigest()


def _flush_folder(folder: Path) -> None:
    """Flush the folder, or a power cut could take the new name away."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
