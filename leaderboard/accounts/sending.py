"""Sending what lies in the outbox: one mail after another, again and later where it failed.

A mail is claimed by a conditional UPDATE that puts its next try behind the lease. A process that
dies between the server's "taken" and our note of it leaves a mail that is sent again: rather twice
than never. Both carry the same Message-ID, by which mail programs drop the second one.
"""

import logging
import smtplib
import time
from datetime import datetime, timedelta

from django.conf import settings
from django.core.mail import EmailMultiAlternatives, get_connection
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from leaderboard.accounts.models import Mail

# Longer than a task may run (accounts.tasks): whoever holds a claim that long is dead.
LEASE = timedelta(seconds=90)
# A worker scores files too: it gives way after this many seconds, and is rung again.
SECONDS = 15.0
FIRST_DELAY, LONGEST_DELAY = timedelta(minutes=1), timedelta(hours=1)
GIVE_UP_AFTER = timedelta(days=3)
KEEP_FOR = timedelta(days=30)
LONGEST_PROBLEM = Mail._meta.get_field("problem").max_length
# What one mail's address or text brought about; the next mail may go well.
OF_ONE_MAIL = (smtplib.SMTPRecipientsRefused, smtplib.SMTPSenderRefused, smtplib.SMTPDataError)

logger = logging.getLogger(__name__)


def waiting(at: datetime) -> QuerySet[Mail]:
    """Return the mails whose time has come, the longest waiting first."""
    return _unsent().filter(due_at__lte=at).order_by("due_at", "pk")


def send_waiting(seconds: float = SECONDS) -> bool:
    """Send mails until none is due or the time is up; returns whether some are left."""
    end = time.monotonic() + seconds
    connection = get_connection(settings.MAIL_BACKEND)
    try:
        while time.monotonic() < end:
            mail = _claim()
            if mail is None:
                return False
            if not _send(mail, connection):
                return False
    finally:
        _hang_up(connection)
    return waiting(timezone.now()).exists()


def forget_sent() -> int:
    """Delete what was sent or given up long ago; what may go out once only stays as a mark."""
    old = timezone.now() - KEEP_FOR
    gone, _ = (
        Mail.objects.filter(once=None, created_at__lt=old)
        .exclude(sent_at=None, given_up_at=None)
        .delete()
    )
    return gone


def _unsent() -> QuerySet[Mail]:
    return Mail.objects.filter(sent_at=None, given_up_at=None)


def _claim() -> Mail | None:
    """Take the mail that waits longest, so that no other process has it within the lease."""
    at = timezone.now()
    for mail in waiting(at)[:5]:
        taken = (
            _unsent()
            .filter(pk=mail.pk, due_at__lte=at)
            .update(due_at=at + LEASE, attempts=F("attempts") + 1)
        )
        if taken:
            mail.attempts += 1
            return mail
    return None


def _send(mail: Mail, connection) -> bool:
    """Send a claimed mail and note how it went; returns whether the server can be asked again."""
    only = _unsent().filter(pk=mail.pk)
    try:
        connection.open()
        connection.send_messages([_message(mail, connection)])
    except OF_ONE_MAIL as error:
        _put_off(mail, error, only)
        # The conversation stands in the middle of a mail: the next one begins anew.
        _hang_up(connection)
        return True
    except (OSError, smtplib.SMTPException) as error:
        # The server is away, for this mail as for all the others that are due.
        at = timezone.now()
        waiting(at).order_by().update(attempts=F("attempts") + 1)
        _put_off(mail, error, _unsent().filter(Q(pk=mail.pk) | Q(due_at__lte=at)))
        return False
    except Exception as error:
        # A mail that cannot even be written must not hold up those behind it.
        _put_off(mail, error, only)
        return True
    # What is sent is forgotten: texts hold links that sign in, subjects and addresses name people.
    Mail.objects.filter(pk=mail.pk).update(
        sent_at=timezone.now(), to="", subject="", body="", html="", problem=""
    )
    logger.info("Mail %s was sent at try %s.", mail.pk, mail.attempts)
    return True


def _message(mail: Mail, connection) -> EmailMultiAlternatives:
    domain = mail.sender.rpartition("@")[2].strip("> ") or "localhost"
    message = EmailMultiAlternatives(
        mail.subject,
        mail.body,
        mail.sender,
        [mail.to],
        connection=connection,
        headers={"Message-ID": f"<mail-{mail.pk}-{mail.created_at:%Y%m%d%H%M%S}@{domain}>"},
    )
    if mail.html:
        message.attach_alternative(mail.html, "text/html")
    return message


def _put_off(mail: Mail, error: Exception, those: QuerySet[Mail]) -> None:
    """Put mails off after a failure of one of them, longer with each try, and at last give up."""
    at = timezone.now()
    problem = f"{type(error).__name__}: {error}"[:LONGEST_PROBLEM]
    logger.warning("Mail %s was not sent at try %s: %s", mail.pk, mail.attempts, problem)
    too_old = those.filter(created_at__lt=at - GIVE_UP_AFTER)
    for lost in too_old:
        logger.error("Mail %s was given up after %s tries: %s", lost.pk, lost.attempts, problem)
    too_old.update(given_up_at=at, problem=problem, body="", html="")
    delay = min(FIRST_DELAY * 2 ** min(mail.attempts - 1, 16), LONGEST_DELAY)
    those.update(due_at=at + delay, problem=problem)


def _hang_up(connection) -> None:
    try:
        connection.close()
    except (OSError, smtplib.SMTPException) as error:
        logger.info("The mail server was left without a word: %s", error)
