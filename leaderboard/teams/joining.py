"""The act of taking part: accept the rules, become a team of one."""

from datetime import datetime

from django.db import transaction

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
        competition = Competition.objects.select_for_update().get(pk=competition.pk)
        member = (
            Member.objects.select_related("team").filter(competition=competition, user=user).first()
        )
        if member:
            return member.team
        _refuse(competition, user, competition.state(at))
        Participant.objects.get_or_create(
            competition=competition, user=user, defaults={"joined_at": at}
        )
        team = Team.objects.create(
            competition=competition, name=free_name(competition, user.username), created_at=at
        )
        Member.objects.create(
            team=team, competition=competition, user=user, owner=True, joined_at=at
        )
        ledger.append("joined", competition.uuid, {"team": str(team.uuid), "user": user.pk}, at=at)
    return team


def free_name(competition: Competition, wanted: str) -> str:
    """Return the name, or the name with the first free number behind it."""
    taken = {
        name.lower()
        for name in competition.teams.filter(name__istartswith=wanted).values_list(
            "name", flat=True
        )
    }
    if wanted.lower() not in taken:
        return wanted
    number = 2
    while f"{wanted}-{number}".lower() in taken:
        number += 1
    return f"{wanted}-{number}"


def _refuse(competition: Competition, user, state: State) -> None:
    viewer = viewers.facts(user, competition)
    if not access.may_see(viewer, state):
        raise Refusal("unknown", "There is no such competition.", 404)
    if viewer.host:
        raise Refusal("host", "Hosts cannot take part in a competition that they run.")
    if state not in (State.UPCOMING, State.LIVE):
        raise Refusal("closed", "This competition is closed. Nobody can join any more.", 409)
