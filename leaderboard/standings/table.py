"""The board: what the public sees, from Entry, Release, FinalStanding and Baseline alone.

The number of queries does not depend on the number of teams (a test counts them): the database
counts equal values (`Ladder`), and only the rows of one page are read.
"""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Q

from leaderboard.competitions import clock, release_settings
from leaderboard.competitions.access import Viewer
from leaderboard.competitions.models import Baseline, Competition, ReleaseSettings, State
from leaderboard.competitions.viewers import Visit
from leaderboard.standings import drawing, history, wording
from leaderboard.standings.field import entries, frozen_at, ladder, public_marks
from leaderboard.standings.final import final_board
from leaderboard.standings.names import NOBODY, Naming
from leaderboard.standings.rows import Divider, Mark, Pages, Row, pages
from leaderboard.submissions.models import Entry
from leaderboard.teams.models import Member
from scoring import release

__all__ = ["Board", "board", "final_board"]

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
    own_page: int | None
    own_below: bool
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
    settings = release_settings.rule(version)
    naming = Naming(competition, viewer)
    maker = _Maker(competition, settings, naming, now)
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
    few = below_total <= BELOW_SHOWN + BELOW_SPARED
    cut = here if below else slice(0, below_total if few else BELOW_SHOWN)
    unranked = list(naming.by_name(naming.listed(unscored))[cut])
    own = maker.own_entry([*ranked, *unranked])
    marks = list(public_marks(competition)) if baselines and not sealed else []
    maker.learn(ranked, unranked, own, marks)
    rows = [maker.row(entry) for entry in ranked]
    plain = query or below or naming.own_only
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
        items=maker.with_marks(rows, marks if naming.own_only and not query else [])
        if plain
        else maker.items(rows, marks, shown),
        below=[maker.row(entry) for entry in unranked],
        below_listed=below,
        pinned=maker.pinned(own),
        own_page=maker.own_page(own, per_page),
        own_below=own is not None and own.value is None,
        ticks=drawing.ticks(maker.scale),
        lead_x=maker.lead_x(),
        query=query,
        baselines=baselines,
    )


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


class _Maker:
    """Turns entries into rows with their bands, lines and marks."""

    def __init__(self, competition, settings, naming, now):
        self.competition = competition
        self.settings = settings
        self.naming = naming
        self.now = now
        self.ladder = ladder(competition, release.resolution_steps(settings))
        self.scale = None
        self.mine = None
        self.members: dict[int, int] = {}
        self.lines: dict[int, list] = {}

    @property
    def best(self) -> int | None:
        """The best value that the viewer may know of."""
        return self.mine if self.naming.own_only else self.ladder.best

    def own_entry(self, listed: list[Entry]) -> Entry | None:
        """The viewer's own entry, from the page's rows where it is among them."""
        own = self.naming.team_id
        if own is None:
            return None
        here = next((entry for entry in listed if entry.team_id == own), None)
        found = entries(self.competition).select_related("team")
        return here or found.filter(team_id=own, submissions__gt=0).first()

    def learn(self, ranked: list[Entry], below: list[Entry], own: Entry | None, marks) -> None:
        """Read what the rows of this page need beside their entries."""
        shown = [*ranked, *below, *([own] if own else [])]
        counted = Member.objects.filter(team_id__in={entry.team_id for entry in shown})
        self.members = dict(counted.values_list("team_id").annotate(number=Count("pk")))
        scored = [entry.team_id for entry in shown if entry.value is not None]
        self.lines = history.best_so_far(self.competition, scored)
        self.mine = own.value if own else None
        values = [entry.value for entry in ranked]
        # One row alone would make a scale of its own width: its neighbours are the baselines.
        if self.naming.own_only:
            values += [mark.value for mark in marks]
        self.scale = drawing.scale(values, self.ladder.resolution, self.settings)

    def row(self, entry: Entry, pinned: bool = False) -> Row:
        value = entry.value
        scored = value is not None
        first, last = self.ladder.band(value) if scored else (0, 0)
        mine = entry.team_id == self.naming.team_id
        tied = not mine and self.ladder.tied(value, self.mine)
        return Row(
            team_id=entry.team_id,
            uuid=entry.team.uuid,
            name=self.naming.team(entry.team),
            value=value,
            score=drawing.score_text(self.settings, value),
            first=first,
            last=last,
            place=self.ladder.place(value) if scored else 0,
            files=entry.submissions,
            last_at=entry.last_accepted_at,
            reached_at=entry.reached_at,
            members=self.members.get(entry.team_id, 1),
            mine=mine,
            tied=tied,
            pinned=pinned,
            why=wording.why_band(first, last, self._resolution(), tied) if scored else "",
            band=self.scale.band(value) if scored and self.scale else None,
            spark=self.spark(entry) if scored else None,
        )

    def spark(self, entry: Entry) -> drawing.Spark | None:
        low = release.steps(self.settings, self.settings.start)
        span = (self.competition.opens_at, frozen_at(self.competition, self.now))
        return drawing.spark(self.lines.get(entry.team_id, []), span, low, self.best)

    def pinned(self, own: Entry | None) -> Row | None:
        if own is None or own.value is None or self.naming.own_only:
            return None
        return self.row(own, pinned=True)

    def own_page(self, own: Entry | None, per_page: int) -> int | None:
        """The page that lists the viewer's own team: one query, and none where others are hidden.

        A team without a score stands in the list of those not yet above the start line.
        """
        if own is None or self.naming.own_only:
            return None
        if own.value is None:
            unscored = entries(self.competition).filter(value__isnull=True, submissions__gt=0)
            ordered = list(self.naming.by_name(unscored).values_list("team_id", flat=True))
            return ordered.index(own.team_id) // per_page + 1
        same = entries(self.competition).filter(value=own.value)
        earlier = same.filter(
            Q(reached_at__lt=own.reached_at) | Q(reached_at=own.reached_at, team_id__lt=own.team_id)
        ).count()
        return (self.ladder.better(own.value) + earlier) // per_page + 1

    def lead_x(self) -> float | None:
        """Where the values tied with the first begin, if that lies on the scale."""
        if self.scale is None or self.ladder.best is None or self.naming.own_only:
            return None
        edge = self.ladder.best - self.ladder.resolution
        return self.scale.x(edge) if self.scale.inside(edge) else None

    def mark(self, baseline: Baseline) -> Mark:
        return Mark(
            baseline.name,
            baseline.value,
            drawing.score_text(self.settings, baseline.value),
            baseline.start_line,
            self.scale.band(baseline.value) if self.scale else None,
        )

    def items(self, rows: list[Row], baselines: list[Baseline], shown: Pages) -> list:
        """Rows of the page with baselines at their values and the dividers between groups."""
        marks = sorted(baselines, key=lambda mark: (-mark.value, mark.name))
        if shown.number > 1 and rows:
            marks = [mark for mark in marks if mark.value < rows[0].value]
        found: list = []
        edge = self.ladder.tied_with_first
        for index, row in enumerate(rows, start=shown.first):
            while marks and marks[0].value > row.value:
                found.append(self.mark(marks.pop(0)))
            if index == 1 and edge > 1:
                up = self.settings.greater_is_better
                found.append(wording.tied_for_first(edge, self._resolution(), up))
            elif index == edge + 1:
                found.append(wording.behind(self._resolution()))
            found.append(row)
        if shown.number < shown.count:
            found.append(wording.elsewhere(shown))
        # On page one all lower baselines follow, so that each is seen without leafing.
        if shown.number in (1, shown.count):
            found += [self.mark(mark) for mark in marks]
        return found

    def with_marks(self, rows: list[Row], baselines: list[Baseline]) -> list:
        """Rows with baselines at their values, and nothing that tells of other teams."""
        found = [*rows, *map(self.mark, baselines)]
        return sorted(found, key=lambda item: (-item.value, item.kind != "team"))

    def _resolution(self) -> str:
        return drawing.amount_text(self.settings, self.ladder.resolution)
