"""The life of one upload: what was sent, how it went, what nobody sees, what we told."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q

from leaderboard.competitions.models import Baseline, Competition, ReleaseSettings, Solution
from leaderboard.teams.models import Team


class Submission(models.Model):
    """What was sent: facts, never edited (note and own score apart) and never deleted.

    A merge of teams moves the files of one to the other, with new numbers; the ledger keeps both.
    """

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    competition = models.ForeignKey(
        Competition, on_delete=models.PROTECT, related_name="submissions"
    )
    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="submissions")
    number = models.PositiveIntegerField()
    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL)
    original_name = models.CharField(max_length=200)
    sha256 = models.CharField(max_length=64)
    size = models.PositiveBigIntegerField()
    path = models.CharField(max_length=300, help_text="below UPLOADS_DIR")
    note = models.CharField(max_length=300, blank=True)
    # The team's own cross-validation score, as the team wrote it; no rule reads it.
    own_score = models.FloatField(null=True, blank=True)
    # Sent after the reveal: scored, shown apart, never ranked.
    late = models.BooleanField(default=False)
    accepted_at = models.DateTimeField()
    # A double click sends the same token twice: one file.
    form_token = models.CharField(max_length=64, null=True)  # noqa: DJ001 - unique unless absent
    seeded = models.BooleanField(default=False)

    class Meta:
        ordering = ("accepted_at", "id")
        indexes = [models.Index(fields=("team", "accepted_at"), name="submissions_of_team")]
        constraints = [
            models.UniqueConstraint(fields=("team", "number"), name="submissions_number_once"),
            models.UniqueConstraint(fields=("team", "form_token"), name="submissions_token_once"),
        ]


class SealedScore(models.Model):
    """What nobody sees: the numbers drawn at the first reading of predictions, never redrawn.

    Read by `releasing` and `finals` alone; its own table, so that the web role can be denied it.
    """

    solution = models.ForeignKey(Solution, on_delete=models.PROTECT)
    digest = models.CharField(max_length=64, help_text="canonical predictions, public rows")
    exact = models.FloatField()
    exact_fine = models.BigIntegerField()
    compare_draw = models.BigIntegerField()
    value = models.BigIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=("solution", "digest"), name="submissions_sealed_once")
        ]


class Status(models.TextChoices):
    """How far the scoring of a file is."""

    QUEUED = "queued", "Queued"
    LEASED = "leased", "Being scored"
    SCORED = "scored", "Scored"
    REJECTED = "rejected", "Rejected"
    NEEDS_ATTENTION = "needs_attention", "Failed on our side"


class Stage(models.TextChoices):
    """Where a leased file is; written when a stage lasts over 200 ms."""

    NONE = "", "Waiting"
    READING = "reading", "Reading"
    CHECKING = "checking", "Checking"
    SCORING = "scoring", "Scoring"


class Evaluation(models.Model):
    """How the scoring of one file on one solution version goes and went."""

    submission = models.ForeignKey(Submission, on_delete=models.PROTECT, related_name="evaluations")
    solution = models.ForeignKey(Solution, on_delete=models.PROTECT)
    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="evaluations")
    # The version in force at accepted_at judges the file (decision 7).
    release_settings = models.ForeignKey(ReleaseSettings, on_delete=models.PROTECT)
    # As the submission's; here too, because a late file has no sealed score.
    late = models.BooleanField(default=False)
    status = models.CharField(max_length=16, choices=Status.choices, default=Status.QUEUED)
    stage = models.CharField(max_length=8, choices=Stage.choices, default=Stage.NONE, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    token = models.UUIDField(null=True)
    lease_until = models.DateTimeField(null=True)
    queued_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    # A refusal: {"code", "sentence", "problems": [{code, message, line, count, excerpt}]}.
    problem = models.JSONField(null=True)
    notices = models.JSONField(default=list, help_text="sentences about odd but accepted things")
    checks = models.JSONField(
        default=list, help_text="label-free checks: [{code, sentence, warning}]"
    )
    timings = models.JSONField(default=dict, help_text="milliseconds by stage")
    rows = models.PositiveIntegerField(null=True)
    sealed = models.ForeignKey(SealedScore, null=True, on_delete=models.PROTECT)
    # Of all rows: whether a team sent these predictions before. SealedScore knows public rows only.
    predictions = models.CharField(max_length=64, blank=True, help_text="digest of all rows")
    waived_at = models.DateTimeField(null=True)
    waived_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )

    class Meta:
        indexes = [
            models.Index(fields=("team", "status", "queued_at"), name="submissions_queue_of_team"),
            models.Index(
                fields=("queued_at",),
                condition=Q(status__in=("queued", "leased")),
                name="submissions_unfinished",
            ),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=("submission", "solution"), name="submissions_evaluation_once"
            ),
            models.CheckConstraint(
                condition=~Q(status="scored") | Q(sealed__isnull=False) | Q(late=True),
                name="submissions_scored_has_a_score",
            ),
            models.CheckConstraint(
                condition=~Q(status="rejected") | Q(problem__isnull=False),
                name="submissions_rejected_has_a_problem",
            ),
        ]


class Outcome(models.TextChoices):
    """What a file was answered."""

    RELEASED = "released", "New score"
    NO_CHANGE = "no_change", "No new score"
    USED_UP = "used_up", "New scores used up"
    RECEIVED = "received", "Received and valid"


class Release(models.Model):
    """What we told: at most one per evaluation, never changed."""

    evaluation = models.OneToOneField(Evaluation, on_delete=models.PROTECT, related_name="release")
    release_settings = models.ForeignKey(ReleaseSettings, on_delete=models.PROTECT)
    rule = models.CharField(max_length=24)
    outcome = models.CharField(max_length=12, choices=Outcome.choices)
    # Grid units, larger is better.
    value = models.BigIntegerField(null=True)
    # The reference the file was judged against; None: the start line.
    previous = models.BigIntegerField(null=True)
    # The stored answer was given again (same team, same predictions): no new score was used.
    repeated = models.BooleanField(default=False)
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=~Q(outcome="released") | Q(value__isnull=False),
                name="submissions_released_has_a_value",
            )
        ]


class Look(models.Model):
    """A noisy score of one file for its team alone; counted against the team's looks."""

    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="looks")
    evaluation = models.OneToOneField(Evaluation, on_delete=models.PROTECT, related_name="look")
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    asked_at = models.DateTimeField()
    # Grid units, larger is better; None until a worker, which alone has the noise key, drew it.
    value = models.BigIntegerField(null=True)
    drawn_at = models.DateTimeField(null=True)


class LateScore(models.Model):
    """The score of a file sent after the reveal, on the private rows that decided the ranking."""

    evaluation = models.OneToOneField(
        Evaluation, on_delete=models.PROTECT, related_name="late_score"
    )
    # None where the metric is undefined for this file on the private rows.
    score = models.FloatField(null=True)


class FileCheck(models.Model):
    """A file read as if it were submitted, without labels, quota or score; kept for a day."""

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    competition = models.ForeignKey(
        Competition, on_delete=models.CASCADE, related_name="file_checks"
    )
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="file_checks"
    )
    original_name = models.CharField(max_length=200)
    sha256 = models.CharField(max_length=64)
    size = models.PositiveBigIntegerField()
    path = models.CharField(max_length=300, help_text="below UPLOADS_DIR; empty once removed")
    created_at = models.DateTimeField()
    attempts = models.PositiveSmallIntegerField(default=0)
    lease_until = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    # As an evaluation's: a refusal, or None where the file is valid; sentences; label-free checks.
    problem = models.JSONField(null=True)
    failed = models.BooleanField(default=False, help_text="on our side, not the file's")
    notices = models.JSONField(default=list)
    checks = models.JSONField(default=list)
    timings = models.JSONField(default=dict)
    rows = models.PositiveIntegerField(null=True)

    class Meta:
        indexes = [
            models.Index(fields=("user", "created_at"), name="submissions_checks_of"),
            models.Index(
                fields=("created_at",),
                condition=Q(finished_at=None),
                name="submissions_checks_to_do",
            ),
        ]


class Entry(models.Model):
    """A team on the board: derived from its releases, made again by `rebuild_entries`."""

    competition = models.ForeignKey(Competition, on_delete=models.PROTECT, related_name="entries")
    team = models.OneToOneField(Team, on_delete=models.PROTECT, related_name="entry")
    # Best released value in grid units, larger is better; None: not yet above the start line.
    value = models.BigIntegerField(null=True)
    reached_at = models.DateTimeField(null=True)
    # What the rule remembers: neither ever falls (decision 7).
    reference = models.BigIntegerField(null=True)
    used = models.PositiveIntegerField(default=0)
    submissions = models.PositiveIntegerField(default=0, help_text="scored files")
    last_accepted_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            models.Index(
                "competition", models.F("value").desc(), "reached_at", name="submissions_board"
            )
        ]


class FinalChoice(models.Model):
    """A file a team wants scored on the private rows."""

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="final_choices")
    submission = models.OneToOneField(
        Submission, on_delete=models.CASCADE, related_name="final_choice"
    )
    chosen_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    chosen_at = models.DateTimeField()


class Withdrawal(models.Model):
    """A team takes a file back: it stays on record and cannot be final."""

    submission = models.OneToOneField(
        Submission, on_delete=models.CASCADE, related_name="withdrawal"
    )
    withdrawn_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    withdrawn_at = models.DateTimeField()


class FinalRun(models.Model):
    """One opening of the private part: version 1 at the close, later ones with a reason."""

    competition = models.ForeignKey(
        Competition, on_delete=models.PROTECT, related_name="final_runs"
    )
    version = models.PositiveIntegerField()
    reason = models.CharField(max_length=300, blank=True)
    made_at = models.DateTimeField()
    # While one worker scores the finals, the others need not.
    busy_until = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=("competition", "version"), name="submissions_final_version_once"
            )
        ]


class FinalScore(models.Model):
    """The private score of one final file or baseline; exists only after the close."""

    run = models.ForeignKey(FinalRun, on_delete=models.PROTECT, related_name="scores")
    submission = models.ForeignKey(Submission, null=True, on_delete=models.PROTECT)
    baseline = models.ForeignKey(Baseline, null=True, on_delete=models.PROTECT)
    # None where the metric is undefined for this file on the private rows.
    score = models.FloatField(null=True)
    # Of each team's best file only.
    standard_error = models.FloatField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(submission__isnull=False) ^ Q(baseline__isnull=False),
                name="submissions_final_score_of_one_thing",
            ),
            models.UniqueConstraint(
                fields=("run", "submission"), name="submissions_final_score_once"
            ),
            models.UniqueConstraint(
                fields=("run", "baseline"), name="submissions_final_baseline_once"
            ),
        ]


class FinalStanding(models.Model):
    """A team's place in the final ranking of one run; frozen."""

    run = models.ForeignKey(FinalRun, on_delete=models.PROTECT, related_name="standings")
    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="final_standings")
    # None: no file of the team could be scored on the private rows; listed last, without a place.
    place = models.PositiveIntegerField(null=True)
    score = models.FloatField(null=True)
    standard_error = models.FloatField(null=True)
    submission = models.ForeignKey(Submission, null=True, on_delete=models.PROTECT)
    public_place = models.PositiveIntegerField(null=True)
    public_value = models.BigIntegerField(null=True)
    files = models.PositiveIntegerField(default=0)
    # Places that a paired test cannot separate from this one: [first, last].
    tied_first = models.PositiveIntegerField(null=True)
    tied_last = models.PositiveIntegerField(null=True)

    class Meta:
        ordering = ("run", "place")
        constraints = [
            models.UniqueConstraint(fields=("run", "team"), name="submissions_standing_once")
        ]
