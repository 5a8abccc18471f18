"""At the reveal every participant hears of the own team's final place, once."""

import pytest

from leaderboard.accounts.models import Mail
from leaderboard.competitions import mailing, notices
from leaderboard.competitions.models import Announcement, Notice, Participant
from leaderboard.submissions import closing, finals, results, ringing, tasks
from leaderboard.submissions.models import FinalStanding
from tests.leaderboard import factories

pytestmark = pytest.mark.db


@pytest.fixture
def contest():
    """A closed competition with four teams, its finals made and not revealed."""
    made = factories.competition("contest")
    for names, right in ((("alice", "bob"), 0.9), (("charlie",), 0.6), (("dora",), 0.9)):
        factories.scored(factories.team(made, *names), right, seed=len(names))
    factories.team(made, "erika")
    bob = factories.user("bob")
    Participant.objects.create(competition=made, user=bob, joined_at=made.opens_at)
    factories.end(made)
    finals.finalise(made.pk)
    made.refresh_from_db()
    return made


@pytest.fixture
def announcement(contest):
    closing.reveal(contest, factories.user("hana"))
    return Announcement.objects.get(kind="results")


def told(name: str) -> Notice:
    return Notice.objects.get(user=factories.user(name))


def test_nothing_is_told_before_the_reveal(contest):
    assert results.untold() == []
    assert not Announcement.objects.filter(kind="results").exists()


def test_each_member_hears_of_the_own_place_as_the_final_page_has_it(announcement):
    assert results.untold() == [announcement.pk]
    assert results.tell(announcement.pk)
    assert Notice.objects.count() == 5
    charlie = FinalStanding.objects.get(team__name="charlie")
    assert charlie.place == 3
    assert told("charlie").title == "Contest: final place 3 of 3"
    assert told("charlie").text.startswith("Your team charlie has final place 3 of 3.")
    assert told("charlie").address == "/c/contest/leaderboard/"
    assert told("alice").title == told("bob").title
    assert "alice" in told("bob").text
    assert "had no scored file" in told("erika").text
    assert results.untold() == []


def test_places_that_no_test_separates_are_said(announcement):
    FinalStanding.objects.filter(team__name="charlie").update(tied_first=2, tied_last=3)
    results.tell(announcement.pk)
    assert "cannot separate the places 2 to 3" in told("charlie").text


def test_a_disqualified_team_is_told_so_and_counted_nowhere(contest):
    contest.teams.filter(name="charlie").update(disqualified_at=contest.closes_at)
    closing.reveal(contest, factories.user("hana"))
    results.tell(Announcement.objects.get(kind="results").pk)
    assert "was disqualified" in told("charlie").text
    assert "of 2" in told("alice").title


def test_results_are_told_once_however_often_and_by_mail_in_their_own_words(announcement):
    for _ in range(3):
        tasks.tell_results(announcement.pk)
    assert Notice.objects.count() == 5
    assert mailing.mail_waiting()
    mail = Mail.objects.get(to="charlie@example.org")
    assert "Your team charlie has final place 3 of 3." in mail.body
    assert Mail.objects.count() == 5


def test_a_long_way_is_gone_in_several_tasks(announcement, monkeypatch):
    rung = []
    monkeypatch.setattr(ringing, "ring", lambda *call, **options: rung.append(call))
    monkeypatch.setattr(notices, "BATCH", 2)
    monkeypatch.setattr(results.tell, "__defaults__", (-1,))
    for _ in range(2):
        tasks.tell_results(announcement.pk)
    assert rung == [(ringing.TELL_RESULTS, announcement.pk)] * 2
    tasks.tell_results(announcement.pk)
    tasks.tell_results(announcement.pk)
    assert Notice.objects.count() == 5
    assert results.untold() == []


def test_telling_many_takes_few_statements(announcement, django_assert_max_num_queries):
    with django_assert_max_num_queries(16):
        results.tell(announcement.pk)
