"""The Atom feed of a competition: announcements, and new scores as the board shows them."""

import re
import uuid
from collections.abc import Callable
from datetime import datetime

from django.db.models import F, Q, Subquery
from django.urls import reverse
from django.utils.feedgenerator import Atom1Feed
from django.utils.html import format_html

from leaderboard.competitions import markdown, release_settings
from leaderboard.competitions.models import Announcement, Solution
from leaderboard.competitions.viewers import Visit
from leaderboard.standings.names import Naming
from leaderboard.submissions.models import Outcome, Release
from scoring import release

MOST_ANNOUNCEMENTS = 30
MOST_RELEASES = 50
# XML has no way to write these, and one of them must not break the feed for all.
CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")


def newest(visit: Visit) -> tuple:
    """What a feed depends on beside the board: its head and its newest announcement."""
    announced = _announcements(visit).values_list("pk", "created_at").first()
    return visit.competition.tagline, visit.competition.organiser, *(announced or ())


def text(visit: Visit, absolute: Callable[[str], str]) -> str:
    """Return the feed as XML; `absolute` makes a whole address of a path."""
    competition = visit.competition
    home = absolute(reverse("leaderboard", args=[competition.slug]))
    made = _Feed(
        title=CONTROL.sub("", competition.title),
        link=home,
        feed_url=absolute(reverse("feed", args=[competition.slug])),
        description="",
        # The one of the two that Atom has.
        subtitle=CONTROL.sub("", competition.tagline),
        author_name=CONTROL.sub("", competition.organiser),
        feed_guid=f"urn:uuid:{competition.uuid}",
    )
    made.opened_at = competition.published_at or competition.created_at
    for item in sorted(_items(visit, absolute), key=lambda item: item["updateddate"], reverse=True):
        item |= {key: CONTROL.sub("", item[key]) for key in ("title", "description")}
        made.add_item(**item)
    return made.writeString("utf-8")


class _Feed(Atom1Feed):
    """An empty feed was updated when the competition was published, not whenever it is asked."""

    opened_at: datetime

    def latest_post_date(self) -> datetime:
        if not self.items:
            return self.opened_at
        return super().latest_post_date()


def _items(visit: Visit, absolute) -> list[dict]:
    competition = visit.competition
    told = absolute(reverse("announcements", args=[competition.slug]))
    announced = [
        {
            "title": row.title,
            "link": f"{told}#a-{row.uuid}",
            "description": markdown.render(row.text),
            "unique_id": f"urn:uuid:{row.uuid}",
            "pubdate": row.created_at,
            "updateddate": row.created_at,
            "categories": [row.get_kind_display()],
        }
        for row in _announcements(visit)[:MOST_ANNOUNCEMENTS]
    ]
    return announced + _new_scores(visit, absolute)


def _announcements(visit: Visit):
    told = Announcement.objects.filter(competition=visit.competition, created_at__lte=visit.now)
    return told.order_by("-created_at", "-pk")


def _new_scores(visit: Visit, absolute) -> list[dict]:
    """The releases that moved a team's row: the file behind each, and lesser ones, are not told."""
    competition = visit.competition
    naming = Naming(competition, visit.viewer)
    latest = Solution.objects.filter(competition=competition).order_by("-version").values("pk")[:1]
    found = naming.listed(
        Release.objects.filter(
            Q(previous__isnull=True) | Q(value__gt=F("previous")),
            outcome=Outcome.RELEASED,
            repeated=False,
            evaluation__solution=Subquery(latest),
            evaluation__team__disqualified_at__isnull=True,
        ),
        "evaluation__team",
    )
    settings = release_settings.rule(release_settings.in_force(competition))
    rows = found.select_related("evaluation__team").order_by("-at", "-pk")[:MOST_RELEASES]
    return [_new_score(competition, naming, settings, row, absolute) for row in rows]


def _new_score(competition, naming, settings, row: Release, absolute) -> dict:
    team = row.evaluation.team
    called, score = naming.team(team), release.text(settings, row.value)
    return {
        "title": f"New score {score}: {called}",
        "link": absolute(reverse("team_public", args=[competition.slug, team.uuid])),
        "description": format_html("<p>New best public score of {}: {}.</p>", called, score),
        "unique_id": f"urn:uuid:{uuid.uuid5(competition.uuid, f'release {row.pk}')}",
        "pubdate": row.at,
        "updateddate": row.at,
        "categories": ["New score"],
    }
