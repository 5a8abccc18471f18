"""The leaderboard: public while a competition runs, final after the reveal, late files apart."""

from http import HTTPStatus

from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from leaderboard.competitions.models import State
from leaderboard.competitions.viewers import Visit
from leaderboard.standings import caching, compare, export, final, history, late, table, team_page
from leaderboard.teams import viewers

QUERY_LENGTH = 60
LARGEST_PAGE = 1_000_000


@require_safe
def leaderboard(request, slug: str):
    """Show the board, or after the reveal the final ranking; htmx gets the table alone."""
    visit = viewers.visit(request, slug)
    kind = export.kind_of(visit, request.GET.get("set", ""))
    if kind == "final":
        return _final(request, visit)
    if kind == "late":
        return _late(request, visit)
    if _partial(request):
        return _board_part(request, visit)
    made = _board(request, visit)
    chart = history.best_chart(made) if _plain(request) else None
    context = {
        "section": "competitions",
        "visit": visit,
        "chart": chart,
        **_facts(request, visit, made),
    }
    return caching.private(render(request, "standings/leaderboard.html", context))


@require_safe
def comparison(request, slug: str):
    """Show the scores over time of teams that the address names, and let the viewer choose."""
    visit = viewers.visit(request, slug)
    asked = compare.asked_teams(request.GET.getlist("teams"))
    made = compare.comparison(visit, asked, _asked(request)["query"])
    context = {"compared": made, "chart": made.chart, "offered_of": compare.MOST_TEAMS}
    return caching.private(render(request, "standings/compare.html", context | _page(visit)))


@require_safe
def team(request, slug: str, uuid):
    """Show what anybody may read of a team; a merged one leads to the team that took it in."""
    visit = viewers.visit(request, slug)
    found = team_page.found(visit.competition, uuid, visit.viewer)
    if found is None:
        raise Http404
    if found.uuid != uuid:
        return redirect("team_public", slug, found.uuid)
    made = team_page.team_page(visit, found)
    context = {"page": made, "chart": made.chart} | _page(visit)
    return caching.private(render(request, "standings/team.html", context))


def _board_part(request, visit: Visit):
    """Answer a refresh: nothing (204, or 304 for caches) where the board is the one of last time.

    A signed-in person's browser keeps no page, so the page itself says which board it `have`s.
    """
    tag = _board_tag(request, visit)
    if request.GET.get("have") == tag:
        return caching.private(HttpResponse(status=HTTPStatus.NO_CONTENT))

    def make(request):
        context = {"partial": True, **_facts(request, visit, _board(request, visit))}
        return render(request, "standings/_board.html", context)

    return caching.answer(request, tag, make)


def _board_tag(request, visit: Visit) -> str:
    asked = "&".join(f"{key}={value}" for key, value in sorted(_asked(request).items()))
    return caching.tag(visit, visit.viewer.team_id, asked)


def _board(request, visit: Visit) -> table.Board:
    return table.board(visit.competition, visit.viewer, now=visit.now, **_asked(request))


def _asked(request) -> dict:
    """Read the question out of the address; what makes no sense counts as not asked."""
    return {
        "query": request.GET.get("q", "").replace("\0", "")[:QUERY_LENGTH].strip(),
        "page": _page_number(request),
        # An unticked box sends nothing, so the form says that it was there.
        "baselines": "filter" not in request.GET or "baselines" in request.GET,
        "below": request.GET.get("below") == "1",
    }


def _page_number(request) -> int:
    text = request.GET.get("page", "1")
    page = int(text) if text.isascii() and text.isdigit() and len(text) < 8 else 1
    return min(page, LARGEST_PAGE)


def _facts(request, visit: Visit, made: table.Board) -> dict:
    return {
        "board": made,
        "tag": _board_tag(request, visit),
        "address": _address(request),
        "live": visit.state == State.LIVE,
        "revealed": visit.sees_final,
        "late_shown": visit.sees_final and late.shown(visit.competition),
        "manages": visit.may_manage,
        **_page(visit),
    }


def _page(visit: Visit) -> dict:
    """What every page of a competition needs."""
    return {
        "section": "competitions",
        "visit": visit,
        "competition": visit.competition,
        "viewer": visit.viewer,
        "state": visit.state,
        "now": visit.now,
    }


def _address(request) -> str:
    """The address of what is shown, without the board the page had when it asked."""
    query = request.GET.copy()
    query.pop("have", None)
    return f"{request.path}?{query.urlencode()}" if query else request.path


def _final(request, visit: Visit):
    asked = _asked(request)
    made = table.final_board(
        visit.competition, visit.viewer, page=asked["page"], baselines=asked["baselines"]
    )
    context = {
        "board": made,
        "late_shown": late.shown(visit.competition),
        "manages": visit.may_manage,
        "covered_of": final.COVERED_OF,
        "moves_of": final.MOVES_OF,
    }
    return caching.private(render(request, "standings/final.html", context | _page(visit)))


def _late(request, visit: Visit):
    made = late.late_board(visit.competition, visit.viewer, page=_page_number(request))
    context = {"board": made, "late_shown": True, "manages": visit.may_manage}
    return caching.private(render(request, "standings/late.html", context | _page(visit)))


def _partial(request) -> bool:
    return bool(request.htmx) and not request.htmx.history_restore_request


def _plain(request) -> bool:
    """Whether this is the board as such, not a search or a later page."""
    asked = _asked(request)
    return not asked["query"] and not asked["below"] and asked["page"] == 1
