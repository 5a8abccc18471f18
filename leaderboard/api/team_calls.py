"""Calls about teams: your own, and what everybody may read of one."""

from typing import Annotated
from uuid import UUID

from django.http import Http404
from django.urls import reverse
from ninja import Path, Router

from leaderboard.api import file_answers, schemas
from leaderboard.api.calls import Slug, call
from leaderboard.competitions import release_settings
from leaderboard.competitions.models import Competition
from leaderboard.standings import history, team_page
from leaderboard.standings.field import frozen_at, rank_band
from leaderboard.submissions import looks, showing
from leaderboard.submissions.models import Entry, FinalChoice
from leaderboard.submissions.quotas import quota
from leaderboard.teams import viewers
from leaderboard.teams.models import Team
from scoring import release

router = Router()
Uuid = Annotated[UUID, Path(description="as the leaderboard names it")]


@call(
    router, "GET", "competitions/{slug:slug}/team", "api_team", answers=schemas.TeamOwn,
    summary="Read your own team",
)  # fmt: skip
def own(request, slug: Slug):
    """Members, what is left of today and when it begins again, new scores, place."""
    visit = viewers.visit(request, slug)
    row = visit.competition
    team = viewers.team_of(request.user, row)
    if team is None:
        raise Http404
    band = rank_band(row, team.pk) or (None, None)
    entry = Entry.objects.filter(team=team).first()
    members = team.members.select_related("user").order_by("joined_at", "pk")
    return schemas.TeamOwn(
        uuid=team.uuid,
        name=team.name,
        members=[
            schemas.MemberOut(
                user_name=member.user.username, owner=member.owner, joined_at=member.joined_at
            )
            for member in members
        ],
        created_at=team.created_at,
        disqualified=team.disqualified_at is not None,
        reason=team.disqualified_reason,
        quota=schemas.Quota(
            **file_answers.quota(quota(team, row, visit.now, request.user, late=visit.sees_final))
        ),
        new_scores=schemas.NewScores(
            **file_answers.new_scores(showing.new_scores(team, row, visit.now))
        ),
        looks_left=looks.left(team, row),
        finals_chosen=FinalChoice.objects.filter(team=team).count(),
        best=_shown(row, visit.now, entry.value if entry else None),
        rank_first=band[0],
        rank_last=band[1],
        page=_page(request, row, team),
    )


@call(
    router, "GET", "competitions/{slug:slug}/teams/{uuid:uuid}", "api_team_public",
    answers=schemas.TeamPublic, summary="Read a team", public=True,
)  # fmt: skip
def public(request, slug: Slug, uuid: Uuid):
    """What its row on the board says, and how it came to it.

    A team that merged into another one is answered by that one.
    """
    visit = viewers.visit(request, slug)
    row = visit.competition
    team = team_page.found(row, uuid, visit.viewer)
    if team is None:
        raise Http404
    made = team_page.team_page(visit, team)
    points = history.best_so_far(row, [team.pk]).get(team.pk, []) if made.steps else []
    return schemas.TeamPublic(
        uuid=team.uuid,
        name=made.name,
        members=made.members if made.named else None,
        files=made.files,
        score=_shown(row, visit.now, points[-1][1] if points else None),
        place=made.place,
        rank_first=made.band[0] if made.band else None,
        rank_last=made.band[1] if made.band else None,
        reached=[
            schemas.Reached(at=at, score=_shown(row, visit.now, value)) for at, value in points
        ],
        last_file_at=made.last_at,
        disqualified=made.disqualified,
        reason=made.reason,
        page=_page(request, row, team),
    )


def _shown(competition: Competition, now, value: int | None) -> float | None:
    """A score in grid units as a number; None where none was shown."""
    if value is None:
        return None
    version = release_settings.in_force(competition, frozen_at(competition, now))
    return float(release.shown(release_settings.rule(version), value))


def _page(request, competition: Competition, team: Team) -> str:
    address = reverse("team_public", args=(competition.slug, team.uuid))
    return request.build_absolute_uri(address)
