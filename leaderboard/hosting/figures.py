"""What goes on in a competition, in numbers that exist: files, teams, new scores, the queue.

No figure here comes from an exact score or from the private rows.
"""

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from statistics import median

from django.db.models import Count, Min, Q
from django.db.models.functions import TruncDate

from leaderboard.competitions import release_settings
from leaderboard.competitions.models import Competition
from leaderboard.submissions import reminding
from leaderboard.submissions.models import Entry, Evaluation, Outcome, Release, Status, Submission
from leaderboard.teams.models import Team
from scoring import ranks, release

# Scoring times of the latest files; older ones say nothing about how it goes now.
TIMED = 500
WEEK = timedelta(days=7)
# The alarm: this part of all new scores that all teams together may have.
ALARM_SHARE = 2
# Words for the codes of refusals, as in "most often: missing values".
FAULTS = {
    "empty": "empty files",
    "header": "a wrong header",
    "fields": "a wrong number of columns",
    "quoting": "broken quotes",
    "encoding": "a wrong encoding",
    "rows": "a wrong number of rows",
    "duplicate": "repeated ids",
    "ids": "unknown or missing ids",
    "value": "values that cannot be read",
    "missing": "missing values",
    "range": "values out of range",
    "sum": "probabilities that do not sum to 1",
    "too_large": "files that are too large",
    "bad_archive": "broken archives",
    "not_csv": "files of another kind",
}


@dataclass(frozen=True)
class Queue:
    """Files that are not finished."""

    waiting: int
    scoring: int
    oldest: timedelta | None

    @property
    def empty(self) -> bool:
        return not (self.waiting or self.scoring)

    @property
    def slow(self) -> bool:
        return self.oldest is not None and self.oldest > timedelta(minutes=1)


def queue(competition: Competition, now: datetime) -> Queue:
    """Count the files that wait or are being scored."""
    found = Evaluation.objects.filter(
        submission__competition=competition, status__in=(Status.QUEUED, Status.LEASED)
    ).aggregate(
        waiting=Count("pk", filter=Q(status=Status.QUEUED)),
        scoring=Count("pk", filter=Q(status=Status.LEASED)),
        oldest=Min("queued_at"),
    )
    oldest = max(now - found["oldest"], timedelta(0)) if found["oldest"] else None
    return Queue(found["waiting"], found["scoring"], oldest)


def stuck(competition: Competition):
    """Return the files that failed on our side and wait for a decision of the host."""
    return (
        Evaluation.objects.filter(
            submission__competition=competition,
            status=Status.NEEDS_ATTENTION,
            waived_at=None,
        )
        .select_related("submission__team")
        .order_by("submission__accepted_at")
    )


@dataclass(frozen=True)
class Teams:
    """The field: teams with a score, with a scored file only, and with none."""

    all: int
    ranked: int
    below: int

    @property
    def without(self) -> int:
        return self.all - self.ranked - self.below


def _field(competition: Competition):
    """Return the teams that take part: neither disqualified nor taken in by another one."""
    return Team.objects.filter(competition=competition, disqualified_at=None, merged_into=None)


def teams(competition: Competition) -> Teams:
    """Count the teams that take part, by how far they are."""
    field = _field(competition)
    entries = Entry.objects.filter(team__in=field, submissions__gt=0)
    return Teams(
        all=field.count(),
        ranked=entries.filter(value__isnull=False).count(),
        below=entries.filter(value=None).count(),
    )


@dataclass(frozen=True)
class Checks:
    """How many files failed their checks, and why most often."""

    rejected: int
    finished: int
    fault: str

    @property
    def share(self) -> str:
        return f"{100 * self.rejected / self.finished:.1f}%" if self.finished else "–"


def checks(competition: Competition) -> Checks:
    """Count rejected files among the finished ones."""
    finished = Evaluation.objects.filter(
        submission__competition=competition, status__in=(Status.SCORED, Status.REJECTED)
    )
    problems = list(finished.filter(status=Status.REJECTED).values_list("problem", flat=True))
    codes = Counter(problem.get("code", "") for problem in problems)
    fault = FAULTS.get(codes.most_common(1)[0][0], "") if codes else ""
    return Checks(len(problems), finished.count(), fault)


@dataclass(frozen=True)
class Timing:
    """Seconds from acceptance to the outcome."""

    middle: float
    most: float


def timing(competition: Competition) -> Timing | None:
    """Return how long the latest files took; None before the first.

    Seeded files claim an earlier time than the one at which they came.
    """
    spans = Evaluation.objects.filter(
        submission__competition=competition,
        submission__seeded=False,
        status=Status.SCORED,
        finished_at__isnull=False,
    ).order_by("-finished_at")
    seconds = sorted(
        max((done - queued).total_seconds(), 0.0)
        for queued, done in spans.values_list("queued_at", "finished_at")[:TIMED]
    )
    if not seconds:
        return None
    return Timing(median(seconds), seconds[min(int(len(seconds) * 0.95), len(seconds) - 1)])


@dataclass(frozen=True)
class NewScores:
    """New scores given: in all, lately, and by team against the cap."""

    given: int
    lately: int
    expected: int
    cap: int | None
    most: int | None
    alarm: int | None
    by_used: list[tuple[str, int]]
    used_up: list[str]

    @property
    def state(self) -> str:
        """Whether the alarm has rung, will ring at this pace, or stays silent."""
        if self.alarm is None:
            return "none"
        if self.given >= self.alarm:
            return "over"
        return "soon" if self.expected >= self.alarm else "below"


def new_scores(competition: Competition, now: datetime) -> NewScores:
    """Count new scores; a repeated answer uses none and is not counted."""
    cap = release_settings.rule(release_settings.in_force(competition)).cap
    given = Release.objects.filter(
        evaluation__submission__competition=competition,
        outcome=Outcome.RELEASED,
        repeated=False,
    )
    total = given.count()
    lately = given.filter(evaluation__submission__accepted_at__gt=now - WEEK).count()
    field = _field(competition)
    used = Counter(
        Entry.objects.filter(team__in=field, submissions__gt=0).values_list("used", flat=True)
    )
    most = cap * field.count() if cap else None
    return NewScores(
        given=total,
        lately=lately,
        expected=total + _until_close(competition, now, lately),
        cap=cap,
        most=most,
        alarm=-(-most // ALARM_SHARE) if most else None,
        by_used=_by_used(used, cap),
        used_up=_used_up(field, cap),
    )


def _until_close(competition: Competition, now: datetime, lately: int) -> int:
    """New scores still to come at the pace of the last week (or since the opening)."""
    if not competition.opens_at <= now < competition.closes_at:
        return 0
    span = min(WEEK, now - competition.opens_at)
    if span < timedelta(hours=1):
        return 0
    return round(lately * ((competition.closes_at - now) / span))


def _by_used(used: Counter, cap: int | None) -> list[tuple[str, int]]:
    """Teams by new scores used; with many possible numbers, the top ones share a bar."""
    last = cap if cap and cap <= 12 else 12
    bars = [(str(number), used.get(number, 0)) for number in range(last)]
    rest = sum(count for number, count in used.items() if number >= last)
    return [*bars, (str(last) if last == cap else f"{last}+", rest)]


def _used_up(field, cap: int | None) -> list[str]:
    if not cap:
        return []
    found = Entry.objects.filter(team__in=field, used__gte=cap).order_by("team__name")
    return list(found.values_list("team__name", flat=True))


def per_day(competition: Competition, now: datetime) -> list[tuple[datetime, int, int]]:
    """Return (day, files, teams with a scored file so far) from the opening to today."""
    files = dict(
        Submission.objects.filter(competition=competition)
        .annotate(day=TruncDate("accepted_at", tzinfo=UTC))
        .order_by()
        .values_list("day")
        .annotate(number=Count("pk"))
    )
    firsts = Counter(
        first.astimezone(UTC).date()
        for first in Evaluation.objects.filter(
            submission__competition=competition, status=Status.SCORED
        )
        .order_by()
        .values("team")
        .annotate(first=Min("submission__accepted_at"))
        .values_list("first", flat=True)
    )
    if not files:
        return []
    day, end = min(files), min(now, competition.closes_at).astimezone(UTC).date()
    days, so_far = [], 0
    while day <= max(end, max(files)):
        so_far += firsts.get(day, 0)
        days.append((day, files.get(day, 0), so_far))
        day += timedelta(days=1)
    return days


def sent_today(competition: Competition, now: datetime) -> tuple[int, int]:
    """Return files sent today (UTC) and in all."""
    midnight = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    found = Submission.objects.filter(competition=competition).aggregate(
        all=Count("pk"), today=Count("pk", filter=Q(accepted_at__gte=midnight))
    )
    return found["today"], found["all"]


def silent_share(competition: Competition) -> tuple[int, int]:
    """Return (files without a new score, scored files)."""
    found = Release.objects.filter(evaluation__submission__competition=competition).aggregate(
        all=Count("pk"), none=Count("pk", filter=Q(outcome=Outcome.NO_CHANGE))
    )
    return found["none"], found["all"]


def tied_with_first(competition: Competition, told: release.ReleaseSettings) -> int:
    """Return how many teams could not be told apart from the first under these settings."""
    return ranks.tied_with_first(_shown(competition), release.resolution_steps(told))


def _shown(competition: Competition) -> list[int]:
    """Return the shown values of the teams that rank, best first."""
    field = Team.objects.filter(competition=competition, disqualified_at=None)
    entries = Entry.objects.filter(team__in=field, value__isnull=False)
    return sorted(entries.values_list("value", flat=True), reverse=True)


@dataclass(frozen=True)
class Blur:
    """How well the board tells the teams apart."""

    width: int
    ranked: int
    wide: bool


def blur(competition: Competition) -> Blur | None:
    """Return the width of the median rank band; None with fewer than four ranked teams."""
    values = _shown(competition)
    if len(values) < 4:
        return None
    told = release_settings.rule(release_settings.in_force(competition))
    bands = ranks.rank_band(values, release.resolution_steps(told))
    width = round(median(last - first + 1 for first, last in bands))
    return Blur(width, len(values), ranks.too_wide(bands))


def without_choice(competition: Competition) -> int:
    """Count the teams with a scored file that have chosen no final one."""
    return reminding.teams_without_choice(competition).count()
