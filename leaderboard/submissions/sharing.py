"""What the members of a team share: files by member, the day's limit, new scores, the reference."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count

from leaderboard.competitions import release_settings
from leaderboard.competitions.models import Competition
from leaderboard.submissions import carrying, looks, showing
from leaderboard.submissions.models import Outcome, Release, Submission
from leaderboard.submissions.quotas import Quota, quota
from leaderboard.teams.models import Member, Team
from scoring import release


@dataclass(frozen=True)
class Mate:
    """A member with the files the person sent in this team."""

    member: Member
    files: int

    @property
    def name(self) -> str:
        return self.member.user.username

    @property
    def role(self) -> str:
        return "Owner" if self.member.owner else "Member"


@dataclass(frozen=True)
class Shared:
    """What counts for the team as a whole; `own` is the viewer's own room for files.

    `reference` is what the next file is compared with; `file` the number of the team's file that
    set it, None where it is the start line or was brought along.
    """

    team: Quota
    own: Quota
    new_scores: showing.NewScores
    reference: str
    file: int | None
    brought: bool


def mates(team: Team) -> tuple[list[Mate], int]:
    """Return the members, the owner first, and how many files are of people who left."""
    sent = dict(
        Submission.objects.filter(team=team).values_list("user").annotate(number=Count("pk"))
    )
    members = team.members.select_related("user").order_by("-owner", "joined_at", "pk")
    found = [Mate(member, sent.pop(member.user_id, 0)) for member in members]
    return found, sum(sent.values())


def shared(team: Team, competition: Competition, now: datetime, user) -> Shared:
    """Return what a team shares, as a member reads it."""
    in_force = release_settings.rule(release_settings.in_force(competition, now))
    _, reference = carrying.standing(team)
    number = None
    if reference is not None:
        number = (
            Release.objects.filter(
                evaluation__team=team, outcome=Outcome.RELEASED, value=reference, repeated=False
            )
            .order_by("pk")
            .values_list("evaluation__submission__number", flat=True)
            .first()
        )
    return Shared(
        team=quota(team, competition, now),
        own=quota(team, competition, now, user),
        new_scores=showing.new_scores(team, competition, now),
        reference=showing.start_text(in_force)
        if reference is None
        else release.text(in_force, reference),
        file=number,
        brought=reference is not None and number is None,
    )


def looks_together(stays: Team, joins: Team, competition: Competition) -> dict[str, looks.Looks]:
    """Return the looks of two teams, and what a merge makes of them: the same predictions once."""
    one, other = looks.of(stays, competition), looks.of(joins, competition)
    both = one.used + other.used - len(looks.seen(stays) & looks.seen(joins))
    return {"stays": one, "joins": other, "together": looks.Looks(one.allowed, both)}
