"""A form with a file: its size is looked at before it is taken apart, its fields are all known."""

import hashlib

from django.core.files.uploadedfile import UploadedFile

from leaderboard.api.errors import Fault
from leaderboard.competitions.models import Competition
from leaderboard.submissions import receiving
from leaderboard.submissions.refusals import Refusal

CHUNK = 2**20


def take(request, competition: Competition, known: frozenset[str]) -> tuple[UploadedFile, dict]:
    """Return the file of a form and its fields; raises Fault or Refusal.

    Nothing is read of a body that is larger than the competition takes. The file itself goes to the
    disk in pieces.
    """
    refused = receiving.refuse_body(request, competition.packed_limit)
    if refused:
        raise refused
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
