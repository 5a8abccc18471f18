"""Versions of a competition's release settings: which is in force, and how a new one is made."""

from datetime import datetime

from django.db import transaction

from leaderboard.audit import ledger
from leaderboard.competitions import announcing, clock, telling
from leaderboard.competitions.models import Announcement, Competition, ReleaseSettings
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

    A version after the first is announced to everybody with what it changed. Raises BadSettings for
    values that cannot be used, for a change of what is fixed from the launch on (the grid, the
    ruler, the metric's direction and range: scores already told and the marks of the baselines
    stand on them), and for a version that changes nothing.
    """
    settings.validate()
    if preset not in ReleaseSettings.Preset.values:
        raise BadSettings({"preset": "There is no preset of this name."})
    with transaction.atomic():
        # The competition's row is the lock: two hosts that press at once make two versions.
        locked = Competition.objects.select_for_update(no_key=True).get(pk=competition.pk)
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
        if latest is not None:
            _announce(locked, by, latest, row)
    return row


def _announce(competition: Competition, by, before: ReleaseSettings, after: ReleaseSettings):
    """Tell everybody what a version changed, in the words of the Evaluation tab."""
    told = telling.difference(telling.tell(before), telling.tell(after))
    listed = "\n".join(f"- **{label}:** {old} → {new}" for label, old, new in told)
    reason = f"Reason: {after.reason}" if after.reason else ""
    rest = (
        "Files accepted from now on are judged by the new settings. Scores already given stay as "
        "they are."
    )
    text = "\n\n".join(part for part in (listed, reason, rest) if part)
    title = f"Release settings changed, version {after.version}"
    announcing.record(competition, by, Announcement.Kind.RULE, title, text, at=after.created_at)


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
