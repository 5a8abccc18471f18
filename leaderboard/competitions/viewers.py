"""What is known of the person who asks, as far as competitions know it, and the visit of a page."""

from dataclasses import dataclass
from datetime import datetime

from django.http import Http404

from leaderboard.competitions import access, clock
from leaderboard.competitions.access import Viewer
from leaderboard.competitions.models import Competition, State


def facts(user, competition: Competition) -> Viewer:
    """Return host, participant and staff facts of a user (who may be signed out)."""
    if not user.is_authenticated:
        return Viewer()
    return Viewer(
        user_id=user.pk,
        staff=user.is_staff,
        host=competition.hosts.filter(user=user).exists(),
        participant=competition.participants.filter(user=user).exists(),
    )


@dataclass(frozen=True)
class Visit:
    """One request for a page of a competition: what, who, and in which state at which instant."""

    competition: Competition
    viewer: Viewer
    state: State
    now: datetime

    @property
    def may_manage(self) -> bool:
        return access.may_manage(self.viewer)

    @property
    def may_submit(self) -> bool:
        return access.may_submit(self.viewer, self.state, self.competition.late_files)

    @property
    def late(self) -> bool:
        """Whether a file sent now is a late one: scored, shown apart, never ranked."""
        return self.state == State.REVEALED and self.competition.late_files

    @property
    def may_join(self) -> bool:
        return access.may_join(self.viewer, self.state)

    @property
    def may_download(self) -> bool:
        return access.may_download(self.viewer, self.state)

    @property
    def sees_final(self) -> bool:
        return access.sees_final(self.state)

    @property
    def closed(self) -> bool:
        return self.state not in (State.DRAFT, State.UPCOMING, State.LIVE)


def look(user, competition: Competition) -> Visit:
    """Return the visit of this user now, by the database's clock."""
    now = clock.now()
    return Visit(competition, facts(user, competition), competition.state(now), now)


def visit(request, slug: str) -> Visit:
    """Return the visit of a page; an unknown and a hidden competition both raise Http404."""
    competition = Competition.objects.filter(slug=slug).first()
    if competition is None:
        raise Http404
    made = look(request.user, competition)
    if not access.may_see(made.viewer, made.state):
        raise Http404
    return made
