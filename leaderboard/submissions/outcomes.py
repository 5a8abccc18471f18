"""What is told of a file: the words that pages, lists, the API and the status share."""

import math
from dataclasses import dataclass

from django.conf import settings as django_settings
from django.core.exceptions import ObjectDoesNotExist

from leaderboard.competitions import release_settings
from leaderboard.submissions.models import Evaluation, Outcome, Status
from scoring import release as rules

WORDS = {
    Status.QUEUED: ("Queued", "soon"),
    Status.LEASED: ("Scoring", "soon"),
    Status.REJECTED: ("Failed checks", "bad"),
    Status.NEEDS_ATTENTION: ("Failed on our side", "warn"),
}
SCORED_WORDS = {
    Outcome.RELEASED: ("New score", "public"),
    Outcome.NO_CHANGE: ("No new score", "public ring"),
    Outcome.USED_UP: ("New scores used up", "ring"),
    Outcome.RECEIVED: ("Received and valid", "ok"),
}
STAGE_WORDS = {"reading": "Reading", "checking": "Checking", "scoring": "Scoring"}
QUEUED = "Your file arrived and waits to be scored."
LEASED = "Your file is being scored."
FAILED = (
    "Scoring this file failed on our side. It did not use up a submission; the host was told and "
    "scores it again or sets it aside."
)
WAIVED = "Scoring this file failed on our side and the host set it aside. It cost no submission."
REJECTED_COST = "It did not use up a submission."
AGAIN = (
    "Scoring this file failed on our side. It is tried again by itself: attempt {next} of {most}."
)
LATE_WORDS = ("Late, not ranked", "private ring")
LATE = "It was sent after the results were revealed: it is shown apart and ranks nowhere."
LATE_UNDEFINED = "The metric has no value for this file on the private rows."


@dataclass(frozen=True)
class Told:
    """A file as its team reads it.

    `word` and `pill` (classes of the design) name the state, `headline` is the sentence, `score`
    the new score as text or a dash, `units` the same in grid units. `cap` is None where new scores
    are not counted. `final` says that nothing more will change by itself. The score of a `late`
    file is its private one, exact.
    """

    status: str
    word: str
    pill: str
    headline: str
    score: str
    final: bool
    outcome: str = ""
    units: int | None = None
    repeated: bool = False
    used: int = 0
    cap: int | None = None
    late: bool = False

    @property
    def left(self) -> int | None:
        return None if self.cap is None else max(self.cap - self.used, 0)


def describe(evaluation: Evaluation) -> Told:
    """Say how a file stands.

    Without further queries where `release`, `release_settings` and `team__entry` were selected.
    """
    settings = release_settings.rule(evaluation.release_settings)
    counted = {"late": True}
    if not evaluation.late:
        counted = {"used": _used(evaluation), "cap": _cap(settings)}
    if evaluation.status == Status.SCORED:
        if evaluation.late:
            return _late(evaluation, settings)
        return _scored(evaluation, settings, counted)
    word, pill = WORDS[Status(evaluation.status)]
    if evaluation.status == Status.LEASED:
        word = STAGE_WORDS.get(evaluation.stage, word)
    return Told(
        status=evaluation.status,
        word=word,
        pill=pill,
        headline=_headline(evaluation),
        score=rules.cell(settings, rules.Outcome("no_change")),
        final=evaluation.status not in (Status.QUEUED, Status.LEASED),
        **counted,
    )


def _scored(evaluation: Evaluation, settings, counted: dict) -> Told:
    release = evaluation.release
    outcome = rules.Outcome(release.outcome, release.value)
    before = rules.State(release.previous)
    word, pill = SCORED_WORDS[Outcome(release.outcome)]
    return Told(
        status=evaluation.status,
        word=word,
        pill=pill,
        headline=rules.sentence(settings, outcome, before),
        score=rules.cell(settings, outcome),
        final=True,
        outcome=release.outcome,
        units=release.value if release.outcome == Outcome.RELEASED else None,
        repeated=release.repeated,
        **counted,
    )


def _late(evaluation: Evaluation, settings) -> Told:
    score = evaluation.late_score.score
    word, pill = LATE_WORDS
    shown = private_text(settings, score)
    told = LATE_UNDEFINED if score is None else f"Private score {shown}."
    return Told(
        status=evaluation.status,
        word=word,
        pill=pill,
        headline=f"{told} {LATE}",
        score=shown,
        final=True,
        late=True,
    )


def private_text(settings, score: float | None) -> str:
    """A private score as it is printed: one decimal more than two digits of the ruler have.

    It has no noise, but digits far below its sampling error mean nothing.
    """
    if score is None:
        return rules.cell(settings, rules.Outcome("no_change"))
    return f"{score:,.{private_places(settings)}f}".replace("-", "\N{MINUS SIGN}")


def private_places(settings) -> int:
    """Decimals of a printed private score."""
    if not settings.standard_error:
        return max(-settings.grid.normalize().as_tuple().exponent, 0) + 1
    return max(1 - math.floor(math.log10(settings.standard_error)) + 1, 0)


def _headline(evaluation: Evaluation) -> str:
    if evaluation.status == Status.REJECTED:
        return f"{evaluation.problem['sentence']} {REJECTED_COST}"
    if evaluation.status == Status.NEEDS_ATTENTION:
        return WAIVED if evaluation.waived_at else FAILED
    if evaluation.status == Status.LEASED:
        return LEASED
    if evaluation.attempts:
        most = django_settings.SCORING_ATTEMPTS
        return AGAIN.format(next=min(evaluation.attempts + 1, most), most=most)
    return QUEUED


def _used(evaluation: Evaluation) -> int:
    try:
        return evaluation.team.entry.used
    except ObjectDoesNotExist:
        return 0


def _cap(settings) -> int | None:
    return None if settings.rule == "sealed" else settings.cap
