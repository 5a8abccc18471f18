"""The queue in the database: one file of a team at a time, leases, three attempts, the sweeper."""

import threading
import uuid
from datetime import timedelta

import pytest
from django.conf import settings

from leaderboard.audit.models import LedgerEntry
from leaderboard.competitions import clock
from leaderboard.competitions.models import Competition
from leaderboard.submissions import closing, grading, queue, ringing, tasks
from leaderboard.submissions.models import Evaluation, Release, Status
from leaderboard.submissions.refusals import Refusal
from tests.leaderboard import factories

pytestmark = pytest.mark.db


@pytest.fixture
def team():
    return factories.team(factories.competition(), "alice")


@pytest.fixture
def rung(monkeypatch) -> list[tuple]:
    """Every ring, in place of Redis."""
    heard = []
    monkeypatch.setattr(ringing, "ring", lambda name, *rest, **more: heard.append((name, *rest)))
    return heard


def expire(evaluation: Evaluation) -> None:
    Evaluation.objects.filter(pk=evaluation.pk).update(
        lease_until=clock.now() - timedelta(seconds=1)
    )


def test_a_team_is_served_one_file_at_a_time_in_order(team):
    sent = [factories.upload(team, seed=seed) for seed in range(3)]
    first = queue.claim(team.pk)
    assert first.submission == sent[0]
    assert queue.claim(team.pk) is None
    grading.grade(first)
    assert queue.claim(team.pk).submission == sent[1]


def test_a_lease_that_lapsed_is_taken_again_with_a_new_token(team):
    factories.upload(team)
    first = queue.claim(team.pk)
    expire(first)
    second = queue.claim(team.pk)
    assert second.pk == first.pk
    assert second.token != first.token
    second.refresh_from_db()
    assert second.attempts == 2


def test_who_lost_the_lease_is_turned_away(team):
    factories.upload(team)
    first = queue.claim(team.pk)
    expire(first)
    second = queue.claim(team.pk)
    assert grading.grade(first) is False
    assert not Release.objects.exists()
    assert grading.grade(second) is True
    assert grading.grade(second) is False
    assert Release.objects.count() == 1


def test_a_late_worker_whose_file_nobody_took_may_finish(team):
    factories.upload(team)
    late = queue.claim(team.pk)
    expire(late)
    assert grading.grade(late) is True


def test_three_attempts_then_the_host_decides(team, monkeypatch):
    def broken(*arguments):
        raise MemoryError("ours")

    good = grading._score
    monkeypatch.setattr(grading, "_score", broken)
    sent = [factories.upload(team, seed=seed) for seed in (1, 2)]
    evaluation = sent[0].evaluations.get()
    for attempt in range(1, settings.SCORING_ATTEMPTS + 1):
        tasks.score_next(team.pk)
        evaluation.refresh_from_db()
        assert (evaluation.status, evaluation.attempts) == (Status.QUEUED, attempt)
        if attempt < settings.SCORING_ATTEMPTS:
            # Nobody takes the file, nor a later one of the team, before the pause is over.
            assert evaluation.lease_until > clock.now()
            tasks.score_next(team.pk)
            assert sent[1].evaluations.get().status == Status.QUEUED
            expire(evaluation)
    monkeypatch.setattr(grading, "_score", good)
    tasks.score_next(team.pk)
    evaluation.refresh_from_db()
    assert evaluation.status == Status.NEEDS_ATTENTION
    assert LedgerEntry.objects.get(kind="needs attention").payload.body["attempts"] == 3
    # The next file does not wait for it.
    assert sent[1].evaluations.get().status == Status.SCORED
    assert not Release.objects.filter(evaluation=evaluation).exists()

    closing.rescore(evaluation, factories.user("hana"))
    factories.score(team)
    evaluation.refresh_from_db()
    assert evaluation.status == Status.SCORED
    with pytest.raises(Refusal) as caught:
        closing.rescore(evaluation, factories.user("hana"))
    assert caught.value.code == "not_stuck"


def test_after_an_error_of_ours_the_bell_rings_again_by_itself(team, monkeypatch):
    heard = []
    monkeypatch.setattr(
        ringing, "ring", lambda name, *rest, **more: heard.append((name, *rest, more))
    )
    sent = factories.upload(team)
    heard.clear()
    monkeypatch.setattr(grading, "_score", lambda *arguments: 1 / 0)
    for _ in range(settings.SCORING_ATTEMPTS):
        tasks.score_next(team.pk)
        Evaluation.objects.filter(lease_until__isnull=False).update(lease_until=clock.now())
    limit = settings.SCORING_HARD_LIMIT
    bell = (ringing.SCORE_NEXT, team.pk)
    assert heard == [
        (*bell, {"time_limit": limit, "countdown": 2}),
        (*bell, {"time_limit": limit, "countdown": 8}),
        (*bell, {"time_limit": limit}),
    ]
    # The last bell says at once that the file failed on our side.
    tasks.score_next(team.pk)
    assert sent.evaluations.get().status == Status.NEEDS_ATTENTION


def test_a_pause_is_not_swept_and_its_end_is(team, rung):
    factories.upload(team)
    held = queue.claim(team.pk)
    assert queue.give_back(held) == 2
    assert queue.give_back(held) is None
    Evaluation.objects.update(queued_at=clock.now() - timedelta(hours=1))
    rung.clear()
    tasks.sweep()
    assert rung == []
    expire(held)
    tasks.sweep()
    assert rung == [(ringing.SCORE_NEXT, team.pk)]


def test_a_file_put_back_does_not_run_beside_another_of_its_team(team):
    stuck, other = factories.upload(team, seed=1), factories.upload(team, seed=2)
    Evaluation.objects.filter(submission=stuck).update(status=Status.NEEDS_ATTENTION, attempts=3)
    held = queue.claim(team.pk)
    assert held.submission == other
    closing.rescore(stuck.evaluations.get(), None)
    assert queue.claim(team.pk) is None
    grading.grade(held)
    assert queue.claim(team.pk).submission == stuck


def test_a_finished_file_rings_for_the_next_and_the_last_for_the_finals(team, rung):
    for seed in range(2):
        factories.upload(team, seed=seed)
    rung.clear()
    tasks.score_next(team.pk)
    assert rung == [(ringing.SCORE_NEXT, team.pk)]
    rung.clear()
    tasks.score_next(team.pk)
    assert rung == []
    factories.upload(team, seed=3)
    factories.end(team.competition)
    rung.clear()
    tasks.score_next(team.pk)
    assert rung == [(ringing.FINALISE, team.competition_id)]


def test_the_sweeper_rings_for_what_waits_too_long_once_a_team(team, rung):
    for seed in range(3):
        factories.upload(team, seed=seed)
    fresh = factories.team(team.competition)
    factories.upload(fresh)
    leased = factories.team(team.competition)
    factories.upload(leased)
    lost = factories.team(team.competition)
    factories.upload(lost)
    queue.claim(leased.pk)
    expire(queue.claim(lost.pk))
    Evaluation.objects.filter(team=team).update(
        queued_at=clock.now() - timedelta(seconds=settings.SWEEP_EVERY + 1)
    )
    rung.clear()
    tasks.sweep()
    assert rung == [(ringing.SCORE_NEXT, team.pk), (ringing.SCORE_NEXT, lost.pk)]


def test_a_ring_carries_the_competitions_own_limit(team, monkeypatch):
    limits = []
    monkeypatch.setattr(
        ringing, "ring", lambda name, team_id, **options: limits.append(options["time_limit"])
    )
    Competition.objects.update(hard_limit=33)
    Evaluation.objects.filter(submission=factories.upload(team)).update(
        queued_at=clock.now() - timedelta(hours=1)
    )
    tasks.sweep()
    assert limits == [33]


def test_a_ring_for_nothing_does_nothing(team):
    tasks.score_next(team.pk)
    assert not Evaluation.objects.exists()


def test_a_slow_stage_is_written_while_it_lasts_and_a_quick_one_is_not(team, monkeypatch):
    factories.upload(team)
    evaluation = queue.claim(team.pk)
    written, event = [], threading.Event()
    monkeypatch.setattr(queue, "SLOW", 0.01)
    monkeypatch.setattr(
        queue.Stages, "_write", lambda self, stage: (written.append(stage.value), event.set())
    )
    plain = grading.read
    monkeypatch.setattr(grading, "read", lambda *arguments: (event.wait(5), plain(*arguments))[1])
    monkeypatch.setattr(grading.checks, "describe", lambda *arguments: [])
    assert grading.grade(evaluation)
    assert written[0] == "reading"
    evaluation.refresh_from_db()
    assert set(evaluation.timings) == {"reading", "checking", "scoring"}
    assert evaluation.timings["reading"] >= 5
    assert evaluation.stage == ""


@pytest.mark.django_db(transaction=True)
def test_a_stage_is_written_by_a_thread_of_its_own(team):
    factories.upload(team)
    evaluation = queue.claim(team.pk)
    writing = threading.Thread(target=queue.Stages(evaluation)._write, args=("checking",))
    writing.start()
    writing.join()
    evaluation.refresh_from_db()
    assert evaluation.stage == "checking"
    evaluation.token = uuid.uuid4()
    writing = threading.Thread(target=queue.Stages(evaluation)._write, args=("scoring",))
    writing.start()
    writing.join()
    evaluation.refresh_from_db()
    assert evaluation.stage == "checking"


@pytest.mark.django_db(transaction=True)
def test_of_many_workers_one_gets_the_file(team, together):
    for seed in range(3):
        factories.upload(team, seed=seed)
    claimed = [result for result in together(lambda _: queue.claim(team.pk), 12) if result]
    assert len(claimed) == 1, claimed
    assert claimed[0].attempts == 1


@pytest.mark.django_db(transaction=True)
def test_the_same_file_scored_by_many_is_released_once(team, together):
    factories.upload(team)
    held = queue.claim(team.pk)
    results = together(lambda _: grading.grade(Evaluation.objects.get(pk=held.pk)), 6)
    assert sorted(results, key=str) == [False] * 5 + [True]
    assert Release.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_many_workers_score_a_teams_files_in_order(team, together):
    Competition.objects.update(daily_limit=100)
    for seed in range(8):
        factories.upload(team, 0.6 + seed / 40, seed=seed)

    def work(_):
        while Evaluation.objects.filter(status=Status.QUEUED).exists():
            tasks.score_next(team.pk)

    assert together(work, 4) == [None] * 4
    order = Release.objects.order_by("id").values_list("evaluation__submission__number", flat=True)
    assert list(order) == list(range(1, 9))
