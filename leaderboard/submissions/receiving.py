"""Where the bytes of an upload go while the request is read, and which are not read at all."""

import contextlib

from django.core.files.uploadhandler import (
    FileUploadHandler,
    SkipFile,
    TemporaryFileUploadHandler,
)

from leaderboard.submissions.refusals import Refusal, size

# Room for the form around the file.
FORM_BYTES = 64 * 1024
# A body that is too large is read to its end up to this many times the limit, so that the sender
# reads our answer instead of a broken connection.
PATIENCE = 4
CHUNK = 2**20
# Digits of a length that are read: with as many it is larger than any limit.
LONGEST = 18


class NoFile(FileUploadHandler):
    """Keep nothing of a file that a form does not ask for.

    Django stores the files of any form, also of one that nobody needs to be signed in for: a
    stranger could fill the disk.
    """

    def new_file(self, *arguments, **details):
        raise SkipFile

    def receive_data_chunk(self, raw_data, start):
        return None

    def file_complete(self, file_size):
        return None


def take_files(request) -> None:
    """Let this request's form have files; call it before anything reads the form."""
    request.upload_handlers = [TemporaryFileUploadHandler(request)]


def stated_length(request) -> int | None:
    """Return how many bytes a request says it has; None where it names no number of bytes."""
    given = request.META.get("CONTENT_LENGTH") or ""
    # A sign such as the raised 2 is a digit to Python too, and thousands of digits no number.
    return int(given[:LONGEST]) if given.isascii() and given.isdigit() else None


def refuse_body(request, limit: int) -> Refusal | None:
    """Return why a body is not even parsed; call it before anything reads the form.

    Parsing writes the whole of it to the disk, so that a file far too large ends here. A body in
    chunks names no length: Django reads nothing of it, and the form would seem to lack its token.
    """
    length = stated_length(request)
    if length is None and "chunked" in request.META.get("HTTP_TRANSFER_ENCODING", "").lower():
        _read_away(request.META["wsgi.input"], PATIENCE * limit)
        return Refusal("no_length")
    if length is not None and length > limit + FORM_BYTES:
        _read_away(request, PATIENCE * limit)
        return Refusal("too_large", limit=size(limit))
    return None


def _read_away(body, most: int) -> None:
    """Read a body and keep nothing of it."""
    read = 0
    # A client that went away or stopped has no use for our patience. Of chunks that are none each
    # server has an error of its own; the answer is the same.
    with contextlib.suppress(Exception):
        while read < most and (chunk := body.read(CHUNK)):
            read += len(chunk)
