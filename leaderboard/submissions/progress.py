"""How far a file is: the track of its stages, the queue before it, and what a page polls."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import median

from django.db.models import F

from leaderboard.submissions.models import Evaluation, Status
from leaderboard.submissions.queue import UNFINISHED, unfinished

STAGES = ("reading", "checking", "scoring")
TITLES = {"reading": "Reading", "checking": "Checking", "scoring": "Scoring"}
# A page looks again each half second while most files are scored, then each second.
EAGER = timedelta(seconds=10)
USUAL_OF = 20
USUAL_UNKNOWN = 3.0
# Nobody calls it slow before this, whatever is usual (seconds).
LEAST_SLOW = 10.0
# Codes that the reader finds while it opens a file, before it looks at a value.
OPENING = frozenset({"empty", "not_csv", "bad_archive", "too_large", "encoding"})


@dataclass(frozen=True)
class Step:
    """A stage on the track: `kind` is done, now, fail or empty; `note` stands under it."""

    title: str
    kind: str = ""
    note: str = ""
    at: datetime | None = None


@dataclass(frozen=True)
class Queue:
    """What waits and how long it usually takes (seconds)."""

    waiting: int
    scoring: int
    usual: float
    position: int = 0
    slow: bool = False

    @property
    def usual_text(self) -> str:
        return seconds(self.usual)


def track(evaluation: Evaluation) -> list[Step]:
    """Return the five stages of a file with what is known of each."""
    if evaluation.status == Status.QUEUED:
        return [Step("Queued", "now", "waiting"), *_ahead(STAGES), Step("Scored")]
    queued = Step("Queued", "done", _waited(evaluation))
    if evaluation.status == Status.SCORED:
        done = [Step(TITLES[stage], "done", _spent(evaluation, stage)) for stage in STAGES]
        return [queued, *done, Step("Scored", "done", at=evaluation.finished_at)]
    at, kind, note = _standing(evaluation)
    index = STAGES.index(at)
    before = [Step(TITLES[stage], "done", _spent(evaluation, stage)) for stage in STAGES[:index]]
    return [queued, *before, Step(TITLES[at], kind, note), *_ahead(STAGES[index + 1 :]),
            Step("Scored")]  # fmt: skip


def timings(evaluation: Evaluation) -> list[tuple[str, str]]:
    """Return how long a file waited, what each stage took, and the whole, as far as is known."""
    found = [("Waited", _waited(evaluation))]
    found += [(TITLES[stage], _spent(evaluation, stage)) for stage in STAGES]
    if evaluation.finished_at and not evaluation.submission.seeded:
        whole = (evaluation.finished_at - evaluation.queued_at).total_seconds()
        found.append(("In all", seconds(max(whole, 0))))
    return [(title, spent) for title, spent in found if spent]


def _standing(evaluation: Evaluation) -> tuple[str, str, str]:
    """The stage a file is at or stopped at."""
    if evaluation.status == Status.LEASED:
        return evaluation.stage or "reading", "now", "running"
    if evaluation.status == Status.REJECTED:
        opening = evaluation.problem["code"] in OPENING
        return "reading" if opening else "checking", "fail", "stopped"
    tries = f"{evaluation.attempts} attempts" if evaluation.attempts else "failed"
    return evaluation.stage or "scoring", "fail", tries


def _ahead(stages) -> list[Step]:
    return [Step(TITLES[stage]) for stage in stages]


def _waited(evaluation: Evaluation) -> str:
    if evaluation.started_at is None or evaluation.submission.seeded:
        return ""
    return seconds(max((evaluation.started_at - evaluation.queued_at).total_seconds(), 0))


def _spent(evaluation: Evaluation, stage: str) -> str:
    spent = evaluation.timings.get(stage)
    return "" if spent is None else seconds(spent / 1000)


def seconds(span: float) -> str:
    """Print a short span: 12 ms, 0.4 s, 41 s."""
    if span < 0.1:
        return f"{max(round(span * 1000), 1)} ms"
    return f"{span:.1f} s" if span < 10 else f"{span:,.0f} s"


def queue(evaluation: Evaluation, now: datetime) -> Queue:
    """Count what is unfinished on this site and say whether this file takes unusually long."""
    rows = list(unfinished().values_list("status", "queued_at"))
    scoring = sum(status == Status.LEASED for status, _ in rows)
    usual = _usual(evaluation)
    if evaluation.status not in UNFINISHED:
        return Queue(len(rows) - scoring, scoring, usual)
    position = 1 + sum(at < evaluation.queued_at for _, at in rows)
    age = (now - evaluation.queued_at).total_seconds()
    return Queue(
        len(rows) - scoring, scoring, usual, position, slow=age > max(2 * usual, LEAST_SLOW)
    )


def _usual(evaluation: Evaluation) -> float:
    """The middle of what the competition's latest files took from arrival to outcome."""
    spans = (
        Evaluation.objects.filter(
            solution=evaluation.solution_id,
            submission__seeded=False,
            finished_at__isnull=False,
            status__in=(Status.SCORED, Status.REJECTED),
        )
        .order_by("-finished_at")
        .values_list(F("finished_at") - F("queued_at"))[:USUAL_OF]
    )
    taken = [span.total_seconds() for (span,) in spans]
    return max(median(taken), 0.1) if taken else USUAL_UNKNOWN


def every(evaluation: Evaluation, now: datetime) -> str:
    """How often the page looks again, as htmx writes it."""
    return "500ms" if now - evaluation.queued_at < EAGER else "1s"


def seen(evaluation: Evaluation, waits: Queue, now: datetime) -> str:
    """Name what the page shows now: a poll that would show the same is answered with nothing."""
    place = waits.position if waits.slow else 0
    return f"{evaluation.status}-{evaluation.stage}-{place}-{every(evaluation, now)}"
