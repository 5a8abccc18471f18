"""What a person is answered whose act is refused: a closed set of codes, a sentence, a status."""

from datetime import UTC, datetime

STATUS = {
    "not_open": 403,
    "closed": 403,
    "not_joined": 403,
    "disqualified": 403,
    "late_not_yet": 403,
    "archived": 403,
    "over_quota": 429,
    "over_total": 429,
    "too_many_rejected": 429,
    "too_large": 413,
    "wrong_form": 400,
    "no_length": 411,
    "own_score": 400,
    "empty": 400,
    "no_space": 507,
    "too_many_uploads": 429,
    # Files that are checked and not submitted.
    "check_unfinished": 409,
    "too_many_checks": 429,
    "check_not_valid": 409,
    "check_gone": 410,
    # Acts on files that were sent: look, final choice, withdrawal, waiver, close, reveal.
    "no_look": 409,
    "looks_used_up": 409,
    "looks_closed": 403,
    "not_yours": 404,
    "not_scored": 409,
    "withdrawn": 409,
    "finals_full": 409,
    "too_many_finals": 409,
    "not_stuck": 409,
    "not_ready": 409,
}
SENTENCES = {
    "not_open": "This competition does not take files yet. It opens on {at}.",
    "closed": "This competition closed on {at}. Files sent after that are not accepted.",
    "not_joined": "Join this competition before you send a file.",
    "disqualified": "Your team was disqualified: it sends no more files and takes no more looks.",
    "late_not_yet": (
        "This competition closed on {at}. It takes late files, scored and not ranked, as soon as "
        "the results are revealed."
    ),
    "archived": "This competition is archived. It takes no more files.",
    "over_quota": "{why} You can send files again from {at}.",
    "over_total": "{why} No more files can be sent; those you sent stay in the ranking.",
    "too_many_rejected": "{why} You can send files again from {at}.",
    "too_large": "This file is larger than {limit}, the most this competition takes.",
    "wrong_form": "No file came with this form. Choose a file and send it again.",
    "own_score": (
        "Your own score is not a number. Write it with a point, such as 0.812, or leave the field "
        "empty."
    ),
    "no_length": (
        "This upload did not say how long it is. Send it with a Content-Length header, as browsers "
        "and curl -F do, and not in chunks."
    ),
    "empty": (
        "This file is empty: it has 0 bytes. It needs the header line '{header}' and {rows} rows."
    ),
    "too_many_uploads": (
        "{limit} files of yours were announced and not submitted. Submit them, or wait an hour."
    ),
    "no_space": "The file could not be stored because the server's disk is full. Try again later.",
    "check_unfinished": (
        "The check of your file {name} is not finished. Wait for it, then check the next one."
    ),
    "too_many_checks": (
        "You checked {limit} files within an hour, the most there may be. "
        "You can check files again from {at}; submitting is not affected."
    ),
    "check_not_valid": "Only a file that passed its check can be submitted from here.",
    "check_gone": "The checked file is no longer kept. Choose it again to submit it.",
    "no_look": "Only a scored file can be looked at.",
    "looks_used_up": "Your team has used its {limit} looks.",
    "looks_closed": "This competition closed on {at}. Looks end with it.",
    "not_yours": "Your team has no such file.",
    "not_scored": "Only a scored file can be final.",
    "withdrawn": "A withdrawn file cannot be final.",
    "finals_full": "Your team has chosen {limit} final files. Take one back first.",
    "too_many_finals": (
        "That makes {wanted} final files, and your team may have {limit}. Untick {more} more."
    ),
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
