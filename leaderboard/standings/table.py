"""The board: what the public sees, from Entry, Release, FinalStanding and Baseline alone.

The number of queries does not depend on the number of teams (a test counts them): the database
counts equal values (`Ladder`), and only the rows of one page are read.
"""

from dataclasses import dataclass
from datetime import datetime

from leaderboard.competitions import clock, release_settings
from leaderboard.competitions.access import Viewer
from leaderboard.competitions.models import Competition, ReleaseSettings, State
from leaderboard.competitions.viewers import Visit
from leaderboard.standings import drawing
from leaderboard.standings.field import entries, frozen_at, public_marks
from leaderboard.standings.final import final_board
from leaderboard.standings.making import Maker
from leaderboard.standings.names import NOBODY, Naming
from leaderboard.standings.rows import Divider, Mark, Pages, Row, pages
from scoring import release

__all__ = ["Board", "board", "final_board", "rows_for"]

PER_PAGE = 25
BELOW_SHOWN = 5
# A link to the rest is worth its row only where more teams than this are behind it.
BELOW_SPARED = 2
# Of equal values the one reached earlier is listed first, and the order never wavers: no page
# repeats a team of another page, and none is left out.
BEST_FIRST = ("-value", "reached_at", "team_id")


@dataclass(frozen=True)
class Board:
    """One page of the public board, as one viewer may see it."""

    competition: Competition
    naming: Naming
    state: State
    now: datetime
    version: ReleaseSettings
    settings: release.ReleaseSettings
    resolution: int
    ranked: int
    below_total: int
    tied_with_first: int
    pages: Pages
    items: list[Row | Mark | Divider]
    below: list[Row]
    below_listed: bool
    pinned: Row | None
    own: Row | None
    own_page: int | None
    ticks: list[drawing.Tick]
    lead_x: float | None
    query: str = ""
    baselines: bool = True

    @property
    def sealed(self) -> bool:
        """No public scores: the rule withholds them and none was ever shown."""
        return self.settings.rule == "sealed" and not self.ranked

    @property
    def exact(self) -> bool:
        return self.settings.rule == "exact"

    @property
    def empty(self) -> bool:
        return not self.ranked and not self.below_total and not self.query

    @property
    def resolution_text(self) -> str:
        return drawing.amount_text(self.settings, self.resolution)

    @property
    def start_text(self) -> str:
        return drawing.score_text(self.settings, release.steps(self.settings, self.settings.start))

    @property
    def lower(self) -> bool:
        """Whether lower scores are better in the displayed metric."""
        return not self.settings.greater_is_better

    @property
    def what(self) -> str:
        """What the pager counts."""
        if self.sealed:
            return "with a valid file"
        return "without a score" if self.below_listed else "with a score"

    @property
    def below_more(self) -> int:
        return 0 if self.naming.own_only else max(self.below_total - len(self.below), 0)

    @property
    def own_below(self) -> bool:
        """Whether the viewer's own team stands among those without a score."""
        return self.own is not None and self.own.value is None

    @property
    def comparable(self) -> bool:
        """Whether there are scores of several teams to draw side by side."""
        return self.ranked > 1 and not self.naming.own_only


def board(
    competition: Competition,
    viewer: Viewer = NOBODY,
    query: str = "",
    page: int = 1,
    per_page: int = PER_PAGE,
    baselines: bool = True,
    below: bool = False,
    now: datetime | None = None,
) -> Board:
    """Return one page of the board; `below` lists the teams not yet above the start line."""
    now = now or clock.now()
    version = release_settings.in_force(competition, frozen_at(competition, now))
    settings, naming = release_settings.rule(version), Naming(competition, viewer)
    maker = Maker(competition, settings, naming, now)
    # Without public scores the teams themselves are the list.
    sealed = settings.rule == "sealed" and not maker.ladder.total
    below = below or sealed
    found = entries(competition).select_related("team")
    matching = naming.matching(found, query) if query else found
    scored = naming.listed(matching).filter(value__isnull=False).order_by(*BEST_FIRST)
    unscored = matching.filter(value__isnull=True, submissions__gt=0)
    below_total = unscored.count()
    total = scored.count() if query or naming.own_only else maker.ladder.total
    shown = pages(page, below_total if below else total, per_page)
    here = slice(max(shown.first - 1, 0), shown.last)
    ranked = [] if below else list(scored[here])
    by_name = naming.by_name(naming.listed(unscored))
    unranked = list(by_name[here if below else slice(0, _first_below(below_total))])
    own = maker.own_entry([*ranked, *unranked])
    marks = list(public_marks(competition)) if baselines and not sealed else []
    maker.learn(ranked, unranked, own, marks)
    rows = [maker.row(entry) for entry in ranked]
    if query or below or naming.own_only:
        items = maker.with_marks(rows, marks if naming.own_only and not query else [])
    else:
        items = maker.items(rows, marks, shown)
    return Board(
        competition=competition,
        naming=naming,
        state=competition.state(now),
        now=now,
        version=version,
        settings=settings,
        resolution=maker.ladder.resolution,
        ranked=maker.ladder.total,
        below_total=below_total,
        tied_with_first=maker.ladder.tied_with_first,
        pages=shown,
        items=items,
        below=[maker.row(entry) for entry in unranked],
        below_listed=below,
        pinned=maker.pinned(own),
        own=maker.row(own) if own else None,
        own_page=maker.own_page(own, per_page),
        ticks=drawing.ticks(maker.scale),
        lead_x=maker.lead_x(),
        query=query,
        baselines=baselines,
    )


def _first_below(total: int) -> int:
    """How many of the teams without a score the board itself lists."""
    return total if total <= BELOW_SHOWN + BELOW_SPARED else BELOW_SHOWN


@dataclass(frozen=True)
class Told:
    """One row of a board as plain facts, for programs."""

    team_id: int
    name: str
    score: str
    at: datetime | None


@dataclass(frozen=True)
class ToldPage:
    """One page of the board that a visitor's page shows: ranked teams, and how many there are."""

    rows: list[Told]
    total: int


def rows_for(visit: Visit, page: int = 1, per_page: int = PER_PAGE) -> ToldPage:
    """Return the rows of the final ranking after the reveal, else of the public board."""
    competition = visit.competition
    if visit.sees_final:
        made = final_board(competition, visit.viewer, page, per_page, baselines=False)
        if made is None:
            return ToldPage([], 0)
        rows = [
            Told(row.team_id, row.name, str(row.exact), competition.closes_at) for row in made.items
        ]
        return ToldPage(rows if page == made.pages.number else [], made.pages.total)
    made = board(competition, visit.viewer, "", page, per_page, baselines=False, now=visit.now)
    settings = made.settings
    rows = [
        Told(row.team_id, row.name, str(release.shown(settings, row.value)), row.last_at)
        for row in made.items
        if row.kind == "team"
    ]
    return ToldPage(rows if page == made.pages.number else [], made.pages.total)
