"""Scores over time of teams that a viewer chooses, by an address that says which."""

from dataclasses import dataclass
from uuid import UUID

from leaderboard.competitions import release_settings
from leaderboard.competitions.viewers import Visit
from leaderboard.standings import drawing, history
from leaderboard.standings.field import entries, frozen_at, ladder
from leaderboard.standings.history import CHART_TEAMS, MOST_TEAMS
from leaderboard.standings.names import Naming
from leaderboard.standings.table import BEST_FIRST
from leaderboard.submissions.models import Entry
from scoring import release

OFFERED = 10


@dataclass(frozen=True)
class Choice:
    """A team that is, or could be, in the chart."""

    uuid: UUID
    name: str
    score: str
    band: tuple[int, int]
    mine: bool


@dataclass(frozen=True)
class Comparison:
    """What the page of chosen teams shows."""

    chart: history.Chart | None
    chosen: list[Choice]
    offered: list[Choice]
    more: int
    too_many: bool
    resolution: str
    query: str


def asked_teams(values: list[str]) -> list[UUID]:
    """Read teams out of an address, in order and once each; what is no team's mark is left out."""
    found: list[UUID] = []
    for part in ",".join(values).split(",")[:100]:
        try:
            mark = UUID(part.strip())
        except ValueError:
            continue
        if mark not in found:
            found.append(mark)
    return found


def comparison(visit: Visit, asked: list[UUID], query: str = "") -> Comparison:
    """Return chart and choice of teams with a score; an unknown and a hidden one are left out.

    Without a choice the chart has the leaders and the viewer's own team.
    """
    competition = visit.competition
    naming = Naming(competition, visit.viewer)
    settings = release_settings.rule(
        release_settings.in_force(competition, frozen_at(competition, visit.now))
    )
    counted = ladder(competition, release.resolution_steps(settings))
    scored = naming.listed(entries(competition).filter(value__isnull=False)).select_related("team")
    ordered = scored.order_by(*BEST_FIRST)
    # One more than fits tells whether some were left out.
    known = list(ordered.filter(team__uuid__in=asked)[: MOST_TEAMS + 1]) if asked else []
    if not known:
        known = list(ordered[:CHART_TEAMS])
        known += [e for e in scored.filter(team_id=naming.team_id) if e not in known]
    chosen = known[:MOST_TEAMS]
    others = naming.matching(ordered, query) if query else ordered
    others = others.exclude(team_id__in=[entry.team_id for entry in chosen])
    total = others.count()

    def choice(entry: Entry) -> Choice:
        return Choice(
            uuid=entry.team.uuid,
            name=naming.team(entry.team),
            score=drawing.score_text(settings, entry.value),
            band=counted.band(entry.value),
            mine=entry.team_id == naming.team_id,
        )

    return Comparison(
        chart=history.chart_of(competition, naming, [entry.team for entry in chosen], visit.now),
        chosen=[choice(entry) for entry in chosen],
        offered=[choice(entry) for entry in others[:OFFERED]],
        more=max(total - OFFERED, 0),
        too_many=len(known) > MOST_TEAMS,
        resolution=drawing.amount_text(settings, counted.resolution),
        query=query,
    )
