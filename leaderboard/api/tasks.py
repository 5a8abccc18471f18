"""What is done for programs while nobody calls."""

import time

from celery import shared_task

from leaderboard.api.kaggle import uploads


@shared_task(name="api.sweep")
def sweep() -> None:
    """Remove announced files that nobody submitted, also where no further one is announced."""
    while uploads.sweep():
        pass
    uploads.forget_orphans(time.time())
