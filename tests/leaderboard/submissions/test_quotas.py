"""Limits of files: for the person as for the team, today and in all, many uploads at once."""

import contextlib
from datetime import timedelta

import pytest

from leaderboard.competitions import clock
from leaderboard.competitions.models import Competition
from leaderboard.submissions.models import Evaluation, Status, Submission
from leaderboard.submissions.quotas import quota
from leaderboard.submissions.refusals import Refusal
from leaderboard.teams.models import Member
from tests.leaderboard import factories

pytestmark = pytest.mark.db
BAD = b"id,label\n1,yes\n"


@pytest.fixture
def team():
    return factories.team(factories.competition(daily_limit=3), "alice", "bob")


def move(name: str, to) -> None:
    """Put a person into another team, as leaving and joining do."""
    Member.objects.filter(user=factories.user(name), competition=to.competition).update(team=to)


def count(team, name: str | None = None):
    contest = Competition.objects.get(pk=team.competition_id)
    return quota(team, contest, clock.now(), factories.user(name) if name else None)


def refused(team, name: str, content=0.8) -> Refusal:
    with pytest.raises(Refusal) as caught:
        factories.upload(team, content, person=factories.user(name))
    return caught.value


def test_a_person_takes_the_files_of_the_day_along(team):
    alice = factories.user("alice")
    for seed in (1, 2):
        factories.upload(team, seed=seed, person=alice)
    other = factories.team(team.competition, "charlie")
    move("alice", other)
    assert (count(other).left, count(other, "charlie").left, count(other, "alice").left) == (
        3,
        3,
        1,
    )
    assert count(other, "alice").by_person
    factories.upload(other, seed=3, person=alice)
    refusal = refused(other, "alice")
    assert (refusal.code, refusal.status) == ("over_quota", 429)
    assert refusal.sentence.startswith("You sent 3 files today, in this team and in an earlier one")
    # Who stayed has what the team has left.
    factories.upload(other, seed=4, person=factories.user("charlie"))
    factories.upload(team, seed=5, person=factories.user("bob"))
    assert count(team, "bob").left == 0
    refusal = refused(team, "bob")
    assert refusal.sentence.startswith("Your team has sent its 3 files of today.")


def test_going_round_and_round_gains_nothing(team):
    """R-03: leave, send alone, come back, send; ten times."""
    home = {name: factories.team(team.competition, f"{name}-alone") for name in ("alice", "bob")}
    sent = 0
    for turn in range(10):
        for name in ("alice", "bob"):
            move(name, home[name] if turn % 2 else team)
            with contextlib.suppress(Refusal):
                factories.upload(
                    home[name] if turn % 2 else team, seed=turn, person=factories.user(name)
                )
                sent += 1
    for name in ("alice", "bob"):
        assert Submission.objects.filter(user=factories.user(name)).count() <= 3
    assert Submission.objects.filter(team=team).count() <= 3
    assert 3 <= sent <= 6


def test_a_total_binds_over_the_days_and_late_files_are_apart(team):
    Competition.objects.update(total_limit=4)
    for day in range(2):
        for seed in range(2):
            sent = factories.upload(team, seed=10 * day + seed)
            Submission.objects.filter(pk=sent.pk).update(
                accepted_at=clock.now() - timedelta(days=2 - day)
            )
    told = count(team)
    assert (told.used, told.total_used, told.total_left, told.left) == (0, 4, 0, 0)
    refusal = refused(team, "alice")
    assert refusal.code == "over_total"
    assert "the 4 files it has in this competition" in refusal.sentence
    # A rejected file and one that failed on our side are given back.
    Evaluation.objects.filter(submission__number=1).update(
        status=Status.REJECTED, problem={"code": "rows", "sentence": "s"}
    )
    Evaluation.objects.filter(submission__number=2).update(status=Status.NEEDS_ATTENTION)
    assert count(team).left == 2
    Submission.objects.filter(number=3).update(late=True)
    assert count(team).total_left == 3


def test_the_total_follows_the_person_too(team):
    Competition.objects.update(total_limit=2, daily_limit=2)
    for seed in (1, 2):
        sent = factories.upload(team, seed=seed, person=factories.user("alice"))
        Submission.objects.filter(pk=sent.pk).update(accepted_at=clock.now() - timedelta(days=3))
    other = factories.team(team.competition, "charlie")
    move("alice", other)
    refusal = refused(other, "alice")
    assert (refusal.code, refusal.sentence[:19]) == ("over_total", "You sent 2 files in")
    assert count(other, "charlie").left == 2


def test_rejected_files_have_a_cap_for_the_person_too(team):
    Competition.objects.update(rejected_limit=2)
    for _ in range(2):
        factories.upload(team, BAD, person=factories.user("alice"))
    factories.score(team)
    refusal = refused(team, "bob")
    assert refusal.code == "too_many_rejected"
    assert refusal.sentence.startswith("2 files of your team were rejected today")
    other = factories.team(team.competition, "charlie")
    move("alice", other)
    refusal = refused(other, "alice")
    assert refusal.sentence.startswith("2 files of yours were rejected today")
    assert factories.upload(other, person=factories.user("charlie")).number == 1


@pytest.mark.django_db(transaction=True)
def test_fifty_uploads_by_several_members_never_exceed_the_limit(team, together):
    """R-01 and R-02: 50 at once, by two members and through the same team."""
    people = [factories.user("alice"), factories.user("bob")]
    results = together(lambda place: factories.upload(team, b"x", person=people[place % 2]), 50)
    accepted = [result for result in results if isinstance(result, Submission)]
    refusals = [result for result in results if not isinstance(result, Submission)]
    assert len(accepted) == 3, refusals
    assert {getattr(refusal, "code", refusal) for refusal in refusals} == {"over_quota"}
    assert sorted(submission.number for submission in accepted) == [1, 2, 3]


@pytest.mark.django_db(transaction=True)
def test_a_hopper_at_full_speed_gains_no_file(team, together):
    """R-03 under load: one person moves between teams while sending to whichever has them."""
    other = factories.team(team.competition, "charlie")
    alice = factories.user("alice")

    def act(place: int):
        if place % 5 == 0:
            move("alice", other if place % 10 else team)
            return None
        return factories.upload(team if place % 2 else other, b"x", person=alice)

    results = together(act, 40)
    odd = [
        result
        for result in results
        if result is not None
        and not isinstance(result, Submission)
        and getattr(result, "code", "") not in {"over_quota", "not_joined"}
    ]
    assert odd == []
    assert Submission.objects.filter(user=alice).count() <= 3
