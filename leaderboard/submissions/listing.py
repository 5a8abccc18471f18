"""A team's files as a list: filter, pages, final choices, at a fixed number of queries."""

from dataclasses import dataclass

from django.db.models import OuterRef, Q, Subquery

from leaderboard.submissions import closing, cures, outcomes
from leaderboard.submissions.models import Evaluation, Outcome, Status, Submission
from leaderboard.teams.models import Team

PER_PAGE = 20
RELEASED = Q(release__outcome=Outcome.RELEASED)
SHOWS = {
    "": ("All", Q()),
    "scored": ("Scored", Q(status=Status.SCORED)),
    "new": ("New score", RELEASED),
    "none": ("No new score", Q(status=Status.SCORED) & ~RELEASED),
    "failed": ("Failed checks", Q(status=Status.REJECTED)),
    "final": ("Final", Q()),
}


@dataclass(frozen=True)
class Item:
    """A file in the list."""

    submission: Submission
    evaluation: Evaluation
    told: outcomes.Told
    chosen: bool
    final: bool
    withdrawn: bool

    @property
    def choosable(self) -> bool:
        return self.evaluation.status == Status.SCORED and not self.withdrawn

    @property
    def trouble(self) -> str:
        """Why the file was rejected, in a line."""
        problem = self.evaluation.problem or {}
        problems = problem.get("problems") or []
        if not problems:
            return problem.get("sentence", "")
        first, more = problems[0], len(problems) - 1
        where = f"Line {first['line']}: " if first.get("line") else ""
        rest = f", and {more} more problem{'s' if more > 1 else ''}" if more else ""
        return f"{where}{_in_sentence(cures.title(first['code']), where)}{rest}. It did not count."

    @property
    def warnings(self) -> list[str]:
        return [check["sentence"] for check in self.evaluation.checks if check.get("warning")]


@dataclass(frozen=True)
class Listing:
    """A page of a team's files and what is chosen of them."""

    items: list[Item]
    show: str
    shows: list[tuple[str, str]]
    total: int
    all_total: int
    page: int
    pages: int
    chosen: int
    finals: list[Submission]

    @property
    def first(self) -> int:
        return min((self.page - 1) * PER_PAGE + 1, self.total)

    @property
    def last(self) -> int:
        return min(self.page * PER_PAGE, self.total)

    @property
    def numbers(self) -> list[int]:
        return list(range(1, self.pages + 1))

    @property
    def defaults(self) -> list[Submission]:
        """Files that are final because nothing was chosen in their place."""
        return [file for file in self.finals if not hasattr(file, "final_choice")]

    @property
    def units(self) -> list[int]:
        return [item.told.units for item in self.items if item.told.units is not None]


def evaluations(team: Team):
    """A team's files on the newest solution, with all that describing them needs."""
    newest = Evaluation.objects.filter(submission=OuterRef("pk")).order_by("-solution__version")
    current = Submission.objects.filter(team=team).values(newest=Subquery(newest.values("pk")[:1]))
    return (
        Evaluation.objects.filter(pk__in=current)
        .select_related(
            "submission__user",
            "submission__final_choice",
            "submission__withdrawal",
            "release",
            "release_settings",
            "team__entry",
        )
        .order_by("-submission__number")
    )


def listing(team: Team, show: str = "", page: int = 1) -> Listing:
    """Return one page of a team's files, the latest first."""
    show = show if show in SHOWS else ""
    finals = closing.effective_finals(team)
    final_ids = {submission.pk for submission in finals}
    every = evaluations(team)
    wanted = every.filter(SHOWS[show][1])
    if show == "final":
        wanted = every.filter(submission__in=final_ids)
    total = wanted.count()
    pages = max(-(-total // PER_PAGE), 1)
    page = min(max(page, 1), pages)
    rows = wanted[(page - 1) * PER_PAGE : page * PER_PAGE]
    return Listing(
        items=[item(row, final_ids) for row in rows],
        show=show,
        shows=[(key, name) for key, (name, _) in SHOWS.items()],
        total=total,
        all_total=total if not show else every.count(),
        page=page,
        pages=pages,
        chosen=sum(hasattr(submission, "final_choice") for submission in finals),
        finals=finals,
    )


def item(evaluation: Evaluation, final_ids: set[int]) -> Item:
    """Return a file as the list shows it."""
    submission = evaluation.submission
    return Item(
        submission=submission,
        evaluation=evaluation,
        told=outcomes.describe(evaluation),
        chosen=hasattr(submission, "final_choice"),
        final=submission.pk in final_ids,
        withdrawn=hasattr(submission, "withdrawal"),
    )


def _in_sentence(text: str, before: str) -> str:
    return text[0].lower() + text[1:] if before else text
