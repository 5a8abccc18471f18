"""The board as CSV: plain numbers, safe texts, nothing that the page does not show."""

from collections.abc import Iterator

from django.db.models.functions import Lower

from leaderboard.competitions import release_settings
from leaderboard.competitions.cells import safe, text_of
from leaderboard.competitions.models import Baseline, Competition
from leaderboard.standings import final
from leaderboard.standings.field import entries, frozen_at, ladder, public_marks
from leaderboard.submissions.models import FinalStanding
from leaderboard.teams.models import Team
from scoring import release

__all__ = ["public", "revealed", "safe", "text_of"]


def public(competition: Competition, now) -> Iterator[list]:
    """Rows of the public board: ranked teams, baselines, teams not yet above the start line."""
    version = release_settings.in_force(competition, frozen_at(competition, now))
    settings = release_settings.rule(version)
    steps = ladder(competition, release.resolution_steps(settings))
    yield [
        "rank_first", "rank_last", "place", "kind", "name", "score", "files", "reached_at",
        "last_file_at",
    ]  # fmt: skip
    # Plain rows: ten thousand model instances would take four times as long.
    found = entries(competition).values_list(
        "value", "team__name", "submissions", "reached_at", "last_accepted_at"
    )
    scored = found.filter(value__isnull=False).order_by("-value", "reached_at", "team_id")
    for value, name, files, reached_at, last_at in scored.iterator():
        yield [
            *steps.band(value),
            steps.place(value),
            "team",
            safe(name),
            release.shown(settings, value),
            files,
            _instant(reached_at),
            _instant(last_at),
        ]
    for mark in public_marks(competition).order_by("-value", "name"):
        shown = release.shown(settings, mark.value)
        yield ["", "", "", "baseline", safe(mark.name), shown, "", "", ""]
    kind = "received" if settings.rule == "sealed" else "not yet above the start line"
    unscored = found.filter(value__isnull=True, submissions__gt=0)
    for _, name, files, _, last_at in unscored.order_by(Lower("team__name"), "team_id").iterator():
        yield ["", "", "", kind, safe(name), "", files, "", _instant(last_at)]


def revealed(competition: Competition) -> Iterator[list]:
    """Rows of the final ranking; the caller has asked whether it is revealed."""
    settings = release_settings.rule(release_settings.in_force(competition, competition.closes_at))
    yield [
        "place", "kind", "name", "private_score", "standard_error", "not_separable_first",
        "not_separable_last", "public_score", "public_place", "files", "note",
    ]  # fmt: skip
    run = final.newest_run(competition)
    ranked = FinalStanding.objects.filter(run=run, team__disqualified_at__isnull=True)
    for row in ranked.select_related("team").order_by(*final.ORDER).iterator():
        yield [
            _cell(row.place),
            "team",
            safe(row.team.name),
            _cell(row.score),
            _cell(row.standard_error),
            _cell(row.tied_first),
            _cell(row.tied_last),
            "" if row.public_value is None else release.shown(settings, row.public_value),
            _cell(row.public_place),
            row.files,
            "" if row.place else "no file could be scored on the private rows",
        ]
    for mark in Baseline.objects.filter(competition=competition).order_by("-value", "name"):
        shown = release.shown(settings, mark.value)
        score = _cell(mark.private_score)
        yield ["", "baseline", safe(mark.name), score, "", "", "", shown, "", "", ""]
    out = Team.objects.filter(competition=competition, disqualified_at__isnull=False)
    for team in out.order_by("name"):
        reason = safe(team.disqualified_reason)
        yield ["", "disqualified", safe(team.name), "", "", "", "", "", "", "", reason]


def _cell(value):
    """A number, or an empty cell where there is none."""
    return "" if value is None else value


def _instant(at) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%SZ") if at else ""
