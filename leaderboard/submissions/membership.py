"""Acts of people on their teams that must know files: accept an invitation, leave, remove.

A file belongs to the team it was accepted for, whoever comes and goes. What the team has used up
goes along with a person who leaves (`carrying`), and a person's files of the day are counted in
whatever team they were sent (`quotas`).
"""

from django.db import transaction
from django.db.models import F
from django.urls import reverse

from leaderboard.audit import ledger
from leaderboard.competitions import clock, notices
from leaderboard.competitions.models import Competition, Notice
from leaderboard.submissions import carrying, looks
from leaderboard.submissions.models import Submission
from leaderboard.teams import inviting, joining
from leaderboard.teams.holding import Held, hold, refuse_full, refuse_late
from leaderboard.teams.models import Departure, Invitation, Member, Team
from leaderboard.teams.refusals import refusal


def accept(invitation: Invitation, user) -> Team:
    """Let a person into a team by an invitation; a member already, nothing changes.

    The person becomes a participant, so the rules must have been shown. An own team without files
    is given up. Raises Refusal.
    """
    with transaction.atomic():
        held = hold(invitation.team)
        member = _membership(held.competition, user)
        if member and member.team_id == held.team.pk:
            return held.team
        invitation = Invitation.objects.get(pk=invitation.pk)
        _refuse(held, invitation, user, member)
        if member:
            _give_up(member, held)
        joining.seat(held.team, user, held.now)
        brought = carried(held.competition, user)
        carrying.raise_used(held.team, brought.used)
        _raise_looks(held.team, brought.looks)
        invitation.accepted_at, invitation.accepted_by = held.now, user
        invitation.save(update_fields=("accepted_at", "accepted_by"))
        _changed(held.competition)
        _tell_others(held, user, f"{user.username} joined", "is in the team now.")
        body = {"team": held.team.uuid, "user": user.pk}
        if member is None:
            ledger.append("joined", held.competition.uuid, body, held.now)
        body["invitation"] = invitation.uuid
        ledger.append("invitation accepted", held.competition.uuid, body, held.now)
    return held.team


def hindrance(invitation: Invitation, user) -> joining.Refusal | None:
    """Return why a person cannot accept an invitation as things stand; None: nothing hinders."""
    with transaction.atomic():
        try:
            held = hold(invitation.team)
            _refuse(held, invitation, user, _membership(held.competition, user))
        except joining.Refusal as refused:
            return refused
    return None


def ended(invitation: Invitation) -> joining.Refusal | None:
    """Return why nobody can accept an invitation any more; None while it is open."""
    try:
        inviting.refuse_ended(invitation, clock.now())
    except joining.Refusal as refused:
        return refused
    return None


def leave(team: Team, user) -> Team:
    """Let a member of a team of several go; returns the person's new team. Raises Refusal."""
    with transaction.atomic():
        held = hold(team, user)
        member = Member.objects.get(team=held.team, user=user)
        if held.team.members.count() == 1:
            raise refusal("only_member")
        if member.owner:
            raise refusal("hand_over_first")
        made = _part(held, member, None)
        _tell_others(held, user, f"{user.username} left", "left the team. Its files stay.")
        body = {"team": held.team.uuid, "user": user.pk, "new_team": made.uuid}
        ledger.append("member left", held.competition.uuid, body, held.now)
    return made


def remove(team: Team, user, by) -> Team:
    """Remove a member from a team, by its owner; returns the person's new team. Raises Refusal."""
    with transaction.atomic():
        held = hold(team, by, owner=True)
        member = Member.objects.select_related("user").filter(team=held.team, user=user).first()
        if member is None:
            raise refusal("no_such_member")
        if member.owner:
            raise refusal("remove_yourself")
        made = _part(held, member, by)
        notices.tell(
            [member.user],
            Notice.Kind.INVITATION,
            f"You are no longer in the team {held.team.name}",
            f"{by.username} removed you from the team {held.team.name} in "
            f"{held.competition.title}. You have a team of your own now, called {made.name}.",
            reverse("team", args=[held.competition.slug]),
            held.competition,
        )
        title = f"{member.user.username} was removed"
        _tell_others(held, user, title, "is no longer in the team.", by)
        body = {"team": held.team.uuid, "user": user.pk, "by": by.pk, "new_team": made.uuid}
        ledger.append("member removed", held.competition.uuid, body, held.now)
    return made


def carried(competition: Competition, user) -> Departure:
    """Return the most that a person takes along: used, looks, and reference with its team.

    Not a row: the largest of each over all of the person's departures.
    """
    most = Departure(used=0, looks=0)
    for one in Departure.objects.filter(competition=competition, user=user).select_related("team"):
        most.used, most.looks = max(most.used, one.used), max(most.looks, one.looks)
        if one.reference is not None and (most.reference is None or one.reference > most.reference):
            most.reference, most.team = one.reference, one.team
    return most


def without_files(team: Team) -> bool:
    """Whether a team never had a file accepted, and so can be given up."""
    return not Submission.objects.filter(team=team).exists()


def end_open(team: Team, now) -> None:
    """End the invitations and proposals of a team that is no more."""
    team.invitations.filter(inviting.UNANSWERED).update(revoked_at=now)
    for proposals in (team.merges_proposed, team.merges_asked):
        proposals.filter(accepted_at=None, declined_at=None, revoked_at=None).update(revoked_at=now)


def _membership(competition: Competition, user) -> Member | None:
    return (
        Member.objects.select_related("team", "user")
        .filter(competition=competition, user=user)
        .first()
    )


def _refuse(held: Held, invitation: Invitation, user, member: Member | None) -> None:
    if invitation.name and invitation.user_id != user.pk:
        raise refusal("not_invited")
    inviting.refuse_ended(invitation, held.now)
    refuse_late(held)
    refuse_full(held)
    joining.refuse_gone(user)
    if member is None:
        joining.refuse(held.competition, user, held.competition.state(held.now))
        return
    if member.team.disqualified_at:
        raise refusal("disqualified", team=member.team.name)
    if member.team.members.count() > 1:
        raise refusal("leave_first", team=member.team.name)
    if not without_files(member.team):
        raise refusal("merge_instead", team=member.team.name)


def _give_up(member: Member, held: Held) -> None:
    """Dissolve the empty team of a person who goes into another one."""
    old = member.team
    _depart(member, held.now)
    end_open(old, held.now)
    old.merged_into, old.merged_at = held.team, held.now
    old.save(update_fields=("merged_into", "merged_at"))


def _part(held: Held, member: Member, by) -> Team:
    """Take a member out of a team into one of its own."""
    _depart(member, held.now, by)
    made = _own_team(held, member.user)
    joining.seat(made, member.user, held.now, owner=True)
    _changed(held.competition)
    return made


def _depart(member: Member, now, by=None) -> None:
    used, reference = carrying.standing(member.team)
    Departure.objects.create(
        competition_id=member.competition_id,
        team=member.team,
        user=member.user,
        left_at=now,
        removed_by=by,
        used=used,
        looks=looks.used(member.team),
        reference=reference,
    )
    member.delete()


def _raise_looks(team: Team, least: int) -> None:
    """Let a team have used at least so many looks; under the competition's lock."""
    missing = least - looks.used(team)
    if missing > 0:
        Team.objects.filter(pk=team.pk).update(carried_looks=F("carried_looks") + missing)


def _own_team(held: Held, user) -> Team:
    """Return a team for one person, with what the person carries; the one given up, if any."""
    competition = held.competition
    team = next(
        (
            gone.team
            for gone in Departure.objects.filter(
                competition=competition, user=user, left_at=F("team__merged_at")
            ).select_related("team")
        ),
        None,
    ) or Team(
        competition=competition,
        name=joining.free_name(competition, user.username),
        created_at=held.now,
    )
    most = carried(competition, user)
    team.merged_into = team.merged_at = None
    team.carried_used, team.carried_looks = most.used, most.looks
    team.carried_reference = most.reference
    team.carried_from = most.team if most.reference is not None else None
    team.save()
    return team


def _tell_others(held: Held, user, title: str, text: str, by=None) -> None:
    # Nobody is told of what they did themselves.
    others = held.team.members.exclude(user__in=[one for one in (user, by) if one])
    others = others.select_related("user")
    notices.tell(
        [member.user for member in others],
        Notice.Kind.INVITATION,
        f"{title}: {held.team.name}",
        f"{user.username} {text}",
        reverse("team", args=[held.competition.slug]),
        held.competition,
    )


def _changed(competition: Competition) -> None:
    # The board counts members, and teams.
    Competition.objects.filter(pk=competition.pk).update(board_version=F("board_version") + 1)
