"""What the bells of announcements and notices mean; any number of runs is harmless."""

from celery import shared_task
from django.conf import settings

from leaderboard.bell import ring
from leaderboard.competitions import announcing, mailing, notices

# Tasks end by themselves long before; the limit of scoring a file is no measure for them.
LIMIT = settings.VISIBILITY_TIMEOUT - 5


@shared_task(name=announcing.DELIVER, time_limit=LIMIT)
def deliver(announcement_id: int) -> None:
    """Leave an announcement with every participant; a long way is gone in several tasks."""
    if not announcing.deliver(announcement_id):
        ring(announcing.DELIVER, announcement_id)


@shared_task(name=notices.MAIL, time_limit=LIMIT)
def mail_notices() -> None:
    """Put the mails of waiting notices into the outbox."""
    if not mailing.mail_waiting():
        ring(notices.MAIL)


@shared_task(name="competitions.sweep")
def sweep() -> None:
    """Ring again for what was not delivered or mailed: a bell may be lost, a worker may die."""
    for announcement_id in announcing.undelivered():
        ring(announcing.DELIVER, announcement_id)
    if mailing.waiting():
        ring(notices.MAIL)
