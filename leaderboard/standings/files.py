"""The boards as files: CSV and JSON for programs, and the feed; all with conditional GET."""

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from leaderboard.competitions import release_settings
from leaderboard.competitions.viewers import Visit
from leaderboard.standings import caching, export, feed
from leaderboard.standings.drawing import amount_text
from leaderboard.standings.field import frozen_at
from leaderboard.standings.names import Naming
from leaderboard.teams import viewers
from scoring import release


@require_safe
def leaderboard_csv(request, slug: str):
    """Send the board as CSV, everything a page shows and nothing else."""
    visit = viewers.visit(request, slug)
    kind = export.kind_of(visit, request.GET.get("set", ""))
    name = export.file_name(visit, kind, "csv")

    def make(request):
        content = export.csv_text(*export.table_of(visit, kind))
        response = HttpResponse(content, content_type="text/csv; charset=utf-8")
        response["Content-Disposition"] = f'attachment; filename="{name}"'
        return response

    return caching.answer(request, caching.tag(visit, name), make)


@require_safe
def leaderboard_json(request, slug: str):
    """Send the board as JSON, the rows of the CSV with what one needs to read them."""
    visit = viewers.visit(request, slug)
    kind = export.kind_of(visit, request.GET.get("set", ""))

    def make(request):
        _, rows = export.table_of(visit, kind)
        content = export.json_text(_told(visit, kind) | {"rows": list(rows)})
        return HttpResponse(content, content_type="application/json")

    etag = caching.tag(visit, export.file_name(visit, kind, "json"))
    return caching.answer(request, etag, make)


@require_safe
def atom(request, slug: str):
    """Send announcements and new scores as an Atom feed."""
    visit = viewers.visit(request, slug)

    def make(request):
        content = feed.text(visit, request.build_absolute_uri)
        return HttpResponse(content, content_type="application/atom+xml; charset=utf-8")

    etag = caching.tag(visit, "feed", request.get_host(), *feed.newest(visit))
    return caching.answer(request, etag, make)


def _told(visit: Visit, kind: str) -> dict:
    competition = visit.competition
    at = frozen_at(competition, visit.now)
    settings = release_settings.rule(release_settings.in_force(competition, at))
    resolution = release.resolution_steps(settings)
    return {
        "competition": competition.slug,
        "title": competition.title,
        "state": visit.state,
        "board": kind,
        "names": Naming(competition, visit.viewer).mode,
        "metric": competition.metric,
        "greater_is_better": settings.greater_is_better,
        "ties_under": float(amount_text(settings, resolution).replace(",", "")),
        "start_line": release.shown(settings, release.steps(settings, settings.start)),
        "closes_at": competition.closes_at.strftime("%Y-%m-%dT%H:%M:%SZ"),
    }
