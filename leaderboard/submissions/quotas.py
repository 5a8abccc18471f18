"""How many files a team has sent today (UTC) and how many are left."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.db.models import Count, Q

from leaderboard.competitions.models import Competition
from leaderboard.submissions.models import Status, Submission
from leaderboard.teams.models import Team


@dataclass(frozen=True)
class Quota:
    """A team's files of the present UTC day against the competition's limits."""

    limit: int
    used: int
    resets_at: datetime
    rejected_used: int
    rejected_limit: int

    @property
    def left(self) -> int:
        return max(self.limit - self.used, 0)


def quota(team: Team, competition: Competition, now: datetime) -> Quota:
    """Count a team's files of the UTC day of `now`.

    A slot is used by a file that is waiting, scored or being scored. A rejected file and one that
    failed on our side use none; rejected ones have a limit of their own. Counting the files rather
    than keeping a counter means that a slot is given back in the moment a file fails.
    """
    begins = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    ends = begins + timedelta(days=1)
    rejected = Q(evaluations__status=Status.REJECTED)
    free = rejected | Q(evaluations__status=Status.NEEDS_ATTENTION)
    counted = Submission.objects.filter(
        team=team, accepted_at__gte=begins, accepted_at__lt=ends
    ).aggregate(
        all=Count("id", distinct=True),
        free=Count("id", filter=free, distinct=True),
        rejected=Count("id", filter=rejected, distinct=True),
    )
    return Quota(
        limit=competition.daily_limit,
        used=counted["all"] - counted["free"],
        resets_at=ends,
        rejected_used=counted["rejected"],
        rejected_limit=competition.rejected_limit,
    )
