"""Record a scored file and tell its outcome: one transaction under the team's lock.

Everything here is repeatable. The sealed numbers are a function of the noise key and of the
predictions and are stored at their first reading; a worker that died before its commit, a second
delivery or a retry comes to the same release. Whoever lost the lease in the meantime is turned
away by the token.
"""

from dataclasses import dataclass, field
from datetime import datetime

from django.db import transaction
from django.db.models import F

from leaderboard.audit import ledger
from leaderboard.competitions import clock, keys, release_settings
from leaderboard.competitions.models import Competition
from leaderboard.submissions import carrying
from leaderboard.submissions.models import (
    Entry,
    Evaluation,
    LateScore,
    Look,
    Outcome,
    Release,
    SealedScore,
    Status,
    Submission,
)
from leaderboard.teams.models import Team
from scoring import metrics
from scoring import release as rules


@dataclass(frozen=True, kw_only=True)
class Read:
    """What a worker found out about a file without labels; `predictions`: digest of all rows."""

    predictions: str
    rows: int
    notices: list[str] = field(default_factory=list)
    checks: list[dict] = field(default_factory=list)
    timings: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Scored(Read):
    """What a worker found out about a file, on the public rows.

    `digest` is that of the predictions on the public rows, `predictions` that on all rows. `exact`
    is in displayed units; `difference` (rules that compare files row by row) is the mean advantage
    over the file behind the team's reference and its spread, `against` that reference.
    """

    digest: str
    exact: float
    difference: tuple[float, float] | None = None
    against: int | None = None


def release(leased: Evaluation, scored: Scored) -> Release | None:
    """Store a score and what is told of it; None where the lease is no longer ours."""
    with transaction.atomic():
        held = _hold(leased)
        if held is None:
            return None
        evaluation, competition, team = held
        settings = release_settings.rule(evaluation.release_settings)
        evaluation.sealed = _sealed(evaluation, competition, settings, scored)
        now = clock.now()
        entry = Entry.objects.filter(team=team).first() or carrying.begin(team)
        evaluation.predictions = scored.predictions
        told = _told_before(evaluation, settings) or _judge(evaluation, entry, settings, scored)
        told.evaluation = evaluation
        told.release_settings = evaluation.release_settings
        told.rule = settings.rule
        told.at = now
        told.save(force_insert=True)
        advance(entry, told, evaluation.submission, settings)
        entry.save()
        if told.outcome == Outcome.RELEASED and not told.repeated:
            raised = told.value if entry.reference == told.value else None
            carrying.charge_departed(team, evaluation.submission, raised)
        _finish(evaluation, Status.SCORED, now, scored)
        # The number of files and the group not yet above the start line are on the board too.
        _show(competition)
        _record(evaluation, competition, team, told)
    return told


def record_late(leased: Evaluation, read: Read, score: float | None) -> LateScore | None:
    """Store the score of a late file, which nothing else follows; None where the lease is lost.

    No release, no entry and no sealed number: a late file is told exactly and ranks nowhere.
    """
    with transaction.atomic():
        held = _hold(leased)
        if held is None:
            return None
        evaluation, competition, team = held
        made = LateScore.objects.create(evaluation=evaluation, score=score)
        _finish(evaluation, Status.SCORED, clock.now(), read)
        _show(competition)
        about = _about(evaluation, team)
        ledger.append("late scored", competition.uuid, about, evaluation.finished_at)
    return made


def draw_look(look_id: int) -> Look:
    """Draw the number of a look; drawn already, nothing changes."""
    with transaction.atomic():
        look = (
            Look.objects.select_for_update(no_key=True, of=("self",))
            .select_related(
                "evaluation__sealed",
                "evaluation__solution",
                "evaluation__release_settings",
                "evaluation__submission__competition",
            )
            .get(pk=look_id)
        )
        if look.value is not None:
            return look
        evaluation = look.evaluation
        competition = evaluation.submission.competition
        look.value = rules.look(
            release_settings.rule(evaluation.release_settings),
            keys.noise_key(competition),
            _identity(evaluation, competition, evaluation.sealed.digest),
            evaluation.sealed.exact,
        )
        look.drawn_at = clock.now()
        look.save(update_fields=("value", "drawn_at"))
    return look


def reject(leased: Evaluation, problem: dict, timings: dict) -> bool:
    """Store why a file cannot be scored; False where the lease is no longer ours."""
    with transaction.atomic():
        held = _hold(leased)
        if held is None:
            return False
        evaluation, competition, team = held
        evaluation.problem, evaluation.timings = problem, timings
        _finish(evaluation, Status.REJECTED, clock.now())
        body = _about(evaluation, team) | {"code": problem["code"]}
        ledger.append("rejected", competition.uuid, body, evaluation.finished_at)
    return True


def advance(entry: Entry, told: Release, submission: Submission, settings) -> None:
    """Let a team's entry follow a release; folded over all of them it makes the entry again.

    `derive` does that. Neither the reference nor the count of new scores ever falls.
    """
    entry.submissions += 1
    entry.last_accepted_at = max(
        submission.accepted_at, entry.last_accepted_at or submission.accepted_at
    )
    if told.outcome != Outcome.RELEASED:
        return
    if not told.repeated:
        entry.used += 1
    if told.value > rules.reference(settings, rules.State(entry.reference, entry.used)):
        entry.reference = told.value
    if entry.value is None or told.value > entry.value:
        # The instant the file was sent: how long a queue was decides no place.
        entry.value, entry.reached_at = told.value, submission.accepted_at


def derive(team: Team) -> Entry | None:
    """Return the entry that a team's releases amount to, not saved; None without a scored file."""
    told = (
        Release.objects.filter(evaluation__team=team)
        .select_related("evaluation__submission", "release_settings")
        .order_by("id")
    )
    entry = carrying.begin(team)
    for one in told:
        advance(entry, one, one.evaluation.submission, release_settings.rule(one.release_settings))
    return entry if entry.submissions else None


def _hold(leased: Evaluation) -> tuple[Evaluation, Competition, Team] | None:
    """Lock in the order competition, team; None where another worker has the file by now."""
    competition = Competition.objects.select_for_update(no_key=True).get(
        pk=leased.submission.competition_id
    )
    team = Team.objects.select_for_update(no_key=True).get(pk=leased.team_id)
    evaluation = (
        Evaluation.objects.select_related("submission", "solution", "release_settings")
        .filter(pk=leased.pk, status=Status.LEASED, token=leased.token)
        .first()
    )
    return None if evaluation is None else (evaluation, competition, team)


def _finish(
    evaluation: Evaluation, status: Status, now: datetime, read: Read | None = None
) -> None:
    if read:
        evaluation.predictions, evaluation.rows = read.predictions, read.rows
        evaluation.notices, evaluation.checks = read.notices, read.checks
        evaluation.timings = read.timings
    evaluation.status = status
    evaluation.stage, evaluation.token, evaluation.lease_until = "", None, None
    evaluation.finished_at = now
    evaluation.save()


def _sealed(evaluation: Evaluation, competition: Competition, settings, scored: Scored):
    """Return the stored numbers of these predictions, drawn now if they are read first."""
    sealed = SealedScore.objects.filter(solution=evaluation.solution, digest=scored.digest).first()
    if sealed and not _never_used(sealed, settings):
        return sealed
    identity = _identity(evaluation, competition, scored.digest)
    drawn = rules.seal(settings, keys.noise_key(competition), identity, scored.exact)
    sealed = sealed or SealedScore(solution=evaluation.solution, digest=scored.digest)
    sealed.exact, sealed.exact_fine = scored.exact, drawn.exact_fine
    sealed.compare_draw, sealed.value = drawn.compare_draw, drawn.value
    sealed.save()
    return sealed


def _identity(evaluation: Evaluation, competition: Competition, digest: str) -> tuple:
    """Return what names predictions to the noise: no team, no time, no version of the settings."""
    metric = metrics.get(competition.metric)
    version = evaluation.solution.version
    return (str(competition.uuid), version, metric.name, metric.version, digest)


def _show(competition: Competition) -> None:
    """Name a new state of the board, whose cached copies are old now."""
    Competition.objects.filter(pk=competition.pk).update(board_version=F("board_version") + 1)


def _never_used(sealed: SealedScore, settings) -> bool:
    """Whether the numbers were drawn for the rule `sealed`, which has no noise, and used by none.

    Under another rule the exact score would be told. Nothing was, so they are drawn now.
    """
    if settings.rule == "sealed":
        return False
    told = Release.objects.filter(evaluation__sealed=sealed)
    return not told.exclude(outcome=Outcome.RECEIVED).exists()


def _told_before(evaluation: Evaluation, settings) -> Release | None:
    """Return the outcome this team was told for the same predictions, as a new release.

    The same on all rows: a file that differs on private rows alone is judged like any other, or the
    answer would tell which rows those are. "Used up" and "received" are no answers about the file,
    so they do not bind a later one; and nothing is told under the rule that tells nothing.
    """
    if settings.rule == "sealed":
        return None
    before = (
        Release.objects.filter(
            evaluation__team=evaluation.team_id,
            evaluation__sealed=evaluation.sealed,
            evaluation__predictions=evaluation.predictions,
            outcome__in=(Outcome.RELEASED, Outcome.NO_CHANGE),
        )
        .order_by("evaluation__submission_id")
        .first()
    )
    if before is None:
        return None
    return Release(
        outcome=before.outcome, value=before.value, previous=before.previous, repeated=True
    )


def _judge(evaluation: Evaluation, entry: Entry, settings, scored: Scored) -> Release:
    """Apply the rule to the team's state."""
    before = rules.State(entry.reference, entry.used)
    sealed = evaluation.sealed
    numbers = rules.Sealed(sealed.exact_fine, sealed.compare_draw, sealed.value)
    paired = None
    if scored.difference is not None:
        if scored.against != entry.reference:
            raise RuntimeError("the reference moved while its file was compared")
        paired = rules.paired(settings, *scored.difference)
    _, outcome = rules.step(settings, before, numbers, paired, epoch=_epoch(evaluation, settings))
    return Release(outcome=outcome.kind, value=outcome.value, previous=entry.reference)


def _epoch(evaluation: Evaluation, settings) -> rules.Epoch | None:
    """Return the threshold's noise of the one rule that has it: it counts all new scores."""
    if settings.rule != "thresholdout_laplace":
        return None
    competition = evaluation.submission.competition
    given = Release.objects.filter(
        evaluation__submission__competition=competition, outcome=Outcome.RELEASED, repeated=False
    ).count()
    identity = _identity(evaluation, competition, "")
    return rules.epoch(settings, keys.noise_key(competition), identity, given)


def _record(evaluation: Evaluation, competition: Competition, team: Team, told: Release) -> None:
    body = _about(evaluation, team) | {
        "settings": told.release_settings.version,
        "rule": told.rule,
        "outcome": told.outcome,
        "value": told.value,
        "repeated": told.repeated,
    }
    ledger.append("scored", competition.uuid, body, told.at)


def _about(evaluation: Evaluation, team: Team) -> dict:
    submission = evaluation.submission
    body = {
        "submission": submission.uuid,
        "team": team.uuid,
        "number": submission.number,
        "solution": evaluation.solution.version,
    }
    return body | {"seeded": True} if submission.seeded else body
