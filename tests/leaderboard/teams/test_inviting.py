"""Invitations: for one person, once, for a week, taken back at any time, never guessed (R-11)."""

import secrets
from datetime import timedelta

import pytest

from leaderboard.audit.models import LedgerEntry
from leaderboard.competitions import clock
from leaderboard.competitions.models import Competition, Notice, Participant
from leaderboard.submissions import membership
from leaderboard.teams import inviting, joining
from leaderboard.teams.models import Departure, Invitation, Member, Team
from tests.leaderboard import factories

pytestmark = pytest.mark.db


@pytest.fixture
def contest():
    return factories.competition("contest", max_team_size=3)


@pytest.fixture
def team(contest):
    return factories.team(contest, "alice", name="wings")


def link(team, by="alice") -> Invitation:
    return inviting.invite_by_link(team, factories.user(by))[0]


def refused(act, *arguments) -> str:
    with pytest.raises(joining.Refusal) as refusal:
        act(*arguments)
    return refusal.value.code


def kinds() -> list[str]:
    return list(LedgerEntry.objects.order_by("seq").values_list("kind", flat=True))


def test_a_link_lets_one_newcomer_in(team, contest):
    made, secret = inviting.invite_by_link(team, factories.user("alice"))
    assert len(secret) >= 43
    assert secret not in str(Invitation.objects.values().get())
    bob = factories.user("bob")
    assert inviting.find(contest, secret, bob) == made
    assert membership.accept(made, bob) == team
    member = Member.objects.get(user=bob)
    assert (member.team, member.owner) == (team, False)
    assert Participant.objects.filter(competition=contest, user=bob).exists()
    assert kinds()[-3:] == ["invited", "joined", "invitation accepted"]
    told = Notice.objects.get(user=factories.user("alice"))
    assert told.title == "bob joined: wings"


def test_a_link_is_used_once_and_a_double_click_is_one(team):
    made = link(team)
    before = membership.accept(made, factories.user("bob"))
    assert membership.accept(made, factories.user("bob")) == before
    assert refused(membership.accept, made, factories.user("charlie")) == "used"
    assert Member.objects.filter(team=team).count() == 2


def test_what_was_taken_back_declined_or_is_old_lets_nobody_in(team):
    taken = link(team)
    inviting.revoke(taken, factories.user("alice"))
    assert refused(membership.accept, taken, factories.user("bob")) == "revoked"
    factories.user("bob")
    named = inviting.invite_by_name(team, "bob", factories.user("alice"))
    inviting.decline(named, factories.user("bob"))
    assert refused(membership.accept, named, factories.user("bob")) == "declined"
    old = link(team)
    Invitation.objects.filter(pk=old.pk).update(expires_at=clock.now())
    assert refused(membership.accept, old, factories.user("bob")) == "expired"
    assert Member.objects.count() == 1
    # Ended once, it stays as it ended.
    inviting.revoke(named, factories.user("alice"))
    assert Invitation.objects.get(pk=named.pk).revoked_at is None
    assert kinds().count("invitation revoked") == kinds().count("invitation declined") == 1


def test_an_invitation_ends_after_a_week(team):
    made = link(team)
    assert made.expires_at - made.created_at == timedelta(days=7)


def test_ten_thousand_guesses_find_nothing(team, contest):
    link(team)
    bob = factories.user("bob")
    # The lookup is by one digest: many guesses are as many random 256-bit numbers.
    guesses = {inviting.digest(secrets.token_urlsafe(32)) for _ in range(10_000)}
    assert not Invitation.objects.filter(digest__in=list(guesses)[:900]).exists()
    kept = set(Invitation.objects.values_list("digest", flat=True))
    assert len(guesses) == 10_000
    assert not kept & guesses
    for wrong in ("", "open", str(Invitation.objects.get().uuid), Invitation.objects.get().digest):
        assert inviting.find(contest, wrong, bob) is None


def test_a_secret_is_bound_to_its_competition(team):
    _, secret = inviting.invite_by_link(team, factories.user("alice"))
    assert inviting.find(factories.competition(), secret, factories.user("bob")) is None


def test_an_invitation_by_name_is_for_that_person_alone(team, contest):
    bob = factories.user("bob")
    made = inviting.invite_by_name(team, "BOB", factories.user("alice"))
    assert inviting.find(contest, str(made.uuid), bob) == made
    assert inviting.find(contest, str(made.uuid), factories.user("charlie")) is None
    assert refused(membership.accept, made, factories.user("charlie")) == "not_invited"
    assert refused(inviting.decline, made, factories.user("charlie")) == "not_invited"
    told = Notice.objects.get(user=bob)
    assert (told.kind, told.address) == ("invitation", f"/c/contest/team/join/{made.uuid}/")
    assert list(inviting.waiting(bob, contest)) == [made]
    membership.accept(made, bob)
    assert not inviting.waiting(bob, contest)


def test_who_has_an_account_is_not_told(team):
    factories.user("bob")
    alice = factories.user("alice")
    known, unknown = (inviting.invite_by_name(team, name, alice) for name in ("bob", "nobody-here"))
    host = inviting.invite_by_name(team, "hana", alice)
    assert (known.name, unknown.name) == ("bob", "nobody-here")
    assert known.user
    assert unknown.user is host.user is None
    # Nobody comes in by the other two, whoever has their ids.
    for made in (unknown, host):
        assert refused(membership.accept, made, factories.user("hana")) == "not_invited"
        assert refused(membership.accept, made, factories.user("dora")) == "not_invited"
    assert inviting.open_invitations(team, clock.now()).count() == 3
    assert inviting.invite_by_name(team, "nobody-HERE", alice) == unknown


def test_the_owner_alone_invites_and_takes_back(team):
    membership.accept(link(team), factories.user("bob"))
    made = link(team)
    for act, arguments in (
        (inviting.invite_by_link, (team, factories.user("bob"))),
        (inviting.invite_by_name, (team, "dora", factories.user("bob"))),
        (inviting.revoke, (made, factories.user("bob"))),
    ):
        assert refused(act, *arguments) == "owner_only"
    assert refused(inviting.invite_by_link, team, factories.user("charlie")) == "not_member"
    assert refused(inviting.invite_by_name, team, "Bob", factories.user("alice")) == "in_your_team"
    assert refused(inviting.invite_by_name, team, " ", factories.user("alice")) == "bad_name"


def test_a_full_team_takes_nobody(team):
    waits = link(team)
    for name in ("bob", "dora"):
        membership.accept(link(team), factories.user(name))
    assert refused(membership.accept, waits, factories.user("charlie")) == "full"
    assert refused(inviting.invite_by_link, team, factories.user("alice")) == "full"
    assert not Participant.objects.filter(user__username="charlie").exists()


def test_invitations_end_at_the_merge_deadline_or_the_close(team, contest):
    waits = link(team)
    Competition.objects.update(merge_deadline=clock.now())
    assert refused(membership.accept, waits, factories.user("bob")) == "deadline"
    assert refused(inviting.invite_by_link, team, factories.user("alice")) == "deadline"
    Competition.objects.update(merge_deadline=None)
    factories.end(contest)
    assert refused(membership.accept, waits, factories.user("bob")) == "closed"


def test_nobody_floods_people_with_invitations(team, monkeypatch):
    monkeypatch.setattr(inviting, "OPEN_MOST", 2)
    monkeypatch.setattr(inviting, "DAY_MOST", 3)
    made = [link(team), link(team)]
    assert refused(link, team) == "too_many_invitations"
    for one in made:
        inviting.revoke(one, factories.user("alice"))
    inviting.revoke(link(team), factories.user("alice"))
    assert refused(link, team) == "too_many_today"
    Invitation.objects.update(created_at=clock.now() - timedelta(days=1, seconds=1))
    assert link(team)


def test_a_host_is_let_into_no_team(team):
    assert refused(membership.accept, link(team), factories.user("hana")) == "host"


def test_an_own_team_without_files_is_given_up(team, contest):
    empty = factories.team(contest, "bob")
    theirs = inviting.invite_by_link(empty, factories.user("bob"))[0]
    membership.accept(link(team), factories.user("bob"))
    empty.refresh_from_db()
    assert (empty.merged_into, empty.members.count()) == (team, 0)
    assert Departure.objects.get().user.username == "bob"
    # What the empty team had begun is over, its name is kept for who comes back.
    assert refused(membership.accept, theirs, factories.user("charlie")) == "revoked"
    back = membership.leave(team, factories.user("bob"))
    assert (back.pk, back.name, back.merged_into) == (empty.pk, "bob", None)
    assert Team.objects.filter(competition=contest).count() == 2


def test_a_team_with_files_or_with_others_is_not_left_by_accepting(team, contest):
    for number, name in enumerate(("bob", "dora")):
        own = factories.team(contest, name, *(["erik"] if number else []))
        if not number:
            # A rejected file is a file.
            factories.scored(own, b"id,label\n")
        code = refused(membership.accept, link(team), factories.user(name))
        assert code == ("leave_first" if number else "merge_instead")
        assert Member.objects.get(user__username=name).team == own


def test_a_disqualified_team_is_frozen(team, contest):
    waits = link(team)
    Team.objects.filter(pk=team.pk).update(disqualified_at=clock.now())
    assert refused(membership.accept, waits, factories.user("bob")) == "disqualified"
    assert refused(inviting.invite_by_link, team, factories.user("alice")) == "disqualified"
    # Nor does one leave it for another team.
    other = factories.team(contest, "charlie")
    out = inviting.invite_by_link(other, factories.user("charlie"))[0]
    assert refused(membership.accept, out, factories.user("alice")) == "disqualified"


def test_a_name_is_found_in_whatever_case_and_invited_once(team):
    """SQLite folds the case of ASCII letters alone."""
    anne, alice = factories.user("änne"), factories.user("alice")
    first = inviting.invite_by_name(team, "ÄNNE", alice)
    assert first.user == anne
    assert inviting.invite_by_name(team, "Änne", alice) == first
    assert Notice.objects.filter(user=anne).count() == 1
