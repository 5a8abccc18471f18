"""The API as a whole, and its description in OpenAPI 3.1, which the door holds callers to."""

import functools
import json
import re

from django.urls import URLPattern
from ninja import NinjaAPI
from ninja.renderers import JSONRenderer

from leaderboard.api import (
    board_calls,
    check_calls,
    competition_calls,
    door,
    errors,
    me_calls,
    submission_calls,
    team_calls,
)

PREFIX = "/api/v1/"
TEXT = """What a participant does in the browser, for programs: join, send and follow files, choose
the final ones, read the board. Only a team and an account are changed in the browser alone.

Send a token of your account page with each call, `Authorization: Bearer TOKEN`; what everybody may
read needs none. Every error is `{code, message, details}`. What does not exist and what you may not
see both answer 404. Unknown parameters and fields are refused. Lists come in pages of at most 100.
A score that nobody is told is null. Times are UTC."""
TAGS = {
    "Competitions": "What is contested, its files, its announcements, and joining.",
    "Submissions": "Send a file, follow it, list them, choose the final ones.",
    "Checks": "Read a file without submitting it: no quota, no score.",
    "Leaderboard": "What the page of the board shows, nothing else.",
    "Teams": "Your own team, and what everybody may read of a team.",
    "You": "Whose token it is, and what is left of today.",
}
MEANINGS = {
    304: "You have it already: the tag of If-None-Match still holds.",
    400: "The request cannot be read.",
    401: "No token where one is needed, or a wrong or revoked one.",
    403: "You may not do this here and now; the code says why.",
    404: "There is no such thing, or you may not see it: the same answer, to the byte.",
    409: "The state of things does not allow this; the code says which.",
    410: "It is no longer kept.",
    411: "The length of the body is missing.",
    413: "The body is larger than this call or the competition takes.",
    415: "The body is of a type that this call does not take.",
    416: "The file has no such range of bytes.",
    422: "A parameter or field is missing, wrong or unknown; details.problems names each.",
    429: "Too many calls, or no room in a quota. Retry-After says how many seconds to wait.",
    500: "This failed on our side.",
    507: "The server's disk is full.",
}
EXAMPLES = {
    400: ("bad_json", "The body is not JSON."),
    401: ("wrong_token", errors.WRONG_TOKEN),
    403: ("not_joined", "Join this competition before you send a file."),
    404: ("not_found", errors.NOT_FOUND),
    409: ("withdrawn", "A withdrawn file cannot be final."),
    413: ("too_large", "This file is larger than 64 MiB, the most this competition takes."),
    415: ("wrong_type", "Send this as application/json."),
    422: ("unknown", "query pages: there is no such parameter."),
    429: ("too_many_calls", "Too many calls this minute. Wait and try again."),
}
HEADERS = {
    401: {"WWW-Authenticate": "how to send credentials"},
    429: {"Retry-After": "seconds to wait"},
}


class Renderer(JSONRenderer):
    """JSON as its standard has it: a number that it does not know must not leave the house."""

    json_dumps_params = {"allow_nan": False}


def _made() -> NinjaAPI:
    api = NinjaAPI(
        title="Holdout",
        version="1",
        description=TEXT,
        docs_url=None,
        openapi_url=None,
        renderer=Renderer(),
        parser=door.StrictParser(),
        servers=[{"url": "/"}],
        openapi_extra={
            "tags": [{"name": name, "description": text} for name, text in TAGS.items()]
        },
    )
    errors.register(api)
    for calls, tag in (
        (competition_calls.router, "Competitions"),
        (submission_calls.router, "Submissions"),
        (check_calls.looking, "Submissions"),
        (check_calls.router, "Checks"),
        (board_calls.router, "Leaderboard"),
        (team_calls.router, "Teams"),
        (me_calls.router, "You"),
    ):
        api.add_router("", calls, tags=[tag])
    return api


api = _made()


@functools.cache
def description() -> dict:
    """Return the description of the API in OpenAPI 3.1."""
    # Through JSON, so that its keys are what a client reads.
    made = json.loads(json.dumps(api.get_openapi_schema(path_prefix=PREFIX)))
    for operations in made["paths"].values():
        for method, operation in operations.items():
            _complete(method, operation)
    return made


def _complete(method: str, operation: dict) -> None:
    """Add what the library leaves out: anonymous reading, headers, examples, meanings."""
    public = operation.pop("x-public", False)
    if public:
        operation["security"] = [{}, *operation["security"]]
    responses = operation["responses"]
    if method == "get":
        responses["304"] = {}
    if "requestBody" in operation:
        responses.setdefault("415", json.loads(json.dumps(responses["400"])))
        responses.setdefault("413", json.loads(json.dumps(responses["400"])))
    for status, told in responses.items():
        code = int(status)
        if code in MEANINGS:
            told["description"] = MEANINGS[code]
        if code in EXAMPLES:
            name, message = EXAMPLES[code]
            example = {"code": name, "message": message, "details": {}}
            told["content"]["application/json"]["example"] = example
        if code in HEADERS:
            told["headers"] = {
                name: {"description": text, "schema": {"type": "string"}}
                for name, text in HEADERS[code].items()
            }
    operation["responses"] = dict(sorted(responses.items()))


def operations_of(route: str) -> dict:
    """Return what is described for a route of Django's."""
    return description()["paths"][PREFIX + re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", route)]


def addresses() -> list[URLPattern]:
    """Return the addresses of all calls, each behind its door."""
    patterns = [pattern for pattern in api.urls[0] if pattern.name != "api-root"]
    return door.closed(operations_of, patterns)
