"""What the bell means: score a team's next file, sweep, make the finals, publish the salts.

No task carries anything but an id. Everything is read again from the database, so that a message
that is lost, doubled, late or forged changes nothing.
"""

import logging
import time

from celery import shared_task
from celery.signals import worker_init
from django.conf import settings

from leaderboard.competitions import store
from leaderboard.submissions import (
    checking,
    closing,
    finals,
    grading,
    looks,
    queue,
    releasing,
    reminding,
    results,
    ringing,
)
from scoring import metrics

logger = logging.getLogger(__name__)


@worker_init.connect
def preload(**details) -> None:
    """Import every metric's functions before the pool forks, so that no child does it anew."""
    for metric in metrics.all_metrics():
        _ = metric.compute


@shared_task(name=ringing.SCORE_NEXT)
def score_next(team_id: int) -> None:
    """Score the team's earliest unfinished file, then ring for the next one."""
    evaluation = queue.claim(team_id)
    if evaluation is None:
        return
    competition = evaluation.submission.competition
    try:
        if evaluation.late:
            finals.late_score(evaluation)
        else:
            grading.grade(evaluation)
    except Exception:
        # Ours: tried again after a short while, up to the last attempt. Where not even that can be
        # written, the lease lapses and the sweeper rings.
        logger.exception("Scoring submission %s failed", evaluation.submission.uuid)
        wait = queue.give_back(evaluation)
        if wait is not None:
            ringing.score_next(team_id, competition.hard_limit, wait)
        return
    if queue.has_more(team_id):
        ringing.score_next(team_id, competition.hard_limit)
    elif competition.pk in closing.awaiting_finals():
        ringing.finalise(competition.pk)


@shared_task(name="submissions.sweep")
def sweep() -> None:
    """Ring again for what waits too long; any number of sweepers is harmless."""
    for team_id, hard_limit in queue.waiting_teams():
        ringing.score_next(team_id, hard_limit)
    for competition_id in closing.awaiting_finals():
        ringing.finalise(competition_id)
    for competition_id in closing.awaiting_salts():
        ringing.publish_salts(competition_id)
    for announcement_id in results.untold():
        ringing.tell_results(announcement_id)
    for competition_id in reminding.due():
        reminding.remind(competition_id)
    for look_id in looks.waiting():
        ringing.draw_look(look_id)
    for check_id, hard_limit in checking.waiting():
        ringing.check_file(check_id, hard_limit)
    checking.forget_old(time.time())
    store.sweep_abandoned(settings.UPLOADS_DIR, time.time())


@shared_task(name=ringing.CHECK_FILE)
def check_file(check_id: int) -> None:
    """Read a file that somebody wants checked and not submitted."""
    held = checking.claim(check_id)
    if held is None:
        return
    try:
        grading.check(held)
    except Exception:
        # Ours, as above; after the last attempt the claim says so.
        logger.exception("The check %s failed", held.uuid)
        wait = queue.pause(held.attempts)
        checking.give_back(held, wait)
        ringing.check_file(held.pk, held.competition.hard_limit, wait)


@shared_task(name=ringing.DRAW_LOOK)
def draw_look(look_id: int) -> None:
    """Draw the number of a look that a team asked for."""
    releasing.draw_look(look_id)


@shared_task(name=ringing.FINALISE, time_limit=settings.VISIBILITY_TIMEOUT - 5)
def finalise(competition_id: int) -> None:
    """Score the final files on the private rows, once the competition is closed and scored."""
    finals.finalise(competition_id)


@shared_task(name=ringing.PUBLISH_SALTS)
def publish_salts(competition_id: int) -> None:
    """Publish the salts of a revealed competition's commitments."""
    finals.publish_salts(competition_id)


@shared_task(name=ringing.TELL_RESULTS, time_limit=settings.VISIBILITY_TIMEOUT - 5)
def tell_results(announcement_id: int) -> None:
    """Tell every participant the own place; a long way is gone in several tasks."""
    if not results.tell(announcement_id):
        ringing.tell_results(announcement_id)
