"""How the client wants to be spoken to: JSON both ways, its names of fields, its form of errors."""

import base64
import json
import re
from collections.abc import Callable
from datetime import UTC, datetime

from django.contrib.auth.models import AnonymousUser
from django.http import Http404, HttpResponseBase, JsonResponse

from leaderboard.accounts import tokens
from leaderboard.accounts.models import User
from leaderboard.submissions import receiving
from leaderboard.submissions.refusals import Refusal

# Far more than any call needs; the files of submissions travel apart.
BODY_BYTES = 64 * 1024
PAGE_SIZE, LARGEST_PAGE_SIZE = 20, 100
LARGEST_PAGE = 1_000_000
# Signs that JSON can write and the database cannot hold: NUL, and halves of a pair.
UNSTORED = re.compile("[\0\ud800-\udfff]")
REALM = 'Basic realm="holdout"'


class Fault(Exception):
    """A call that cannot be answered: an HTTP status and the sentence that the client prints."""

    def __init__(self, status: int, message: str):
        super().__init__(message)
        self.status, self.message = status, message


def error(status: int, message: str) -> JsonResponse:
    """Return an error as the client reads it."""
    answer = JsonResponse({"code": status, "message": message}, status=status)
    if status == 401:
        answer["WWW-Authenticate"] = REALM
    return answer


def answered(request, act: Callable[[], dict | HttpResponseBase]) -> HttpResponseBase:
    """Run an act and answer its result, or why it was refused."""
    try:
        result = act()
    except Fault as fault:
        return error(fault.status, fault.message)
    except Refusal as refusal:
        return error(refusal.status, refusal.sentence)
    except Http404:
        # A thing that is not there and one that is none of the caller's business.
        return error(404, "There is no such competition, file or submission.")
    answer = result if isinstance(result, HttpResponseBase) else JsonResponse(_bare(result))
    answer["Cache-Control"] = "private, no-store"
    return answer


def asked(request) -> dict:
    """Return the body of a call, a JSON object; raises Fault."""
    size = receiving.stated_length(request)
    if request.META.get("CONTENT_LENGTH") and (size is None or size > BODY_BYTES):
        raise Fault(413, f"A call may have {BODY_BYTES} bytes.")
    try:
        # A number that JSON does not have is no number of a call.
        body = json.loads(request.read(BODY_BYTES + 1) or b"{}", parse_constant=_refuse)
    except (ValueError, RecursionError) as broken:
        raise Fault(400, "The body of this call is not JSON.") from broken
    if not isinstance(body, dict):
        raise Fault(400, "The body of this call is not a JSON object.")
    return body


def caller(request) -> User | AnonymousUser:
    """Return who calls, by `Bearer TOKEN` or by user name and token; nobody without credentials.

    Raises Fault (401) for credentials that are wrong.
    """
    scheme, _, given = request.headers.get("Authorization", "").partition(" ")
    if not scheme:
        return AnonymousUser()
    name, secret = None, given.strip()
    if scheme.lower() == "basic":
        try:
            name, _, secret = base64.b64decode(secret, validate=True).decode().partition(":")
        except ValueError as broken:
            raise Fault(401, "The credentials of this call cannot be read.") from broken
    elif scheme.lower() != "bearer":
        raise Fault(401, "Sign in with a token: Authorization: Bearer TOKEN.")
    user = tokens.owner(secret)
    if user is None or (name is not None and name.casefold() != user.username.casefold()):
        raise Fault(
            401, "The user name or the token is wrong, or the token was revoked. See /account/."
        )
    return user


def somebody(request) -> User:
    """Return who calls; raises Fault (401) where nobody says so."""
    user = caller(request)
    if not user.is_authenticated:
        raise Fault(401, "Sign in: set KAGGLE_API_TOKEN, or KAGGLE_USERNAME and KAGGLE_KEY.")
    return user


def text(body: dict, name: str) -> str:
    """Return a text of the body; empty where there is none."""
    value = body.get(name, "")
    if not isinstance(value, str):
        raise Fault(400, f"The field {name} must be a text.")
    return UNSTORED.sub("", value)


def number(body: dict, name: str, default: int = 0) -> int:
    """Return a whole number of the body that the database can hold."""
    value = body.get(name, default)
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 20:
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not abs(value) < 2**63:
        raise Fault(400, f"The field {name} must be a whole number.")
    return value


def page(body: dict) -> tuple[int, int]:
    """Return the page wanted (from 1) and its size; a page token is the number of a page."""
    size = min(max(number(body, "pageSize", PAGE_SIZE), 1), LARGEST_PAGE_SIZE)
    token = text(body, "pageToken")
    wanted = number({"pageToken": token}, "pageToken") if token else number(body, "page", 1)
    return min(max(wanted, 1), LARGEST_PAGE), size


def next_page(wanted: int, size: int, total: int) -> str:
    """Return the token of the next page; empty on the last one."""
    return str(wanted + 1) if wanted * size < total else ""


def instant(at: datetime | None) -> str | None:
    """Return an instant as the client parses it: UTC with milliseconds."""
    if at is None:
        return None
    at = at.astimezone(UTC)
    return f"{at:%Y-%m-%dT%H:%M:%S}.{at.microsecond // 1000:03d}Z"


def _refuse(constant: str):
    raise ValueError(constant)


def _bare(value):
    """Leave out what is unknown: the client takes a null for a text."""
    if isinstance(value, dict):
        return {key: _bare(inner) for key, inner in value.items() if inner is not None}
    if isinstance(value, list):
        return [_bare(inner) for inner in value]
    return value
