"""The board as rows of data: for CSV and JSON alike, nothing that the page does not show."""

import csv
import io
import json
from collections.abc import Iterable, Iterator
from decimal import Decimal

from leaderboard.competitions import release_settings
from leaderboard.competitions.models import Baseline, Competition
from leaderboard.competitions.viewers import Visit
from leaderboard.standings import final, late
from leaderboard.standings.field import entries, frozen_at, ladder, public_marks
from leaderboard.standings.names import NOBODY, Naming
from leaderboard.standings.table import BEST_FIRST
from leaderboard.submissions.models import FinalStanding
from scoring import release

# A cell that begins with one of these is a formula to a spreadsheet, full-width forms included.
FORMULA = tuple("=+-@\t\r\n＝＋－＠")
PUBLIC = (
    "rank_first", "rank_last", "place", "kind", "name", "score", "files", "reached_at",
    "last_file_at", "team",
)  # fmt: skip
FINAL = (
    "place", "kind", "name", "private_score", "standard_error", "not_separable_first",
    "not_separable_last", "public_score", "public_place", "files", "note", "team",
)  # fmt: skip
LATE = ("kind", "name", "private_score", "files", "last_file_at", "final_place", "team")


def safe(text: str) -> str:
    """A text that a spreadsheet shows as it is instead of computing it."""
    return "'" + text if text.startswith(FORMULA) else text


def csv_text(columns: Iterable[str], rows: Iterable[dict]) -> str:
    """Rows as CSV with a header; what a row has not is an empty cell."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow(
            [safe(cell) if isinstance(cell, str) else cell for cell in map(row.get, columns)]
        )
    return out.getvalue()


def json_text(told: dict) -> str:
    """A whole answer as JSON; a released score is a number with the grid's decimals at most."""
    return json.dumps(told, default=_plain, ensure_ascii=False, allow_nan=False)


def kind_of(visit: Visit, asked: str) -> str:
    """Which of the boards an address means: public, final or late."""
    if not visit.sees_final or asked == "public":
        return "public"
    return "late" if asked == "late" and late.shown(visit.competition) else "final"


def file_for(visit: Visit, asked: str = "") -> tuple[str, str]:
    """Return name and content of the CSV that this visitor gets."""
    kind = kind_of(visit, asked)
    columns, rows = table_of(visit, kind)
    return file_name(visit, kind, "csv"), csv_text(columns, rows)


def file_name(visit: Visit, kind: str, ending: str) -> str:
    """How the file is called: after the competition and the board."""
    word = "leaderboard" if kind == "public" else kind
    return f"{visit.competition.slug}-{word}.{ending}"


def table_of(visit: Visit, kind: str) -> tuple[tuple[str, ...], Iterator[dict]]:
    """Return the columns and the rows of one of the boards, as this visitor may see it."""
    competition, naming = visit.competition, Naming(visit.competition, visit.viewer)
    if kind == "final":
        return FINAL, revealed(competition, naming)
    if kind == "late":
        return LATE, late_rows(competition, naming)
    return PUBLIC, public(competition, visit.now, naming)


def public(competition: Competition, now, naming: Naming | None = None) -> Iterator[dict]:
    """Rows of the public board: ranked teams, baselines, teams not yet above the start line."""
    naming = naming or Naming(competition, NOBODY)
    version = release_settings.in_force(competition, frozen_at(competition, now))
    settings = release_settings.rule(version)
    steps = ladder(competition, release.resolution_steps(settings))
    found = naming.listed(entries(competition))
    # Plain rows: ten thousand model instances would take four times as long.
    plain = ("team_id", "team__uuid", "team__name", "value", "submissions", "reached_at")
    scored = found.filter(value__isnull=False).order_by(*BEST_FIRST)
    for row in scored.values_list(*plain, "last_accepted_at").iterator():
        value, first_last = row[3], steps.band(row[3])
        yield {
            "rank_first": first_last[0],
            "rank_last": first_last[1],
            "place": steps.place(value),
            "kind": "team",
            "name": naming.called(*row[:3]),
            "score": release.shown(settings, value),
            "files": row[4],
            "reached_at": _instant(row[5]),
            "last_file_at": _instant(row[6]),
            "team": str(row[1]),
        }
    for mark in public_marks(competition).order_by("-value", "name"):
        shown = release.shown(settings, mark.value)
        yield {"kind": "baseline", "name": mark.name, "score": shown}
    kind = "received" if settings.rule == "sealed" else "not yet above the start line"
    unscored = naming.by_name(found.filter(value__isnull=True, submissions__gt=0))
    for row in unscored.values_list(*plain, "last_accepted_at").iterator():
        yield {
            "kind": kind,
            "name": naming.called(*row[:3]),
            "files": row[4],
            "last_file_at": _instant(row[6]),
            "team": str(row[1]),
        }


def revealed(competition: Competition, naming: Naming) -> Iterator[dict]:
    """Rows of the final ranking; the caller has asked whether it is revealed."""
    settings = release_settings.rule(release_settings.in_force(competition, competition.closes_at))
    run = final.newest_run(competition)
    ranked = FinalStanding.objects.filter(run=run, team__disqualified_at__isnull=True)
    ordered = naming.listed(ranked).select_related("team").order_by(*final.ORDER)
    for row in ordered.iterator():
        public_value = row.public_value
        yield {
            "place": row.place,
            "kind": "team",
            "name": naming.team(row.team),
            "private_score": row.score,
            "standard_error": row.standard_error,
            "not_separable_first": row.tied_first,
            "not_separable_last": row.tied_last,
            "public_score": None if public_value is None else release.shown(settings, public_value),
            "public_place": row.public_place,
            "files": row.files,
            "note": None if row.place else "no file could be scored on the private rows",
            "team": str(row.team.uuid),
        }
    for mark in Baseline.objects.filter(competition=competition).order_by("-value", "name"):
        yield {
            "kind": "baseline",
            "name": mark.name,
            "private_score": mark.private_score,
            "public_score": release.shown(settings, mark.value),
        }
    for team in final.disqualified(competition, naming):
        yield {"kind": "disqualified", "name": team.name, "note": team.reason}


def late_rows(competition: Competition, naming: Naming) -> Iterator[dict]:
    """Rows of the files sent after the reveal: the best of each team, and no places."""
    for row in late.best(competition, naming):
        yield {
            "kind": "late",
            "name": row.name,
            "private_score": row.value,
            "files": row.files,
            "last_file_at": _instant(row.last_at),
            "final_place": row.final_place,
            "team": str(row.uuid),
        }


def _plain(value):
    """A decimal of the display grid as a number of JSON."""
    if isinstance(value, Decimal):
        return float(value)
    raise TypeError(type(value))


def _instant(at) -> str | None:
    return at.strftime("%Y-%m-%dT%H:%M:%SZ") if at else None
