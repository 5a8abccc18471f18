"""What one person should know: stored with the act that causes it, mailed by a worker.

A notice is shown in the site always, and mailed where its person wants that kind by mail. The
mail is asked for in the notice's own row, so that neither a lost bell nor a dead worker loses it.
"""

from collections.abc import Iterable
from datetime import datetime

from django.db import transaction
from django.db.models import BooleanField, ExpressionWrapper, Q, QuerySet

from leaderboard.accounts.models import User
from leaderboard.bell import ring
from leaderboard.competitions import clock
from leaderboard.competitions.models import Announcement, Competition, Notice

MAIL = "competitions.mail_notices"
# Rows of one statement: what it costs in memory and in time for others' locks.
BATCH = 500
MANY = 99
WISH = {
    Notice.Kind.ANNOUNCEMENT: "mail_announcements",
    Notice.Kind.DEADLINE: "mail_deadlines",
    Notice.Kind.INVITATION: "mail_invitations",
    Notice.Kind.RESULT: "mail_results",
}
LONGEST_TITLE = Notice._meta.get_field("title").max_length
LONGEST_TEXT = Notice._meta.get_field("text").max_length


def tell(
    users: Iterable[User],
    kind: str,
    title: str,
    text: str,
    address: str,
    competition: Competition | None = None,
) -> list[Notice]:
    """Leave a notice with each of the users, in the caller's transaction; returns the notices.

    `kind` is one of Notice.Kind, `title` one line, `text` plain text of a few sentences, `address`
    a path on this site. Nothing is left with people who are gone.
    """
    at = clock.now()
    made = [make(user, kind, title, text, address, at, competition) for user in users]
    return store([notice for notice in made if notice])


def make(
    user: User,
    kind: str,
    title: str,
    text: str,
    address: str,
    at: datetime,
    competition: Competition | None = None,
    announcement: Announcement | None = None,
) -> Notice | None:
    """Return an unsaved notice, None for somebody who is gone."""
    if not user.is_active or user.deleted_at:
        return None
    return Notice(
        user=user,
        competition=competition,
        announcement=announcement,
        kind=Notice.Kind(kind),
        # One line: it becomes the subject of a mail.
        title=cut(" ".join(title.split()), LONGEST_TITLE),
        text=cut(text, LONGEST_TEXT),
        address=address,
        created_at=at,
        wants_mail=bool(user.email) and getattr(user, WISH[kind]),
    )


def store(made: list[Notice]) -> list[Notice]:
    """Store notices; of an announcement a person has one already, nothing is added."""
    announced = any(notice.announcement_id for notice in made)
    stored = Notice.objects.bulk_create(made, batch_size=BATCH, ignore_conflicts=announced)
    if any(notice.wants_mail for notice in made):
        transaction.on_commit(lambda: ring(MAIL), robust=True)
    return stored


def of(user) -> QuerySet[Notice]:
    """Return a person's notices, the unread ones first, then the latest."""
    return (
        Notice.objects.filter(user=user)
        .select_related("competition")
        .annotate(seen=ExpressionWrapper(Q(read_at__isnull=False), BooleanField()))
        .order_by("seen", "-created_at", "-pk")
    )


def unread(user) -> int:
    """Return how many notices a person has not read; beyond MANY nobody counts."""
    return Notice.objects.filter(user=user, read_at=None)[: MANY + 1].count()


def read(found: QuerySet[Notice]) -> int:
    """Mark notices as read now; returns how many were not before."""
    return found.filter(read_at=None).update(read_at=clock.now())


def cut(text: str, most: int) -> str:
    """Return a text that fits, ended at a word with an ellipsis where it had to be cut."""
    if len(text) <= most:
        return text
    kept = text[: most - 1]
    return f"{kept.rsplit(None, 1)[0] if ' ' in kept[most // 2 :] else kept}…"
