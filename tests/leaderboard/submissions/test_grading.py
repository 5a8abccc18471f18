"""Scoring a file: the public part alone is opened, and what is whose fault."""

import shutil
import sys

import numpy as np
import pytest
from django.conf import settings

from leaderboard.competitions.models import Solution
from leaderboard.submissions import grading, tasks
from leaderboard.submissions.models import Status
from scoring.task import Task
from tests.leaderboard import factories

pytestmark = pytest.mark.db


@pytest.fixture
def team():
    return factories.team(factories.competition(), "alice")


def private_folder():
    return settings.ANSWERS_DIR / Solution.objects.get().folder / "private"


def test_the_private_part_need_not_exist(team):
    shutil.rmtree(private_folder())
    evaluation = factories.scored(team, 0.8)
    assert evaluation.status == Status.SCORED
    assert evaluation.sealed.exact == 0.8


def test_no_file_of_the_private_part_is_opened(team):
    """Every opening in the process is seen, and none is of the private part."""
    opened = []
    private = str(private_folder())
    watching = True

    def watch(event, arguments):
        if watching and event in ("open", "os.listdir", "os.scandir"):
            opened.append(str(arguments[0]))

    sys.addaudithook(watch)
    evaluation = factories.scored(team, 0.8)
    watching = False
    assert evaluation.status == Status.SCORED
    assert any("public" in path for path in opened)
    assert not [path for path in opened if path.startswith(private)]


def test_predictions_on_private_rows_change_nothing_that_is_stored(team):
    values = factories.predictions()
    values[~factories.public()] = factories.truth()[~factories.public()]
    one, two = factories.scored(team), factories.scored(team, factories.csv(values))
    assert one.sealed == two.sealed


def correlation(**options):
    contest = factories.competition(
        task=factories.NUMBERS,
        metric="pearsonr",
        rule={"start": "0", "tau": "0.05"},
        **options,
    )
    return factories.team(contest)


def test_a_constant_file_under_a_correlation_is_refused_in_plain_words():
    team = correlation()
    evaluation = factories.scored(team, factories.csv(np.ones(400), factories.NUMBERS))
    assert evaluation.status == Status.REJECTED
    assert evaluation.problem["code"] == "unscorable"
    assert "do not vary" in evaluation.problem["sentence"]


def test_a_file_that_is_constant_on_one_part_tells_nothing_of_the_split():
    """Refusing it would say which rows are public, one file for each guess."""
    team = correlation()
    answers = []
    for part in (factories.public(), ~factories.public()):
        values = np.ones(400)
        values[part] = np.arange(200)
        evaluation = factories.scored(team, factories.csv(values, factories.NUMBERS))
        answers.append((evaluation.status, evaluation.release.outcome, evaluation.problem))
    assert answers == [(Status.SCORED, "no_change", None)] * 2


def test_the_worst_score_is_finite_where_the_metric_has_no_bound():
    contest = factories.competition(
        task=factories.NUMBERS, metric="root_mean_squared_error", rule={"start": "0.7"}
    )
    team = factories.team(contest)
    values = np.zeros(400)
    values[:] = np.where(np.arange(400) % 2, 1e200, -1e200)
    evaluation = factories.scored(team, factories.csv(values, factories.NUMBERS))
    assert (evaluation.status, evaluation.release.outcome) == (Status.SCORED, "no_change")
    assert evaluation.sealed.exact == pytest.approx(0.7 + 10**4)


def test_an_error_of_ours_is_no_rejection(team, monkeypatch, caplog):
    sent = factories.upload(team)

    def broken(*arguments):
        raise OSError("disk")

    monkeypatch.setattr(grading.digest, "digest", broken)
    tasks.score_next(team.pk)
    evaluation = sent.evaluations.get()
    assert evaluation.status == Status.QUEUED
    assert evaluation.problem is None
    assert str(sent.uuid) in caplog.text


def test_checks_compare_with_the_teams_earlier_files(team):
    factories.scored(team, 0.8)
    codes = {check["code"] for check in factories.scored(team, 0.9, seed=2).checks}
    assert {"likeness", "shares"} <= codes
    other = factories.scored(factories.team(team.competition), 0.8)
    assert "likeness" not in {check["code"] for check in other.checks}


def test_earlier_files_are_read_again_only_while_that_is_cheap(team, monkeypatch):
    for seed in range(3):
        factories.scored(team, 0.8, seed=seed)
    reads = []
    plain = grading.read
    monkeypatch.setattr(
        grading, "read", lambda sent, opened: (reads.append(sent.number), plain(sent, opened))[1]
    )
    factories.scored(team, 0.8, seed=3)
    assert reads == [4]
    grading._kept.clear()
    factories.scored(team, 0.8, seed=4)
    assert sorted(reads[1:]) == [1, 2, 3, 4, 5]
    grading._kept.clear()
    reads.clear()
    monkeypatch.setattr(grading, "AGAIN_BYTES", 0)
    factories.score(factories.team(team.competition))
    other = factories.team(team.competition)
    factories.scored(other, 0.8)
    grading._kept.clear()
    factories.scored(other, 0.8, seed=2)
    assert reads == [1, 2]


def test_predictions_kept_in_a_process_have_a_limit(team, monkeypatch):
    grading._kept.clear()
    monkeypatch.setattr(grading, "KEPT_BYTES", 2 * 400 * 4)
    for seed in range(4):
        factories.scored(team, 0.8, seed=seed)
    assert len(grading._kept) == 2


def test_a_changed_task_is_opened_anew(team):
    opened = grading.contest(team.competition, Solution.objects.get())
    assert opened is grading.contest(team.competition, Solution.objects.get())
    team.competition.metric = "f1_score"
    assert grading.contest(team.competition, Solution.objects.get()).metric.name == "f1_score"
    assert isinstance(opened.task, Task)
