"""The final ranking: FinalStanding rows of the newest run, beside what the public board said.

Read only after the reveal; the view asks `access.sees_final` first.
"""

from dataclasses import dataclass
from statistics import median
from uuid import UUID

from django.db.models import Count, F

from leaderboard.competitions import release_settings
from leaderboard.competitions.access import Viewer
from leaderboard.competitions.models import Baseline, Competition
from leaderboard.standings import drawing, slope
from leaderboard.standings.ladder import Ladder
from leaderboard.standings.names import NOBODY, Naming
from leaderboard.standings.rows import Pages, pages
from leaderboard.submissions.models import FinalRun, FinalStanding
from leaderboard.submissions.outcomes import private_text
from leaderboard.teams.models import Team
from scoring import release

PER_PAGE = 25
COVERED_OF = 20
# First places of the public board that the slope chart shows wherever they ended.
LEADERS = 3
MOVES_OF = 25
LISTED_APART = 4
# Those without a place come last; of a shared place the better public one is listed first.
ORDER = (F("place").asc(nulls_last=True), F("public_place").asc(nulls_last=True), "id")


@dataclass(frozen=True)
class FinalRow:
    """A team's place in the final ranking; `name` is what the viewer may call it."""

    team_id: int
    uuid: UUID
    name: str
    place: int | None
    score: str
    error: str
    apart: str
    public: str
    first: int | None
    last: int | None
    public_place: int | None
    files: int
    mine: bool
    # Larger is better; for the order only.
    value: float | None = None
    # As it is, for programs; `score` is printed.
    exact: float | None = None
    kind: str = "team"

    @property
    def move(self) -> int | None:
        """Places won against the public order; negative where places were lost."""
        if self.place is None or self.public_place is None:
            return None
        return self.public_place - self.place

    @property
    def lost(self) -> int:
        return -self.move

    @property
    def outside(self) -> bool:
        """Whether the final place lies outside the public rank band."""
        banded = self.place is not None and self.first is not None
        return banded and not self.first <= self.place <= self.last


@dataclass(frozen=True)
class FinalMark:
    """A baseline in the final ranking."""

    name: str
    score: str
    public: str
    value: float
    kind: str = "baseline"


@dataclass(frozen=True)
class Disqualified:
    """A team out of the ranking; the host's reason, which may name people, goes with the name."""

    name: str
    reason: str


@dataclass(frozen=True)
class FinalBoard:
    """One page of the final ranking with what sums it up, as one viewer may see it."""

    competition: Competition
    naming: Naming
    run: FinalRun
    settings: release.ReleaseSettings
    resolution: int
    items: list[FinalRow | FinalMark]
    pages: Pages
    winners: list[FinalRow]
    not_separable: int
    mine: FinalRow | None
    covered: int
    covered_of: int
    median_move: str
    slope: slope.Slope | None
    slope_small: slope.Slope | None
    unplaced: list[FinalRow]
    disqualified: list[Disqualified]
    unlisted: int
    private_rows: int

    @property
    def lower(self) -> bool:
        return not self.settings.greater_is_better

    @property
    def public_scores(self) -> bool:
        """Whether there was a public board to compare with."""
        return self.covered_of > 0


def newest_run(competition: Competition) -> FinalRun | None:
    """The opening whose standings hold: the newest one."""
    return FinalRun.objects.filter(competition=competition).order_by("-version").first()


def final_board(
    competition: Competition,
    viewer: Viewer = NOBODY,
    page: int = 1,
    per_page: int = PER_PAGE,
    baselines: bool = True,
) -> FinalBoard | None:
    """Return one page of the newest final ranking, None where there is none."""
    run = newest_run(competition)
    if run is None:
        return None
    settings = release_settings.rule(release_settings.in_force(competition, competition.closes_at))
    naming = Naming(competition, viewer)
    maker = _Maker(competition, run, settings, naming)
    placed = maker.standings.filter(place__isnull=False).order_by(*ORDER)
    listed = naming.listed(placed)
    total = listed.count()
    shown = pages(page, total, per_page)
    rows = maker.rows(listed[max(shown.first - 1, 0) : shown.last])
    whole = shown.number == 1 and per_page >= MOVES_OF and not naming.own_only
    # What sums the ranking up is counted over all teams, whoever may see their rows.
    top = rows if whole else maker.rows(placed[:MOVES_OF])
    leaders = placed.filter(public_place__lte=LEADERS).order_by("public_place")
    mine = maker.own([*rows, *top])
    banded = [row for row in top[:COVERED_OF] if row.first is not None]
    winners = [row for row in top if row.place == 1 and naming.lists(row.team_id)]
    solution = competition.solutions.order_by("-version").first()
    unplaced = naming.listed(maker.standings.filter(place__isnull=True))
    drawn = [row for row in top if naming.lists(row.team_id)]
    led = maker.rows(naming.listed(leaders)[:LEADERS])
    out = disqualified(competition, naming)
    return FinalBoard(
        competition=competition,
        naming=naming,
        run=run,
        settings=settings,
        resolution=maker.ladder.resolution,
        items=_with_marks(rows, maker.marks() if baselines else [], shown),
        pages=shown,
        winners=winners,
        not_separable=maker.not_separable(placed.first()),
        mine=mine,
        covered=sum(not row.outside for row in banded),
        covered_of=len(banded),
        median_move=_median_move(top),
        slope=slope.wide(drawn, led, mine),
        slope_small=slope.narrow(drawn, led, mine),
        unplaced=maker.rows(naming.by_name(unplaced)),
        disqualified=out,
        unlisted=sum(maker.places.values()) - total,
        private_rows=solution.n_private if solution else 0,
    )


def row_of(
    competition: Competition, run: FinalRun, standing: FinalStanding, naming: Naming
) -> FinalRow:
    """Return one standing as a row of the final ranking."""
    settings = release_settings.rule(release_settings.in_force(competition, competition.closes_at))
    return _Maker(competition, run, settings, naming).row(standing)


def disqualified(competition: Competition, naming: Naming) -> list[Disqualified]:
    """Return the teams out of the ranking that a viewer may know of."""
    teams = Team.objects.filter(competition=competition, disqualified_at__isnull=False)
    found = [
        Disqualified(naming.team(team), team.disqualified_reason if naming.named(team.pk) else "")
        for team in naming.listed(teams, "pk")
    ]
    return sorted(found, key=lambda team: team.name)


class _Maker:
    """Turns standings of one run into rows."""

    def __init__(self, competition, run, settings, naming):
        self.competition, self.run, self.settings = competition, run, settings
        self.naming = naming
        self.sign = 1 if settings.greater_is_better else -1
        standings = FinalStanding.objects.filter(run=run).select_related("team")
        self.standings = standings.filter(team__disqualified_at__isnull=True)
        counted = (
            self.standings.filter(public_value__isnull=False)
            .order_by()
            .values_list("public_value")
            .annotate(number=Count("pk"))
        )
        self.ladder = Ladder(counted, release.resolution_steps(settings))
        placed = self.standings.filter(place__isnull=False).order_by("place").values_list("place")
        self.places = dict(placed.annotate(number=Count("pk")))

    def rows(self, standings) -> list[FinalRow]:
        return [self.row(standing) for standing in standings]

    def row(self, standing: FinalStanding) -> FinalRow:
        value = standing.public_value
        first, last = self.ladder.band(value) if value is not None else (None, None)
        return FinalRow(
            team_id=standing.team_id,
            uuid=standing.team.uuid,
            name=self.naming.team(standing.team),
            place=standing.place,
            score=private_text(self.settings, standing.score),
            error=error_text(self.settings, standing.standard_error),
            apart=apart(standing, self.places),
            public=drawing.score_text(self.settings, value),
            first=first,
            last=last,
            public_place=standing.public_place,
            files=standing.files,
            mine=standing.team_id == self.naming.team_id,
            value=None if standing.score is None else self.sign * standing.score,
            exact=standing.score,
        )

    def own(self, seen: list[FinalRow]) -> FinalRow | None:
        if self.naming.team_id is None:
            return None
        here = next((row for row in seen if row.mine), None)
        if here:
            return here
        standing = self.standings.filter(team_id=self.naming.team_id).first()
        return self.row(standing) if standing else None

    def not_separable(self, winner: FinalStanding | None) -> int:
        """How many others a paired test cannot tell from the first."""
        if winner is None or winner.tied_last is None:
            return 0
        return self.standings.filter(place__lte=winner.tied_last).count() - 1

    def marks(self) -> list[FinalMark]:
        """Baselines with a private score, best first."""
        found = Baseline.objects.filter(competition=self.competition, private_score__isnull=False)
        marks = [
            FinalMark(
                mark.name,
                private_text(self.settings, mark.private_score),
                drawing.score_text(self.settings, mark.value),
                self.sign * mark.private_score,
            )
            for mark in found
        ]
        return sorted(marks, key=lambda mark: (-mark.value, mark.name))


def _with_marks(rows: list[FinalRow], marks: list[FinalMark], shown: Pages) -> list:
    """Put the baselines between the teams of a page, where their private scores belong."""
    if shown.number > 1 and rows:
        marks = [mark for mark in marks if mark.value < rows[0].value]
    found: list[FinalRow | FinalMark] = []
    marks = list(marks)
    for row in rows:
        while marks and row.value is not None and marks[0].value > row.value:
            found.append(marks.pop(0))
        found.append(row)
    return [*found, *marks] if shown.number == shown.count else found


def error_text(settings, error: float | None) -> str:
    """A standard error as it is printed: one column, one number of decimals."""
    return private_text(settings, error)


def apart(standing: FinalStanding, places: dict[int, int]) -> str:
    """The places a paired test cannot separate from this one, as the table prints them.

    `places` has the number of teams at each place, in order. Places that nobody has are not named,
    nor is the team's own, unless it shares it.
    """
    if standing.place is None or standing.tied_first is None:
        return "\N{EN DASH}"
    runs: list[list[int]] = [[]]
    for place, teams in places.items():
        if place == standing.place and teams == 1:
            runs.append([])
        elif standing.tied_first <= place <= standing.tied_last:
            runs[-1].append(place)
    if sum(map(len, runs)) <= LISTED_APART:
        named = [str(place) for run in runs for place in run]
    else:
        named = [slope.span(run[0], run[-1]) for run in runs if run]
    return ", ".join(named) or "\N{EN DASH}"


def _median_move(rows: list[FinalRow]) -> str:
    """The middle of the moves of the first teams, up or down alike."""
    moves = [abs(row.move) for row in rows[:MOVES_OF] if row.move is not None]
    if not moves:
        return "\N{EN DASH}"
    middle = median(moves)
    return f"{middle:g} {'place' if middle == 1 else 'places'}"
