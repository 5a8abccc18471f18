"""Whose file a page is about, and what every page of a team's files shows around it."""

from http import HTTPStatus

from django.http import Http404, HttpResponseRedirect

from leaderboard.competitions import access
from leaderboard.competitions.models import State
from leaderboard.competitions.viewers import Visit
from leaderboard.submissions.models import Evaluation
from leaderboard.teams import viewers


def evaluation_of(request, slug: str, uuid) -> tuple[Visit, Evaluation]:
    """Return a file of this competition that the viewer may see; all else is 404."""
    visit = viewers.visit(request, slug)
    evaluation = (
        Evaluation.objects.filter(submission__uuid=uuid, submission__competition=visit.competition)
        .select_related(
            "submission__team",
            "submission__user",
            "submission__final_choice",
            "submission__withdrawal",
            "release",
            "release_settings",
            "late_score",
            "look",
            "team__entry",
        )
        .order_by("-solution__version")
        .first()
    )
    if evaluation is None or not access.may_see_submission(visit.viewer, evaluation.team_id):
        raise Http404
    return visit, evaluation


def own_file(request, slug: str, uuid) -> tuple[Visit, Evaluation]:
    """Return a file of the viewer's own team; a host who may look may not act."""
    visit, evaluation = evaluation_of(request, slug, uuid)
    if visit.viewer.team_id != evaluation.team_id:
        raise Http404
    return visit, evaluation


def page_of(visit: Visit) -> dict:
    """Return what the templates of a competition's pages read."""
    return {
        "section": "competitions",
        "visit": visit,
        "competition": visit.competition,
        "viewer": visit.viewer,
        "state": visit.state,
        "now": visit.now,
        "live": visit.state == State.LIVE,
    }


def see_other(address: str) -> HttpResponseRedirect:
    """Send a browser on to a page after an act."""
    response = HttpResponseRedirect(address)
    response.status_code = HTTPStatus.SEE_OTHER
    return response
