"""Pages for what went wrong; none shows a traceback."""

import logging
import secrets

from django.shortcuts import render

log = logging.getLogger(__name__)


def bad_request(request, exception=None):
    """Answer 400; the request may be too broken to know its sender."""
    return render(request, "400.html", status=400)


def not_found(request, exception=None):
    """Answer 404: unknown and forbidden look the same."""
    return render(request, "404.html", status=404)


def forbidden(request, exception=None):
    """Answer 403."""
    return render(request, "403.html", status=403)


def server_error(request):
    """Answer 500 without touching the database, which may be what failed.

    The page names a code that stands in the log beside the path, so that a report can be found.
    """
    code = f"{secrets.token_hex(2)}-{secrets.token_hex(2)}"
    log.error("error %s was shown for %s", code, request.path)
    return render(request, "500.html", {"code": code}, status=500)
