"""Versions of a competition's release settings: which is in force, and how a new one is made."""

from datetime import datetime

from django.db import transaction

from leaderboard.audit import ledger
from leaderboard.competitions import clock
from leaderboard.competitions.models import Competition, ReleaseSettings
from scoring import release
from scoring.errors import BadSettings


def in_force(competition: Competition, at: datetime | None = None) -> ReleaseSettings:
    """Return the version that judges a file accepted at an instant (default: the latest one)."""
    versions = competition.release_settings.order_by("-version")
    if at is not None:
        # Files cannot be older than the first version; a seeded one may claim to be.
        return versions.filter(created_at__lte=at).first() or versions.last()
    return versions.first()


def rule(row: ReleaseSettings) -> release.ReleaseSettings:
    """Return a version as the scoring library knows it."""
    return release.ReleaseSettings.from_dict(row.values)


def change(
    competition: Competition,
    by,
    preset: str,
    settings: release.ReleaseSettings,
    reason: str,
    at: datetime | None = None,
) -> ReleaseSettings:
    """Store a new version of the settings, in force for files accepted from now on.

    Raises BadSettings for values that cannot be used, for a change of what is fixed from the launch
    on (the grid, the ruler, the metric's direction and range: scores already told and the marks
    of the baselines stand on them), and for a version that changes nothing.
    """
    settings.validate()
    if preset not in ReleaseSettings.Preset.values:
        raise BadSettings({"preset": "There is no preset of this name."})
    with transaction.atomic():
        # The competition's row is the lock: two hosts that press at once make two versions.
        Competition.objects.select_for_update().get(pk=competition.pk)
        latest = in_force(competition)
        if latest is not None:
            _refuse_what_is_fixed(rule(latest), settings)
            if latest.values == settings.to_dict() and latest.preset == preset:
                raise BadSettings({"preset": "Nothing was changed."})
        row = ReleaseSettings.objects.create(
            competition=competition,
            version=latest.version + 1 if latest else 1,
            preset=preset,
            rule=settings.rule,
            values=settings.to_dict(),
            reason=reason.strip(),
            created_by=by,
            created_at=at or clock.now(),
        )
        ledger.append(
            "settings changed",
            competition.uuid,
            {
                "version": row.version,
                "preset": preset,
                "values": row.values,
                "reason": row.reason,
                "by": getattr(by, "pk", None),
            },
            at=row.created_at,
        )
    return row


def _refuse_what_is_fixed(old: release.ReleaseSettings, new: release.ReleaseSettings) -> None:
    words = {
        "grid": "The display grid is fixed from the launch on: scores already told stand on it.",
        "standard_error": "The ruler is computed once, at the launch, and never again.",
        "greater_is_better": "The metric's direction cannot change.",
        "low": "The metric's range cannot change.",
        "high": "The metric's range cannot change.",
    }
    found = {
        name: sentence
        for name, sentence in words.items()
        if getattr(old, name) != getattr(new, name)
    }
    if found:
        raise BadSettings(found)
