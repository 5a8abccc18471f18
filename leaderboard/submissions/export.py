"""A team's own files as CSV: what the list shows of every one of them, and no more."""

from collections.abc import Iterator

from leaderboard.competitions import release_settings
from leaderboard.competitions.cells import safe
from leaderboard.competitions.models import State
from leaderboard.submissions import closing, listing
from leaderboard.submissions.listing import Item
from leaderboard.submissions.progress import STAGES
from leaderboard.teams.models import Team
from scoring import release

HEADER = (
    "number", "file", "note", "sent_by", "sent_at", "size", "sha256", "status", "outcome", "score",
    "look", "own_score", "final", "withdrawn", "late", "late_score", "private_score", "remarks",
    "finished_at", *(f"{stage}_ms" for stage in STAGES),
)  # fmt: skip


def rows(team: Team, state: State) -> Iterator[tuple | list]:
    """Rows of a team's files, the first sent first; numbers are plain, texts are safe."""
    yield HEADER
    final_ids = {file.pk for file in closing.effective_finals(team)}
    standing = listing.published(team, state)
    private = {standing.submission_id: standing.score} if standing else {}
    found = listing.evaluations(team).order_by("submission__accepted_at", "submission__number")
    for evaluation in found.iterator(chunk_size=500):
        yield _row(listing.item(evaluation, final_ids), private)


def _row(item: Item, private: dict[int, float | None]) -> list:
    file, evaluation = item.submission, item.evaluation
    rule = release_settings.rule(evaluation.release_settings)
    late = getattr(evaluation, "late_score", None)
    units, look = item.told.units, item.look
    drawn = look is not None and look.value is not None
    return [
        file.number,
        safe(file.original_name),
        safe(file.note),
        safe(file.user.username) if file.user else "",
        _instant(file.accepted_at),
        file.size,
        file.sha256,
        evaluation.get_status_display(),
        item.told.word,
        "" if units is None else release.shown(rule, units),
        release.shown(rule, look.value) if drawn else "",
        _cell(file.own_score),
        _final(item),
        "yes" if item.withdrawn else "",
        "yes" if evaluation.late else "",
        _cell(late.score) if late else "",
        _cell(private.get(file.pk)),
        safe(" ".join([item.trouble, *item.warnings, item.likeness]).strip()),
        _instant(evaluation.finished_at),
        *(_cell(evaluation.timings.get(stage)) for stage in STAGES),
    ]


def _final(item: Item) -> str:
    if not item.final:
        return ""
    return "chosen" if item.chosen else "default"


def _cell(value):
    """A number, or an empty cell where there is none."""
    return "" if value is None else value


def _instant(at) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%SZ") if at else ""
