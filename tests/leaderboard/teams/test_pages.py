"""The team's pages: what they say, what their forms do, and for whom they are not there."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from leaderboard.competitions import clock
from leaderboard.competitions.models import Competition, Participant
from leaderboard.submissions import looks, merging
from leaderboard.teams import inviting
from leaderboard.teams.models import Invitation, Member, MergeProposal, Team
from tests.leaderboard import factories

pytestmark = pytest.mark.django_db
LINK = re.compile(r"/c/contest/team/join/([\w-]{43})/")


@pytest.fixture
def contest():
    return factories.competition("contest", max_team_size=3)


@pytest.fixture
def team(contest):
    return factories.team(contest, "alice", "bob", name="wings")


def user(name):
    return factories.user(name)


def at(name, **arguments) -> str:
    return reverse(name, kwargs={"slug": "contest"} | arguments)


def browser(name: str = "") -> Client:
    client = Client()
    if name:
        client.force_login(user(name))
    return client


def text(answer) -> str:
    """The words of a page, tags gone."""
    main = answer.content.decode().split("<main", 1)[1]
    return " ".join(re.sub(r"<[^>]+>", " ", main).split())


def made_link(team) -> str:
    page = browser("alice").post(at("team_invite")).content.decode()
    return LINK.search(page)[1]


def test_the_page_says_who_is_in_the_team_and_what_it_shares(team):
    factories.scored(team, 0.8)
    factories.scored(team, 0.6, person=user("bob"))
    page = browser("alice").get(at("team"))
    said = text(page)
    assert "alice (you) Owner" in said.replace("  ", " ")
    assert "bob Member" in said
    assert "New scores used 1 of 10" in said
    assert "Submissions today 2 of 5" in said
    assert "Reference 0.80 , file 1" in said
    assert "1 place left" in said
    assert "no-store" in page["Cache-Control"]
    theirs = text(browser("bob").get(at("team")))
    assert "Rename" not in theirs
    assert "alice, who owns the team, invites." in theirs
    assert "Leave team" in theirs


def test_the_tab_is_there_for_who_has_a_team(team):
    tab = f'href="{at("team")}"'
    for name, there in (("alice", True), ("dora", False), ("hana", False), ("", False)):
        page = browser(name).get(reverse("competition", args=["contest"])).content.decode()
        assert (tab in page) == there, name


def test_renaming_shows_what_is_wrong_at_the_field(team, contest):
    factories.team(contest, "charlie")
    client = browser("alice")
    answer = client.post(at("team_rename"), {"name": "Chаrlie"})
    assert answer.status_code == 422
    assert 'value="Chаrlie"' in answer.content.decode()
    assert 'aria-invalid="true"' in answer.content.decode()
    answer = client.post(at("team_rename"), {"name": "CHARLIE"})
    assert "Another team has this name" in text(answer)
    answer = client.post(at("team_rename"), {"name": "Flap"}, follow=True)
    assert "The team is called Flap." in text(answer)
    assert Team.objects.get(pk=team.pk).name == "Flap"
    assert "Only the owner" in text(
        browser("bob").post(at("team_rename"), {"name": "x2"}, follow=True)
    )


def test_a_link_is_shown_once_and_lets_a_newcomer_in_who_accepts_the_rules(team):
    secret = made_link(team)
    assert secret not in browser("alice").get(at("team")).content.decode()
    place = at("team_join", secret=secret)
    # Signed out: sign in or up, and back.
    page = browser().get(place).content.decode()
    assert f"{reverse('account_signup')}?next={place}" in page
    assert browser().post(place)["Location"] == f"{reverse('account_login')}?next={place}"
    dora = browser("dora")
    said = text(dora.get(place))
    assert "One account for each person" in said
    assert "I accept the rules" in said
    refused = dora.post(place, {"act": "accept"})
    assert refused.status_code == 422
    assert not Participant.objects.filter(user=user("dora")).exists()
    done = dora.post(place, {"act": "accept", "rules": "1"}, follow=True)
    assert "You are in the team wings." in text(done)
    assert Member.objects.get(user=user("dora")).team == team
    # Used up: it says so, and to whom it may concern where to get another.
    gone = browser("erik").get(place)
    assert gone.status_code == 410
    assert "This invitation was used." in text(gone)
    assert "wings" not in text(gone).replace("Invitation to the team wings", "")


def test_someone_new_signs_up_and_comes_back_to_the_link(team):
    place = at("team_join", secret=made_link(team))
    client = browser()
    answer = client.post(
        f"{reverse('account_signup')}?next={place}",
        {
            "username": "newcomer",
            "email": "newcomer@example.org",
            "password1": "a-long-enough-passphrase",
            "one_account": "on",
            "next": place,
        },
    )
    assert answer["Location"] == place
    client.post(place, {"act": "accept", "rules": "1"})
    assert Member.objects.get(user__username="newcomer").team == team


def test_an_unknown_link_is_not_there(team):
    made_link(team)
    for secret in ("nothing", "x" * 43, str(Invitation.objects.get().uuid)):
        for name in ("dora", "alice"):
            assert browser(name).get(at("team_join", secret=secret)).status_code == 404
            assert browser(name).post(at("team_join", secret=secret)).status_code == 404


def test_an_invitation_by_name_shows_up_for_its_person(team):
    dora = browser("dora")
    browser("alice").post(at("team_invite"), {"name": "dora"})
    made = Invitation.objects.get()
    place = at("team_join", secret=made.uuid)
    assert place in dora.get(reverse("competition", args=["contest"])).content.decode()
    assert browser().get(place)["Location"].endswith(f"?next={place}")
    assert browser("charlie").get(place).status_code == 404
    answer = dora.post(place, {"act": "decline"}, follow=True)
    assert "You declined the invitation." in text(answer)
    assert "This invitation was declined." in text(dora.get(place))
    assert "Take back" not in text(browser("alice").get(at("team")))


def test_the_answer_to_an_invitation_does_not_tell_who_has_an_account(team):
    user("dora")
    said = []
    for name in ("dora", "nobody-here"):
        client = browser("alice")
        answer = client.post(at("team_invite"), {"name": name}, follow=True)
        page = re.sub(r'csrfmiddlewaretoken" value="\w+"', "", answer.content.decode())
        page = re.sub(r"invitations/[0-9a-f-]{36}", "", page)
        said.append((answer.redirect_chain, len(page.replace(name, ""))))
        Invitation.objects.all().delete()
    assert said[0] == said[1]


def test_what_accepting_gives_up_and_brings_along_is_said_before(team, contest):
    own = factories.team(contest, "charlie", name="tails")
    place = at("team_join", secret=made_link(team))
    assert "tails, has sent no file and is given up" in text(browser("charlie").get(place))
    factories.scored(own, 0.7)
    stuck = browser("charlie").get(place)
    assert stuck.status_code == 409
    assert "Merge the two teams instead" in text(stuck)


def test_leaving_asks_for_the_name_of_the_team(team):
    client = browser("bob")
    asked = text(client.get(at("team") + "?ask=leave"))
    assert "Leave wings?" in asked
    wrong = client.post(at("team_leave"), {"confirm": "wing"})
    assert wrong.status_code == 422
    assert "Nothing was done." in text(wrong)
    done = client.post(at("team_leave"), {"confirm": " wings "}, follow=True)
    assert "You left the team wings." in text(done)
    assert Member.objects.get(user=user("bob")).team != team


def test_questions_are_pages_without_scripts(team):
    client = browser("alice")
    for ask, said in (
        ("rename", "Rename the team"),
        ("remove&member=bob", "Remove bob?"),
        ("hand_over&member=bob", "Hand over to bob?"),
    ):
        page = client.get(f"{at('team')}?ask={ask}").content.decode()
        assert said in text(client.get(f"{at('team')}?ask={ask}")), ask
        assert 'id="confirm"' in page
        ids = re.findall(r'\bid="([^"]+)"', page)
        assert len(ids) == len(set(ids)), "an id stands twice"
    for ask in ("nothing", "remove", "remove&member=charlie"):
        assert 'id="confirm"' not in client.get(f"{at('team')}?ask={ask}").content.decode()


def test_removing_and_handing_over(team):
    client = browser("alice")
    assert client.post(at("team_remove"), {"member": "charlie"}).status_code == 404
    done = client.post(at("team_hand_over"), {"member": "bob"}, follow=True)
    assert "bob owns the team now." in text(done)
    done = browser("bob").post(at("team_remove"), {"member": "alice"}, follow=True)
    assert "alice is no longer in the team." in text(done)


def test_the_preview_of_a_merge_tells_of_looks_where_there_are_any():
    contest = factories.competition("contest", rule={"looks": 2}, max_team_size=3)
    team, other = factories.team(contest, "alice", name="wings"), factories.team(contest, "bob")
    for one in (team, other):
        looks.ask(factories.scored(one, 0.8 if one == team else 0.7), one.members.get().user)
    proposal = merging.propose(team, other.name, user("alice"))
    said = text(browser("bob").get(at("team_merge", uuid=proposal.uuid)))
    assert "Looks used 1 1 2 2 , none left then" in said
    assert "used new scores and looks add up" in said
    merging.accept(proposal, user("bob"))
    assert looks.used(team) == 2


def test_a_merge_is_proposed_looked_at_and_accepted(team, contest):
    factories.scored(team, 0.8)
    other = factories.team(contest, "charlie", name="tails")
    factories.scored(other, 0.7)
    alice, charlie = browser("alice"), browser("charlie")
    wrong = alice.post(at("team_propose"), {"name": "nowhere"})
    assert wrong.status_code == 422
    assert "There is no team called “nowhere”" in text(wrong)
    assert "was asked" in text(alice.post(at("team_propose"), {"name": "tails"}, follow=True))
    place = at("team_merge", uuid=MergeProposal.objects.get().uuid)
    assert place in charlie.get(at("team")).content.decode()
    said = text(charlie.get(place))
    for part in ("tails into wings", "alice, bob charlie 3 3", "Files that count 1 1 2 55"):
        assert part in said, part
    assert "New scores used 1 1 2 10" in said
    # The proposing team does not see what the other one used.
    assert alice.get(place).status_code == 404
    assert charlie.post(place, {"act": "accept", "confirm": "wings"}).status_code == 422
    done = charlie.post(place, {"act": "accept", "confirm": "tails"}, follow=True)
    assert "Your team is part of wings now." in text(done)
    assert Member.objects.filter(team=team).count() == 3
    # A second click ends on the same page.
    again = charlie.post(place, {"act": "accept", "confirm": "tails"})
    assert again["Location"] == at("team")


def test_a_proposal_is_declined_and_taken_back(team, contest):
    factories.team(contest, "charlie", name="tails")
    for client, act, said in (
        (browser("charlie"), "decline", "The proposal was declined."),
        (browser("alice"), "take_back", "The proposal was taken back."),
    ):
        made = merging.propose(team, "tails", user("alice"))
        place = at("team_merge", uuid=made.uuid)
        assert said in text(client.post(place, {"act": act}, follow=True))
        assert "No longer open" in text(browser("charlie").get(place))
    assert browser("dora").get(place).status_code == 404


def test_what_hinders_a_merge_is_listed(team, contest):
    other = factories.team(contest, "charlie", name="tails")
    made = merging.propose(team, "tails", user("alice"))
    factories.upload(other, 0.7)
    Competition.objects.update(max_team_size=2)
    page = browser("charlie").get(at("team_merge", uuid=made.uuid))
    assert "would have more than 2 members" in text(page)
    assert "A file of tails is still being scored" in text(page)
    assert "data-dialog" not in page.content.decode()


def test_after_the_close_and_where_all_work_alone(team, contest):
    factories.end(contest)
    said = text(browser("alice").get(at("team")))
    assert "Teams stay as they were at the close" in said
    for word in ("Rename", "Remove", "Merge with a team", "Make a link"):
        assert word not in said
    Competition.objects.update(closes_at=clock.now().replace(year=2999), max_team_size=1)
    said = text(browser("alice").get(at("team")))
    assert "Invite" not in said
    Competition.objects.update(max_team_size=3, merge_deadline=clock.now())
    assert "Teams could take in members until" in text(browser("alice").get(at("team")))


def test_a_disqualified_team_reads_why(team):
    Team.objects.update(disqualified_at=clock.now(), disqualified_reason="Two accounts.")
    said = text(browser("alice").get(at("team")))
    assert "Your team was disqualified. Two accounts." in said
    assert "Rename" not in said


def test_a_new_team_with_a_carried_reference_says_where_it_is_from(contest):
    team = factories.team(contest, "alice", "bob", "dora", name="wings")
    factories.scored(team, 0.8)
    browser("bob").post(at("team_leave"), {"confirm": "wings"})
    said = text(browser("bob").get(at("team")))
    assert "New scores used 1 of 10" in said
    assert "0.80 , brought along from an earlier team" in said
    place = inviting.invite_by_link(team, user("alice"))[1]
    Competition.objects.update(max_team_size=4)
    assert "You bring along 1 used new score" in text(
        browser("bob").get(at("team_join", secret=place))
    )


def test_what_is_seen_of_the_other_team_ends_with_the_proposal(team, contest):
    factories.team(contest, "charlie", name="tails")
    proposal = merging.propose(team, "tails", user("alice"))
    place = at("team_merge", uuid=proposal.uuid)
    assert "alice, bob" in text(browser("charlie").get(place))
    merging.take_back(proposal, user("alice"))
    for answer in (
        browser("charlie").get(place),
        browser("charlie").post(place, {"act": "accept"}),
    ):
        page = text(answer)
        assert "No longer open" in page
        assert "alice" not in page
        assert "New scores used" not in page


@pytest.mark.db
@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("team_invite", "name"),
        ("team_propose", "name"),
        ("team_rename", "name"),
        ("team_remove", "member"),
        ("team_hand_over", "member"),
        ("team_leave", "confirm"),
    ],
)
def test_a_nul_in_a_form_is_no_fault_of_ours(team, name, field):
    """PostgreSQL takes none in a question."""
    answer = browser("alice").post(at(name), {field: "b\0ob"})
    assert answer.status_code in (302, 303, 404, 422)
    assert Team.objects.get().members.count() == 2


def test_what_a_person_can_still_send_is_said_while_files_are_taken(contest):
    team = factories.team(contest, "alice", "bob", name="wings")
    factories.scored(team, 0.8, person=user("bob"))
    browser("bob").post(at("team_leave"), {"confirm": "wings"})
    assert "You yourself can send 4 more today" in text(browser("bob").get(at("team")))
    factories.end(contest)
    assert "You yourself" not in text(browser("bob").get(at("team")))
