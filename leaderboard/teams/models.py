"""Teams: who sends files together."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models.functions import Lower

from leaderboard.competitions.models import Competition


class Team(models.Model):
    """A team of a competition; its row is the lock under which quota and release are decided."""

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    competition = models.ForeignKey(Competition, on_delete=models.CASCADE, related_name="teams")
    name = models.CharField(max_length=60)
    created_at = models.DateTimeField()
    # Raised under the team's lock: the number of the team's latest file.
    last_number = models.PositiveIntegerField(default=0)
    disqualified_at = models.DateTimeField(null=True, blank=True)
    disqualified_reason = models.CharField(max_length=300, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                "competition",
                Lower("name"),
                name="teams_name_once",
                violation_error_message="Another team has this name.",
            )
        ]

    def __str__(self) -> str:
        return self.name


class Member(models.Model):
    """A person in a team; a person is in at most one team of a competition."""

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="members")
    competition = models.ForeignKey(Competition, on_delete=models.CASCADE, related_name="members")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE)
    owner = models.BooleanField(default=False)
    joined_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=("competition", "user"), name="teams_person_once")
        ]
