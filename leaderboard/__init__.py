"""The Django project of Holdout; importing it makes the Celery application known."""

from leaderboard.celery import app as celery_app

__all__ = ["celery_app"]
