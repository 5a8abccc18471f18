"""Notices that their people want by mail: into the outbox, each once."""

import logging
import re
from html import unescape
from time import monotonic
from urllib.parse import urljoin

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.mail.message import BadHeaderError
from django.db import transaction
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from leaderboard.accounts import outbox
from leaderboard.competitions import clock, markdown, notices
from leaderboard.competitions.models import Notice

SECONDS = 8
BATCH = 200
# Of a long announcement the beginning; the rest stands on the site.
LONGEST = 2_000
# A link as Markdown and as HTML write it.
MARKED = re.compile(r"\]\(([^()\s]+)\)")
LINK = re.compile(r'(?<=\s)href="([^"]*)"')

logger = logging.getLogger(__name__)


def mail_waiting(seconds: float = SECONDS) -> bool:
    """Post the mails of waiting notices in batches; returns whether none is left."""
    end = monotonic() + seconds
    while _mail_batch():
        if monotonic() > end:
            return not waiting()
    return True


def waiting() -> bool:
    """Whether a notice waits to be mailed."""
    return Notice.objects.filter(wants_mail=True, mailed_at=None).exists()


def _mail_batch() -> bool:
    """Post some mails and mark their notices in one transaction; False where there are none."""
    with transaction.atomic():
        batch = list(
            # Two workers take different ones; the name of the mail holds where a lock does not.
            Notice.objects.select_for_update(skip_locked=True, of=("self",))
            .filter(wants_mail=True, mailed_at=None)
            .select_related("user", "competition", "announcement")
            .order_by("created_at", "pk")[:BATCH]
        )
        rendered: dict[int, tuple[str, str]] = {}
        for notice in batch:
            _post(notice, rendered)
        Notice.objects.filter(pk__in=[notice.pk for notice in batch]).update(mailed_at=clock.now())
    return bool(batch)


def _post(notice: Notice, rendered: dict[int, tuple[str, str]]) -> None:
    user = notice.user
    # Asked again: the choice may have changed, and the person may be gone.
    if not (user.is_active and user.email and getattr(user, notices.WISH[notice.kind])):
        return
    try:
        body, html = mail(notice, rendered)
        outbox.post(user.email, notice.title, body, html, once=f"notice-{notice.pk}")
    except (BadHeaderError, ValidationError, ValueError):
        # One that cannot be written must not hold up all the others.
        logger.exception("Notice %s cannot be mailed", notice.pk)


def mail(notice: Notice, rendered: dict[int, tuple[str, str]] | None = None) -> tuple[str, str]:
    """Return the text and the HTML of a notice's mail.

    Addresses begin with SITE_URL. `rendered` keeps an announcement's text for the next mail of it.
    """
    text, html = _words(notice, {} if rendered is None else rendered)
    context = {
        "notice": notice,
        "text": text,
        "html": html,
        "link": settings.SITE_URL + (notice.address or reverse("notices")),
        "choose": settings.SITE_URL + reverse("account") + "#mail",
    }
    return (
        render_to_string("competitions/mail/notice.txt", context),
        render_to_string("competitions/mail/notice.html", context),
    )


def _words(notice: Notice, rendered: dict[int, tuple[str, str]]) -> tuple[str, str]:
    """Return what a notice says as text and as HTML (empty: the text's lines)."""
    announcement = notice.announcement
    # Results are told to each person in the notice's own words.
    if announcement is None or notice.kind == Notice.Kind.RESULT:
        return notice.text, ""
    if announcement.pk not in rendered:
        text = notices.cut(announcement.text, LONGEST)
        page = settings.SITE_URL + notice.address
        rendered[announcement.pk] = (
            MARKED.sub(lambda found: f"]({_joined(page, found[1])})", text),
            _absolute(markdown.render(text), page),
        )
    return rendered[announcement.pk]


def _absolute(html: str, page: str) -> SafeString:
    """Return HTML whose links lead to this site also where it is read: in a mail program."""

    def link(found: re.Match) -> str:
        return f'href="{escape(_joined(page, unescape(found[1])))}"'

    # Sanitised before: every attribute stands in double quotes.
    return mark_safe(LINK.sub(link, html))  # noqa: S308


def _joined(page: str, link: str) -> str:
    """Return a link as it reads off the page, one that is no address as it was written."""
    try:
        return urljoin(page, link)
    except ValueError:
        return link
