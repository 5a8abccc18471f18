"""The door of every call: what the description does not name is refused before anything is done."""

import hashlib
import json
from collections.abc import Callable

from django.core.exceptions import SuspiciousOperation
from django.http import HttpResponse, HttpResponseNotModified
from django.urls import URLPattern, path
from django.utils.http import parse_etags
from django.views.decorators.csrf import csrf_exempt
from ninja.parser import Parser

from leaderboard.api import errors
from leaderboard.api.errors import Fault
from leaderboard.submissions import receiving

# Far more than any call needs; files of submissions come as forms and have a limit of their own.
BODY_BYTES = 64 * 1024
DEEPEST = 8


class StrictParser(Parser):
    """JSON as its standard has it: no NaN, no key twice, neither deep nor large."""

    def parse_body(self, request):
        try:
            body = json.loads(request.body, parse_constant=_refuse, object_pairs_hook=_once)
        except RecursionError as deep:
            raise Fault(400, "too_deep", "The body is nested too deeply.") from deep
        except ValueError as broken:
            raise Fault(400, "bad_json", f"The body is not JSON: {broken}.") from broken
        if _depth(body) > DEEPEST:
            raise Fault(400, "too_deep", "The body is nested too deeply.")
        return body


def _refuse(constant: str):
    raise ValueError(f"{constant} is not a number of JSON")


def _once(pairs: list[tuple]) -> dict:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands twice in an object")
    return found


def _depth(body) -> int:
    """How deep a body is nested, as far as it matters."""
    depth, level = 0, [body]
    while level and depth <= DEEPEST:
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
        depth += 1
    return depth


def guarded(pattern: URLPattern, operations: dict) -> URLPattern:
    """Return an address that takes only the methods and parameters that are described for it."""
    methods = {method.upper(): described for method, described in operations.items()}
    allowed = ", ".join(sorted({*methods, *({"HEAD"} if "GET" in methods else ())}))

    @csrf_exempt
    def view(request, **arguments):
        head = request.method == "HEAD" and "GET" in methods
        if head:
            request.method = "GET"
        described = methods.get(request.method)
        if described is None:
            text = f"This address takes {allowed} only."
            details = {"allowed": allowed.split(", ")}
            return errors.answer(405, "wrong_method", text, details, {"Allow": allowed})
        try:
            _look(request, described, arguments)
        except Fault as fault:
            return errors.fault(request, fault)
        except SuspiciousOperation:
            return errors.answer(400, "bad_request", "The request cannot be read.")
        try:
            made = _tagged(request, pattern.callback(request, **arguments))
        except Exception as error:
            # The library answers what fails in a call, not what fails while calls are counted.
            made = errors.ours(request, error)
        return _without_body(made) if head else made

    return path(str(pattern.pattern), view, name=pattern.name)


def _look(request, described: dict, arguments: dict) -> None:
    """Refuse what the description does not name."""
    known = {one["name"] for one in described["parameters"] if one["in"] == "query"}
    for name, values in request.GET.lists():
        where = {"in": "query", "field": name[:100]}
        if name not in known:
            problem = "There is no such parameter."
            text = f"query {name[:100]}: there is no such parameter."
            raise Fault(422, "unknown", text, {"problems": [{**where, "problem": problem}]})
        if len(values) > 1 or "\0" in values[0]:
            problem = "Give this once, as plain text."
            text = f"query {name}: give this once, as plain text."
            raise Fault(422, "invalid", text, {"problems": [{**where, "problem": problem}]})
    size = receiving.stated_length(request)
    if size is None and request.META.get("CONTENT_LENGTH"):
        raise Fault(400, "bad_request", "The length of the body is not a number.")
    content = described.get("requestBody", {}).get("content", {})
    if not content:
        if size:
            raise Fault(400, "no_body", "This call takes no body.")
        return
    if size and request.content_type not in content:
        takes = " or ".join(content)
        raise Fault(415, "wrong_type", f"Send this as {takes}.", {"takes": list(content)})
    if "application/json" in content and size and size > BODY_BYTES:
        text = f"The body may have {BODY_BYTES:,} bytes."
        raise Fault(413, "too_large", text, {"limit": BODY_BYTES})


def _tagged(request, made) -> HttpResponse:
    """Name the bytes of an answer that was read; who has them already is told so."""
    if request.method != "GET" or made.status_code != 200 or made.streaming:
        return made
    tag = f'"{hashlib.sha256(made.content).hexdigest()[:32]}"'
    given = parse_etags(request.headers.get("If-None-Match", ""))
    if "*" in given or tag in [one.removeprefix("W/") for one in given]:
        made = HttpResponseNotModified(
            headers={"Retry-After": made["Retry-After"]} if "Retry-After" in made else None
        )
    made["ETag"] = tag
    return made


def _without_body(made) -> HttpResponse:
    """The same answer for somebody who asked for its headers alone."""
    made.close()
    bare = HttpResponse(status=made.status_code, headers=dict(made.items()))
    if not made.streaming:
        bare["Content-Length"] = str(len(made.content))
    return bare


def closed(operations_of: Callable[[str], dict], patterns: list[URLPattern]) -> list[URLPattern]:
    """Return addresses, each once and each behind its door."""
    found = {}
    for pattern in patterns:
        found.setdefault(
            str(pattern.pattern), guarded(pattern, operations_of(str(pattern.pattern)))
        )
    return list(found.values())
