"""Tickets: leave to send one file of one size to an address that nobody can guess.

The client sends the bytes without signing in, so the address itself is the right to do so: for one
file of the size that was said, once, for a short time. Only the digest of its secret is kept.
"""

import contextlib
import hashlib
import secrets
import uuid
from collections.abc import Iterator
from datetime import timedelta

from django.conf import settings
from django.db import transaction

from leaderboard.api.models import UploadTicket
from leaderboard.competitions import clock, store
from leaderboard.competitions.models import Competition
from leaderboard.submissions import intake, refusals
from leaderboard.submissions.models import Submission
from leaderboard.submissions.refusals import Refusal
from leaderboard.teams.models import Team

LIFETIME = timedelta(hours=1)
# A person's files that were announced and not submitted; each may hold its bytes on the disk.
MOST_OPEN = 10
SWEPT_AT_ONCE = 50
CHUNK = 2**20
FOLDER = "tickets"
# Seconds after which no ticket can still refer to the bytes of one.
ORPHANED = timedelta(days=1).total_seconds()


class Gone(Exception):
    """The address is unknown, used or expired."""


class WrongSize(Exception):
    """Another number of bytes came than was announced."""


def open_ticket(competition: Competition, user, file_name: str, size: int) -> str:
    """Return the secret of a new ticket; raises Refusal where the file would be refused anyway."""
    sweep()
    if size > competition.packed_limit:
        raise Refusal("too_large", limit=refusals.size(competition.packed_limit))
    now = clock.now()
    with transaction.atomic():
        # The user's row is the lock under which the open tickets are counted.
        type(user).objects.select_for_update(no_key=True).get(pk=user.pk)
        waiting = UploadTicket.objects.filter(user=user, submission=None, expires_at__gt=now)
        if waiting.count() >= MOST_OPEN:
            raise Refusal("too_many_uploads", limit=MOST_OPEN)
        secret = secrets.token_urlsafe(32)
        UploadTicket.objects.create(
            competition=competition,
            user=user,
            digest=_digest(secret),
            file_name=intake.printable(file_name, intake.NAME_LENGTH),
            size=size,
            created_at=now,
            expires_at=now + LIFETIME,
        )
    return secret


def receive(secret: str, stream, size: int) -> None:
    """Store the bytes of a ticket; raises Gone, WrongSize or Refusal, and nothing is kept.

    `size` is the length that the request states. A second sending finds the address gone.
    """
    ticket = UploadTicket.objects.filter(
        digest=_digest(secret),
        received_at=None,
        submission=None,
        expires_at__gt=clock.now(),
        # Not of somebody who has gone meanwhile.
        user__is_active=True,
    ).first()
    if ticket is None:
        raise Gone
    if size != ticket.size:
        raise WrongSize
    folder = f"{ticket.competition.uuid}/{FOLDER}"
    with intake.disk_room():
        stored = store.write(
            settings.UPLOADS_DIR, folder, uuid.uuid4().hex, _exactly(stream, size), size
        )
    taken = stored.size == size and UploadTicket.objects.filter(
        pk=ticket.pk, received_at=None
    ).update(received_at=clock.now(), path=stored.path)
    if not taken:
        store.remove(settings.UPLOADS_DIR, stored.path)
        raise WrongSize if stored.size != size else Gone


def submit(secret: str, competition: Competition, team: Team | None, user, note: str) -> Submission:
    """Submit the file of a ticket; raises Gone or Refusal. The same ticket is one submission."""
    ticket = UploadTicket.objects.filter(
        digest=_digest(secret), user=user, competition=competition
    ).first()
    if ticket is None or ticket.received_at is None:
        raise Gone
    if ticket.submission_id:
        return ticket.submission
    if ticket.expires_at <= clock.now():
        raise Gone
    try:
        opened = store.open_file(settings.UPLOADS_DIR, ticket.path)
    except FileNotFoundError as gone:
        # A call that was repeated while the first one was at it.
        ticket.refresh_from_db()
        if ticket.submission_id:
            return ticket.submission
        raise Gone from gone
    with contextlib.closing(opened) as file:
        made = intake.submit(
            competition=competition,
            team=team,
            user=user,
            file=file,
            original_name=ticket.file_name,
            form_token=f"ticket-{ticket.uuid}",
            note=note,
        )
    UploadTicket.objects.filter(pk=ticket.pk).update(submission=made, path="")
    store.remove(settings.UPLOADS_DIR, ticket.path)
    return made


def sweep() -> int:
    """Remove expired tickets and their bytes; returns how many."""
    late = UploadTicket.objects.filter(expires_at__lte=clock.now() - LIFETIME)[:SWEPT_AT_ONCE]
    removed = 0
    for ticket in late:
        if ticket.path:
            store.remove(settings.UPLOADS_DIR, ticket.path)
        removed += ticket.delete()[0]
    return removed


def forget_orphans(machine: float) -> None:
    """Remove bytes that a process which fell left without a ticket; `machine`: its time.time()."""
    for file in settings.UPLOADS_DIR.glob(f"*/{FOLDER}/*"):
        with contextlib.suppress(FileNotFoundError):
            if machine - file.stat().st_mtime > ORPHANED:
                file.unlink()


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode(errors="replace")).hexdigest()


def _exactly(stream, size: int) -> Iterator[bytes]:
    """Read the body in pieces: a file is not held in memory."""
    left = size
    while left and (chunk := stream.read(min(CHUNK, left))):
        left -= len(chunk)
        yield chunk
