"""The Celery application: Redis only rings the bell, the database is the queue."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")
# Before anything imports numpy: worker processes share the cores, threads of theirs would not help.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

app = Celery("leaderboard")
app.config_from_object("django.conf:settings", namespace="CELERY")
# The worker loads each app's `tasks` module; a web process never does, it sends by task name.
app.autodiscover_tasks()
