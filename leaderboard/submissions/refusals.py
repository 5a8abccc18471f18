"""What a person is answered whose act is refused: a closed set of codes, a sentence, a status."""

from datetime import UTC, datetime

STATUS = {
    "not_open": 403,
    "closed": 403,
    "not_joined": 403,
    "disqualified": 403,
    "over_quota": 429,
    "too_many_rejected": 429,
    "too_large": 413,
    "wrong_form": 400,
    "empty": 400,
    "no_space": 507,
    # Acts on files that were sent: final choice, withdrawal, waiver, close, reveal.
    "not_yours": 404,
    "not_scored": 409,
    "withdrawn": 409,
    "finals_full": 409,
    "not_stuck": 409,
    "not_ready": 409,
}
SENTENCES = {
    "not_open": "This competition does not take files yet. It opens on {at}.",
    "closed": "This competition closed on {at}. Files sent after that are not accepted.",
    "not_joined": "Join this competition before you send a file.",
    "disqualified": "Your team was disqualified and cannot send files.",
    "over_quota": (
        "Your team has sent its {limit} files of today. You can send files again from {at}."
    ),
    "too_many_rejected": (
        "{limit} files of your team were rejected today, the most there may be. "
        "You can send files again from {at}."
    ),
    "too_large": "This file is larger than {limit}, the most this competition takes.",
    "wrong_form": "No file came with this form. Choose a file and send it again.",
    "empty": (
        "This file is empty: it has 0 bytes. It needs the header line '{header}' and {rows} rows."
    ),
    "no_space": "The file could not be stored because the server's disk is full. Try again later.",
    "not_yours": "Your team has no such file.",
    "not_scored": "Only a scored file can be final.",
    "withdrawn": "A withdrawn file cannot be final.",
    "finals_full": "Your team has chosen {limit} final files. Take one back first.",
    "not_stuck": "This file does not wait for a decision.",
    "not_ready": "There is nothing to reveal yet: the final scores are not ready.",
}


class Refusal(Exception):
    """An act is refused; `code`, `sentence` (safe to show) and `status` (HTTP)."""

    def __init__(self, code: str, **facts):
        self.code = code
        self.status = STATUS[code]
        self.sentence = SENTENCES[code].format(**facts)
        super().__init__(self.sentence)


def instant(at: datetime) -> str:
    """An instant as sentences print it: 30 December 2026, 18:00 UTC."""
    at = at.astimezone(UTC)
    return f"{at.day} {at:%B %Y, %H:%M} UTC"


def size(count: int) -> str:
    """A number of bytes as sentences print it: 64 MiB, or KiB where that is shorter."""
    for unit, name in ((2**20, "MiB"), (2**10, "KiB")):
        if count >= unit:
            return f"{count / unit:.4g} {name}"
    return f"{count} bytes"
