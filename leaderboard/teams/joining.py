"""The act of taking part: accept the rules, become a team of one."""

from datetime import datetime

from django.contrib.auth import get_user_model
from django.db import transaction

from leaderboard.accounts import names
from leaderboard.audit import ledger
from leaderboard.competitions import access, viewers
from leaderboard.competitions.models import Competition, Participant, State
from leaderboard.teams.models import Member, Team


class Refusal(Exception):
    """Why somebody cannot join: a code, a sentence safe to show and an HTTP status."""

    def __init__(self, code: str, sentence: str, status: int = 403):
        super().__init__(sentence)
        self.code, self.sentence, self.status = code, sentence, status


def join(competition: Competition, user, at: datetime) -> Team:
    """Make a user a participant with a team of one; a second call returns the same team.

    `at` is an instant of the database's clock. The team is called after the user, with a number
    behind where the name is taken. Raises Refusal where the competition or the person may not.
    """
    with transaction.atomic():
        # Lock order everywhere: competition, team, ledger head.
        competition = Competition.objects.select_for_update(no_key=True).get(pk=competition.pk)
        member = (
            Member.objects.select_related("team").filter(competition=competition, user=user).first()
        )
        if member:
            return member.team
        refuse(competition, user, competition.state(at))
        refuse_gone(user)
        team = Team.objects.create(
            competition=competition, name=free_name(competition, user.username), created_at=at
        )
        seat(team, user, at, owner=True)
        ledger.append("joined", competition.uuid, {"team": str(team.uuid), "user": user.pk}, at=at)
    return team


def free_name(competition: Competition, wanted: str) -> str:
    """Return the name, or with the first free number behind it; never one that is reserved."""
    taken = reserved(competition) | set(
        competition.teams.filter(skeleton__startswith=names.skeleton(wanted)).values_list(
            "skeleton", flat=True
        )
    )
    name, number = wanted, 2
    while names.skeleton(name) in taken:
        name, number = f"{wanted}-{number}", number + 1
    return name


def reserved(competition: Competition) -> set[str]:
    """Return what the names look like that stand for the host or a mark on the board."""
    return {
        names.skeleton(name)
        for name in (
            competition.organiser,
            *competition.baselines.values_list("name", flat=True),
            *competition.hosts.values_list("user__username", flat=True),
        )
    }


def seat(team: Team, user, at: datetime, *, owner: bool = False) -> Member:
    """Make a person, who is in no team of the competition, a member; under the team's lock."""
    Participant.objects.get_or_create(
        competition=team.competition, user=user, defaults={"joined_at": at}
    )
    return Member.objects.create(
        team=team, competition=team.competition, user=user, owner=owner, joined_at=at
    )


def refuse_gone(user) -> None:
    """Refuse somebody who has deleted the account meanwhile; its row is locked after the team's."""
    people = get_user_model().objects.select_for_update(no_key=True)
    if people.filter(pk=user.pk, is_active=True).first() is None:
        raise Refusal("unknown", "There is no such account any more.", 404)


def refuse(competition: Competition, user, state: State) -> None:
    """Refuse who may not take part in a competition, or no longer."""
    viewer = viewers.facts(user, competition)
    if not access.may_see(viewer, state):
        raise Refusal("unknown", "There is no such competition.", 404)
    if viewer.host:
        raise Refusal("host", "Hosts cannot take part in a competition that they run.")
    if state not in (State.UPCOMING, State.LIVE):
        raise Refusal("closed", "This competition is closed. Nobody can join any more.", 409)
