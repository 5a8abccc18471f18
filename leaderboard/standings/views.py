"""The leaderboard: public while a competition runs, final after the reveal, and both as CSV."""

import hashlib
from http import HTTPStatus

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import condition, require_safe

from leaderboard.competitions import release_settings
from leaderboard.competitions.models import State
from leaderboard.competitions.viewers import Visit
from leaderboard.standings import export, final, history, table
from leaderboard.standings.field import frozen_at
from leaderboard.teams import viewers

QUERY_LENGTH = 60
LARGEST_PAGE = 1_000_000


@require_safe
def leaderboard(request, slug: str):
    """Show the board, or after the reveal the final ranking; htmx gets the table alone."""
    visit = viewers.visit(request, slug)
    if visit.sees_final and request.GET.get("set") != "public":
        return _final(request, visit)
    if _partial(request):
        return _board_part(request, visit)
    made = _board(request, visit)
    chart = history.best_chart(made, visit.viewer.team_id) if _plain(request) else None
    context = {
        "section": "competitions",
        "visit": visit,
        "chart": chart,
        **_facts(request, visit, made),
    }
    return _private(render(request, "standings/leaderboard.html", context))


@require_safe
def leaderboard_csv(request, slug: str):
    """Send the board as CSV, everything a page shows and nothing else."""
    visit = viewers.visit(request, slug)
    shows_final = visit.sees_final and request.GET.get("set") != "public"
    name = f"{slug}-{'final' if shows_final else 'leaderboard'}.csv"
    tag = f'"{_tag(visit, name)}"'

    def answer(request):
        rows = (
            export.revealed(visit.competition)
            if shows_final
            else export.public(visit.competition, visit.now)
        )
        response = HttpResponse(export.text_of(rows), content_type="text/csv; charset=utf-8")
        response["Content-Disposition"] = f'attachment; filename="{name}"'
        return response

    return _private(condition(etag_func=lambda request: tag)(answer)(request))


def _board_part(request, visit: Visit):
    """Answer a refresh: nothing (204, or 304 for caches) where the board is the one of last time.

    A signed-in person's browser keeps no page, so the page itself says which board it `have`s.
    """
    tag = _board_tag(request, visit)
    if request.GET.get("have") == tag:
        return _private(HttpResponse(status=HTTPStatus.NO_CONTENT))

    def answer(request):
        context = {"partial": True, **_facts(request, visit, _board(request, visit))}
        return render(request, "standings/_board.html", context)

    return _private(condition(etag_func=lambda request: f'"{tag}"')(answer)(request))


def _board_tag(request, visit: Visit) -> str:
    asked = "&".join(f"{key}={value}" for key, value in sorted(_asked(request).items()))
    return _tag(visit, str(visit.viewer.team_id), asked)


def _board(request, visit: Visit) -> table.Board:
    asked = _asked(request)
    return table.board(visit.competition, team_id=visit.viewer.team_id, now=visit.now, **asked)


def _asked(request) -> dict:
    """Read the question out of the address; what makes no sense counts as not asked."""
    text = request.GET.get("page", "1")
    page = int(text) if text.isascii() and text.isdigit() and len(text) < 8 else 1
    return {
        "query": request.GET.get("q", "").replace("\0", "")[:QUERY_LENGTH].strip(),
        "page": min(page, LARGEST_PAGE),
        # An unticked box sends nothing, so the form says that it was there.
        "baselines": "filter" not in request.GET or "baselines" in request.GET,
        "below": request.GET.get("below") == "1",
    }


def _facts(request, visit: Visit, made: table.Board) -> dict:
    return {
        "board": made,
        "tag": _board_tag(request, visit),
        "address": _address(request),
        "competition": visit.competition,
        "state": visit.state,
        "now": visit.now,
        "viewer": visit.viewer,
        "visit": visit,
        "live": visit.state == State.LIVE,
        "revealed": visit.sees_final,
    }


def _address(request) -> str:
    """The address of what is shown, without the board the page had when it asked."""
    query = request.GET.copy()
    query.pop("have", None)
    return f"{request.path}?{query.urlencode()}" if query else request.path


def _final(request, visit: Visit):
    asked = _asked(request)
    made = table.final_board(
        visit.competition,
        team_id=visit.viewer.team_id,
        page=asked["page"],
        baselines=asked["baselines"],
    )
    context = {
        "section": "competitions",
        "board": made,
        "competition": visit.competition,
        "state": visit.state,
        "now": visit.now,
        "viewer": visit.viewer,
        "visit": visit,
        "covered_of": final.COVERED_OF,
        "moves_of": final.MOVES_OF,
    }
    return _private(render(request, "standings/final.html", context))


def _tag(visit: Visit, *facts: str) -> str:
    """Name the bytes of an answer by everything they depend on, never by an unreleased number."""
    competition = visit.competition
    at = frozen_at(competition, visit.now)
    version = release_settings.in_force(competition, at)
    parts = (
        competition.uuid,
        competition.board_version,
        version.version if version else 0,
        visit.state,
        *facts,
    )
    digest = hashlib.sha256("|".join(map(str, parts)).encode()).hexdigest()
    return digest[:32]


def _partial(request) -> bool:
    return bool(request.htmx) and not request.htmx.history_restore_request


def _plain(request) -> bool:
    """Whether this is the board as such, not a search or a later page."""
    asked = _asked(request)
    return not asked["query"] and not asked["below"] and asked["page"] == 1


def _private(response):
    """Forbid shared caches: a page has the viewer's own row, and two forms at one address."""
    response["Cache-Control"] = "private, no-cache"
    patch_vary_headers(response, ("HX-Request", "Cookie"))
    return response
