"""Hold a team for an act on it: locked, and the act allowed for whom and when."""

from dataclasses import dataclass
from datetime import UTC, datetime

from leaderboard.competitions import clock
from leaderboard.competitions.models import Competition, State
from leaderboard.teams.models import Member, Team
from leaderboard.teams.refusals import refusal

OPEN = (State.UPCOMING, State.LIVE)


@dataclass(frozen=True)
class Held:
    """A team under the locks of its competition and itself, at an instant."""

    competition: Competition
    team: Team
    now: datetime


def hold(team: Team, by=None, *, owner: bool = False) -> Held:
    """Lock a team's competition and the team; raises Refusal where it may not change.

    `by` must be a member, with `owner` its owner. The competition's lock alone parts all acts on
    teams of one competition from each other and from the acceptance and the scoring of files.
    """
    competition = Competition.objects.select_for_update(no_key=True).get(pk=team.competition_id)
    team = Team.objects.select_for_update(no_key=True).get(pk=team.pk)
    now = clock.now()
    if by is not None:
        member = Member.objects.filter(team=team, user=by).first()
        if member is None:
            raise refusal("not_member")
        if owner and not member.owner:
            raise refusal("owner_only", owner=owner_of(team).username)
    if competition.state(now) not in OPEN:
        raise refusal("closed", at=instant(competition.closes_at))
    if team.disqualified_at:
        raise refusal("disqualified", team=team.name)
    return Held(competition, team, now)


def owner_of(team: Team):
    """Return the person who owns a team."""
    member = team.members.select_related("user").filter(owner=True).first()
    return member.user if member else None


def deadline(competition: Competition) -> datetime:
    """Return until when teams may take in members and merge."""
    return min(competition.merge_deadline or competition.closes_at, competition.closes_at)


def refuse_late(held: Held) -> None:
    """Refuse what ends at the merge deadline."""
    ends = deadline(held.competition)
    if held.now >= ends:
        raise refusal("deadline", at=instant(ends))


def refuse_full(held: Held) -> None:
    """Refuse where the team has no place left."""
    most = held.competition.max_team_size
    if held.team.members.count() >= most:
        raise refusal("full", team=held.team.name, most=most, s="" if most == 1 else "s")


def instant(at: datetime) -> str:
    """An instant as sentences print it."""
    at = at.astimezone(UTC)
    return f"{at.day} {at:%B %Y, %H:%M} UTC"
