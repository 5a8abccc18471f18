"""Deleting an account: the person goes, the record of the competitions stays."""

import re
import threading
from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.conf import settings as project_settings
from django.core.cache import cache
from django.db import connection, connections
from django.test import Client
from django.urls import reverse

from leaderboard.accounts import tokens
from leaderboard.accounts.models import ApiToken, Mail, User
from leaderboard.audit import ledger
from leaderboard.audit.models import LedgerEntry
from leaderboard.competitions import clock, notices, store
from leaderboard.competitions.models import Host, Notice
from leaderboard.hosting import deletion
from leaderboard.submissions import membership, merging
from leaderboard.submissions.models import FileCheck, Submission
from leaderboard.teams import inviting, joining, naming
from leaderboard.teams.models import Invitation, Member, Team
from tests.leaderboard import factories

pytestmark = pytest.mark.django_db

ALIAS = re.compile(r"deleted-[0-9a-f]{8}")


@pytest.fixture(autouse=True)
def _quiet(settings):
    settings.ACCOUNT_EMAIL_VERIFICATION = "none"
    cache.clear()


@pytest.fixture
def contest():
    return factories.competition("contest")


def everything_of(user: User, contest) -> FileCheck:
    """Give a person one of each thing that tells who it is."""
    user.first_name, user.last_name = "Alice", "Liddell"
    user.is_staff = True
    user.save()
    EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
    SocialAccount.objects.create(user=user, provider="uni", uid="17", extra_data={"name": "Alice"})
    Authenticator.objects.create(user=user, type="totp", data={"secret": "x"})
    tokens.make(user, "laptop")
    notices.tell([user], Notice.Kind.RESULT, "Results", "You are sixth.", "/", contest)
    stored = store.write(project_settings.UPLOADS_DIR, "checks", "one", [b"id,label\n"])
    return FileCheck.objects.create(
        competition=contest,
        user=user,
        original_name="alice.csv",
        sha256=stored.sha256,
        size=stored.size,
        path=stored.path,
        created_at=clock.now(),
    )


def rows_with(text: str) -> set[str]:
    """Return the tables in which a text stands anywhere."""
    found = set()
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names():
            cursor.execute(f"SELECT * FROM {connection.ops.quote_name(table)}")
            if any(text in str(value) for row in cursor.fetchall() for value in row):
                found.add(table)
    return found


@pytest.mark.db
@pytest.mark.django_db(transaction=True)
def test_the_person_goes_and_the_record_stays(contest):
    alice = factories.user("alice-liddell")
    team = factories.team(contest, "alice-liddell")
    sent = factories.scored(team, 0.8).submission
    check = everything_of(alice, contest)
    browser = Client()
    browser.force_login(alice)
    assert browser.get(reverse("account")).status_code == 200
    alias = deletion.delete(alice)
    assert ALIAS.fullmatch(alias)
    gone = User.objects.get(pk=alice.pk)
    assert (gone.username, gone.email, gone.first_name, gone.last_name) == (alias, "", "", "")
    assert not gone.has_usable_password()
    assert (gone.is_active, gone.is_staff) == (False, False)
    assert gone.deleted_at
    for model in (EmailAddress, SocialAccount, Authenticator, ApiToken, FileCheck):
        assert not model.objects.filter(user=gone).exists(), model
    assert not gone.notices.exists()
    assert not (project_settings.UPLOADS_DIR / check.path).exists()
    assert browser.get(reverse("account")).status_code == 302
    # What the competition needs is as it was.
    sent.refresh_from_db()
    assert sent.user == gone
    assert Submission.objects.get(team=team).number == 1
    team.refresh_from_db()
    assert team.name == alias
    assert not ledger.verify()
    page = Client().get(reverse("leaderboard", args=["contest"])).content.decode()
    assert alias in page
    assert "alice-liddell" not in page
    left = rows_with("alice-liddell") - {"accounts_mail"}
    assert not left - {"cache", "django_session"}


def test_the_last_mail_goes_to_the_old_address(contest):
    alice = factories.user("alice")
    Mail.objects.create(
        to=alice.email,
        sender="x@example.org",
        subject="Waits",
        body="x",
        created_at=clock.now(),
        due_at=clock.now(),
    )
    deletion.delete(alice)
    assert Mail.objects.get().subject == "Your account on Holdout was deleted"


def test_the_user_name_is_free_and_the_new_one_is_nobodys_choice(contest):
    alias = deletion.delete(factories.user("alice"))
    again = User.objects.create_user("alice")
    assert again.pk
    assert "reserved" in str(deletion.names.fault(alias, 2, 30))


def test_the_owner_of_a_team_of_several_leaves_it_to_the_longest_member(contest):
    team = factories.team(contest, "alice", "bob", "charlie")
    alice, bob, charlie = (factories.user(name) for name in ("alice", "bob", "charlie"))
    Member.objects.filter(user=bob).update(joined_at=clock.now() - timedelta(days=1))
    Member.objects.filter(user=charlie).update(joined_at=clock.now() - timedelta(days=2))
    place = deletion.places(alice)[0]
    assert place.heir == charlie
    deletion.delete(alice)
    assert set(team.members.values_list("user", flat=True)) == {bob.pk, charlie.pk}
    assert team.members.get(owner=True).user == charlie
    assert not ledger.verify()


def test_a_member_leaves_and_the_owner_stays(contest):
    team = factories.team(contest, "alice", "bob")
    deletion.delete(factories.user("bob"))
    assert team.members.get().user == factories.user("alice")
    team.refresh_from_db()
    assert team.name == "alice"


def test_a_shared_team_called_after_the_person_is_renamed_and_says_so(contest):
    team = factories.team(contest, "bob-smith", "alice")
    bob = factories.user("bob-smith")
    alias = deletion.delete(bob)
    team.refresh_from_db()
    assert team.name == alias
    told = Notice.objects.get(user__username="alice")
    assert told.title == f"You own the team {alias}"
    assert "rename the team" in told.text
    assert not rows_with("bob-smith") - {"accounts_mail"}


def test_a_team_with_a_name_of_its_own_keeps_it(contest):
    team = factories.team(contest, "alice", name="Late again")
    deletion.delete(factories.user("alice"))
    team.refresh_from_db()
    assert team.name == "Late again"


def test_what_others_were_told_does_not_name_the_person(contest):
    team = factories.team(contest, "alice")
    malice = factories.user("malice")
    inviting.invite_by_name(team, "malice", factories.user("alice"))
    assert "alice invites you" in malice.notices.get().text
    alias = deletion.delete(factories.user("alice"))
    told = malice.notices.get().text
    assert f"{alias} invites you" in told
    assert Invitation.objects.get().revoked_at
    assert Invitation.objects.get().name == "malice"


def test_the_ledger_forgets_the_name_of_a_renamed_team_and_holds(contest):
    team = factories.team(contest, "alice-liddell")
    naming.rename(team, "Late again", factories.user("alice-liddell"))
    deletion.delete(factories.user("alice-liddell"))
    assert not rows_with("alice-liddell") - {"accounts_mail", "cache"}
    assert not ledger.verify()


def test_the_only_host_is_told_what_to_do(client, contest):
    hana = factories.user("hana")
    with pytest.raises(deletion.OnlyHost, match="Contest"):
        deletion.delete(hana)
    client.force_login(hana)
    client.post(reverse("account_reauthenticate"), {"password": "hana"})
    page = client.get(reverse("account_delete")).content.decode()
    assert "only host" in page
    assert "user_name" not in page
    refused = client.post(reverse("account_delete"), {"user_name": "hana"})
    assert refused.status_code == 422
    assert User.objects.get(pk=hana.pk).is_active
    Host.objects.create(competition=contest, user=factories.user("oscar"))
    deletion.delete(hana)
    assert Host.objects.get(competition=contest).user.username == "oscar"


def test_an_archived_competition_holds_nobody(contest):
    contest.archived_at = clock.now()
    contest.save()
    assert not deletion.obstacles(factories.user("hana"))


def test_the_page_asks_for_password_and_name(client, contest):
    factories.team(contest, "alice")
    alice = factories.user("alice")
    client.force_login(alice)
    place = reverse("account_delete")
    asked = client.get(place)
    assert asked["Location"].startswith(reverse("account_reauthenticate"))
    client.post(reverse("account_reauthenticate"), {"password": "alice"})
    page = client.get(place).content.decode()
    assert "Type alice to confirm" in page
    assert "renamed likewise" in page
    for typed in ("", "bob"):
        assert client.post(place, {"user_name": typed}).status_code == 422
    assert User.objects.get(pk=alice.pk).is_active
    done = client.post(place, {"user_name": "alice"}, follow=True)
    assert "Your account was deleted" in done.content.decode()
    assert not User.objects.get(pk=alice.pk).is_active
    back = client.post(reverse("account_login"), {"login": "alice", "password": "alice"})
    assert "is wrong" in back.content.decode()


def test_a_second_click_changes_nothing(contest):
    factories.team(contest, "alice")
    first, second = (User.objects.get(pk=factories.user("alice").pk) for _ in range(2))
    alias = deletion.delete(first)
    assert deletion.delete(second) == alias
    assert Mail.objects.count() == 1
    assert LedgerEntry.objects.filter(kind="account deleted").count() == 1


@pytest.mark.parametrize("way", ["given up", "merged"])
def test_teams_that_are_no_more_lose_the_name_too(contest, way):
    foxes = factories.team(contest, "alice", name="Foxes")
    factories.team(contest, "bob-smith")
    alice, bob = factories.user("alice"), factories.user("bob-smith")
    if way == "merged":
        merging.accept(merging.propose(foxes, "bob-smith", alice), bob)
    else:
        membership.accept(inviting.invite_by_link(foxes, alice)[0], bob)
    alias = deletion.delete(bob)
    assert Team.objects.get(merged_into=foxes).name == alias
    assert not rows_with("bob-smith") - {"accounts_mail"}


def test_the_ledger_forgets_what_a_shared_team_was_called_before(contest):
    team = factories.team(contest, "bob-smith", "alice")
    bob = factories.user("bob-smith")
    naming.rename(team, "Foxes", bob)
    deletion.delete(bob)
    assert not rows_with("bob-smith") - {"accounts_mail"}
    assert not ledger.verify()


def test_those_who_stay_in_the_team_are_told(contest):
    factories.team(contest, "alice", "bob", "charlie", name="Foxes")
    deletion.delete(factories.user("alice"))
    told = dict(Notice.objects.values_list("user__username", "title"))
    assert told == {"bob": "You own the team Foxes", "charlie": "A member left: Foxes"}


@pytest.mark.db
@pytest.mark.django_db(transaction=True)
def test_who_is_invited_at_the_same_moment_holds_nobody_up(contest, monkeypatch):
    """Who holds the ledger's head looks up the invited person as it commits."""
    team = factories.team(contest, "alice")
    alice, bob = factories.user("alice"), factories.user("bob")
    factories.team(factories.competition("other"), "bob")
    invited, forgotten, errors = threading.Event(), threading.Event(), []
    tell, forget_keys = notices.tell, deletion._forget_keys

    def slow_tell(*arguments):
        tell(*arguments)
        invited.set()
        forgotten.wait(1)

    def slow_forget(user):
        forget_keys(user)
        forgotten.set()

    def run(act, *arguments):
        try:
            act(*arguments)
        except Exception as error:
            errors.append(error)
        finally:
            connections.close_all()

    monkeypatch.setattr(notices, "tell", slow_tell)
    monkeypatch.setattr(deletion, "_forget_keys", slow_forget)
    inviter = threading.Thread(target=run, args=(inviting.invite_by_name, team, "bob", alice))
    inviter.start()
    assert invited.wait(20)
    run(deletion.delete, bob)
    inviter.join(20)
    assert not errors


@pytest.mark.db
@pytest.mark.parametrize("way", ["join", "accept"])
def test_who_has_gone_meanwhile_takes_part_in_nothing(contest, way):
    """A request that was under way while the account was deleted."""
    team = factories.team(contest, "alice")
    made, _ = inviting.invite_by_link(team, factories.user("alice"))
    bob = factories.user("bob")
    deletion.delete(User.objects.get(pk=bob.pk))
    with pytest.raises(joining.Refusal) as refused:
        joining.join(contest, bob, clock.now()) if way == "join" else membership.accept(made, bob)
    assert refused.value.status == 404
    assert not Member.objects.filter(user=bob).exists()


def test_the_next_owner_can_sign_in(contest):
    team = factories.team(contest, "alice", "bob", "charlie")
    User.objects.filter(username="bob").update(is_active=False)
    deletion.delete(factories.user("alice"))
    assert team.members.get(owner=True).user == factories.user("charlie")
