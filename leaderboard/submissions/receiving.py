"""Where the bytes of an upload go while the request is read."""

from django.core.files.uploadhandler import (
    FileUploadHandler,
    SkipFile,
    TemporaryFileUploadHandler,
)


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
