"""What is known of the person who asks, the team included."""

from dataclasses import replace

from django.http import Http404

from leaderboard.competitions import viewers
from leaderboard.competitions.access import Viewer
from leaderboard.competitions.models import Competition
from leaderboard.competitions.viewers import Visit
from leaderboard.teams.models import Member, Team


def viewer(user, competition: Competition) -> Viewer:
    """Return everything that `access` decides from, about a user (who may be signed out)."""
    return _with_team(viewers.facts(user, competition), team_of(user, competition))


def team_of(user, competition: Competition) -> Team | None:
    """Return the user's team in a competition; None where there is none."""
    if not user.is_authenticated:
        return None
    member = (
        Member.objects.select_related("team").filter(competition=competition, user=user).first()
    )
    return member.team if member else None


def visit(request, slug: str) -> Visit:
    """Return the visit of a page, the team known; unknown and hidden both raise Http404."""
    return joined(viewers.visit(request, slug), request.user)


def host_visit(request, slug: str) -> Visit:
    """Return the visit of a page that only those who run the competition may open, else Http404."""
    made = visit(request, slug)
    if not made.may_manage:
        raise Http404
    return made


def joined(visit: Visit, user) -> Visit:
    """Return a visit with what is known of the team."""
    return replace(visit, viewer=_with_team(visit.viewer, team_of(user, visit.competition)))


def _with_team(known: Viewer, team: Team | None) -> Viewer:
    if team is None:
        return known
    return replace(known, team_id=team.pk, disqualified=team.disqualified_at is not None)
