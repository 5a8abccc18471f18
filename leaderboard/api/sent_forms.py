"""A form with a file: its size is looked at before it is taken apart, its fields are all known."""

import contextlib
import hashlib

from django.core.files.uploadedfile import UploadedFile

from leaderboard.api.errors import Fault
from leaderboard.competitions.models import Competition
from leaderboard.submissions import receiving, refusals
from leaderboard.submissions.refusals import Refusal

# Room for the form around the file.
FORM_BYTES = 64 * 1024
# A body that is too large is read to its end up to this many times the limit, so that the client
# reads our answer instead of a broken connection.
PATIENCE = 4
CHUNK = 2**20


def take(request, competition: Competition, known: frozenset[str]) -> tuple[UploadedFile, dict]:
    """Return the file of a form and its fields; raises Fault or Refusal.

    Nothing is read of a body that is larger than the competition takes. The file itself goes to the
    disk in pieces.
    """
    size = request.META.get("CONTENT_LENGTH") or ""
    if not size:
        # In chunks, or without any body.
        raise Refusal("no_length" if "Transfer-Encoding" in request.headers else "wrong_form")
    limit = competition.packed_limit
    if int(size) > limit + FORM_BYTES:
        _read_away(request, PATIENCE * limit)
        raise Refusal("too_large", limit=refusals.size(limit))
    receiving.take_files(request)
    for name in request.POST:
        if name not in known:
            raise _wrong(name, "This field is a file." if name == "file" else None)
        if len(request.POST.getlist(name)) > 1:
            raise _wrong(name, "Give this field once.")
    for name in request.FILES:
        if name != "file":
            raise _wrong(name, "This field is text." if name in known else None)
        if len(request.FILES.getlist(name)) > 1:
            raise _wrong(name, "Send one file.")
    file = request.FILES.get("file")
    if file is None:
        raise Refusal("wrong_form")
    return file, dict(request.POST.items())


def sha256(file: UploadedFile) -> str:
    """Return the digest of a file that came with a form."""
    digest = hashlib.sha256()
    for chunk in file.chunks(CHUNK):
        digest.update(chunk)
    file.seek(0)
    return digest.hexdigest()


def _wrong(name: str, problem: str | None) -> Fault:
    problem = problem or "There is no such field."
    told = {"in": "form", "field": name[:100], "problem": problem}
    return Fault(422, "invalid", f"form {name[:100]}: {problem}", {"problems": [told]})


def _read_away(request, most: int) -> None:
    """Read a body and keep nothing of it."""
    read = 0
    # A client that went away or stopped has no use for our patience.
    with contextlib.suppress(OSError):
        while read < most and (chunk := request.read(CHUNK)):
            read += len(chunk)
