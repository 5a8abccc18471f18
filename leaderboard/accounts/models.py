"""Who: people with an account, their tokens for programs, and the mail that waits for them."""

from django.conf import settings
from django.contrib.auth.models import AbstractUser
from django.db import models
from django.db.models.functions import Lower

from leaderboard.accounts.names import LONGEST_SKELETON, VALIDATORS, SkeletonField


class User(AbstractUser):
    """A person who can sign in; the user name is shown to others, the e-mail address never is."""

    username = models.CharField("user name", max_length=30, unique=True, validators=VALIDATORS)
    # What the name looks like: no second one may look the same.
    skeleton = SkeletonField(
        of="username",
        max_length=LONGEST_SKELETON,
        unique=True,
        error_messages={"unique": "This user name is taken, or looks like one that is."},
    )
    email = models.EmailField("e-mail address", blank=True)

    # Which notices a person also wants by mail; in the site they are always shown.
    mail_announcements = models.BooleanField("announcements", default=True)
    mail_deadlines = models.BooleanField("changes of dates and reminders", default=True)
    mail_invitations = models.BooleanField("invitations and changes of my team", default=True)
    mail_results = models.BooleanField("results", default=True)
    # Part of what each session is checked against: raising it ends them all.
    sign_outs = models.PositiveIntegerField(default=0, editable=False)
    # The person is gone; the row stays, because files and the ledger refer to it.
    deleted_at = models.DateTimeField(null=True, blank=True)

    class Meta(AbstractUser.Meta):
        constraints = [
            # "Alice" must not be able to pass for "alice".
            models.UniqueConstraint(
                Lower("username"),
                name="accounts_user_name_once",
                violation_error_message="This user name is taken.",
            ),
        ]

    def _get_session_auth_hash(self, secret=None):
        made = super()._get_session_auth_hash(secret=secret)
        return f"{made}{self.sign_outs}" if self.sign_outs else made


class ApiToken(models.Model):
    """A secret by which a program acts for a person; only its digest is kept."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_tokens"
    )
    name = models.CharField(max_length=60)
    # The first signs of the secret, so that a person can tell one token from another.
    start = models.CharField(max_length=12)
    digest = models.CharField(max_length=64, unique=True, help_text="SHA-256 of the secret")
    created_at = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ("-created_at",)


class Mail(models.Model):
    """A mail in the outbox: stored in the transaction that causes it, sent by a worker."""

    to = models.EmailField()
    sender = models.CharField(max_length=254)
    subject = models.CharField(max_length=300)
    body = models.TextField()
    html = models.TextField(blank=True)
    # What must be mailed once, however often it is asked for; empty: no such promise.
    once = models.CharField(max_length=120, null=True, unique=True)  # noqa: DJ001 - unique unless absent
    created_at = models.DateTimeField()
    # Not before this instant: now, or after a failure later and later.
    due_at = models.DateTimeField()
    attempts = models.PositiveSmallIntegerField(default=0)
    problem = models.CharField(max_length=300, blank=True)
    sent_at = models.DateTimeField(null=True)
    given_up_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            models.Index(
                fields=("due_at",),
                condition=models.Q(sent_at=None, given_up_at=None),
                name="accounts_mail_to_send",
            )
        ]
