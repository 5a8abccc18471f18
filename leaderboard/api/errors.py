"""How the API says that something went wrong: always `{code, message, details}`."""

import logging
import secrets
from datetime import UTC, datetime

from django.core.exceptions import RequestDataTooBig, SuspiciousOperation
from django.http import Http404, JsonResponse, UnreadablePostError
from django.http.multipartparser import MultiPartParserError
from ninja import NinjaAPI, errors

from leaderboard.submissions.refusals import Refusal
from leaderboard.teams import joining

log = logging.getLogger(__name__)

NOT_FOUND = "There is no such thing, or you may not see it."
SIGN_IN = "This call needs a token: send the header 'Authorization: Bearer TOKEN'."
WRONG_TOKEN = "The token is wrong or was revoked. Make a new one on your account page."  # noqa: S105
REALM = 'Bearer realm="holdout"'
ALLOWED = {
    "missing": "This field is required.",
    "extra_forbidden": "There is no such field.",
}


class Fault(Exception):
    """A call that cannot be answered: status, code, sentence, and what a program can read."""

    def __init__(self, status: int, code: str, message: str, details=None, headers=None):
        super().__init__(message)
        self.status, self.code, self.message = status, code, message
        self.details, self.headers = details or {}, headers or {}


class WrongToken(Fault):
    """Credentials came with the call, and they are none."""

    def __init__(self):
        super().__init__(401, "wrong_token", WRONG_TOKEN)


def answer(status: int, code: str, message: str, details=None, headers=None) -> JsonResponse:
    """Return an error in the one form that all of them have."""
    body = {"code": code, "message": message, "details": details or {}}
    made = JsonResponse(body, status=status, headers=headers)
    if status == 401:
        made["WWW-Authenticate"] = REALM
    return made


def fault(request, error: Fault) -> JsonResponse:
    """Answer a fault."""
    return answer(error.status, error.code, error.message, error.details, error.headers)


def not_found(request, error=None) -> JsonResponse:
    """Answer 404: unknown and forbidden look the same, to the byte."""
    return answer(404, "not_found", NOT_FOUND)


def refused(request, refusal: Refusal | joining.Refusal) -> JsonResponse:
    """Answer a refusal of an act: its own code and sentence, as the pages show them."""
    if refusal.status == 404:
        return not_found(request)
    return answer(refusal.status, refusal.code, refusal.sentence)


def too_soon(message: str, code: str, at: datetime, now: datetime, details: dict) -> Fault:
    """Return the fault of somebody who has to wait until an instant."""
    wait = max(int((at - now).total_seconds()) + 1, 1)
    told = {**details, "resets_at": at.astimezone(UTC).isoformat().replace("+00:00", "Z")}
    return Fault(429, code, message, told, {"Retry-After": str(wait)})


def invalid(request, error: errors.ValidationError) -> JsonResponse:
    """Answer 422 with every field that does not fit."""
    found = [_problem(one) for one in error.errors]
    first = found[0]
    where = f"{first['in']} {first['field']}".strip()
    return answer(422, "invalid", f"{where}: {first['problem']}", {"problems": found})


def _problem(one: dict) -> dict:
    """Say what is wrong with one field, without the model's names that stand around it."""
    source, *rest = one["loc"]
    field = ".".join(str(part) for part in (rest[1:] if source == "body" else rest))
    problem = ALLOWED.get(one["type"], one["msg"])
    return {"in": source, "field": field or str(rest[-1] if rest else ""), "problem": problem}


def _http(request, error: errors.HttpError) -> JsonResponse:
    """Answer what the library itself refuses."""
    if isinstance(error, errors.AuthenticationError):
        return answer(401, "no_token", SIGN_IN)
    if isinstance(error, errors.Throttled):
        # The library adds Retry-After.
        return answer(429, "too_many_calls", "Too many calls this minute. Wait and try again.")
    cause = error.__cause__
    if isinstance(cause, Fault):
        return fault(request, cause)
    if isinstance(cause, RequestDataTooBig):
        return answer(413, "too_large", "The body is too large.")
    return answer(400, "bad_json", "The body is not JSON.")


def _broken(request, error: Exception) -> JsonResponse:
    """Answer 400 to a body that breaks off or cannot be taken apart."""
    return answer(400, "bad_request", "The request cannot be read. Send it again, whole.")


def _too_big(request, error: Exception) -> JsonResponse:
    return answer(413, "too_large", "The body is too large.")


def ours(request, error: Exception) -> JsonResponse:
    """Answer 500 with a number that stands in the log, and with nothing of the error itself."""
    number = f"{secrets.token_hex(2)}-{secrets.token_hex(2)}"
    log.error("error %s was answered for %s", number, request.path, exc_info=error)
    text = f"This failed on our side. Tell the people who run the site this number: {number}."
    return answer(500, "failed", text, {"number": number})


def register(api: NinjaAPI) -> None:
    """Let an API answer every error in this form."""
    for kind, handler in (
        (Exception, ours),
        (Http404, not_found),
        (Fault, fault),
        (Refusal, refused),
        (joining.Refusal, refused),
        (errors.ValidationError, invalid),
        (errors.HttpError, _http),
        (RequestDataTooBig, _too_big),
        (SuspiciousOperation, _broken),
        (MultiPartParserError, _broken),
        (UnreadablePostError, _broken),
    ):
        api.add_exception_handler(kind, handler)
