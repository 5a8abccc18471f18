"""The queue in the database: claim a team's next file, write its stage, count what is unfinished.

One file of a team at a time, in the order of acceptance: a team with two hundred files does not
keep the others waiting, and a rule with memory sees the files as they were sent.
"""

import contextlib
import logging
import threading
import uuid
from collections.abc import Iterator
from datetime import timedelta
from time import perf_counter

from django.conf import settings
from django.db import DatabaseError, connection, transaction
from django.db.models import F, Min, Q, QuerySet

from leaderboard.audit import ledger
from leaderboard.competitions import clock
from leaderboard.submissions.models import Evaluation, Stage, Status
from leaderboard.teams.models import Team

UNFINISHED = (Status.QUEUED, Status.LEASED)
# A stage is written when it lasts longer than this (seconds): quick files cost no write.
SLOW = 0.2
# Seconds from a failure on our side to the next attempt; after the last one there is no waiting.
PAUSES = (2, 8)

logger = logging.getLogger(__name__)


def claim(team_id: int) -> Evaluation | None:
    """Lease the team's earliest unfinished file; None where there is nothing to do.

    A file that used up its attempts is put aside and the next one is taken.
    """
    with transaction.atomic():
        Team.objects.select_for_update(no_key=True).get(pk=team_id)
        now = clock.now()
        waiting = list(
            unfinished()
            .filter(team=team_id)
            .order_by("submission_id", "id")
            .values_list("pk", "attempts", "lease_until")
        )
        # Being scored, or resting after an error of ours; the team's later files wait for it.
        if any(until is not None and until > now for *_, until in waiting):
            return None
        for evaluation_id, attempts, _ in waiting:
            if attempts >= settings.SCORING_ATTEMPTS:
                _put_aside(evaluation_id, now)
            elif _lease(evaluation_id, now):
                return Evaluation.objects.select_related(
                    "submission__competition", "solution", "release_settings"
                ).get(pk=evaluation_id)
    return None


def give_back(leased: Evaluation) -> int | None:
    """End a lease after an error of ours; returns the seconds until the next attempt.

    None where the lease was lost meanwhile. Until then nobody takes the file, so that what hurt it
    has time to pass.
    """
    wait = pause(leased.attempts)
    given = Evaluation.objects.filter(
        pk=leased.pk, status=Status.LEASED, token=leased.token
    ).update(
        status=Status.QUEUED,
        stage=Stage.NONE,
        token=None,
        lease_until=clock.now() + timedelta(seconds=wait) if wait else None,
    )
    return wait if given else None


def pause(attempts: int) -> int:
    """Return the seconds between this failed attempt, counted from 1, and the next."""
    return PAUSES[attempts - 1] if attempts <= len(PAUSES) else 0


def unfinished() -> QuerySet[Evaluation]:
    """Return all files that wait or are being scored."""
    return Evaluation.objects.filter(status__in=UNFINISHED)


def waiting_teams() -> list[tuple[int, int | None]]:
    """Return (team, hard limit) of every team whose bell seems not to have been heard.

    Files that wait longer than one sweep and expired leases, the longest waiting team first.
    """
    now = clock.now()
    late = Q(lease_until__lt=now) | Q(
        lease_until=None, queued_at__lt=now - timedelta(seconds=settings.SWEEP_EVERY)
    )
    return list(
        unfinished()
        .filter(late)
        .values_list("team_id", "team__competition__hard_limit")
        .annotate(since=Min("queued_at"))
        .order_by("since")
        .values_list("team_id", "team__competition__hard_limit")
    )


def has_more(team_id: int) -> bool:
    """Whether the team has a file that waits."""
    return Evaluation.objects.filter(team=team_id, status=Status.QUEUED).exists()


class Stages:
    """Time the stages of one file and write the name of a slow one while it lasts."""

    def __init__(self, evaluation: Evaluation | None = None):
        self.timings: dict[str, float] = {}
        # A file that is only checked has no stage to write.
        self._held = (
            Evaluation.objects.filter(pk=evaluation.pk, token=evaluation.token)
            if evaluation
            else Evaluation.objects.none()
        )

    @contextlib.contextmanager
    def stage(self, stage: Stage) -> Iterator[None]:
        # A thread and not a look at the clock in between: the slow part is one call.
        timer = threading.Timer(SLOW, self._write, (stage,))
        timer.daemon = True
        timer.start()
        begun = perf_counter()
        try:
            yield
        finally:
            timer.cancel()
            spent = round((perf_counter() - begun) * 1000, 1)
            self.timings[stage.value] = self.timings.get(stage.value, 0) + spent

    def _write(self, stage: Stage) -> None:
        try:
            self._held.filter(status=Status.LEASED).update(stage=stage)
        except DatabaseError as error:
            # Only what a waiting person reads; the file goes on without it.
            logger.warning("The stage %s was not written: %s", stage, error)
        finally:
            # This thread's own connection.
            connection.close()


def _lease(evaluation_id: int, now) -> bool:
    """Take the file by a conditional update, which says whether it is ours."""
    free = Q(status=Status.QUEUED) | Q(status=Status.LEASED, lease_until__lte=now)
    taken = Evaluation.objects.filter(
        free, pk=evaluation_id, attempts__lt=settings.SCORING_ATTEMPTS
    ).update(
        status=Status.LEASED,
        stage=Stage.NONE,
        token=uuid.uuid4(),
        lease_until=now + timedelta(seconds=settings.SCORING_LEASE),
        attempts=F("attempts") + 1,
        started_at=now,
    )
    return taken == 1


def _put_aside(evaluation_id: int, now) -> None:
    """Give up on a file for now: the host decides, its slot is given back."""
    evaluation = Evaluation.objects.select_related("submission__competition").get(pk=evaluation_id)
    evaluation.status = Status.NEEDS_ATTENTION
    evaluation.stage, evaluation.token, evaluation.lease_until = Stage.NONE, None, None
    evaluation.finished_at = now
    evaluation.save()
    submission = evaluation.submission
    logger.error("Submission %s failed %s times", submission.uuid, evaluation.attempts)
    ledger.append(
        "needs attention",
        submission.competition.uuid,
        {
            "submission": submission.uuid,
            "team": submission.team.uuid,
            "number": submission.number,
            "attempts": evaluation.attempts,
        },
        now,
    )
