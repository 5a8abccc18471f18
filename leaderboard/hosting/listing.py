"""All teams' files as a host reads them: filter and pages, the same words as the teams read."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Max, Q

from leaderboard.competitions.models import Competition
from leaderboard.submissions import outcomes
from leaderboard.submissions.models import Evaluation, Outcome, Status

PER_PAGE = 25
SHOWS = {
    "": ("Any outcome", Q()),
    "new": ("New score", Q(release__outcome=Outcome.RELEASED)),
    "none": ("No new score", Q(release__outcome=Outcome.NO_CHANGE)),
    "used": ("New scores used up", Q(release__outcome=Outcome.USED_UP)),
    "received": ("Received and valid", Q(release__outcome=Outcome.RECEIVED)),
    "failed": ("Failed checks", Q(status=Status.REJECTED)),
    "waiting": ("Waiting or scoring", Q(status__in=(Status.QUEUED, Status.LEASED))),
    "attention": ("Needs attention", Q(status=Status.NEEDS_ATTENTION)),
}
SPANS = {"": ("All", None), "week": ("Last 7 days", 7), "day": ("Last 24 hours", 1)}


@dataclass(frozen=True)
class Item:
    """A file: what its team was told, and what looks odd about it."""

    evaluation: Evaluation
    told: outcomes.Told

    @property
    def submission(self):
        return self.evaluation.submission

    @property
    def trouble(self) -> str:
        """Why the file was rejected, or the first thing that looks odd."""
        if self.evaluation.problem:
            return self.evaluation.problem.get("sentence", "")
        odd = [check["sentence"] for check in self.evaluation.checks if check.get("warning")]
        return odd[0] if odd else ""

    @property
    def stuck(self) -> bool:
        return (
            self.evaluation.status == Status.NEEDS_ATTENTION and self.evaluation.waived_at is None
        )


@dataclass(frozen=True)
class Listing:
    """A page of the files that match the filters."""

    items: list[Item]
    filters: dict[str, str]
    total: int
    everything: int
    page: int
    pages: int

    shows = [(key, title) for key, (title, _) in SHOWS.items()]
    spans = [(key, title) for key, (title, _) in SPANS.items()]

    @property
    def first(self) -> int:
        return min((self.page - 1) * PER_PAGE + 1, self.total)

    @property
    def last(self) -> int:
        return min(self.page * PER_PAGE, self.total)

    @property
    def numbers(self) -> list[int | None]:
        """Page numbers to link: the ends and the neighbours, None for a gap."""
        near = {1, self.pages, self.page - 1, self.page, self.page + 1}
        shown = sorted(number for number in near if 1 <= number <= self.pages)
        made = []
        for number in shown:
            if made and number - made[-1] > 1:
                made.append(None)
            made.append(number)
        return made

    @property
    def filtered(self) -> bool:
        return any(self.filters.values())


def listing(competition: Competition, asked, now: datetime) -> Listing:
    """Return the page of files that a host asked for, the latest first.

    `asked` is a QueryDict with q, show, span and page; what it cannot mean is ignored.
    """
    filters = {
        "q": asked.get("q", "").replace("\0", "")[:100].strip(),
        "show": asked.get("show", "") if asked.get("show") in SHOWS else "",
        "span": asked.get("span", "") if asked.get("span") in SPANS else "",
    }
    newest = competition.solutions.aggregate(newest=Max("version"))["newest"]
    rows = Evaluation.objects.filter(
        submission__competition=competition, solution__version=newest
    ).order_by("-submission__accepted_at", "-pk")
    everything = rows.count()
    rows = rows.filter(SHOWS[filters["show"]][1])
    days = SPANS[filters["span"]][1]
    if days:
        rows = rows.filter(submission__accepted_at__gt=now - timedelta(days=days))
    for word in filters["q"].split():
        rows = rows.filter(
            Q(submission__team__name__icontains=word)
            | Q(submission__original_name__icontains=word)
            | Q(submission__user__username__icontains=word)
        )
    total = rows.count()
    pages = max(-(-total // PER_PAGE), 1)
    page = _page(asked.get("page", ""), pages)
    start = (page - 1) * PER_PAGE
    found = rows.select_related(
        "submission__team", "submission__user", "release_settings", "release", "team__entry"
    )[start : start + PER_PAGE]
    items = [Item(evaluation, outcomes.describe(evaluation)) for evaluation in found]
    return Listing(items, filters, total, everything, page, pages)


def _page(text: str, pages: int) -> int:
    """Return a page that exists: the first where the text is no number."""
    number = int(text) if text.isdecimal() and len(text) < 9 else 1
    return min(max(number, 1), pages)
