"""What a viewer may read of teams: names, pseudonyms, or the own row alone.

Whatever names a team or lists its row asks here: pages, drawings, CSV, JSON, feed, API, notices.
Hosts and staff see names, and everybody the own team's.
"""

import hashlib
import hmac

from django.conf import settings
from django.db.models import QuerySet
from django.db.models.functions import Lower

from leaderboard.competitions import access
from leaderboard.competitions.access import Viewer
from leaderboard.competitions.models import Competition
from leaderboard.teams.models import Team

NAMES = Competition.BoardNames.NAMES
PSEUDONYMS = Competition.BoardNames.PSEUDONYMS
OWN_ROW = Competition.BoardNames.OWN_ROW
NOBODY = Viewer()
# No vowels, so that no word appears, and no signs that pass for another.
SIGNS = "23456789BCDFGHJKLMNPQRSTVWXZ"
# With 10,000 teams two of them share a pseudonym in one competition out of ten.
LENGTH = 6
SOMEBODY = "Another team"


def shown_name(team: Team, competition: Competition, viewer: Viewer) -> str:
    """Return what a team is called before a viewer (whose own team must be known)."""
    return Naming(competition, viewer).team(team)


class Naming:
    """What one viewer may read of the teams of one competition."""

    def __init__(self, competition: Competition, viewer: Viewer = NOBODY):
        self.mode = NAMES if access.may_manage(viewer) else competition.board_names
        self.team_id = viewer.team_id
        self._competition = competition
        self._key = hashlib.sha256(
            f"standings.names|{competition.uuid}|{settings.SECRET_KEY}".encode()
        ).digest()

    @property
    def names(self) -> bool:
        """Whether all teams are called by their names."""
        return self.mode == NAMES

    @property
    def own_only(self) -> bool:
        """Whether rows of others are listed nowhere."""
        return self.mode == OWN_ROW

    @property
    def tag(self) -> str:
        """What answers depend on: the part of a cache's key that parts viewers from each other."""
        whose = "" if self.mode == NAMES else f"{self.team_id}"
        return f"{self._competition.board_names}|{self.mode}|{whose}"

    def lists(self, team_id: int) -> bool:
        """Whether the viewer may see the row of a team at all."""
        return not self.own_only or team_id == self.team_id

    def named(self, team_id: int) -> bool:
        """Whether the viewer may see the name of a team, and who is in it."""
        return self.mode == NAMES or team_id == self.team_id

    def team(self, team: Team) -> str:
        """Return what a team is called."""
        return self.called(team.pk, team.uuid, team.name)

    def called(self, team_id: int, uuid, name: str) -> str:
        """Return what a team is called, from plain values."""
        if self.named(team_id):
            return name
        return SOMEBODY if self.own_only else self._pseudonym(uuid)

    def listed(self, rows: QuerySet, key: str = "team_id") -> QuerySet:
        """Keep the rows that the viewer may see; `key` leads to the team."""
        return rows.filter(**{key: self.team_id}) if self.own_only else rows

    def matching(self, rows: QuerySet, query: str) -> QuerySet:
        """Keep the listed rows whose team is called so: a search must not find by hidden names."""
        if self.mode != PSEUDONYMS:
            return self.listed(rows).filter(team__name__icontains=query)
        wanted = query.casefold()
        teams = rows.values_list("team_id", "team__uuid", "team__name")
        return rows.filter(
            team_id__in=[team[0] for team in teams if wanted in self.called(*team).casefold()]
        )

    def by_name(self, rows: QuerySet) -> QuerySet:
        """Order rows by name; where names are hidden, their order would tell of them."""
        if self.mode == NAMES:
            return rows.order_by(Lower("team__name"), "team_id")
        return rows.order_by("team__uuid")

    def _pseudonym(self, uuid) -> str:
        """Name a team by a keyed digest: the same on every page, and nobody can compute it."""
        number = int.from_bytes(hmac.digest(self._key, uuid.bytes, "sha256")[:8])
        signs = ""
        for _ in range(LENGTH):
            number, sign = divmod(number, len(SIGNS))
            signs += SIGNS[sign]
        return f"Team {signs}"
