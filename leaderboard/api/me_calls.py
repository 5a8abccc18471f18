"""Calls about the person whose token it is."""

from django.conf import settings
from ninja import Router

from leaderboard.api import file_answers, schemas
from leaderboard.api.calls import LARGEST_PAGE_SIZE, call
from leaderboard.competitions import access, clock
from leaderboard.competitions.models import State
from leaderboard.submissions import showing
from leaderboard.submissions.quotas import quota
from leaderboard.teams.models import Member

router = Router()


@call(router, "GET", "me", "api_me", answers=schemas.Me, summary="Who am I")
def me(request):
    """Your user name, and what is left of today in the competitions you take part in.

    Of more than 100 competitions those that close last are listed.
    """
    now = clock.now()
    mine = (
        Member.objects.filter(user=request.user, competition__published_at__isnull=False)
        .select_related("team", "competition")
        .order_by("-competition__closes_at", "pk")[:LARGEST_PAGE_SIZE]
    )
    return schemas.Me(
        user_name=request.user.username,
        competitions=[_taking(member, request.user, now) for member in mine],
        calls_a_minute=settings.API_CALLS_A_MINUTE,
    )


def _taking(member: Member, user, now) -> schemas.Taking:
    row, team = member.competition, member.team
    state = row.state(now)
    counted = showing.new_scores(team, row, now)
    return schemas.Taking(
        slug=row.slug,
        title=row.title,
        state=State(state),
        closes_at=row.closes_at,
        team=team.uuid,
        team_name=team.name,
        quota=schemas.Quota(
            **file_answers.quota(quota(team, row, now, user, late=access.sees_final(state)))
        ),
        new_scores=schemas.NewScores(**file_answers.new_scores(counted)),
    )
