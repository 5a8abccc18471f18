"""Acts of inviting: a link that is shown once, or a user name; take back, decline, find."""

import hashlib
import secrets
import uuid
from datetime import timedelta

from django.db import transaction
from django.db.models import Q, QuerySet
from django.urls import reverse

from leaderboard.accounts import backend, names
from leaderboard.audit import ledger
from leaderboard.competitions import clock, notices
from leaderboard.competitions.models import Competition, Notice
from leaderboard.teams.holding import Held, hold, refuse_full, refuse_late
from leaderboard.teams.models import Invitation, Member, MergeProposal, Team
from leaderboard.teams.refusals import refusal

LIFE = timedelta(days=7)
DAY = timedelta(days=1)
# Each may send a mail to a stranger.
OPEN_MOST, DAY_MOST = 20, 50
SECRET_BYTES = 32
NAME_LENGTH = Invitation._meta.get_field("name").max_length
UNANSWERED = Q(accepted_at=None, declined_at=None, revoked_at=None)


def invite_by_link(team: Team, by) -> tuple[Invitation, str]:
    """Make a link for one person, whoever has it; returns it with its secret, kept nowhere."""
    with transaction.atomic():
        held = _may_invite(team, by)
        made, secret = _make(held, by)
    return made, secret


def invite_by_name(team: Team, name: str, by) -> Invitation:
    """Invite the person of a user name.

    The answer is the same where nobody has this name, and where its person cannot take part: an
    invitation that nobody will accept. So the team does not learn who has an account.
    """
    # No name holds a NUL, and PostgreSQL takes none in a question.
    name = names.clean(name.replace("\0", " "))[:NAME_LENGTH]
    with transaction.atomic():
        held = _may_invite(team, by)
        if not name:
            raise refusal("bad_name", fault="Type the user name of the person to invite.")
        user = backend.find(name)
        user = user if user and user.is_active else None
        if user and Member.objects.filter(team=held.team, user=user).exists():
            raise refusal("in_your_team", name=user.username)
        if user and held.competition.hosts.filter(user=user).exists():
            user = None
        # Compared here: a database folds the case of some letters only.
        for same in open_invitations(held.team, held.now):
            if same.name.casefold() == name.casefold():
                return same
        made, _ = _make(held, by, name, user)
        if user:
            notices.tell(
                [user],
                Notice.Kind.INVITATION,
                f"Invitation to the team {held.team.name}",
                f"{by.username} invites you to the team {held.team.name} in "
                f"{held.competition.title}. The invitation ends after 7 days.",
                address(made),
                held.competition,
            )
    return made


def revoke(invitation: Invitation, by) -> None:
    """Take an open invitation back; no longer open, nothing changes."""
    with transaction.atomic():
        held = hold(invitation.team, by, owner=True)
        _end(held, invitation, "revoked_at", "invitation revoked", by)


def decline(invitation: Invitation, user) -> None:
    """Decline an invitation by name; no longer open, nothing changes."""
    if invitation.user_id != user.pk:
        raise refusal("not_invited")
    with transaction.atomic():
        held = hold(invitation.team)
        if _end(held, invitation, "declined_at", "invitation declined", user):
            notices.tell(
                [member.user for member in held.team.members.filter(owner=True)],
                Notice.Kind.INVITATION,
                f"{user.username} declined the invitation",
                f"{user.username} will not join the team {held.team.name}.",
                reverse("team", args=[held.competition.slug]),
                held.competition,
            )


def find(competition: Competition, secret: str, user) -> Invitation | None:
    """Return the invitation of a link's secret, or of its id for the person it is for."""
    invitations = Invitation.objects.select_related("team__competition", "created_by").filter(
        team__competition=competition
    )
    by_link = invitations.filter(digest=digest(secret), name="").first()
    if by_link or not user.is_authenticated:
        return by_link
    try:
        return invitations.filter(uuid=uuid.UUID(secret), user=user).first()
    except ValueError:
        return None


def waiting(user, competition: Competition) -> QuerySet[Invitation]:
    """Return the open invitations of a person by name in a competition."""
    return (
        Invitation.objects.filter(
            UNANSWERED, user=user, team__competition=competition, expires_at__gt=clock.now()
        )
        .exclude(team__members__user=user)
        .select_related("team", "created_by")
    )


def open_invitations(team: Team, now) -> QuerySet[Invitation]:
    """Return a team's invitations that can be accepted, as far as time goes."""
    return team.invitations.filter(UNANSWERED, expires_at__gt=now)


def refuse_ended(invitation: Invitation, now) -> None:
    """Refuse an invitation that was used, taken back, declined, or is too old."""
    for field, code in (
        ("accepted_at", "used"),
        ("revoked_at", "revoked"),
        ("declined_at", "declined"),
    ):
        if getattr(invitation, field):
            raise refusal(code)
    if invitation.expires_at <= now:
        at = invitation.expires_at
        raise refusal("expired", at=f"{at.day} {at:%B %Y, %H:%M} UTC")


def address(invitation: Invitation) -> str:
    """Return the page of an invitation by name; for everybody else it is not there."""
    return reverse("team_join", args=[invitation.team.competition.slug, invitation.uuid])


def digest(secret: str) -> str:
    """Return what is kept of a link's secret."""
    return hashlib.sha256(secret.encode()).hexdigest()


def refuse_many(held: Held) -> None:
    """Refuse more invitations and proposals within a day than a team can mean."""
    since = {"created_at__gt": held.now - DAY}
    made = held.team.invitations.filter(**since).count()
    made += MergeProposal.objects.filter(team=held.team, **since).count()
    if made >= DAY_MOST:
        raise refusal("too_many_today", most=DAY_MOST)


def _may_invite(team: Team, by) -> Held:
    held = hold(team, by, owner=True)
    refuse_late(held)
    refuse_full(held)
    if open_invitations(held.team, held.now).count() >= OPEN_MOST:
        raise refusal("too_many_invitations", most=OPEN_MOST)
    refuse_many(held)
    return held


def _make(held: Held, by, name: str = "", user=None) -> tuple[Invitation, str]:
    # One by name has a digest too, of a secret that nobody gets.
    secret = secrets.token_urlsafe(SECRET_BYTES)
    made = Invitation.objects.create(
        team=held.team,
        user=user,
        name=name,
        digest=digest(secret),
        created_by=by,
        created_at=held.now,
        expires_at=held.now + LIFE,
    )
    body = {"invitation": made.uuid, "team": held.team.uuid, "by": by.pk}
    body["user"] = user.pk if user else None
    ledger.append("invited", held.competition.uuid, body, held.now)
    return made, secret


def _end(held: Held, invitation: Invitation, field: str, kind: str, by) -> bool:
    ended = Invitation.objects.filter(UNANSWERED, pk=invitation.pk).update(**{field: held.now})
    if ended:
        body = {"invitation": invitation.uuid, "team": held.team.uuid, "by": by.pk}
        ledger.append(kind, held.competition.uuid, body, held.now)
    return bool(ended)
