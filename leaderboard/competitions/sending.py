"""Send a stored file: whole, as the rest of one that broke off, or "you have it already"."""

import re
from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.http import FileResponse, HttpResponse, HttpResponseNotModified
from django.utils.http import http_date, parse_etags, parse_http_date_safe

from leaderboard.competitions import store
from leaderboard.competitions.models import DataFile

# One range of bytes; several at once are nobody's wish, so they get the whole file.
RANGE = re.compile(r"bytes=(\d{0,18})-(\d{0,18})\Z", re.ASCII)
CHUNK = 2**20


class _Part:
    """The first `left` bytes of what follows in an open file."""

    def __init__(self, file, left: int):
        self._file, self._left = file, left

    def read(self, size: int = -1) -> bytes:
        size = self._left if size < 0 else min(size, self._left)
        read = self._file.read(size)
        self._left -= len(read)
        return read

    def close(self) -> None:
        self._file.close()


def data_file(request, file: DataFile, modified: datetime) -> HttpResponse:
    """Send a data file as a download; the caller has asked who may have it."""
    return stored(
        request, settings.DOWNLOADS_DIR, file.path, name=file.name, tag=file.sha256, at=modified
    )


def stored(request, root: Path, path: str, *, name: str, tag: str, at: datetime) -> HttpResponse:
    """Send a stored file under a name; `tag` is new whenever the bytes are, `at` since when.

    Answers conditional requests and one range of bytes, so that a download can go on.
    """
    etag, changed = f'"{tag}"', int(at.timestamp())
    if _has_it(request, etag, changed):
        answer = HttpResponseNotModified()
    else:
        file = store.open_file(root, path)
        size = store.inside(root, path).stat().st_size
        answer = _answer(file, size, _wanted(request, size, etag, changed), name)
    answer["ETag"] = etag
    answer["Last-Modified"] = http_date(changed)
    answer["Accept-Ranges"] = "bytes"
    answer["Cache-Control"] = "private, no-store"
    # An organiser's file must never run as a page of this site.
    answer["Content-Security-Policy"] = "sandbox"
    return answer


def _answer(file, size: int, wanted: tuple[int, int] | None, name: str) -> HttpResponse:
    if wanted is None:
        return _download(file, size, name)
    first, last = wanted
    if first >= size or last < first:
        file.close()
        answer = HttpResponse(status=416)
        answer["Content-Range"] = f"bytes */{size}"
        return answer
    file.seek(first)
    answer = _download(_Part(file, last - first + 1), last - first + 1, name)
    answer.status_code = 206
    answer["Content-Range"] = f"bytes {first}-{last}/{size}"
    return answer


def _download(file, size: int, name: str) -> FileResponse:
    answer = FileResponse(
        file, as_attachment=True, filename=name, content_type="application/octet-stream"
    )
    answer.block_size = CHUNK
    answer["Content-Length"] = str(size)
    return answer


def _has_it(request, etag: str, changed: int) -> bool:
    given = request.headers.get("If-None-Match")
    if given is not None:
        tags = [tag.removeprefix("W/") for tag in parse_etags(given)]
        return "*" in tags or etag in tags
    since = parse_http_date_safe(request.headers.get("If-Modified-Since", ""))
    return since is not None and since >= changed


def _wanted(request, size: int, etag: str, changed: int) -> tuple[int, int] | None:
    """Return the range of bytes asked for (both ends included); None for the whole file."""
    given = RANGE.match(request.headers.get("Range", "").strip())
    if given is None or not any(given.groups()):
        return None
    unless = request.headers.get("If-Range")
    if unless and unless.strip() != etag and parse_http_date_safe(unless) != changed:
        # The file is another one by now: the rest of the old one would not fit.
        return None
    first, last = given.groups()
    if not first:
        # The last so many bytes.
        return max(size - int(last), 0), size - 1
    return int(first), min(int(last), size - 1) if last else size - 1
