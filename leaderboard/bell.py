"""Ring a worker's bell: by task name, quickly, and never with an error.

The database is the queue. A ring that is lost costs a moment, because the sweeper rings again, so
a person who waits for an answer must not wait for Redis.
"""

import functools
import logging

from kombu import pools
from kombu.exceptions import KombuError

from leaderboard.celery import app

# Seconds until a Redis that does not answer counts as absent.
PATIENCE = 1.0
# Errors of redis-py reach us as kombu's OperationalError or as OSError; a pool that stays empty
# for PATIENCE is a kombu error too.
LOST = (KombuError, OSError)

logger = logging.getLogger(__name__)


def ring(name: str, *arguments: int | str, **options) -> bool:
    """Send a task by its name with ids as arguments; returns whether the bell was heard."""
    try:
        with _producers().acquire(block=True, timeout=PATIENCE) as producer:
            app.send_task(name, args=list(arguments), producer=producer, retry=False, **options)
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
