"""Ring the worker's bell: by task name, quickly, and never with an error.

The database is the queue. A ring that is lost costs a moment, because the sweeper rings again, so
a person who waits for an answer must not wait for Redis.
"""

import functools
import logging

from django.conf import settings
from kombu import pools
from kombu.exceptions import KombuError

from leaderboard.celery import app

SCORE_NEXT = "submissions.score_next"
FINALISE = "submissions.finalise"
PUBLISH_SALTS = "submissions.publish_salts"
FORESEE = "hosting.outlook"
# Seconds until a Redis that does not answer counts as absent.
PATIENCE = 1.0
# Errors of redis-py reach us as kombu's OperationalError or as OSError; a pool that stays empty
# for PATIENCE is a kombu error too.
LOST = (KombuError, OSError)

logger = logging.getLogger(__name__)


def score_next(team_id: int, hard_limit: int | None = None) -> bool:
    """Say that a team has a file to score; returns whether the bell was heard."""
    return _send(SCORE_NEXT, team_id, time_limit=hard_limit or settings.SCORING_HARD_LIMIT)


def finalise(competition_id: int) -> bool:
    """Say that a competition has closed and its queue is empty."""
    return _send(FINALISE, competition_id)


def publish_salts(competition_id: int) -> bool:
    """Say that a competition was revealed, so that its salts can be published."""
    return _send(PUBLISH_SALTS, competition_id)


def foresee(question: str) -> bool:
    """Say that a host waits to see what settings would mean; `question` names them."""
    return _send(FORESEE, question)


def _send(name: str, argument: int | str, **options) -> bool:
    try:
        with _producers().acquire(block=True, timeout=PATIENCE) as producer:
            app.send_task(name, args=[argument], producer=producer, retry=False, **options)
    except LOST as error:
        logger.warning("The bell %s was not heard: %s", name, error)
        return False
    return True


@functools.cache
def _producers():
    """Return this process's pool of producers, whose connections give up soon.

    The worker's own connections wait long for messages; with theirs a web thread would hang on a
    Redis that accepts connections and does not answer.
    """
    connection = app.connection_for_write()
    connection.transport_options = {
        **connection.transport_options,
        "socket_timeout": PATIENCE,
        "socket_connect_timeout": PATIENCE,
        "max_retries": 0,
    }
    return pools.producers[connection]
