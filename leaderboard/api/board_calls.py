"""Calls about the leaderboard: what its page shows, nothing else."""

from typing import Annotated, Literal

from ninja import Query, Router

from leaderboard.api import schemas
from leaderboard.api.calls import Paging, Slug, call
from leaderboard.api.errors import Fault
from leaderboard.competitions.models import Baseline
from leaderboard.competitions.viewers import Visit
from leaderboard.standings import export, late, table
from leaderboard.standings.final import FinalBoard, FinalMark, FinalRow
from leaderboard.standings.rows import Mark, Row
from leaderboard.submissions.models import FinalStanding
from leaderboard.teams import viewers
from scoring import release

router = Router()
QUERY_LENGTH = 60


class Wanted(Paging):
    """Which board, and which rows of it."""

    set: Annotated[
        Literal["", "public", "final", "late"],
        Query(description="left out: what the page shows first, final after the reveal"),
    ] = ""
    q: Annotated[
        str, Query(max_length=QUERY_LENGTH, description="part of a team's name; public board only")
    ] = ""
    rows: Annotated[
        Literal["scored", "unscored"],
        Query(description="unscored: teams not yet above the start line; public board only"),
    ] = "scored"
    baselines: Annotated[bool, Query(description="whether the host's marks are listed")] = True


@call(
    router, "GET", "competitions/{slug:slug}/leaderboard", "api_leaderboard",
    answers=schemas.Board | schemas.FinalBoard | schemas.LateBoard,
    summary="Read the leaderboard", public=True, fails=(409,),
)  # fmt: skip
def leaderboard(request, slug: Slug, wanted: Query[Wanted]):
    """The public board, the final ranking after the reveal, or the late files.

    With a token your own row is marked. Where the host hides names, others have pseudonyms, or are
    not listed. Send the ETag back in If-None-Match: 304 means that nothing changed.
    """
    visit = viewers.visit(request, slug)
    kind = export.kind_of(visit, wanted.set)
    if wanted.set not in ("", kind):
        text = "There is no such board of this competition yet."
        raise Fault(409, "no_such_board", text, {"has": kind})
    if kind == "final":
        return _final(visit, wanted)
    return _late(visit, wanted) if kind == "late" else _public(visit, wanted)


def _public(visit: Visit, wanted: Wanted) -> schemas.Board:
    below = wanted.rows == "unscored"
    made = table.board(
        visit.competition,
        visit.viewer,
        query=wanted.q.strip(),
        page=wanted.page,
        per_page=wanted.page_size,
        baselines=wanted.baselines,
        below=below,
        now=visit.now,
    )
    listed = made.below if made.below_listed else made.items
    rows = [row for row in listed if row.kind != "divider"]
    return schemas.Board(
        set="public",
        state=visit.state,
        names=made.naming.mode,
        rule=made.settings.rule,
        resolution=float(release.resolution(made.settings)),
        ranked=made.ranked,
        unscored=made.below_total,
        tied_with_first=made.tied_with_first,
        items=[_row(made.settings, row) for row in _here(rows, made.pages, wanted)],
        you=_row(made.settings, made.own) if made.own else None,
        your_page=made.own_page,
        **wanted.told(made.pages.total),
    )


def _here(rows: list, pages, wanted: Wanted) -> list:
    """The rows, none where a page past the end is asked for."""
    return rows if pages.number == wanted.page else []


def _row(settings, row: Row | Mark) -> schemas.Row:
    """Tell a team or a baseline with the band of its score."""
    shown = None if row.value is None else release.shown(settings, row.value)
    half = release.resolution(settings) / 2
    scored = {
        "name": row.name,
        "score": None if shown is None else float(shown),
        "low": None if shown is None else float(shown - half),
        "high": None if shown is None else float(shown + half),
    }
    if isinstance(row, Mark):
        return schemas.Row(kind="baseline", start_line=row.start_line, **scored)
    return schemas.Row(
        kind="unscored" if shown is None else "team",
        team=row.uuid,
        place=row.place or None,
        rank_first=row.first or None,
        rank_last=row.last or None,
        files=row.files,
        members=row.members,
        reached_at=row.reached_at,
        last_file_at=row.last_at,
        yours=row.mine,
        tied_with_you=row.tied,
        **scored,
    )


def _final(visit: Visit, wanted: Wanted) -> schemas.FinalBoard:
    made = table.final_board(
        visit.competition,
        visit.viewer,
        page=wanted.page,
        per_page=wanted.page_size,
        baselines=wanted.baselines,
    )
    here = _here(made.items, made.pages, wanted)
    # Those without a place, and those out of the ranking, follow on the last page.
    last = wanted.page == made.pages.count
    teams = [row for row in here if isinstance(row, FinalRow)]
    extra = made.unplaced if last else []
    tell = _Finals(made, [*teams, *extra, *([made.mine] if made.mine else [])])
    items = [tell.mark(row) if isinstance(row, FinalMark) else tell.team(row) for row in here]
    items += [tell.team(row) for row in extra]
    if last:
        items += [
            schemas.FinalRow(kind="disqualified", name=row.name, reason=row.reason)
            for row in made.disqualified
        ]
    return schemas.FinalBoard(
        set="final",
        state=visit.state,
        names=made.naming.mode,
        version=made.run.version,
        revealed_at=visit.competition.revealed_at,
        not_separable_from_first=made.not_separable,
        items=items,
        you=tell.team(made.mine) if made.mine else None,
        **wanted.told(made.pages.total),
    )


class _Finals:
    """Tells rows of a final ranking as numbers; the page has them as printed texts."""

    def __init__(self, made: FinalBoard, rows: list[FinalRow]):
        self.settings = made.settings
        ids = {row.team_id for row in rows}
        found = FinalStanding.objects.filter(run=made.run, team_id__in=ids)
        self.standings = {row.team_id: row for row in found}
        self.baselines = {row.name: row for row in Baseline.objects.filter(
            competition=made.competition
        )}  # fmt: skip

    def public(self, value: int | None) -> float | None:
        return None if value is None else float(release.shown(self.settings, value))

    def team(self, row: FinalRow) -> schemas.FinalRow:
        stands = self.standings[row.team_id]
        return schemas.FinalRow(
            kind="team" if row.place else "unplaced",
            name=row.name,
            team=row.uuid,
            place=row.place,
            score=stands.score,
            standard_error=stands.standard_error,
            not_separable_first=stands.tied_first,
            not_separable_last=stands.tied_last,
            public_score=self.public(stands.public_value),
            public_place=row.public_place,
            files=row.files,
            yours=row.mine,
        )

    def mark(self, row: FinalMark) -> schemas.FinalRow:
        mark = self.baselines[row.name]
        return schemas.FinalRow(
            kind="baseline",
            name=row.name,
            score=mark.private_score,
            public_score=self.public(mark.value),
        )


def _late(visit: Visit, wanted: Wanted) -> schemas.LateBoard:
    made = late.late_board(
        visit.competition, visit.viewer, page=wanted.page, per_page=wanted.page_size
    )
    items = [
        schemas.LateRow(
            name=row.name,
            team=row.uuid,
            score=row.value,
            files=row.files,
            last_file_at=row.last_at,
            final_place=row.final_place,
            yours=row.mine,
        )
        for row in _here(made.rows, made.pages, wanted)
    ]
    return schemas.LateBoard(
        set="late",
        state=visit.state,
        names=made.naming.mode,
        items=items,
        **wanted.told(made.pages.total),
    )
