"""The outbox: a mail is a row of the transaction that causes it, and a worker sends it.

A page never waits for a mail server, and a mail is neither lost with a message of Redis nor sent
for something that was rolled back.
"""

from django.conf import settings
from django.core.mail.backends.base import BaseEmailBackend
from django.core.mail.message import BadHeaderError
from django.core.validators import validate_email
from django.db import transaction
from django.utils import timezone
from django.utils.text import Truncator

from leaderboard.accounts.models import Mail
from leaderboard.bell import ring

SEND_MAIL = "accounts.send_mail"
LONGEST_SUBJECT = Mail._meta.get_field("subject").max_length


def post(to: str, subject: str, body: str, html: str = "", once: str | None = None) -> None:
    """Store a mail in the caller's transaction; a worker sends it after the commit.

    `once` names a mail that must go out one time only: a second one of the name is dropped.
    Raises BadHeaderError where address or subject hold a line break, ValidationError where the
    address is none.
    """
    _store(to, subject, body, html=html, once=once)


class Backend(BaseEmailBackend):
    """Django's way to send mail, for the sign-in library: it puts mails into the outbox."""

    def send_messages(self, email_messages) -> int:
        """Store each mail for each of its recipients; return how many mails were taken."""
        taken = 0
        for message in email_messages:
            parts = {kind: part for part, kind in getattr(message, "alternatives", ())}
            html = parts.get("text/html", "")
            for to in message.recipients():
                _store(to, message.subject, message.body, html=html, sender=message.from_email)
            taken += 1
        return taken


def _store(
    to: str, subject: str, body: str, *, html: str = "", once: str | None = None, sender: str = ""
) -> None:
    to, subject, sender = str(to), str(subject), sender or settings.DEFAULT_FROM_EMAIL
    for header in (to, subject, sender):
        if "\n" in header or "\r" in header:
            raise BadHeaderError("A line break in a header would let its writer add others.")
    validate_email(to)
    at = timezone.now()
    mail = Mail(
        to=to,
        sender=sender,
        subject=Truncator(subject).chars(LONGEST_SUBJECT),
        body=body,
        html=html,
        once=once,
        created_at=at,
        due_at=at,
    )
    # A mail that was asked for before is left as it is.
    Mail.objects.bulk_create([mail], ignore_conflicts=once is not None)
    _ring_on_commit()


def _ring_on_commit() -> None:
    """Ring once for all the mails of a transaction: one bell empties the outbox."""
    connection = transaction.get_connection()
    here = set(connection.savepoint_ids)
    # The same savepoints: a bell of an inner one would be lost with it.
    if not any(ids == here and act is _ring for ids, act, _ in connection.run_on_commit):
        transaction.on_commit(_ring, robust=True)


def _ring() -> None:
    ring(SEND_MAIL)
