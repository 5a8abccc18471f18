"""All data files of a competition in one archive, made once and kept beside them."""

import hashlib
import zipfile
from collections.abc import Iterator
from contextlib import closing

from django.conf import settings

from leaderboard.competitions import store
from leaderboard.competitions.models import Competition
from leaderboard.submissions import intake

CHUNK = 2**20
# The archive's own dates: the same files make the same bytes.
STAMP = (1980, 1, 1, 0, 0, 0)


def archive(competition: Competition) -> tuple[str, str]:
    """Return (path below DOWNLOADS_DIR, tag) of the archive; made where it is not there yet."""
    files = list(competition.files.all())
    listed = "\n".join(f"{file.sha256} {file.name}" for file in files)
    tag = hashlib.sha256(listed.encode()).hexdigest()
    folder, name = f"{competition.uuid}/archives", f"{tag}.zip"
    path = f"{folder}/{name}"
    if not store.inside(settings.DOWNLOADS_DIR, path).exists():
        with intake.disk_room():
            store.write(settings.DOWNLOADS_DIR, folder, name, _packed(files))
    return path, tag


class _Sink:
    """Takes what the archive writes, to be passed on piece by piece."""

    def __init__(self):
        self.pieces: list[bytes] = []

    def write(self, data) -> int:
        self.pieces.append(bytes(data))
        return len(data)

    def flush(self) -> None:
        """Nothing to flush: the pieces are in memory."""

    def taken(self) -> Iterator[bytes]:
        pieces, self.pieces = self.pieces, []
        yield from pieces


def _packed(files) -> Iterator[bytes]:
    """Yield the archive; stored and not packed, because data files mostly are packed already."""
    sink = _Sink()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_STORED) as made:
        for row in files:
            info = zipfile.ZipInfo(row.name, STAMP)
            with (
                closing(store.open_file(settings.DOWNLOADS_DIR, row.path)) as source,
                made.open(info, "w", force_zip64=True) as target,
            ):
                while chunk := source.read(CHUNK):
                    target.write(chunk)
                    yield from sink.taken()
    yield from sink.taken()
