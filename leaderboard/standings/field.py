"""Who stands on the board: the entries that rank, counted by value."""

from datetime import datetime

from django.db.models import Count

from leaderboard.competitions import clock, release_settings
from leaderboard.competitions.models import Baseline, Competition
from leaderboard.standings.ladder import Ladder
from leaderboard.submissions.models import Entry
from scoring import release


def frozen_at(competition: Competition, now: datetime) -> datetime:
    """The instant whose settings judge the board: now, or the close once it is past."""
    return min(now, competition.closes_at)


def entries(competition: Competition):
    """Entries of teams that take part in the ranking."""
    return Entry.objects.filter(competition=competition, team__disqualified_at__isnull=True)


def public_marks(competition: Competition):
    """Baselines without their private scores, which no public page has a reason to read."""
    return Baseline.objects.filter(competition=competition).defer("private_score")


def ladder(competition: Competition, resolution: int) -> Ladder:
    """Count the shown values of a competition: one query over its index."""
    counted = (
        entries(competition)
        .filter(value__isnull=False)
        .order_by()
        .values_list("value")
        .annotate(number=Count("pk"))
    )
    return Ladder(counted, resolution)


def rank_band(competition: Competition, team_id: int) -> tuple[int, int] | None:
    """Return a team's first and last place now, None without a score."""
    found = _own(competition, team_id)
    return found[0].band(found[1]) if found else None


def place(competition: Competition, team_id: int) -> int | None:
    """Return a team's place 1-2-2-4 now, None without a score."""
    found = _own(competition, team_id)
    return found[0].place(found[1]) if found else None


def _own(competition: Competition, team_id: int) -> tuple[Ladder, int] | None:
    """Return all values, counted, and a team's own."""
    entry = entries(competition).filter(team_id=team_id, value__isnull=False).first()
    if entry is None:
        return None
    at = frozen_at(competition, clock.now())
    settings = release_settings.rule(release_settings.in_force(competition, at))
    return ladder(competition, release.resolution_steps(settings)), entry.value
