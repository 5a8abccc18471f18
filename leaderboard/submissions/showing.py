"""What a page shows of a file and of a team's day; the views add who asks."""

from dataclasses import dataclass
from datetime import datetime

from leaderboard.competitions import release_settings
from leaderboard.competitions.models import Baseline, Competition, State
from leaderboard.competitions.viewers import Visit
from leaderboard.submissions import carrying, closing, cures, outcomes, progress
from leaderboard.submissions.models import Entry, Evaluation, FinalChoice, Outcome, Status
from leaderboard.submissions.quotas import quota
from leaderboard.teams.models import Team
from scoring import release
from scoring.task import Task

# Checks that compare with earlier files; the others speak of the file alone.
AGAINST = frozenset({"identical", "likeness", "out_of_order", "inverted"})
LINES_LISTED = 10


@dataclass(frozen=True)
class Problem:
    """One kind of fault of a rejected file, with its lines and its cure."""

    title: str
    message: str
    count: int
    excerpt: list[tuple[int, str, bool]]
    cure: str
    code: str


@dataclass(frozen=True)
class NewScores:
    """How many new scores a team has used; `cap` None: there is no limit."""

    counted: bool
    used: int
    cap: int | None
    against: str

    @property
    def left(self) -> int | None:
        return None if self.cap is None else max(self.cap - self.used, 0)


def today(team: Team, competition: Competition, now: datetime) -> dict:
    """Return what the side column says of a team: quota, new scores, final choices."""
    counted = quota(team, competition, now)
    return {
        "quota": counted,
        "slots": [index < counted.used for index in range(min(counted.limit, 20))],
        "new_scores": new_scores(team, competition, now),
        "chosen": FinalChoice.objects.filter(team=team).count(),
    }


def new_scores(team: Team, competition: Competition, now: datetime) -> NewScores:
    """Return the use of a team's new scores under the settings in force."""
    in_force = release_settings.rule(release_settings.in_force(competition, now))
    used, reference = carrying.standing(team)
    against = (
        f"your best, {release.text(in_force, reference)}"
        if reference is not None
        else f"the start line, {start_text(in_force)}"
    )
    counted = in_force.rule != "sealed" and in_force.cap is not None
    return NewScores(counted, used, in_force.cap, against)


def start_text(in_force) -> str:
    return release.text(in_force, release.steps(in_force, in_force.start))


def file(evaluation: Evaluation, visit: Visit) -> dict:
    """Return everything the page of a file shows; `seen` names it for the next poll."""
    submission, competition = evaluation.submission, visit.competition
    told = outcomes.describe(evaluation)
    own = visit.viewer.team_id == submission.team_id
    waits = progress.queue(evaluation, visit.now)
    withdrawn = getattr(submission, "withdrawal", None)
    in_force = release_settings.rule(evaluation.release_settings)
    shown = {
        "submission": submission,
        "evaluation": evaluation,
        "told": told,
        "own": own,
        "track": progress.track(evaluation),
        "queue": waits,
        "every": progress.every(evaluation, visit.now),
        "seen": progress.seen(evaluation, waits, visit.now),
        "announcement": announcement(evaluation, told, waits),
        "withdrawn": withdrawn,
        "chosen": hasattr(submission, "final_choice"),
        "checks": [check for check in evaluation.checks if check["code"] not in AGAINST],
        "against": [check for check in evaluation.checks if check["code"] in AGAINST],
        "problems": problems(evaluation, Task.from_dict(competition.task)),
        "may_act": own and visit.state == State.LIVE and not withdrawn,
        "in_force": in_force,
        **today(submission.team, competition, visit.now),
    }
    if told.final and evaluation.status == Status.SCORED and told.outcome != Outcome.RECEIVED:
        shown["compare"] = compare(evaluation, in_force)
    if evaluation.status == Status.SCORED:
        finals = closing.effective_finals(submission.team)
        shown["final"] = any(one.pk == submission.pk for one in finals)
    return shown


def announcement(evaluation: Evaluation, told: outcomes.Told, waits: progress.Queue) -> str:
    """The sentence that is read out when it changes."""
    if told.final:
        return told.headline
    if waits.slow:
        return f"Taking longer than usual, position {waits.position} in the queue."
    return told.headline


def compare(evaluation: Evaluation, in_force) -> list[tuple[str, str]]:
    """Numbers everybody may see, beside this file's: own best, best baseline, start line."""
    found = []
    entry = Entry.objects.filter(team=evaluation.team_id).first()
    if entry and entry.value is not None:
        found.append(("Your best", release.text(in_force, entry.value)))
    best = (
        Entry.objects.filter(
            competition=evaluation.submission.competition_id,
            value__isnull=False,
            team__disqualified_at__isnull=True,
        )
        .order_by("-value")
        .first()
    )
    if best:
        found.append(("Leader", release.text(in_force, best.value)))
    marks = Baseline.objects.defer("private_score").filter(
        competition=evaluation.submission.competition_id
    )
    mark = marks.order_by("-value").first()
    if mark:
        found.append(("Best baseline", release.text(in_force, mark.value)))
    found.append(("Start line", start_text(in_force)))
    return found


def problems(evaluation: Evaluation, task: Task) -> list[Problem]:
    """Return every kind of fault of a rejected file, each with its cure."""
    stored = evaluation.problem or {}
    if evaluation.status != Status.REJECTED:
        return []
    rows = stored.get("problems") or [{"code": stored["code"], "message": stored["sentence"]}]
    found = []
    for row in rows:
        sentence, code = cures.cure(row["code"], task)
        hits = set(row.get("lines") or [row.get("line")])
        excerpt = [(line, text, line in hits) for line, text in row.get("excerpt") or []]
        found.append(
            Problem(
                title=cures.title(row["code"]),
                message=row["message"],
                count=row.get("count") or 1,
                excerpt=excerpt,
                cure=sentence,
                code=code,
            )
        )
    return found
