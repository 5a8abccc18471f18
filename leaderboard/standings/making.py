"""How entries become rows of a board: their bands, lines, marks and the lines between groups."""

from django.db.models import Count, Q

from leaderboard.competitions.models import Baseline
from leaderboard.standings import drawing, history, wording
from leaderboard.standings.field import entries, frozen_at, ladder
from leaderboard.standings.rows import Mark, Pages, Row
from leaderboard.submissions.models import Entry
from leaderboard.teams.models import Member
from scoring import release


class Maker:
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
