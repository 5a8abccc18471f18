"""The lines of the log: no secret in them, and no line that somebody else wrote."""

import logging
import re

# What signs somebody in or lets a program act, wherever it may turn up in a line: tokens, keys in
# headers and addresses, and the links of mails.
SECRETS = tuple(
    (re.compile(pattern, re.IGNORECASE), instead)
    for pattern, instead in (
        (r"(holdout_[\w-]{4})[\w-]+", r"\1…"),
        (r"(authorization['\"]?\s*[:=]\s*['\"]?(?:basic|bearer|token)\s+)[^\s'\",]+", r"\1…"),
        (r"\b((?:bearer|basic)\s+)[\w.~+/=-]{16,}", r"\1…"),
        (
            r"([\w-]*(?:password|passwd|secret|api_?key|csrfmiddlewaretoken|sessionid)"
            r"\d?['\"]?\s*[:=]\s*['\"]?)[^\s'\"&,;]+",
            r"\1…",
        ),
        (r"([?&](?:token|key|code|state|secret)=)[^&\s'\"]+", r"\1…"),
        (r"(/account/confirm/)[-:\w]+", r"\1…"),
        (r"(/password/reset/)[0-9a-z]+-[^/\s]+", r"\1…"),
        (r"(://[^/\s:@]+:)[^/\s@]+(@)", r"\1…\2"),
    )
)
# Line breaks and escape sequences in a name or address would forge lines or colour a terminal.
CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f\x85\u2028\u2029]")


def redact(text: str) -> str:
    """Return a text with what must stay secret cut out."""
    for pattern, instead in SECRETS:
        text = pattern.sub(instead, text)
    return text


class Formatter(logging.Formatter):
    """Django's formatter of lines, without secrets, one line for one message."""

    def formatMessage(self, record):
        record.message = CONTROL.sub(lambda sign: repr(sign.group())[1:-1], record.message)
        return super().formatMessage(record)

    def format(self, record):
        # The whole text: what an exception says stands below its line.
        return redact(super().format(record))
