"""Who is reminded before the close: by mail, and by a banner on the competition's pages."""

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse

from leaderboard.accounts.models import Mail
from leaderboard.competitions import changing, clock, mailing, notices
from leaderboard.competitions.models import Competition, Notice
from leaderboard.submissions import closing, reminding, tasks
from leaderboard.teams.models import Team
from tests.leaderboard import factories

pytestmark = pytest.mark.db
WORDS = "Your team has chosen no final file."
PAGES = (
    "competition",
    "competition_data",
    "competition_rules",
    "competition_evaluation",
    "leaderboard",
    "submit",
)


@pytest.fixture
def contest():
    return factories.competition("c", closes_in_days=1.9)


@pytest.fixture
def team(contest):
    return factories.team(contest, "alice", "bob", name="Silty creek")


def said(name: str | None, *pages: str) -> list[bool]:
    client = Client()
    if name:
        client.force_login(factories.user(name))
    texts = [client.get(reverse(page, args=("c",))).content.decode() for page in pages or PAGES]
    return [WORDS in text for text in texts]


def named(contest) -> list[str]:
    return sorted(reminding.teams_without_choice(contest).values_list("name", flat=True))


def test_teams_with_a_file_to_choose_and_no_choice(contest, team):
    chosen = factories.team(contest, "charlie")
    closing.choose(chosen, factories.scored(chosen).submission, factories.user("charlie"))
    factories.team(contest, "dora")
    factories.scored(factories.team(contest, "emil"), b"rejected")
    out = factories.team(contest, "fritz")
    factories.scored(out)
    Team.objects.filter(pk=out.pk).update(disqualified_at=clock.now())
    back = factories.team(contest, "greta")
    closing.withdraw(factories.scored(back).submission, factories.user("greta"))
    factories.scored(factories.team(factories.competition("other"), "alice"))
    factories.scored(team)
    assert named(contest) == ["Silty creek"]
    closing.choose(team, team.submissions.get(), factories.user("bob"))
    assert named(contest) == []


@pytest.mark.parametrize(("hours", "near"), [(47.9, True), (48.1, False), (0.1, True)])
def test_the_last_two_days(contest, hours, near):
    now = clock.now()
    contest.closes_at = now + timedelta(hours=hours)
    assert reminding.near(contest, now) == near


def test_nobody_is_reminded_after_the_close(contest, team):
    factories.scored(team)
    factories.end(contest)
    assert not reminding.near(contest, clock.now())
    assert not any(said("alice"))


def test_the_banner_stands_on_every_page_of_the_competition_for_the_team_alone(contest, team):
    factories.team(contest, "charlie")
    assert not any(said("alice")), "nothing to choose from yet"
    file = factories.scored(team).submission
    assert all(said("alice"))
    assert all(said("bob"))
    for name in ("charlie", "hana", "stella", None):
        assert not any(said(name, *PAGES[:5])), name
    closing.choose(team, file, factories.user("bob"))
    assert not any(said("alice"))


def test_the_banner_says_what_would_be_taken(contest, team, client):
    for share in (0.8, 0.6, 0.7):
        factories.scored(team, share)
    client.force_login(factories.user("alice"))
    text = client.get(reverse("competition", args=("c",))).content.decode()
    assert "Without a choice, files 1 and 3 are taken" in text
    assert reverse("submissions_final", args=("c",)) in text


def test_the_banner_waits_for_the_last_two_days(contest, team):
    factories.scored(team)
    Competition.objects.update(closes_at=clock.now() + timedelta(days=3))
    assert not any(said("alice"))


def test_two_days_before_the_close_every_member_is_reminded_once(contest, team):
    factories.scored(team)
    factories.team(contest, "charlie")
    assert reminding.due() == [contest.pk]
    assert reminding.remind(contest.pk) == 2
    assert reminding.due() == []
    assert reminding.remind(contest.pk) == 0
    told = Notice.objects.get(user=factories.user("bob"))
    assert (told.kind, told.title) == ("deadline", "C: choose your final files")
    assert told.address == reverse("submissions", args=("c",))
    assert "Choose up to 2 files by your own validation" in told.text
    assert Notice.objects.count() == 2
    mailing.mail_waiting()
    assert sorted(Mail.objects.values_list("to", flat=True)) == [
        "alice@example.org",
        "bob@example.org",
    ]


def test_nobody_is_reminded_before_its_time_nor_after_the_close(contest, team):
    factories.scored(team)
    Competition.objects.update(closes_at=clock.now() + timedelta(hours=49))
    assert reminding.due() == []
    assert reminding.remind(contest.pk) == 0
    factories.end(contest)
    assert reminding.due() == []
    assert reminding.remind(contest.pk) == 0
    assert Competition.objects.get().reminded_at is None


def test_after_a_move_of_the_close_the_reminder_comes_anew(contest, team):
    factories.scored(team)
    reminding.remind(contest.pk)
    hana = factories.user("hana")
    wanted = {"closes_at": contest.closes_at + timedelta(days=5)}
    changing.change(contest, hana, wanted, "More time.")
    assert reminding.due() == []
    Competition.objects.update(closes_at=clock.now() + timedelta(hours=47))
    assert reminding.due() == [contest.pk]
    assert reminding.remind(contest.pk) == 2


def test_the_sweeper_reminds(contest, team):
    factories.scored(team)
    tasks.sweep()
    tasks.sweep()
    assert Notice.objects.filter(kind="deadline").count() == 2


@pytest.mark.django_db(transaction=True)
def test_sweepers_at_the_same_time_remind_once(contest, team, together, monkeypatch):
    monkeypatch.setattr(notices, "ring", lambda name: True)
    factories.scored(team)
    assert sorted(together(lambda _: reminding.remind(contest.pk), 4)) == [0, 0, 0, 2]
    assert Notice.objects.count() == 2
