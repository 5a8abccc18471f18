"""Files sent after the reveal: the best of each team, shown apart, with no places.

They are scored on the private rows, which decided the ranking; they never enter it.
"""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Count, F, Max, Min, QuerySet

from leaderboard.competitions import release_settings
from leaderboard.competitions.access import Viewer
from leaderboard.competitions.models import Competition
from leaderboard.standings import final
from leaderboard.standings.names import NOBODY, Naming
from leaderboard.standings.rows import Pages, pages
from leaderboard.submissions.models import FinalStanding, LateScore
from leaderboard.submissions.outcomes import private_text

PER_PAGE = 25


@dataclass(frozen=True)
class LateRow:
    """A team's best late file."""

    team_id: int
    uuid: UUID
    name: str
    value: float
    score: str
    files: int
    last_at: datetime
    final_place: int | None
    final_score: str
    mine: bool


@dataclass(frozen=True)
class LateBoard:
    """One page of the late files."""

    naming: Naming
    rows: list[LateRow]
    pages: Pages
    unlisted: int
    lower: bool


def shown(competition: Competition) -> bool:
    """Whether there is a tab of late files: where they are allowed, or were and came."""
    return competition.late_files or _scores(competition).exists()


def late_board(
    competition: Competition, viewer: Viewer = NOBODY, page: int = 1, per_page: int = PER_PAGE
) -> LateBoard:
    """Return one page of the late files; the caller has asked whether results are revealed."""
    naming = Naming(competition, viewer)
    grouped = _grouped(competition)
    total = grouped.count()
    listed = naming.listed(grouped, "evaluation__team")
    number = listed.count() if naming.own_only else total
    made = pages(page, number, per_page)
    settings = _settings(competition)
    rows = _rows(competition, naming, listed[max(made.first - 1, 0) : made.last])
    return LateBoard(naming, rows, made, total - number, not settings.greater_is_better)


def best(competition: Competition, naming: Naming) -> list[LateRow]:
    """Return the best late file of each team that a viewer may see, the best first."""
    grouped = naming.listed(_grouped(competition), "evaluation__team")
    return _rows(competition, naming, grouped)


def of_team(competition: Competition, team_id: int) -> float | None:
    """Return the best late score of one team."""
    row = _grouped(competition).filter(evaluation__team=team_id).first()
    return row["value"] if row else None


def _scores(competition: Competition) -> QuerySet:
    return LateScore.objects.filter(
        evaluation__submission__competition=competition,
        evaluation__team__disqualified_at__isnull=True,
        # Where the metric is undefined for a file there is nothing to show.
        score__isnull=False,
    )


def _grouped(competition: Competition) -> QuerySet:
    """One row for each team, the better score first, of equal ones the earlier."""
    settings = _settings(competition)
    pick = Max("score") if settings.greater_is_better else Min("score")
    grouped = (
        _scores(competition)
        .order_by()
        .values("evaluation__team", "evaluation__team__uuid", "evaluation__team__name")
        .annotate(
            value=pick,
            files=Count("pk"),
            last_at=Max("evaluation__submission__accepted_at"),
        )
    )
    order = F("value").desc() if settings.greater_is_better else F("value").asc()
    return grouped.order_by(order, "last_at", "evaluation__team")


def _rows(competition: Competition, naming: Naming, grouped) -> list[LateRow]:
    found = list(grouped)
    settings = _settings(competition)
    run = final.newest_run(competition)
    standings = FinalStanding.objects.filter(
        run=run, team__in=[row["evaluation__team"] for row in found]
    )
    finals = {row.team_id: row for row in standings}
    return [_row(naming, settings, row, finals.get(row["evaluation__team"])) for row in found]


def _row(naming: Naming, settings, row: dict, standing: FinalStanding | None) -> LateRow:
    team_id, uuid = row["evaluation__team"], row["evaluation__team__uuid"]
    return LateRow(
        team_id=team_id,
        uuid=uuid,
        name=naming.called(team_id, uuid, row["evaluation__team__name"]),
        value=row["value"],
        score=private_text(settings, row["value"]),
        files=row["files"],
        last_at=row["last_at"],
        final_place=standing.place if standing else None,
        final_score=private_text(settings, standing.score if standing else None),
        mine=team_id == naming.team_id,
    )


def _settings(competition: Competition):
    return release_settings.rule(release_settings.in_force(competition, competition.closes_at))
