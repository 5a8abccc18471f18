"""Late files: after the reveal, scored on the private rows, shown apart, never ranked."""

import re

import pytest
from django.urls import reverse

from leaderboard.audit import ledger
from leaderboard.audit.models import LedgerEntry
from leaderboard.competitions import clock
from leaderboard.competitions.models import Competition
from leaderboard.submissions import closing, finals, grading, outcomes, queue
from leaderboard.submissions.models import (
    Entry,
    FinalScore,
    FinalStanding,
    LateScore,
    Release,
    SealedScore,
    Status,
)
from leaderboard.submissions.refusals import Refusal
from tests.leaderboard import factories

pytestmark = pytest.mark.db
HOST = "hana"


@pytest.fixture
def contest():
    return factories.competition(slug="c", late_files=True, daily_limit=3)


@pytest.fixture
def team(contest):
    return factories.team(contest, "alice", "bob")


def reveal(contest) -> Competition:
    factories.end(contest)
    finals.finalise(contest.pk)
    contest.refresh_from_db()
    closing.reveal(contest, factories.user(HOST))
    contest.refresh_from_db()
    return contest


def refused(team) -> Refusal:
    with pytest.raises(Refusal) as caught:
        factories.upload(team, 0.9, seed=9)
    return caught.value


def test_a_late_file_gets_its_exact_private_score_and_nothing_else(contest, team):
    factories.scored(team, 0.8)
    reveal(contest)
    before = {model: list(model.objects.values()) for model in (Entry, Release, SealedScore)}
    late = factories.scored(team, 0.9, seed=2)
    assert (late.status, late.late, late.submission.late) == (Status.SCORED, True, True)
    assert LateScore.objects.get().score == 0.9
    assert late.rows == 400
    assert {check["code"] for check in late.checks} >= {"likeness", "shares"}
    assert {model: list(model.objects.values()) for model in before} == before
    kinds = list(LedgerEntry.objects.order_by("pk").values_list("kind", flat=True))
    assert kinds[-2:] == ["accepted", "late scored"]
    assert LedgerEntry.objects.filter(kind="accepted").latest("pk").payload.body["late"] is True
    assert ledger.verify() == []
    told = outcomes.describe(late)
    assert (told.late, told.units, told.score) == (True, None, "0.9000")
    assert told.headline.startswith("Private score 0.9000. It was sent after the results")


def test_a_late_file_changes_no_final_page_board_or_csv(client, contest, team):
    for share, name in ((0.8, None), (0.7, "charlie")):
        factories.scored(factories.team(contest, name) if name else team, share)
    reveal(contest)

    def shown() -> list:
        pages = [
            client.get(reverse("leaderboard", args=("c",))),
            client.get(reverse("leaderboard", args=("c",)) + "?set=public"),
            client.get(reverse("leaderboard_csv", args=("c",))),
        ]
        read = [b"".join(page) if page.streaming else page.content for page in pages]
        # "Now" becomes "1 min" while the test runs.
        return [re.sub(rb"<time.*?</time>|\s", b"", page) for page in read]

    def standings() -> list:
        return list(FinalStanding.objects.values()), list(FinalScore.objects.values())

    before = shown(), standings()
    factories.scored(team, 0.99, seed=2)
    assert standings() == before[1]
    for page, was in zip(shown(), before[0], strict=True):
        assert b"0.990" not in page
        assert page == was
    assert finals.finalise(contest.pk).version == 1
    assert standings() == before[1]


def test_a_late_file_is_never_final(contest, team):
    ranked = factories.scored(team, 0.8).submission
    reveal(contest)
    late = factories.scored(team, 0.9, seed=2).submission
    assert closing.effective_finals(team) == [ranked]
    with pytest.raises(Refusal):
        closing.choose(team, late, factories.user("alice"))
    assert not closing.unsettled(contest).exists()


@pytest.mark.parametrize("when", ["off", "closed", "ready", "archived", "draft"])
def test_when_a_late_file_is_refused(contest, team, when):
    factories.scored(team, 0.8)
    if when == "off":
        Competition.objects.update(late_files=False)
        reveal(contest)
        wanted, words = "closed", "Files sent after that are not accepted."
    elif when in ("closed", "ready"):
        factories.end(contest)
        if when == "ready":
            finals.finalise(contest.pk)
        wanted, words = "late_not_yet", "as soon as the results are revealed"
    elif when == "archived":
        reveal(contest)
        Competition.objects.update(archived_at=clock.now())
        wanted, words = "archived", "It takes no more files."
    else:
        Competition.objects.update(published_at=None)
        wanted, words = "not_open", "It opens on"
    refusal = refused(team)
    assert (refusal.code, refusal.status) == (wanted, 403)
    assert words in refusal.sentence


def test_the_daily_limit_holds_and_the_total_does_not(contest, team):
    Competition.objects.update(total_limit=1)
    factories.scored(team, 0.8)
    reveal(contest)
    for seed in (2, 3):
        factories.upload(team, 0.7, seed=seed)
    assert refused(team).code == "over_quota"


def test_rejected_stuck_and_undefined_late_files(contest, team, monkeypatch):
    factories.scored(team, 0.8)
    reveal(contest)
    bad = factories.scored(team, b"id,label\n1,yes\n")
    assert bad.status == Status.REJECTED
    assert not LateScore.objects.exists()
    sent = factories.upload(team, 0.7, seed=3)
    held = queue.claim(team.pk)
    monkeypatch.setattr(finals.Private, "score", lambda self, predictions: None)
    assert finals.late_score(held)
    assert finals.late_score(held) is False
    assert "has no value for this file" in outcomes.describe(sent.evaluations.get()).headline
    stuck = factories.upload(team, 0.6, seed=4).evaluations.get()
    type(stuck).objects.filter(pk=stuck.pk).update(status=Status.NEEDS_ATTENTION, attempts=3)
    assert closing.rescore(stuck, factories.user(HOST)).status == Status.QUEUED


def test_no_other_file_is_ever_scored_on_the_private_rows(contest, team):
    factories.upload(team, 0.8)
    held = queue.claim(team.pk)
    with pytest.raises(RuntimeError):
        finals.late_score(held)
    held.late = True
    with pytest.raises(RuntimeError):
        finals.late_score(held)
    assert grading.grade(held)


def test_the_pages_say_what_a_late_file_is(client, contest, team):
    factories.scored(team, 0.8)
    factories.end(contest)
    client.force_login(factories.user("alice"))
    place = reverse("submit", args=("c",))
    assert "as soon as the results are revealed" in client.get(place).content.decode()
    reveal(contest)
    text = client.get(place).content.decode()
    assert "shown apart and never ranked" in text
    assert "Final choices" not in text
    late = factories.scored(team, 0.9, seed=2)
    text = client.get(reverse("submission", args=("c", late.submission.uuid))).content.decode()
    assert "Late, not ranked" in text
    assert "0.9000" in text
    assert "stays as it is" in text
    assert "Use as a final submission" not in text
    assert "new scores" not in text.lower()
    overview = client.get(reverse("competition", args=("c",))).content.decode()
    assert "Send a late file" in overview
