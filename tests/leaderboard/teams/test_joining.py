"""Taking part: by one POST, once, before the close, never as a host."""

import pytest
from django.test import Client
from django.urls import reverse

from leaderboard.audit.models import LedgerEntry
from leaderboard.competitions import clock
from leaderboard.competitions.models import Participant
from leaderboard.teams import joining, viewers
from leaderboard.teams.models import Member, Team
from tests.leaderboard import factories

pytestmark = pytest.mark.db


@pytest.fixture
def contest():
    return factories.competition("penguins")


def join(client, slug="penguins"):
    return client.post(reverse("competition_join", args=[slug]))


def test_joining_makes_a_participant_and_a_team_of_one(client, contest):
    alice = factories.user("alice")
    client.force_login(alice)
    assert join(client).status_code == 302
    team = Team.objects.get(competition=contest)
    assert team.name == "alice"
    assert [(m.user, m.owner) for m in team.members.all()] == [(alice, True)]
    assert Participant.objects.filter(competition=contest, user=alice).count() == 1
    assert LedgerEntry.objects.filter(kind="joined", competition=contest.uuid).count() == 1


def test_joining_twice_is_joining_once(client, contest):
    client.force_login(factories.user("alice"))
    join(client)
    join(client)
    assert Team.objects.count() == Member.objects.count() == Participant.objects.count() == 1
    assert LedgerEntry.objects.filter(kind="joined").count() == 1


def test_a_taken_team_name_gets_a_number(contest):
    factories.team(contest, "bob", name="ALICE")
    factories.team(contest, "dora", name="alice-2")
    made = joining.join(contest, factories.user("alice"), clock.now())
    assert made.name == "alice-3"


def test_joining_takes_a_form_with_its_token(contest):
    alice = factories.user("alice")
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(alice)
    response = join(strict)
    assert response.status_code == 403
    assert "The form was too old" in response.content.decode()
    assert strict.get(reverse("competition_join", args=["penguins"])).status_code == 405
    assert not Team.objects.exists()


def test_who_is_signed_out_signs_in_and_comes_back_to_the_rules(client, contest):
    response = join(client)
    assert response["Location"] == (
        f"{reverse('account_login')}?next={reverse('competition_rules', args=['penguins'])}"
    )


@pytest.mark.parametrize(
    ("change", "code"),
    [({"closes_in_days": -1}, "closed"), ({"published_at": None}, "unknown")],
)
def test_a_closed_or_unpublished_competition_takes_nobody(change, code):
    contest = factories.competition("late", **change)
    with pytest.raises(joining.Refusal) as refusal:
        joining.join(contest, factories.user("alice"), clock.now())
    assert refusal.value.code == code
    assert not Team.objects.exists()


def test_a_closed_competition_says_so_on_its_rules(client):
    factories.competition("late", closes_in_days=-1)
    client.force_login(factories.user("alice"))
    page = client.post(reverse("competition_join", args=["late"]), follow=True).content.decode()
    assert "This competition is closed. Nobody can join any more." in page


def test_joining_opens_before_the_competition_does():
    contest = factories.competition("soon", opened_days_ago=-3, published_at=clock.now())
    assert joining.join(contest, factories.user("alice"), clock.now())


def test_a_host_cannot_take_part(client, contest):
    client.force_login(factories.user("hana"))
    page = client.post(reverse("competition_join", args=["penguins"]), follow=True)
    assert "Hosts cannot take part" in page.content.decode()
    assert not Team.objects.exists()


def test_an_unknown_or_unpublished_competition_is_not_there(client):
    factories.competition("draft", published_at=None)
    client.force_login(factories.user("alice"))
    assert join(client, "draft").status_code == 404
    assert join(client, "nothing").status_code == 404


def test_what_is_known_of_a_person(contest):
    team = factories.team(contest, "alice", "bob")
    alice = viewers.viewer(factories.user("alice"), contest)
    assert (alice.participant, alice.host, alice.team_id) == (True, False, team.pk)
    hana = viewers.viewer(factories.user("hana"), contest)
    assert (hana.participant, hana.host, hana.team_id) == (False, True, None)
    team.disqualified_at = clock.now()
    team.save()
    assert viewers.viewer(factories.user("bob"), contest).disqualified


@pytest.mark.parametrize("name", ["constant", "Lab", "hana"])
def test_no_team_is_called_like_the_host_or_a_mark_on_the_board(name):
    """N-03: a person of such a name joins, and the team has a number behind it."""
    contest = factories.competition("contest", organiser="lab", host="hana" * (name != "hana"))
    if name == "hana":
        contest.organiser = "Hana"
        contest.save()
    assert factories.team(contest, name).name == f"{name}-2"
