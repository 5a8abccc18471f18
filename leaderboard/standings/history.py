"""Best score over time, from what was released and nothing else."""

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise

from django.db.models import Subquery

from leaderboard.competitions import release_settings
from leaderboard.competitions.models import Competition, Solution
from leaderboard.standings.field import entries, frozen_at
from leaderboard.submissions.models import Outcome, Release
from leaderboard.teams.models import Team
from scoring import release

TABLE_ROWS = 8
CHART_TEAMS = 3
# What a chart can hold before its lines are no longer told apart.
MOST_TEAMS = 8


@dataclass(frozen=True)
class Series:
    """One team's line: (time, best value so far in grid units)."""

    name: str
    points: list[tuple[datetime, int]]
    mine: bool = False

    def at(self, instant: datetime) -> int | None:
        """The best value at an instant, None before the first new score."""
        return max((value for at, value in self.points if at <= instant), default=None)


def best_so_far(
    competition: Competition, team_ids: list[int]
) -> dict[int, list[tuple[datetime, int]]]:
    """Return each team's rising steps, by the time its files were accepted."""
    if not team_ids:
        return {}
    latest = Solution.objects.filter(competition=competition).order_by("-version").values("pk")[:1]
    rows = (
        Release.objects.filter(
            outcome=Outcome.RELEASED,
            evaluation__team_id__in=team_ids,
            evaluation__solution=Subquery(latest),
        )
        .order_by("evaluation__submission__accepted_at", "id")
        .values_list("evaluation__team_id", "evaluation__submission__accepted_at", "value")
    )
    found: dict[int, list[tuple[datetime, int]]] = defaultdict(list)
    for team, at, value in rows:
        if not found[team] or value > found[team][-1][1]:
            found[team].append((at, value))
    return found


@dataclass(frozen=True)
class Look:
    """How a line is drawn: colour class of the stylesheet, width, dashes."""

    css: str
    width: int = 2
    dash: str = ""


OWN = Look("k1", 3)
# No two differ by their colour alone.
LOOKS = (
    Look("k4"),
    Look("k2", dash="6 3"),
    Look("k3", dash="2 3"),
    Look("k7", dash="10 4"),
    Look("k2"),
    Look("k3", dash="10 3 2 3"),
    Look("k4", dash="3 3"),
    Look("k7", dash="1 4"),
)


@dataclass(frozen=True)
class Line:
    """A line of the chart's legend."""

    name: str
    mine: bool
    look: Look


@dataclass(frozen=True)
class Chart:
    """What the chart draws and its table says."""

    data: dict
    series: list[Line]
    table: list[tuple[datetime, list[str]]]
    label: str


def chart(settings, resolution: int, series: list[Series], span) -> Chart | None:
    """Return the lines of the given teams between two instants, None without a point."""
    series = [line for line in series if line.points]
    if not series:
        return None
    start, end = span
    looks = [OWN if line.mine else LOOKS[index] for index, line in enumerate(series)]
    times = sorted({at for line in series for at, _ in line.points} | {start, end})
    band = float(release.shown(settings, resolution)) / 2
    data = {
        "t": [at.timestamp() for at in times],
        "series": [
            {
                "name": line.name,
                "look": [look.css, look.width, [int(part) for part in look.dash.split()]],
                "v": [_number(settings, line.at(at)) for at in times],
            }
            for line, look in zip(series, looks, strict=True)
        ],
        "band": abs(band),
        "decimals": max(-settings.grid.normalize().as_tuple().exponent, 0),
        "up": settings.greater_is_better,
        "range": [settings.low, settings.high],
    }
    rows = [
        (at, [_text(settings, line.at(at)) for line in series]) for at in _table_times(start, end)
    ]
    lead = max(series, key=lambda line: line.points[-1][1])
    label = (
        f"Best public score over time of {len(series)} "
        f"{'team' if len(series) == 1 else 'teams'}. {lead.name} leads at "
        f"{_text(settings, lead.points[-1][1])}. The same numbers are in the table below."
    )
    drawn = [Line(line.name, line.mine, look) for line, look in zip(series, looks, strict=True)]
    return Chart(data, drawn, rows, label)


def best_chart(made) -> Chart | None:
    """The chart of the leaders and the viewer's own team, for a board that `table.board` made."""
    naming = made.naming
    scored = entries(made.competition).filter(value__isnull=False).select_related("team")
    ordered = naming.listed(scored).order_by("-value", "reached_at", "team_id")
    teams = list(ordered[:CHART_TEAMS])
    own = naming.team_id
    if own is not None and all(entry.team_id != own for entry in teams):
        teams += list(scored.filter(team_id=own))
    return chart_of(made.competition, naming, [entry.team for entry in teams], made.now)


def chart_of(competition: Competition, naming, teams: list[Team], now: datetime) -> Chart | None:
    """The chart of some teams, in this order; the caller has asked who may see them."""
    end = frozen_at(competition, now)
    settings = release_settings.rule(release_settings.in_force(competition, end))
    lines = best_so_far(competition, [team.pk for team in teams])
    series = [
        Series(naming.team(team), lines.get(team.pk, []), mine=team.pk == naming.team_id)
        for team in teams
    ]
    span = (competition.opens_at, end)
    return chart(settings, release.resolution_steps(settings), series, span)


def _table_times(start: datetime, end: datetime) -> list[datetime]:
    """The ends of at most eight stretches of whole days, and the end itself."""
    days = max((end - start).days, 1)
    stride = timedelta(days=-(-days // TABLE_ROWS))
    times, at = [], start + stride
    while at < end:
        times.append(at)
        at += stride
    # Two rows of one day would say the same.
    if times and end - times[-1] < timedelta(days=1):
        times.pop()
    times.append(end)
    assert all(a < b for a, b in pairwise(times))
    return times


def _number(settings, value: int | None) -> float | None:
    return None if value is None else float(release.shown(settings, value))


def _text(settings, value: int | None) -> str:
    return "\N{EN DASH}" if value is None else release.text(settings, value)
