"""A team's files as a list: search, filters, order, pages, at a fixed number of queries."""

from dataclasses import dataclass, replace

from django.db.models import Case, Count, F, OuterRef, Q, QuerySet, Subquery, When
from django.db.models.functions import Lower

from leaderboard.competitions import access
from leaderboard.competitions.models import Competition, State
from leaderboard.submissions import closing, cures, looks, outcomes, own_scores, progress
from leaderboard.submissions.asking import SORTS, Asked
from leaderboard.submissions.models import (
    Evaluation,
    FinalStanding,
    Look,
    Outcome,
    Status,
    Submission,
)
from leaderboard.submissions.queue import UNFINISHED
from leaderboard.teams.models import Team
from scoring import metrics

PER_PAGE = 20
CANDIDATES_PER_PAGE = 50
RELEASED = Q(release__outcome=Outcome.RELEASED)
SHOWS = {
    "": ("All", Q()),
    "scored": ("Scored", Q(status=Status.SCORED)),
    "new": ("New score", RELEASED),
    "none": ("No new score", Q(status=Status.SCORED) & ~RELEASED),
    "waiting": ("Waiting or being scored", Q(status__in=UNFINISHED)),
    "failed": ("Failed checks", Q(status=Status.REJECTED)),
    "stuck": ("Failed on our side", Q(status=Status.NEEDS_ATTENTION)),
    "final": ("Final", None),
    "withdrawn": ("Withdrawn", Q(submission__withdrawal__isnull=False)),
}
# Late files are scored for their team alone: nothing of a board or a final applies to them.
LATE_SHOWS = ("", "scored", "waiting", "failed", "stuck")
# Checks that say how a file compares with earlier ones.
AGAINST = frozenset({"identical", "likeness", "out_of_order", "inverted"})
LATEST = ("-submission__accepted_at", "-submission__number")


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
        done = self.evaluation.status == Status.SCORED
        return done and not self.withdrawn and not self.evaluation.late

    @property
    def unfinished(self) -> bool:
        """Whether the row will change by itself."""
        return self.evaluation.status in UNFINISHED or bool(self.look and self.look.value is None)

    @property
    def own_score(self) -> str:
        return own_scores.text(self.submission.own_score)

    @property
    def look(self) -> Look | None:
        return getattr(self.evaluation, "look", None)

    @property
    def look_possible(self) -> bool:
        """Whether a look at this file would show a number."""
        return looks.may_be_looked_at(self.evaluation)

    @property
    def look_text(self) -> str:
        """The look as it is printed; empty without one, or until it is drawn."""
        return looks.text(self.look) if self.look else ""

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

    @property
    def likeness(self) -> str:
        """How the file compares with the earlier ones, where that is no warning."""
        found = [
            check["sentence"]
            for check in self.evaluation.checks
            if check["code"] in AGAINST and not check.get("warning")
        ]
        return " ".join(found)

    @property
    def timings(self) -> list[tuple[str, str]]:
        """How long the file waited and what each stage took."""
        return progress.timings(self.evaluation)

    @property
    def key(self) -> str:
        """Names what the row shows, so that a poll can tell which rows have changed."""
        flags = f"{self.chosen:d}{self.final:d}{self.withdrawn:d}{bool(self.look_text):d}"
        return f"{self.evaluation.status}-{self.evaluation.stage}-{flags}"


@dataclass(frozen=True)
class Listing:
    """A page of a team's files and what is chosen of them."""

    items: list[Item]
    asked: Asked
    shows: list[tuple[str, str]]
    total: int
    all_total: int
    late_total: int
    per_page: int
    finals: list[Submission]

    @property
    def page(self) -> int:
        return self.asked.page

    @property
    def pages(self) -> int:
        return max(-(-self.total // self.per_page), 1)

    @property
    def first(self) -> int:
        return min((self.page - 1) * self.per_page + 1, self.total)

    @property
    def last(self) -> int:
        return min(self.page * self.per_page, self.total)

    @property
    def links(self) -> list[tuple[int | None, str]]:
        """Numbers and addresses for the pager; None for a gap."""
        near = {1, 2, self.page - 1, self.page, self.page + 1, self.pages}
        found: list[tuple[int | None, str]] = []
        for number in sorted(number for number in near if 1 <= number <= self.pages):
            if found and number - (found[-1][0] or 0) > 1:
                found.append((None, ""))
            found.append((number, self.asked.at_page(number)))
        return found

    @property
    def sorts(self) -> list[tuple[str, str]]:
        return [(key, name) for key, name in SORTS.items() if not self.asked.late or key != "score"]

    @property
    def chosen(self) -> int:
        return sum(hasattr(file, "final_choice") for file in self.finals)

    @property
    def defaults(self) -> list[Submission]:
        """Files that are final because nothing was chosen in their place."""
        return [file for file in self.finals if not hasattr(file, "final_choice")]

    @property
    def units(self) -> list[int]:
        return [item.told.units for item in self.items if item.told.units is not None]

    @property
    def unfinished(self) -> list[Item]:
        return [item for item in self.items if item.unfinished]

    @property
    def seen(self) -> str:
        """Names what the rows show: number and key of each, for the next poll."""
        return ",".join(f"{item.submission.number}.{item.key}" for item in self.items)


def evaluations(team: Team) -> QuerySet[Evaluation]:
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
            "look",
            "late_score",
        )
        .order_by("-submission__number")
    )


def listing(team: Team, asked: Asked | None = None, per_page: int = PER_PAGE) -> Listing:
    """Return one page of a team's files, the latest first unless something else is asked for."""
    asked = asked or Asked()
    finals = closing.effective_finals(team)
    kinds = _kinds({file.pk for file in finals}, asked.late)
    asked = replace(asked, show=asked.show if asked.show in kinds else "")
    every = evaluations(team)
    found = every.filter(search(asked.query), late=asked.late)
    late, counts = _counts(found, every, kinds)
    total = counts[asked.show]
    asked = replace(asked, page=min(asked.page, max(-(-total // per_page), 1)))
    wanted = found.filter(kinds[asked.show]).order_by(*_order(asked.sort, team.competition))
    rows = wanted[(asked.page - 1) * per_page : asked.page * per_page]
    final_ids = {file.pk for file in finals}
    return Listing(
        items=[item(row, final_ids) for row in rows],
        asked=asked,
        shows=[
            (key, f"{SHOWS[key][0]}, {counts[key]:,}" if key else f"All {counts['']:,}")
            for key in kinds
            if counts[key] or key in ("", asked.show)
        ],
        total=total,
        all_total=counts["everything"] - late,
        late_total=late,
        per_page=per_page,
        finals=finals,
    )


def rows(team: Team, numbers: list[int], late: bool) -> Listing:
    """Return these files of a team, as a page that shows them asks again how they stand."""
    finals = closing.effective_finals(team)
    final_ids = {file.pk for file in finals}
    found = evaluations(team).filter(submission__number__in=numbers)
    items = [item(row, final_ids) for row in found.order_by(*LATEST)]
    return Listing(items, Asked(late=late), [], len(items), 0, 0, PER_PAGE, finals)


def candidates(team: Team, asked: Asked) -> Listing:
    """Return a page of the files that can be final; those chosen already are not among them."""
    finals = closing.effective_finals(team)
    final_ids = {file.pk for file in finals}
    files = closing.choosable(team).filter(final_choice__isnull=True)
    found = evaluations(team).filter(search(asked.query), submission__in=files)
    total = found.count()
    asked = replace(asked, page=min(asked.page, max(-(-total // CANDIDATES_PER_PAGE), 1)))
    begin = (asked.page - 1) * CANDIDATES_PER_PAGE
    ordered = found.order_by(*_order(asked.sort, team.competition))
    items = [item(row, final_ids) for row in ordered[begin : begin + CANDIDATES_PER_PAGE]]
    return Listing(items, asked, [], total, total, 0, CANDIDATES_PER_PAGE, finals)


def chosen(team: Team) -> list[Item]:
    """Return the files that a team has chosen as final."""
    found = evaluations(team).filter(submission__final_choice__isnull=False)
    return [item(row, {row.submission_id}) for row in found.order_by(*LATEST)]


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


def published(team: Team, state: State) -> FinalStanding | None:
    """Return the place of a team that the final ranking publishes, with a file's private score."""
    if not access.sees_final(state):
        return None
    standings = FinalStanding.objects.filter(team=team, team__disqualified_at=None)
    return standings.filter(score__isnull=False).order_by("-run__version").first()


def search(query: str) -> Q:
    """Find every word in the name or the note of a file, or as its number."""
    wanted = Q()
    for word in query.split():
        found = Q(submission__original_name__icontains=word) | Q(submission__note__icontains=word)
        number = word.removeprefix("#")
        if number.isascii() and number.isdigit() and len(number) < 10:
            found |= Q(submission__number=int(number))
        wanted &= found
    return wanted


def _kinds(final_ids: set[int], late: bool) -> dict[str, Q]:
    """The filters that there are, each with its condition."""
    conditions = {key: condition for key, (_, condition) in SHOWS.items()}
    conditions["final"] = Q(submission__in=final_ids)
    return {key: conditions[key] for key in (LATE_SHOWS if late else SHOWS)}


def _counts(found, every, kinds: dict[str, Q]) -> tuple[int, dict[str, int]]:
    """How many files are late, and how many of those found are of each kind."""
    names = {f"kind_{place}": key for place, key in enumerate(kinds)}
    counted = found.order_by().aggregate(
        **{name: Count("pk", filter=kinds[key]) for name, key in names.items()}
    )
    whole = every.order_by().aggregate(
        everything=Count("pk"), late_files=Count("pk", filter=Q(late=True))
    )
    counts = {key: counted[name] for name, key in names.items()}
    return whole["late_files"], counts | {"everything": whole["everything"]}


def _order(sort: str, competition: Competition) -> tuple:
    if sort == "oldest":
        return "submission__accepted_at", "submission__number"
    if sort == "name":
        return Lower("submission__original_name"), *LATEST
    if sort == "score":
        shown = Case(When(RELEASED, then="release__value"))
        return shown.desc(nulls_last=True), *LATEST
    if sort == "own":
        own = F("submission__own_score")
        larger = metrics.get(competition.metric).greater_is_better
        return own.desc(nulls_last=True) if larger else own.asc(nulls_last=True), *LATEST
    return LATEST


def _in_sentence(text: str, before: str) -> str:
    return text[0].lower() + text[1:] if before else text
