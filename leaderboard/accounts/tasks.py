"""What the worker does for accounts: send the mail that waits."""

from celery import shared_task

from leaderboard.accounts import outbox, sending
from leaderboard.bell import ring


@shared_task(name=outbox.SEND_MAIL, time_limit=60)
def send_mail() -> None:
    """Send what is due; beat asks for it every few seconds too, so that no lost bell matters."""
    if sending.send_waiting():
        ring(outbox.SEND_MAIL)


@shared_task(name="accounts.forget_mail")
def forget_mail() -> None:
    """Drop the rows of mails that were sent long ago."""
    sending.forget_sent()
