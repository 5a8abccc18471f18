"""The act of deleting an account: the person goes, the competitions' record stays.

Files, scores, places and the ledger refer to the row of the account, which stays without anything
that tells who it was. The ledger names people by that row's number only.
"""

import re
import secrets
from dataclasses import dataclass

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.db import transaction
from django.db.models import F, Q
from django.urls import reverse

from leaderboard.accounts import names, outbox
from leaderboard.accounts.models import Mail, User
from leaderboard.audit import ledger
from leaderboard.audit.models import LedgerPayload
from leaderboard.competitions import clock, notices, store
from leaderboard.competitions.models import Competition, Host, Notice
from leaderboard.submissions import membership
from leaderboard.submissions.models import FileCheck
from leaderboard.teams import joining
from leaderboard.teams.models import Invitation, Member, Team

GOODBYE = (
    "Your account on Holdout was deleted, as somebody who was signed in to it asked. Files and "
    "scores stay in the competitions without your name. This is the last mail to this address.\n\n"
    "If it was not you, tell the people who run this site.\n\nHoldout\n"
)


class OnlyHost(Exception):
    """Why an account cannot be deleted: competitions would be left without a host."""

    def __init__(self, competitions: list[Competition]):
        titles = ", ".join(competition.title for competition in competitions)
        super().__init__(
            f"You are the only host of {titles}. Have another person made a host, or the "
            "competition archived, then delete the account."
        )
        self.competitions = competitions


@dataclass(frozen=True)
class Place:
    """A team that the person is in, and what becomes of it."""

    team: Team
    # Alone in it: the team stays.
    alone: bool
    # Called after the person, as every team is at first: it is renamed.
    named_after: bool
    # Who owns it next, where the person owns a team of several.
    heir: User | None


def obstacles(user: User) -> list[Competition]:
    """Return the competitions, archived ones apart, that would be left without a host."""
    hosted = Competition.objects.filter(hosts__user=user, archived_at=None)
    others = Host.objects.exclude(user=user).values("competition")
    return list(hosted.exclude(pk__in=others).order_by("pk"))


def places(user: User) -> list[Place]:
    """Return the person's teams in the order in which they are locked."""
    found = []
    mine = Member.objects.filter(user=user).select_related("team__competition")
    for member in mine.order_by("competition_id", "team_id"):
        team = member.team
        others = list(
            team.members.exclude(user=user)
            .select_related("user")
            .order_by("-user__is_active", "joined_at", "pk")
        )
        found.append(
            Place(
                team,
                alone=not others,
                named_after=_named_after(team.name, user.username),
                heir=others[0].user if others and member.owner else None,
            )
        )
    return found


def delete(user: User) -> str:
    """Delete an account and return what its row is called now; raises OnlyHost.

    What cannot be taken back happens after the commit: bytes of checked files are removed then.
    """
    with transaction.atomic():
        # All the locks first: the ledger's head, which each act holds to the end, comes last.
        competitions = Competition.objects.filter(
            Q(members__user=user) | Q(hosts__user=user)
        ).values("pk")
        list(
            Competition.objects.filter(pk__in=competitions)
            .order_by("pk")
            .select_for_update(no_key=True)
        )
        list(Team.objects.filter(members__user=user).order_by("pk").select_for_update(no_key=True))
        user = User.objects.select_for_update(no_key=True).get(pk=user.pk)
        if user.deleted_at:
            # A second click that waited for the first one.
            return user.username
        held = obstacles(user)
        if held:
            raise OnlyHost(held)
        alias = f"{names.RESERVED_START}{secrets.token_hex(4)}"
        now, address = clock.now(), user.email
        acts = [act for place in places(user) for act in _leave(place, user, alias, now)]
        acts += _rename_former(user, alias)
        _forget_mentions(user, alias, now)
        _forget_keys(user)
        _forget_files(user)
        Host.objects.filter(user=user).delete()
        for kind, competition, body in acts:
            ledger.append(kind, competition, body, now)
        ledger.append("account deleted", None, {"user": user.pk}, now)
        # After the head of the ledger: its holders look up the people whom they name as they
        # commit, and would wait for this row while we wait for them.
        _forget_person(user, alias, now)
        if address:
            outbox.post(address, "Your account on Holdout was deleted", GOODBYE)
    return alias


def _named_after(team_name: str, user_name: str) -> bool:
    """Whether a team has the person's name, as `joining.free_name` gives it."""
    return bool(re.fullmatch(rf"{re.escape(user_name)}(-\d+)?", team_name, re.IGNORECASE))


def _leave(place: Place, user: User, alias: str, now) -> list[tuple]:
    """Take a person out of a team, and return the acts for the ledger."""
    team, acts = place.team, []
    uuid = team.competition.uuid
    # Those who stay in a shared team are told its new name, and can choose another one.
    if place.named_after:
        acts.append(_rename(team, user, alias))
    if place.alone:
        membership.end_open(team, now)
    else:
        if place.heir:
            Member.objects.filter(team=team, user=user).update(owner=False)
            Member.objects.filter(team=team, user=place.heir).update(owner=True)
            body = {"team": team.uuid, "by": user.pk, "owner": place.heir.pk}
            acts.append(("team handed over", uuid, body))
        Member.objects.filter(team=team, user=user).delete()
        _tell_others(place)
        acts.append(("member left", uuid, {"team": team.uuid, "user": user.pk}))
    # The board shows names, and counts members.
    Competition.objects.filter(pk=team.competition_id).update(board_version=F("board_version") + 1)
    return acts


def _rename_former(user: User, alias: str) -> list[tuple]:
    """Rename teams called after a person that were given up or merged; return the acts."""
    former = Team.objects.filter(
        competition__participants__user=user,
        merged_into__isnull=False,
        name__startswith=user.username,
    ).select_related("competition")
    return [_rename(team, user, alias) for team in former if _named_after(team.name, user.username)]


def _rename(team: Team, user: User, alias: str) -> tuple:
    team.name = joining.free_name(team.competition, alias)
    team.save(update_fields=("name", "skeleton"))
    return "team renamed", team.competition.uuid, {"team": team.uuid, "by": user.pk}


def _tell_others(place: Place) -> None:
    """Tell those who stay in a team, the new owner in other words."""
    team = place.team
    where, contest = reverse("team", args=[team.competition.slug]), team.competition
    if place.heir:
        notices.tell(
            [place.heir],
            Notice.Kind.INVITATION,
            f"You own the team {team.name}",
            f"The owner of the team {team.name} in {contest.title} deleted the account. You can "
            "rename the team, invite and remove members and merge it with another team.",
            where,
            contest,
        )
    others = team.members.select_related("user")
    notices.tell(
        [member.user for member in others if member.user != place.heir],
        Notice.Kind.INVITATION,
        f"A member left: {team.name}",
        "The member deleted the account. The files stay in the team.",
        where,
        contest,
    )


def _forget_mentions(user: User, alias: str, now) -> None:
    """Put the new name where records of others hold the old one."""
    mine = Invitation.objects.filter(Q(user=user) | Q(created_by=user))
    mine.filter(accepted_at=None, declined_at=None, revoked_at=None).update(revoked_at=now)
    Invitation.objects.filter(Q(name__iexact=user.username) | Q(user=user)).exclude(name="").update(
        name=alias
    )
    name = re.compile(rf"(?<![\w-]){re.escape(user.username)}(?![\w-])")
    told = Notice.objects.filter(kind=Notice.Kind.INVITATION).exclude(user=user)
    for notice in told.filter(
        Q(title__contains=user.username) | Q(text__contains=user.username)
    ).iterator():
        notice.title = name.sub(alias, notice.title)[:160]
        notice.text = name.sub(alias, notice.text)[:600]
        notice.save(update_fields=("title", "text"))
    # What the ledger says of a renamed team holds names; its chain stands without the payload.
    renamed = LedgerPayload.objects.filter(
        entry__kind="team renamed",
        # Of all of them: the person is in none of the shared teams any more.
        entry__competition__in=Competition.objects.filter(participants__user=user).values("uuid"),
    )
    for payload in renamed:
        before_and_after = (payload.body.get("before", ""), payload.body.get("after", ""))
        if any(_named_after(name, user.username) for name in before_and_after):
            payload.delete()


def _forget_keys(user: User) -> None:
    """Remove all that signs somebody in."""
    for session in UserSession.objects.filter(user=user):
        session.end()
    for model in (EmailAddress, SocialAccount, Authenticator):
        model.objects.filter(user=user).delete()
    user.api_tokens.all().delete()


def _forget_files(user: User) -> None:
    checks = FileCheck.objects.filter(user=user)
    paths = [path for path in checks.values_list("path", flat=True) if path]
    checks.delete()

    def remove() -> None:
        for path in paths:
            store.remove(settings.UPLOADS_DIR, path)

    transaction.on_commit(remove, robust=True)


def _forget_person(user: User, alias: str, now) -> None:
    user.notices.all().delete()
    if user.email:
        Mail.objects.filter(to__iexact=user.email, sent_at=None).delete()
    user.groups.clear()
    user.user_permissions.clear()
    user.username = alias
    user.email = user.first_name = user.last_name = ""
    user.set_unusable_password()
    user.is_active = user.is_staff = user.is_superuser = False
    user.sign_outs += 1
    user.last_login = None
    user.deleted_at = now
    user.save()
