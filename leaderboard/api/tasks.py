"""What is done for programs while nobody calls."""

import time

from celery import shared_task
from django.conf import settings

from leaderboard.api.kaggle import uploads
from leaderboard.competitions import store


@shared_task(name="api.sweep")
def sweep() -> None:
    """Remove announced files that nobody submitted, and archives that were never finished."""
    while uploads.sweep():
        pass
    uploads.forget_orphans(time.time())
    store.sweep_abandoned(settings.DOWNLOADS_DIR, time.time())
