"""What is contested and by which rules."""

import uuid

from django.conf import settings
from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import F, Q


class State(models.TextChoices):
    """The life of a competition; derived from its instants by `Competition.state`."""

    DRAFT = "draft", "Draft"
    UPCOMING = "upcoming", "Upcoming"
    LIVE = "live", "Live"
    CLOSING = "closing", "Closing"
    FINAL_READY = "final_ready", "Closed, results follow"
    REVEALED = "revealed", "Final"
    ARCHIVED = "archived", "Archived"


class Competition(models.Model):
    """A contest: a task, a metric, hidden answers, a release rule and its dates (UTC)."""

    class PrizeTies(models.TextChoices):
        ORDER = "order", "The order stands"
        SHARED = "shared", "Tied teams share"

    class BoardNames(models.TextChoices):
        NAMES = "names", "Everybody sees all teams by name"
        PSEUDONYMS = "pseudonyms", "Other teams are shown by pseudonyms"
        OWN_ROW = "own_row", "Each team sees its own row only"

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    slug = models.SlugField(max_length=60, unique=True)
    title = models.CharField(max_length=120)
    tagline = models.CharField(max_length=240, blank=True)
    organiser = models.CharField("hosted by", max_length=120)

    overview = models.TextField(blank=True, help_text="Markdown")
    data_text = models.TextField(blank=True, help_text="Markdown")
    rules_text = models.TextField(blank=True, help_text="Markdown")
    evaluation_text = models.TextField(blank=True, help_text="Markdown")

    task = models.JSONField(help_text="scoring.task.Task.to_dict()")
    metric = models.CharField(max_length=80, help_text="a name scoring.metrics.get() knows")
    sample_header = models.CharField(max_length=500, blank=True)
    test_rows = models.PositiveIntegerField(default=0)

    published_at = models.DateTimeField(null=True, blank=True)
    opens_at = models.DateTimeField()
    closes_at = models.DateTimeField()
    finals_ready_at = models.DateTimeField(null=True, blank=True)
    revealed_at = models.DateTimeField(null=True, blank=True)
    archived_at = models.DateTimeField(null=True, blank=True)

    daily_limit = models.PositiveIntegerField(default=5, validators=[MinValueValidator(1)])
    # Files of a team in the whole competition; None: the daily limit alone.
    total_limit = models.PositiveIntegerField(
        null=True, blank=True, validators=[MinValueValidator(1)]
    )
    rejected_limit = models.PositiveIntegerField(default=50, validators=[MinValueValidator(1)])
    packed_limit = models.PositiveBigIntegerField("largest upload, bytes", default=64 * 2**20)
    unpacked_limit = models.PositiveBigIntegerField("largest unpacked, bytes", default=64 * 2**20)
    hard_limit = models.PositiveIntegerField("seconds to score a file", null=True, blank=True)
    max_team_size = models.PositiveIntegerField(default=5, validators=[MinValueValidator(1)])
    # Until when teams may merge and take in members; None: until the close.
    merge_deadline = models.DateTimeField(null=True, blank=True)
    board_names = models.CharField(
        max_length=10, choices=BoardNames.choices, default=BoardNames.NAMES
    )
    # Files after the reveal: scored, shown apart, never ranked.
    late_files = models.BooleanField(default=False)
    # When those who chose no final file were reminded of the close.
    reminded_at = models.DateTimeField(null=True, blank=True)
    finals_count = models.PositiveSmallIntegerField(default=2, validators=[MinValueValidator(1)])
    expected_submissions = models.PositiveIntegerField(default=1000)
    prize_ties = models.CharField(max_length=8, choices=PrizeTies.choices, default=PrizeTies.ORDER)
    # Raised in the transaction that changes what the board shows; names every cached copy of it.
    board_version = models.PositiveBigIntegerField(default=0)
    seeded = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("closes_at", "slug")
        constraints = [
            models.CheckConstraint(
                condition=Q(closes_at__gt=F("opens_at")), name="competitions_opens_before_it_closes"
            ),
            models.CheckConstraint(
                condition=Q(revealed_at__isnull=True) | Q(finals_ready_at__isnull=False),
                name="competitions_reveals_what_is_ready",
            ),
            models.CheckConstraint(
                condition=Q(daily_limit__gte=1, rejected_limit__gte=1, finals_count__gte=1)
                & (Q(total_limit__isnull=True) | Q(total_limit__gte=1)),
                name="competitions_limits_positive",
            ),
        ]

    def __str__(self) -> str:
        return self.title

    def state(self, now) -> State:
        """Return the state at an instant of the database's clock (aware datetime, UTC)."""
        if self.archived_at:
            return State.ARCHIVED
        if self.revealed_at:
            return State.REVEALED
        if not self.published_at:
            return State.DRAFT
        if now < self.opens_at:
            return State.UPCOMING
        if now < self.closes_at:
            return State.LIVE
        return State.FINAL_READY if self.finals_ready_at else State.CLOSING


class Host(models.Model):
    """A person who runs a competition."""

    competition = models.ForeignKey(Competition, on_delete=models.CASCADE, related_name="hosts")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=("competition", "user"), name="competitions_host_once")
        ]


class DataFile(models.Model):
    """A file that participants may download; never an answer, those have no model of this kind."""

    competition = models.ForeignKey(Competition, on_delete=models.CASCADE, related_name="files")
    name = models.CharField(max_length=120)
    description = models.CharField(max_length=300, blank=True)
    path = models.CharField(max_length=300, help_text="below DOWNLOADS_DIR")
    size = models.PositiveBigIntegerField()
    sha256 = models.CharField(max_length=64)
    rows = models.PositiveIntegerField(null=True)
    columns = models.JSONField(default=list, help_text="[{name, type, description, example}]")
    position = models.PositiveSmallIntegerField(default=0)

    class Meta:
        ordering = ("position", "name")
        constraints = [
            models.UniqueConstraint(fields=("competition", "name"), name="competitions_file_once")
        ]


class Solution(models.Model):
    """A version of the hidden answers; the bytes lie sealed below ANSWERS_DIR, never in a row.

    `folder` holds `ids/`, `public/` and `private/`, each an artefact of its own.
    """

    competition = models.ForeignKey(Competition, on_delete=models.CASCADE, related_name="solutions")
    version = models.PositiveIntegerField(default=1)
    folder = models.CharField(max_length=300, help_text="below ANSWERS_DIR")
    n_rows = models.PositiveIntegerField()
    n_public = models.PositiveIntegerField()
    n_private = models.PositiveIntegerField()
    n_ignored = models.PositiveIntegerField(default=0)
    # The ruler: computed once at launch, stored, never again (decision 2).
    standard_error = models.FloatField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=("competition", "version"), name="competitions_solution_version_once"
            )
        ]


class Commitment(models.Model):
    """A digest published before the opening; salt and content are revealed with the results."""

    class Tag(models.TextChoices):
        NOISE_KEY = "noise_key", "Noise key"
        PUBLIC_PART = "public_part", "Public part"
        PRIVATE_PART = "private_part", "Private part"

    solution = models.ForeignKey(Solution, on_delete=models.CASCADE, related_name="commitments")
    tag = models.CharField(max_length=16, choices=Tag.choices)
    digest = models.CharField(max_length=64)
    # Empty until the reveal; before it the salt lies with the noise key, outside the database.
    revealed_salt = models.CharField(max_length=64, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=("solution", "tag"), name="competitions_commitment_once")
        ]


class Baseline(models.Model):
    """A mark of the organiser's on the board, on the display grid."""

    competition = models.ForeignKey(Competition, on_delete=models.CASCADE, related_name="baselines")
    name = models.CharField(max_length=120)
    path = models.CharField(max_length=300, help_text="below ANSWERS_DIR")
    # Grid units, larger is better: the exact score is stored nowhere.
    value = models.BigIntegerField()
    # Exists only after the close, like every private score.
    private_score = models.FloatField(null=True)
    start_line = models.BooleanField(default=False)
    ruler = models.BooleanField(default=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=("competition", "name"), name="competitions_baseline_once"
            )
        ]


class ReleaseSettings(models.Model):
    """A version of the release rule; in force for files accepted from `created_at` on."""

    class Preset(models.TextChoices):
        COURSE = "course", "Course"
        OPEN = "open", "Open"
        SEALED = "sealed", "Sealed"
        EXACT = "exact", "Exact"
        CUSTOM = "custom", "Custom"

    competition = models.ForeignKey(
        Competition, on_delete=models.CASCADE, related_name="release_settings"
    )
    version = models.PositiveIntegerField()
    preset = models.CharField(max_length=8, choices=Preset.choices)
    rule = models.CharField(max_length=24)
    # scoring.release.ReleaseSettings.to_dict(): decimals as text, so that none is ever rounded.
    values = models.JSONField()
    reason = models.CharField(max_length=300, blank=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField()

    class Meta:
        ordering = ("competition", "version")
        constraints = [
            models.UniqueConstraint(
                fields=("competition", "version"), name="competitions_settings_version_once"
            )
        ]


class Participant(models.Model):
    """A person who joined and accepted the rules."""

    competition = models.ForeignKey(
        Competition, on_delete=models.CASCADE, related_name="participants"
    )
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE)
    joined_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=("competition", "user"), name="competitions_participant_once"
            )
        ]


class Announcement(models.Model):
    """What the host, or the site for the host, tells everybody in a competition."""

    class Kind(models.TextChoices):
        NEWS = "news", "Announcement"
        DATES = "dates", "Change of dates"
        RULE = "rule", "Change of the rules"
        RESULTS = "results", "Results"

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    competition = models.ForeignKey(
        Competition, on_delete=models.CASCADE, related_name="announcements"
    )
    kind = models.CharField(max_length=8, choices=Kind.choices, default=Kind.NEWS)
    title = models.CharField(max_length=120)
    text = models.TextField(blank=True, help_text="Markdown")
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField()
    # When every participant had the notice: a worker writes them, and again after a fall.
    delivered_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ("-created_at", "-pk")


class Notice(models.Model):
    """Something that one person should know; mailed too where the person wants that."""

    class Kind(models.TextChoices):
        ANNOUNCEMENT = "announcement", "Announcement"
        DEADLINE = "deadline", "Dates"
        INVITATION = "invitation", "Team"
        RESULT = "result", "Results"

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="notices"
    )
    competition = models.ForeignKey(
        Competition, null=True, on_delete=models.CASCADE, related_name="+"
    )
    announcement = models.ForeignKey(Announcement, null=True, on_delete=models.CASCADE)
    kind = models.CharField(max_length=12, choices=Kind.choices)
    title = models.CharField(max_length=160)
    text = models.CharField(max_length=600, blank=True)
    address = models.CharField(max_length=300, blank=True, help_text="path on this site")
    created_at = models.DateTimeField()
    read_at = models.DateTimeField(null=True)
    # In the outbox since; None: still to be mailed, or not wanted by mail.
    mailed_at = models.DateTimeField(null=True)
    wants_mail = models.BooleanField(default=False)

    class Meta:
        ordering = ("-created_at", "-pk")
        indexes = [
            models.Index(fields=("user", "-created_at"), name="competitions_notices_of"),
            models.Index(
                fields=("created_at",),
                condition=Q(wants_mail=True, mailed_at=None),
                name="competitions_notices_to_mail",
            ),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=("announcement", "user"), name="competitions_announced_once"
            )
        ]
