"""What the host tells everybody in a competition: published once, never edited.

The act stores one row; a worker then leaves a notice with every participant, in batches, and may
be killed at any place: the next one goes on where it stopped. Who joins later reads the
announcements on the competition's page.
"""

import uuid
from collections.abc import Callable
from datetime import datetime
from time import monotonic

from django.db import transaction
from django.db.models import Exists, OuterRef
from django.urls import reverse

from leaderboard.audit import ledger
from leaderboard.bell import ring
from leaderboard.competitions import clock, markdown, notices
from leaderboard.competitions.models import Announcement, Competition, Notice, Participant

DELIVER = "competitions.deliver"
# Seconds that one task may deliver before it makes room for others and rings again.
SECONDS = 8
LONGEST_TITLE = Announcement._meta.get_field("title").max_length
LONGEST_TEXT = 5_000
KIND = {
    Announcement.Kind.NEWS: Notice.Kind.ANNOUNCEMENT,
    Announcement.Kind.DATES: Notice.Kind.DEADLINE,
    Announcement.Kind.RULE: Notice.Kind.ANNOUNCEMENT,
    Announcement.Kind.RESULTS: Notice.Kind.RESULT,
}


def announce(
    competition: Competition,
    by,
    title: str,
    text: str,
    key: uuid.UUID | None = None,
    at: datetime | None = None,
) -> Announcement:
    """Publish an announcement of the host's; the same `key` again returns the first one.

    `text` is Markdown. Only the seeder gives `at`.
    """
    with transaction.atomic():
        # The competition's row is the lock: of two equal forms one publishes.
        locked = Competition.objects.select_for_update(no_key=True).get(pk=competition.pk)
        first = key and Announcement.objects.filter(uuid=key).first()
        if first and first.competition_id == locked.pk:
            return first
        # Another competition's announcement has this name already: it gets one of its own.
        key = None if first else key
        return record(locked, by, Announcement.Kind.NEWS, title, text, key, at)


def record(
    competition: Competition,
    by,
    kind: str,
    title: str,
    text: str,
    key: uuid.UUID | None = None,
    at: datetime | None = None,
) -> Announcement:
    """Store an announcement with the act that it tells of, under the competition's lock.

    Call it last in a transaction but for the ledger: the ledger's head is locked by it.
    """
    made = Announcement.objects.create(
        uuid=key or uuid.uuid4(),
        competition=competition,
        kind=kind,
        title=notices.cut(title, LONGEST_TITLE),
        text=text,
        created_by=by,
        created_at=at or clock.now(),
    )
    ledger.append(
        "announced",
        competition.uuid,
        {
            "announcement": made.uuid,
            "kind": made.kind,
            "title": made.title,
            "text": made.text,
            "by": by.pk if by else None,
        },
        at=made.created_at,
    )
    # Results are told to each person in other words: by the app that knows the places.
    if kind != Announcement.Kind.RESULTS:
        transaction.on_commit(lambda: ring(DELIVER, made.pk), robust=True)
    return made


def undelivered() -> list[int]:
    """Return the announcements that not every participant has a notice of yet."""
    waiting = Announcement.objects.filter(delivered_at=None)
    return list(waiting.exclude(kind=Announcement.Kind.RESULTS).values_list("pk", flat=True))


def deliver(announcement_id: int, seconds: float = SECONDS) -> bool:
    """Leave a notice with every participant; returns whether it is done.

    Any number of workers may be at it, and each may die: a person has one notice of it.
    """
    announcement = Announcement.objects.select_related("competition").get(pk=announcement_id)
    title, text = announcement.title, markdown.plain(announcement.text)

    def told(people: list[Participant]) -> list[Notice | None]:
        where = address(announcement)
        return [notice_of(announcement, person, title, text, where) for person in people]

    return each(announcement, told, seconds)


def notice_of(
    announcement: Announcement, person: Participant, title: str, text: str, where: str
) -> Notice | None:
    """Return a participant's unsaved notice of an announcement; None for who is gone."""
    contest = announcement.competition
    return notices.make(
        person.user,
        KIND[announcement.kind],
        f"{contest.title}: {title}",
        text,
        where,
        announcement.created_at,
        contest,
        announcement,
    )


def each(
    announcement: Announcement,
    told: Callable[[list[Participant]], list[Notice | None]],
    seconds: float,
) -> bool:
    """Leave with every participant what `told` makes for a batch of them; returns whether done."""
    end, last = monotonic() + seconds, 0
    while announcement.delivered_at is None:
        batch = list(
            _waiting(announcement)
            .filter(user_id__gt=last)
            .select_related("user")
            .order_by("user_id")[: notices.BATCH]
        )
        if not batch:
            announcement.delivered_at = clock.now()
            announcement.save(update_fields=("delivered_at",))
            break
        made = told(batch)
        with transaction.atomic():
            notices.store([notice for notice in made if notice])
        last = batch[-1].user_id
        if monotonic() > end:
            return False
    return True


def _waiting(announcement: Announcement):
    """Participants of its time who have no notice of it yet."""
    have = Notice.objects.filter(announcement=announcement, user=OuterRef("user"))
    return Participant.objects.filter(
        ~Exists(have),
        competition=announcement.competition,
        joined_at__lte=announcement.created_at,
    )


def address(announcement: Announcement) -> str:
    """Return the path of an announcement: its place on the competition's page."""
    page = reverse("announcements", args=[announcement.competition.slug])
    return f"{page}#a-{announcement.uuid}"
