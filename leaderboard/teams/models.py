"""Teams: who sends files together."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models.functions import Lower

from leaderboard.accounts.names import SkeletonField
from leaderboard.competitions.models import Competition


class Team(models.Model):
    """A team of a competition; its row is the lock under which quota and release are decided."""

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    competition = models.ForeignKey(Competition, on_delete=models.CASCADE, related_name="teams")
    name = models.CharField(max_length=60)
    # What the name looks like: no two teams of a competition can be taken for one another.
    skeleton = SkeletonField(max_length=300, of="name")
    created_at = models.DateTimeField()
    # Raised under the team's lock: the number of the team's latest file.
    last_number = models.PositiveIntegerField(default=0)
    # What its people used up in teams they left: new scores, looks and files do not come back by
    # hopping.
    carried_used = models.PositiveIntegerField(default=0, help_text="new scores")
    carried_looks = models.PositiveIntegerField(default=0, help_text="looks")
    carried_reference = models.BigIntegerField(null=True, help_text="grid units, larger is better")
    # The team one of whose files set that reference.
    carried_from = models.ForeignKey(
        "self", null=True, on_delete=models.PROTECT, related_name="carried_to"
    )
    # Merged into another team, or left by its only person for it before it had a file: a row
    # without members, kept for the record.
    merged_into = models.ForeignKey(
        "self", null=True, on_delete=models.PROTECT, related_name="absorbed"
    )
    merged_at = models.DateTimeField(null=True)
    disqualified_at = models.DateTimeField(null=True, blank=True)
    disqualified_reason = models.CharField(max_length=300, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                "competition",
                Lower("name"),
                name="teams_name_once",
                violation_error_message="Another team has this name.",
            ),
            models.UniqueConstraint(fields=("competition", "skeleton"), name="teams_look_once"),
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


class Departure(models.Model):
    """A person left a team; what the team had used up goes along."""

    competition = models.ForeignKey(
        Competition, on_delete=models.CASCADE, related_name="departures"
    )
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="departures")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE)
    left_at = models.DateTimeField()
    removed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    used = models.PositiveIntegerField(default=0)
    looks = models.PositiveIntegerField(default=0)
    reference = models.BigIntegerField(null=True)


class Invitation(models.Model):
    """A place in a team for one person: by a link, or for a user name."""

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="invitations")
    # None: whoever has the link, once; or a name that nobody has.
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.CASCADE, related_name="+"
    )
    # As it was typed, also where nobody has it: the team is not told who has an account.
    name = models.CharField(max_length=60, blank=True, help_text="empty: by link")
    digest = models.CharField(max_length=64, unique=True, help_text="SHA-256 of the link's secret")
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    accepted_at = models.DateTimeField(null=True)
    accepted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    declined_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ("-created_at",)


class MergeProposal(models.Model):
    """A team asks another one to merge into it; the other team's owner decides."""

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    # The team that stays, and the one that would be taken in.
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="merges_proposed")
    other = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="merges_asked")
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    accepted_at = models.DateTimeField(null=True)
    declined_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ("-created_at",)
