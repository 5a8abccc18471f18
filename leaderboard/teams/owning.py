"""The act of handing a team over."""

from django.db import transaction
from django.urls import reverse

from leaderboard.audit import ledger
from leaderboard.competitions import notices
from leaderboard.competitions.models import Notice
from leaderboard.teams.holding import hold
from leaderboard.teams.models import Member, Team
from leaderboard.teams.refusals import refusal


def hand_over(team: Team, user, by) -> Member:
    """Make another member the owner of a team; raises Refusal."""
    with transaction.atomic():
        held = hold(team, by, owner=True)
        member = Member.objects.select_related("user").filter(team=held.team, user=user).first()
        if member is None:
            raise refusal("no_such_member")
        if member.owner:
            raise refusal("yourself")
        Member.objects.filter(team=held.team, owner=True).update(owner=False)
        member.owner = True
        member.save(update_fields=("owner",))
        body = {"team": held.team.uuid, "by": by.pk, "owner": member.user_id}
        notices.tell(
            [member.user],
            Notice.Kind.INVITATION,
            f"You own the team {held.team.name}",
            f"{by.username} handed the team {held.team.name} in {held.competition.title} over to "
            "you. You can invite and remove members and merge it with another team.",
            reverse("team", args=[held.competition.slug]),
            held.competition,
        )
        ledger.append("team handed over", held.competition.uuid, body, held.now)
    return member
