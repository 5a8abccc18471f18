"""The host's page for announcements: write, look at it, publish."""

import uuid

from django.contrib import messages
from django.core.paginator import Paginator
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from leaderboard.competitions import announcing
from leaderboard.hosting import console
from leaderboard.submissions.intake import printable

PER_PAGE = 10


@require_http_methods(["GET", "HEAD", "POST"])
def announce(request, slug):
    """Show the form and the earlier announcements; a POST previews or publishes."""
    context = console.context(request, slug, "announce")
    competition = context["competition"]
    context |= {"key": uuid.uuid4(), "problems": {}, "longest": announcing.LONGEST_TEXT}
    if request.method == "POST":
        written, key = _written(request.POST), _key(request.POST)
        problems = _problems(**written)
        context |= {**written, "key": key, "problems": problems, "preview": not problems}
        if request.POST.get("do") == "publish" and not problems:
            announcing.announce(competition, request.user, **written, key=key)
            messages.success(
                request,
                "The announcement is published. A notice goes to every participant.",
                extra_tags="good",
            )
            return redirect("host_announce", slug=slug)
    told = competition.announcements.select_related("created_by")
    context |= {
        "participants": competition.participants.count(),
        "told_before": Paginator(told, PER_PAGE).get_page(request.GET.get("page")),
    }
    status = 422 if context["problems"] else 200
    return render(request, "hosting/announce.html", context, status=status)


def _written(sent) -> dict[str, str]:
    """Return title and text without what does not print; a sign too many is kept to be refused."""
    most = announcing.LONGEST_TEXT + 1
    lines = sent.get("text", "").replace("\r\n", "\n").split("\n")
    return {
        "title": printable(sent.get("title", ""), announcing.LONGEST_TITLE + 1),
        "text": "\n".join(map(_line, lines)).strip()[:most],
    }


def _line(text: str) -> str:
    """Return a line with its indentation, which means something in Markdown."""
    return "".join(sign if sign.isprintable() else " " for sign in text).rstrip()


def _key(sent) -> uuid.UUID:
    """Return the form's one-time name: pressed twice, it publishes once."""
    try:
        return uuid.UUID(sent.get("key", ""))
    except ValueError:
        return uuid.uuid4()


def _problems(title: str, text: str) -> dict[str, str]:
    found = {}
    if not title:
        found["title"] = "Write a title: it is the subject of the mail."
    elif len(title) > announcing.LONGEST_TITLE:
        found["title"] = f"A title has at most {announcing.LONGEST_TITLE} characters."
    if not text:
        found["text"] = "Write what the participants should know."
    elif len(text) > announcing.LONGEST_TEXT:
        found["text"] = f"A text has at most {announcing.LONGEST_TEXT:,} characters."
    return found
