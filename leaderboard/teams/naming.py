"""The act of calling a team by another name."""

from django.db import transaction
from django.db.models import F

from leaderboard.accounts import names
from leaderboard.audit import ledger
from leaderboard.competitions.models import Competition
from leaderboard.teams import joining
from leaderboard.teams.holding import hold
from leaderboard.teams.models import Team
from leaderboard.teams.refusals import refusal

LEAST, MOST = 2, 40


def rename(team: Team, name: str, by) -> Team:
    """Give a team another name, or leave it where it has that name; raises Refusal.

    No two teams of a competition have names that look alike, teams that were merged included, and
    none is called like the host or a baseline.
    """
    name = names.clean(name)
    with transaction.atomic():
        held = hold(team, by, owner=True)
        locked, competition = held.team, held.competition
        if name == locked.name:
            return locked
        _refuse(competition, locked, name)
        before, locked.name = locked.name, name
        locked.save(update_fields=("name", "skeleton"))
        # The board prints names.
        Competition.objects.filter(pk=competition.pk).update(board_version=F("board_version") + 1)
        body = {"team": locked.uuid, "by": by.pk, "before": before, "after": name}
        ledger.append("team renamed", competition.uuid, body, held.now)
    return locked


def _refuse(competition: Competition, team: Team, name: str) -> None:
    fault = names.fault(name, LEAST, MOST)
    if fault:
        raise refusal("bad_name", fault=fault)
    seen = names.skeleton(name)
    if competition.teams.filter(skeleton=seen).exclude(pk=team.pk).exists():
        raise refusal("taken_name")
    if seen in joining.reserved(competition):
        raise refusal("reserved_name")
