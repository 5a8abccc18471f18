"""What programs leave between two calls."""

import uuid

from django.conf import settings
from django.db import models

from leaderboard.competitions.models import Competition
from leaderboard.submissions.models import Submission


class UploadTicket(models.Model):
    """Leave to send one file of one size to an address that nobody can guess, for a short time.

    The kaggle client asks for the address, sends the bytes without signing in and then names the
    ticket; only its digest is kept.
    """

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    competition = models.ForeignKey(Competition, on_delete=models.CASCADE, related_name="+")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    digest = models.CharField(max_length=64, unique=True, help_text="SHA-256 of the secret")
    file_name = models.CharField(max_length=200)
    size = models.PositiveBigIntegerField()
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    # The bytes arrived, below UPLOADS_DIR; once submitted they belong to the submission.
    received_at = models.DateTimeField(null=True)
    path = models.CharField(max_length=300, blank=True)
    submission = models.ForeignKey(
        Submission, null=True, on_delete=models.PROTECT, related_name="+"
    )
