"""What an answer depends on, as its ETag: equal tags mean equal bytes, for one viewer or class.

A cached answer of one class of viewers must never reach another: the tag holds what the viewer may
read of names, and no answer may be stored by a shared cache.
"""

import hashlib

from django.http import HttpResponse
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import condition

from leaderboard.competitions import release_settings
from leaderboard.competitions.viewers import Visit
from leaderboard.standings.field import frozen_at
from leaderboard.standings.names import Naming


def tag(visit: Visit, *facts) -> str:
    """Name the bytes of an answer by everything they depend on, never by an unreleased number."""
    competition = visit.competition
    version = release_settings.in_force(competition, frozen_at(competition, visit.now))
    parts = (
        competition.uuid,
        competition.title,
        competition.board_version,
        competition.opens_at,
        competition.closes_at,
        competition.late_files,
        version.version if version else 0,
        visit.state,
        Naming(competition, visit.viewer).tag,
        *facts,
    )
    digest = hashlib.sha256("|".join(map(str, parts)).encode()).hexdigest()
    return digest[:32]


def answer(request, etag: str, make) -> HttpResponse:
    """Answer 304 to who has the bytes of this tag, else with what `make` returns."""
    return private(condition(etag_func=lambda request: f'"{etag}"')(make)(request))


def private(response: HttpResponse) -> HttpResponse:
    """Forbid shared caches: a page has the viewer's own row, and two forms at one address."""
    response["Cache-Control"] = "private, no-cache"
    patch_vary_headers(response, ("HX-Request", "Cookie"))
    return response
