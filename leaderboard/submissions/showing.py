"""What a page shows of a file and of a team's day; the views add who asks."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from leaderboard.competitions import release_settings
from leaderboard.competitions.models import Baseline, Competition, State
from leaderboard.competitions.viewers import Visit
from leaderboard.submissions import (
    carrying,
    checking,
    closing,
    cures,
    looks,
    outcomes,
    progress,
)
from leaderboard.submissions.models import (
    Entry,
    Evaluation,
    FileCheck,
    FinalChoice,
    Outcome,
    Release,
    Status,
)
from leaderboard.submissions.quotas import quota
from leaderboard.teams.models import Team
from scoring import release
from scoring.task import Task

# Checks that compare with earlier files; the others speak of the file alone.
AGAINST = frozenset({"identical", "likeness", "out_of_order", "inverted"})
# A team's latest files whose bytes the page knows again before they are sent.
KNOWN_FILES = 200
COSTS = ", and it would use a submission"
DIGEST_SHOWN = 16


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


@dataclass(frozen=True)
class LookPanel:
    """A team's look at one file, or the offer of it; `sigma` is the size of its noise."""

    have: looks.Looks
    sigma: str
    text: str = ""
    waits: bool = False
    # The team's other file with the same predictions, and what the look at it said.
    same: int | None = None
    same_text: str = ""
    may_ask: bool = False


def today(team: Team, competition: Competition, now: datetime, user=None) -> dict:
    """Return what the side column says of a team: quota, new scores, final choices.

    `user` (or its key): a person has no more files than a team, in whatever team they were sent.
    """
    late = competition.state(now) == State.REVEALED
    counted = quota(team, competition, now, user, late=late)
    return {
        "quota": counted,
        "slots": [index < counted.used for index in range(min(counted.limit, 20))],
        "new_scores": new_scores(team, competition, now),
        "choices": FinalChoice.objects.filter(team=team).count(),
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
    glance = look(evaluation, visit)
    seen = progress.seen(evaluation, waits, visit.now)
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
        "look": glance,
        "polls": not told.final or bool(glance and glance.waits),
        "seen": f"{seen}-look" if glance and glance.waits else seen,
        "timings": progress.timings(evaluation),
        "announcement": announcement(evaluation, told, waits),
        "withdrawn": withdrawn,
        "chosen": hasattr(submission, "final_choice"),
        "checks": [check for check in evaluation.checks if check["code"] not in AGAINST],
        "against": [check for check in evaluation.checks if check["code"] in AGAINST],
        "problems": problems(evaluation.problem, Task.from_dict(competition.task)),
        "may_act": own and visit.state == State.LIVE and not withdrawn,
        "in_force": in_force,
        **today(submission.team, competition, visit.now, visit.viewer.user_id if own else None),
    }
    if evaluation.status == Status.SCORED and not evaluation.late:
        if told.outcome != Outcome.RECEIVED:
            shown["compare"] = compare(evaluation, in_force, visit)
        if told.repeated:
            shown["same_as"] = same_as(evaluation)
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


def compare(evaluation: Evaluation, in_force, visit: Visit) -> list[tuple[str, str]]:
    """Numbers the viewer may see, beside this file's: own best, best baseline, start line."""
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
    # Where each team sees its own row only, the best score is another team's row.
    hidden = visit.competition.board_names == Competition.BoardNames.OWN_ROW
    if best and (visit.may_manage or not hidden):
        found.append(("Leader", release.text(in_force, best.value)))
    marks = Baseline.objects.defer("private_score").filter(
        competition=evaluation.submission.competition_id
    )
    mark = marks.order_by("-value").first()
    if mark:
        found.append(("Best baseline", release.text(in_force, mark.value)))
    found.append(("Start line", start_text(in_force)))
    return found


def same_as(evaluation: Evaluation) -> Release | None:
    """Return the answer that a file with predictions sent before was given again."""
    return (
        Release.objects.filter(
            evaluation__team=evaluation.team_id,
            evaluation__predictions=evaluation.predictions,
            outcome=evaluation.release.outcome,
            repeated=False,
        )
        .select_related("evaluation__submission")
        .order_by("evaluation__submission_id")
        .first()
    )


def look(evaluation: Evaluation, visit: Visit) -> LookPanel | None:
    """Return the look at a file, or its offer; None where there is none, or the team's own."""
    if visit.viewer.team_id != evaluation.team_id or not looks.may_be_looked_at(evaluation):
        return None
    taken = getattr(evaluation, "look", None)
    have = looks.of(evaluation.team, visit.competition)
    if not have.allowed and taken is None:
        return None
    rule = release_settings.rule(evaluation.release_settings)
    sigma = f"{Decimal(f'{rule.standard_error:.2g}'):f}"
    if taken is not None:
        waits = taken.value is None
        return LookPanel(have, sigma, text=looks.text(taken), waits=waits)
    same = looks.of_same_predictions(evaluation)
    return LookPanel(
        have,
        sigma,
        same=same.evaluation.submission.number if same else None,
        same_text=looks.text(same) if same else "",
        may_ask=visit.state == State.LIVE and bool(have.left) and not visit.viewer.disqualified,
    )


def checked(found: FileCheck, now: datetime) -> dict:
    """Return everything the page of a checked file shows."""
    told = checking.describe(found)
    kept = told["kept_until"]
    return {
        "check": found,
        "told": told,
        "checks": [check for check in found.checks if check["code"] not in AGAINST],
        "against": [check for check in found.checks if check["code"] in AGAINST],
        "problems": problems(found.problem, Task.from_dict(found.competition.task)),
        "kept": kept if kept and kept > now else None,
    }


def sent_before(team: Team) -> dict[str, str]:
    """Return what became of a team's latest files, by the beginning of their SHA-256.

    The page names a file that is chosen again before it is sent: the same bytes bring the same
    answer and would use a submission.
    """
    rows = (
        Evaluation.objects.filter(team=team)
        .select_related("submission", "release", "release_settings", "late_score", "team__entry")
        .order_by("-submission__number", "solution__version")[:KNOWN_FILES]
    )
    found = {}
    for row in rows:
        told, number = outcomes.describe(row), row.submission.number
        answer = {
            Outcome.RELEASED: f" (new score {told.score}): the answer would be the same{COSTS}",
            Outcome.NO_CHANGE: f" (no new score): the answer would be the same{COSTS}",
        }.get(told.outcome, "")
        if row.status == Status.REJECTED:
            answer = ", which failed its checks"
        found[row.submission.sha256[:DIGEST_SHOWN]] = f"the same file as your file {number}{answer}"
    return found


def problems(stored: dict | None, task: Task) -> list[Problem]:
    """Return every kind of fault of a rejected file, each with its cure."""
    if not stored:
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
