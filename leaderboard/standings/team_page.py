"""What anybody may read of one team: what its row on the board says, and how it came to it."""

from dataclasses import dataclass, field
from datetime import datetime

from leaderboard.competitions import access, release_settings
from leaderboard.competitions.access import Viewer
from leaderboard.competitions.models import Competition
from leaderboard.competitions.viewers import Visit
from leaderboard.standings import drawing, final, history, late, wording
from leaderboard.standings.field import frozen_at, ladder
from leaderboard.standings.final import FinalRow
from leaderboard.standings.names import Naming
from leaderboard.submissions.models import Entry, FinalStanding
from leaderboard.submissions.outcomes import private_text
from leaderboard.teams.models import Team
from scoring import release


@dataclass(frozen=True)
class Step:
    """A new score of a team."""

    at: datetime
    score: str
    band: drawing.Band | None


@dataclass(frozen=True)
class TeamPage:
    """A team, as one viewer may see it."""

    team: Team
    naming: Naming
    name: str
    mine: bool
    named: bool
    members: list[str]
    size: int
    files: int
    last_at: datetime | None
    score: str
    band: tuple[int, int] | None
    place: int | None
    why: str
    steps: list[Step]
    chart: history.Chart | None
    final: FinalRow | None = None
    late: str = ""
    reason: str = ""
    sealed: bool = False
    exact: bool = False
    start: str = ""
    resolution: str = ""
    drawn: drawing.Band | None = None
    ticks: list[drawing.Tick] = field(default_factory=list)

    @property
    def comparable(self) -> str:
        """What an address of the comparison names this team by; nothing where it stands alone."""
        return "" if self.naming.own_only else str(self.team.uuid)

    @property
    def disqualified(self) -> bool:
        return self.team.disqualified_at is not None


def found(competition: Competition, uuid, viewer: Viewer) -> Team | None:
    """Return the team of an address where the viewer may know of it, else None.

    A team without a scored file stands on no board; its own people and the hosts have its page.
    """
    team = Team.objects.filter(competition=competition, uuid=uuid).first()
    while team is not None and team.merged_into_id:
        team = team.merged_into
    if team is None or not Naming(competition, viewer).lists(team.pk):
        return None
    if team.pk == viewer.team_id or access.may_manage(viewer) or team.disqualified_at:
        return team
    return team if Entry.objects.filter(team=team, submissions__gt=0).exists() else None


def team_page(visit: Visit, team: Team) -> TeamPage:
    """Return the public page of a team; `found` has asked who may see it."""
    competition = visit.competition
    naming = Naming(competition, visit.viewer)
    end = frozen_at(competition, visit.now)
    settings = release_settings.rule(release_settings.in_force(competition, end))
    counted = ladder(competition, release.resolution_steps(settings))
    entry = Entry.objects.filter(team=team).first()
    out = team.disqualified_at is not None
    value = entry.value if entry and not out else None
    band = counted.band(value) if value is not None else None
    points = history.best_so_far(competition, [team.pk])[team.pk] if entry and not out else []
    scale = drawing.scale(
        [*(point[1] for point in points), release.steps(settings, settings.start)]
        if points
        else [],
        counted.resolution,
        settings,
    )
    resolution = drawing.amount_text(settings, counted.resolution)
    named = naming.named(team.pk)
    people = list(team.members.order_by("joined_at", "pk").values_list("user__username", flat=True))
    return TeamPage(
        team=team,
        naming=naming,
        name=naming.team(team),
        mine=team.pk == visit.viewer.team_id,
        named=named,
        members=people if named else [],
        size=len(people),
        files=entry.submissions if entry else 0,
        last_at=entry.last_accepted_at if entry else None,
        score=drawing.score_text(settings, value),
        band=band,
        place=counted.place(value) if value is not None else None,
        why=wording.why_band(*band, resolution) if band else "",
        steps=[
            Step(at, drawing.score_text(settings, reached), scale.band(reached))
            for at, reached in reversed(points)
        ],
        chart=history.chart_of(competition, naming, [team], visit.now) if points else None,
        final=_final(visit, team, naming) if visit.sees_final and not out else None,
        late=_late(competition, settings, team) if visit.sees_final else "",
        reason=team.disqualified_reason if out and named else "",
        sealed=settings.rule == "sealed" and not counted.total,
        exact=settings.rule == "exact",
        start=drawing.score_text(settings, release.steps(settings, settings.start)),
        resolution=resolution,
        drawn=scale.band(value) if scale and value is not None else None,
        ticks=drawing.ticks(scale),
    )


def _final(visit: Visit, team: Team, naming: Naming) -> FinalRow | None:
    run = final.newest_run(visit.competition)
    standing = FinalStanding.objects.filter(run=run, team=team).select_related("team").first()
    return final.row_of(visit.competition, run, standing, naming) if standing else None


def _late(competition: Competition, settings, team: Team) -> str:
    score = late.of_team(competition, team.pk)
    return "" if score is None else private_text(settings, score)
