"""The final ranking: the private part, opened once, after the close."""

from datetime import timedelta

import numpy as np
import pytest

from leaderboard.audit import ledger
from leaderboard.audit.models import LedgerEntry
from leaderboard.competitions import clock
from leaderboard.competitions.models import Baseline, Competition
from leaderboard.submissions import closing, finals, grading
from leaderboard.submissions.models import (
    Evaluation,
    FinalRun,
    FinalScore,
    FinalStanding,
    Status,
)
from tests.leaderboard import factories

pytestmark = pytest.mark.db


@pytest.fixture
def contest():
    return factories.competition(daily_limit=100)


def split(right_public: float, right_private: float, seed: int = 1) -> bytes:
    """A file that is right on these shares of the two parts."""
    values = factories.predictions(right_public, seed=seed)
    private = ~factories.public()
    values[private] = factories.predictions(right_private, seed=seed)[private]
    return factories.csv(values)


def standings() -> list[tuple]:
    return [
        (standing.team.name, standing.place, round(standing.score, 6))
        for standing in FinalStanding.objects.order_by("pk").select_related("team")
    ]


def test_the_private_rows_decide(contest):
    for name, public, private in (("a", 0.9, 0.6), ("b", 0.7, 0.8), ("c", 0.6, 0.95)):
        factories.scored(factories.team(contest, name), split(public, private))
    factories.end(contest)
    run = finals.finalise(contest.pk)
    assert standings() == [("c", 1, 0.95), ("b", 2, 0.8), ("a", 3, 0.6)]
    contest.refresh_from_db()
    assert contest.finals_ready_at
    first = FinalStanding.objects.get(team__name="c")
    assert (first.public_place, first.public_value, first.files) == (3, 60, 1)
    assert first.standard_error == pytest.approx((0.95 * 0.05 / 200) ** 0.5, rel=0.2)
    assert Baseline.objects.get().private_score == 0.5
    assert run.scores.filter(baseline__isnull=False).get().score == 0.5
    assert run.version == 1
    assert ledger.verify() == []


def test_before_the_close_no_private_score_exists(contest):
    factories.scored(factories.team(contest), 0.9)
    assert finals.finalise(contest.pk) is None
    assert not FinalRun.objects.exists()
    assert not FinalScore.objects.exists()
    assert not Baseline.objects.filter(private_score__isnull=False).exists()


def test_files_that_wait_or_failed_hold_the_finals_up(contest):
    team = factories.team(contest)
    factories.scored(team, 0.9)
    waiting = factories.upload(team, 0.8, seed=2).evaluations.get()
    factories.end(contest)
    assert finals.finalise(contest.pk) is None
    Evaluation.objects.filter(pk=waiting.pk).update(status=Status.LEASED, lease_until=clock.now())
    assert finals.finalise(contest.pk) is None
    Evaluation.objects.filter(pk=waiting.pk).update(status=Status.NEEDS_ATTENTION)
    assert finals.finalise(contest.pk) is None
    assert not FinalScore.objects.exists()
    closing.waive(waiting, factories.user("hana"))
    assert finals.finalise(contest.pk)


def test_the_better_of_a_teams_finals_counts(contest):
    team = factories.team(contest, "alice")
    sent = [
        factories.scored(team, split(public, private), seed=seed).submission
        for seed, (public, private) in enumerate(((0.6, 0.9), (0.7, 0.5), (0.8, 0.7)))
    ]
    # Not chosen: the best on the private rows does not count.
    factories.end(contest)
    finals.finalise(contest.pk)
    assert {score.submission for score in FinalScore.objects.filter(baseline=None)} == {*sent[1:]}
    assert standings() == [("alice", 1, 0.7)]


def test_chosen_files_count(contest):
    team = factories.team(contest, "alice")
    sent = [
        factories.scored(team, split(public, private)).submission
        for public, private in ((0.6, 0.9), (0.7, 0.5), (0.8, 0.7))
    ]
    closing.choose(team, sent[0], None)
    factories.end(contest)
    finals.finalise(contest.pk)
    assert standings() == [("alice", 1, 0.9)]
    assert FinalStanding.objects.get().submission == sent[0]


def test_equal_scores_share_a_place_and_the_earlier_is_listed_first(contest):
    for name, private in (("a", 0.7), ("b", 0.9), ("c", 0.7), ("d", 0.6)):
        factories.scored(factories.team(contest, name), split(0.8, private))
    factories.end(contest)
    finals.finalise(contest.pk)
    assert [row[:2] for row in standings()] == [("b", 1), ("a", 2), ("c", 2), ("d", 4)]


def test_lower_is_better_where_the_metric_says_so():
    contest = factories.competition(
        task=factories.NUMBERS, metric="mean_absolute_error", rule={"start": "0.5"}
    )
    for name, right in (("a", 0.7), ("b", 0.9)):
        factories.scored(factories.team(contest, name), right)
    factories.end(contest)
    finals.finalise(contest.pk)
    assert standings() == [("b", 1, 0.1), ("a", 2, 0.3)]


def test_places_that_a_test_cannot_separate(contest):
    """Two near ones at the top, one far below."""
    for seed, (name, private) in enumerate((("a", 0.9), ("b", 0.89), ("c", 0.6))):
        factories.scored(factories.team(contest, name), split(0.8, private, seed=seed))
    factories.end(contest)
    finals.finalise(contest.pk)
    tied = FinalStanding.objects.order_by("pk").values_list("tied_first", "tied_last")
    assert list(tied) == [(1, 2), (1, 2), (3, 3)]


def test_ties_are_told_down_from_the_first_place_as_far_as_time_reaches(contest, monkeypatch):
    monkeypatch.setattr(finals, "TEST_SECONDS", -1)
    for seed, private in enumerate((0.9, 0.89, 0.6)):
        factories.scored(factories.team(contest), split(0.8, private, seed=seed))
    factories.end(contest)
    finals.finalise(contest.pk)
    assert [row[1] for row in standings()] == [1, 2, 3]
    assert set(FinalStanding.objects.values_list("tied_first", "tied_last")) == {(None, None)}


def test_a_file_without_a_value_on_the_private_rows_is_listed_last():
    contest = factories.competition(task=factories.NUMBERS, metric="pearsonr", rule={"start": "0"})
    values = factories.predictions(0.9).astype(float)
    values[~factories.public()] = 1
    odd = factories.scored(factories.team(contest, "odd"), factories.csv(values, factories.NUMBERS))
    assert odd.release.outcome == "released"
    factories.scored(factories.team(contest, "even"), 0.7)
    factories.end(contest)
    finals.finalise(contest.pk)
    rows = FinalStanding.objects.order_by("pk").values_list("team__name", "place", "score")
    assert [row[:2] for row in rows] == [("even", 1), ("odd", None)]
    assert rows[1][2] is None


def test_teams_without_a_scored_file_or_disqualified_are_not_ranked(contest):
    good, bad, out = (factories.team(contest, name) for name in ("good", "bad", "out"))
    factories.scored(good, 0.7)
    factories.scored(bad, b"nonsense")
    factories.scored(out, 0.9)
    out.disqualified_at = clock.now()
    out.save()
    factories.team(contest, "silent")
    factories.end(contest)
    finals.finalise(contest.pk)
    assert [row[0] for row in standings()] == ["good"]
    assert FinalStanding.objects.get().public_place == 1


def test_a_competition_without_files_is_finished_too(contest):
    factories.end(contest)
    assert finals.finalise(contest.pk)
    assert standings() == []
    assert Competition.objects.get().finals_ready_at


def test_a_second_run_changes_nothing(contest):
    factories.scored(factories.team(contest), 0.9)
    factories.end(contest)
    first = finals.finalise(contest.pk)
    before = list(FinalStanding.objects.values())
    entries = LedgerEntry.objects.count()
    assert finals.finalise(contest.pk, "again") == first
    assert list(FinalStanding.objects.values()) == before
    assert LedgerEntry.objects.count() == entries


def test_a_worker_that_died_half_way_is_taken_over(contest, monkeypatch):
    teams = [factories.team(contest) for _ in range(3)]
    for seed, team in enumerate(teams):
        factories.scored(team, 0.6 + seed / 10, seed=seed)
    factories.end(contest)
    plain, reads = grading.read, []

    def dying(submission, opened):
        reads.append(submission.pk)
        if len(reads) == 4:
            raise SystemExit
        return plain(submission, opened)

    monkeypatch.setattr(grading, "read", dying)
    with pytest.raises(SystemExit):
        finals.finalise(contest.pk)
    assert FinalScore.objects.filter(baseline=None).count() == 2
    assert not FinalStanding.objects.exists()
    # Another worker keeps away for as long as the first may still be at it.
    assert finals.finalise(contest.pk) is None
    FinalRun.objects.update(busy_until=clock.now() - timedelta(seconds=1))
    assert finals.finalise(contest.pk)
    assert FinalScore.objects.filter(baseline=None).count() == 3
    assert FinalRun.objects.count() == 1
    assert [row[1] for row in standings()] == [1, 2, 3]
    assert LedgerEntry.objects.filter(kind="closed").count() == 1


def test_the_close_by_the_clock_is_in_the_ledger(contest):
    factories.scored(factories.team(contest), 0.9)
    factories.end(contest)
    finals.finalise(contest.pk)
    closed = LedgerEntry.objects.get(kind="closed")
    assert closed.payload.body["by"] is None
    body = LedgerEntry.objects.get(kind="finalised").payload.body
    assert (body["version"], body["teams"], body["files"]) == (1, 1, 1)
    assert "0.9" not in str(body)


def test_a_run_is_the_same_whoever_makes_it(contest):
    for seed in range(4):
        factories.scored(factories.team(contest), 0.8 + seed / 100, seed=seed)
    factories.end(contest)
    finals.finalise(contest.pk)
    fields = ("team", "place", "score", "standard_error", "tied_first", "tied_last")
    first = list(FinalStanding.objects.order_by("pk").values_list(*fields))
    FinalStanding.objects.all().delete()
    FinalScore.objects.all().delete()
    FinalRun.objects.all().delete()
    Competition.objects.update(finals_ready_at=None)
    finals.finalise(contest.pk)
    assert list(FinalStanding.objects.order_by("pk").values_list(*fields)) == first
    assert np.isfinite([row[3] for row in first]).all()
