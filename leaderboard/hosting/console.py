"""What every page of the host console shows."""

from leaderboard.competitions import release_settings, telling
from leaderboard.hosting import figures
from leaderboard.teams.viewers import host_visit


def context(request, slug: str, page: str) -> dict:
    """Return what every host page shows; Http404 for who does not run the competition."""
    visit = host_visit(request, slug)
    row = release_settings.in_force(visit.competition)
    return {
        "section": "competitions",
        "page": page,
        "visit": visit,
        "competition": visit.competition,
        "viewer": visit.viewer,
        "state": visit.state,
        "now": visit.now,
        "queue": figures.queue(visit.competition, visit.now),
        "told": telling.tell(row) if row else None,
        "current": release_settings.rule(row) if row else None,
        "changes": telling.changes(
            list(visit.competition.release_settings.select_related("created_by"))
        ),
    }
