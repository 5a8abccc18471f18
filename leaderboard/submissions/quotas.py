"""How many files a team and a person have sent, today (UTC) and in all, and how many are left."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.db.models import Count, Q

from leaderboard.competitions.models import Competition
from leaderboard.submissions.models import Status, Submission
from leaderboard.teams.models import Team

WHY = {
    ("over_quota", False): "Your team has sent its {limit} files of today.",
    ("over_quota", True): (
        "You sent {limit} files today, in this team and in an earlier one: a person has no more "
        "than a team."
    ),
    ("over_total", False): "Your team has sent the {total} files it has in this competition.",
    ("over_total", True): (
        "You sent {total} files in this competition, in this team and in an earlier one: a person "
        "has no more than a team."
    ),
    ("too_many_rejected", False): (
        "{rejected} files of your team were rejected today, the most there may be."
    ),
    ("too_many_rejected", True): (
        "{rejected} files of yours were rejected today, in this team and in an earlier one, the "
        "most there may be."
    ),
}


@dataclass(frozen=True)
class Quota:
    """A team's files, and one person's in whatever team, against the competition's limits.

    Where a person is given, each count is the larger of the two: a file needs room in the team and
    for the person. `by_person` says that it is the person's own files, sent in an earlier team
    too, that leave the least.
    """

    limit: int
    used: int
    resets_at: datetime
    rejected_used: int
    rejected_limit: int
    total_limit: int | None = None
    total_used: int = 0
    by_person: bool = False

    @property
    def left(self) -> int:
        """Files that may still be sent today."""
        today = max(self.limit - self.used, 0)
        return today if self.total_left is None else min(today, self.total_left)

    @property
    def total_left(self) -> int | None:
        """Files that may still be sent before the close; None: only the day has a limit."""
        return None if self.total_limit is None else max(self.total_limit - self.total_used, 0)

    @property
    def refuses(self) -> str:
        """The code of the refusal that the next file would meet; empty where there is room."""
        if self.total_left == 0:
            return "over_total"
        if self.rejected_used >= self.rejected_limit:
            return "too_many_rejected"
        return "" if self.left else "over_quota"

    @property
    def why(self) -> str:
        """The sentence that gives the reason of the refusal; empty where there is room."""
        return WHY.get((self.refuses, self.by_person), "").format(
            limit=self.limit, total=self.total_limit, rejected=self.rejected_limit
        )


def quota(
    team: Team, competition: Competition, now: datetime, user=None, *, late: bool = False
) -> Quota:
    """Count the files of a team, and of `user` in any team, up to the UTC day of `now`.

    A slot is used by a file that is waiting, scored or being scored. A rejected file and one that
    failed on our side use none; rejected ones have a limit of their own. Counting the files rather
    than keeping a counter means that a slot is given back in the moment a file fails. Late files
    count for the day only: the total is of files that can be ranked, and binds no `late` one.
    """
    total_limit = None if late else competition.total_limit
    begins = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    ends = begins + timedelta(days=1)
    today = Q(accepted_at__gte=begins, accepted_at__lt=ends)
    rejected = Q(evaluations__status=Status.REJECTED)
    free = rejected | Q(evaluations__status=Status.NEEDS_ATTENTION)
    whose = {"team": Q(team=team)}
    if user is not None:
        whose["own"] = Q(user=user)
    kinds = {
        "sent": today,
        "free": today & free,
        "rejected": today & rejected,
        "all": Q(late=False),
        "all_free": Q(late=False) & free,
    }
    wanted = Q(team=team) if user is None else Q(team=team) | Q(user=user)
    files = Submission.objects.filter(wanted, competition=competition)
    if total_limit is None:
        # Then the files of earlier days matter to nobody.
        files = files.filter(today)
    counted = files.aggregate(
        **{
            f"{who}_{kind}": Count("id", filter=mine & condition, distinct=True)
            for who, mine in whose.items()
            for kind, condition in kinds.items()
        }
    )
    used = {who: counted[f"{who}_sent"] - counted[f"{who}_free"] for who in whose}
    total = {who: counted[f"{who}_all"] - counted[f"{who}_all_free"] for who in whose}
    spoilt = {who: counted[f"{who}_rejected"] for who in whose}
    return Quota(
        limit=competition.daily_limit,
        used=max(used.values()),
        resets_at=ends,
        rejected_used=max(spoilt.values()),
        rejected_limit=competition.rejected_limit,
        total_limit=total_limit,
        total_used=max(total.values()) if total_limit is not None else 0,
        by_person=_by_person(
            (total_limit, total),
            (competition.rejected_limit, spoilt),
            (competition.daily_limit, used),
        ),
    )


def _by_person(*counts: tuple[int | None, dict[str, int]]) -> bool:
    """Whether what binds the next file is the person's own count and not the team's."""
    binding = [
        count for limit, count in counts if limit is not None and max(count.values()) >= limit
    ]
    count = [*binding, counts[-1][1]][0]
    return count.get("own", 0) > count["team"]
