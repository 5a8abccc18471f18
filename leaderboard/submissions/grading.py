"""Score a claimed file on the public rows; no lock is held and nothing is told here.

Of the answers only the ids and the public part are opened. What the file is to blame for becomes a
rejection with its reason; anything else that goes wrong is ours and leaves the lease to lapse.
"""

import functools
import json
from collections import OrderedDict
from dataclasses import dataclass
from uuid import UUID

import numpy as np
from django.conf import settings

from leaderboard.competitions import release_settings, store
from leaderboard.competitions.models import Competition, Solution
from leaderboard.submissions import carrying, checking
from leaderboard.submissions.models import (
    Evaluation,
    FileCheck,
    Outcome,
    Release,
    Stage,
    Status,
    Submission,
)
from leaderboard.submissions.queue import Stages
from leaderboard.submissions.releasing import Scored, reject, release
from leaderboard.teams.models import Member
from scoring import answers, checks, digest, evaluate, intervals, metrics, reading
from scoring import release as rules
from scoring.errors import Refused, Unscorable
from scoring.release.units import sign
from scoring.task import Task

# Earlier files of a team that a new one is compared with.
COMPARED = 5
# Solutions that a worker process keeps open; their arrays are mapped, not read.
OPEN_SOLUTIONS = 8
# Bytes of predictions that a worker process keeps for the comparisons with a team's earlier files,
# and bytes of files it reads again where it does not have them: a hint must not cost more than the
# score.
KEPT_BYTES = 64 * 2**20
AGAIN_BYTES = 4 * 2**20
# Where a metric without a bound has no value for a file, it counts as this many grid steps below
# the start line.
FAR_BELOW = 10**6


@dataclass(frozen=True, eq=False)
class Form:
    """What reading a file needs to know of a competition; there is no label in it."""

    task: Task
    ids: answers.Ids


@dataclass(frozen=True, eq=False)
class Contest(Form):
    """What scoring needs to know of a competition."""

    metric: metrics.Metric
    public: answers.Part


@dataclass(frozen=True, eq=False)
class Inspected:
    """A file as it was read, and what can be said of it without any label."""

    predictions: reading.Predictions
    digest: str
    checks: list[dict]


def grade(evaluation: Evaluation) -> bool:
    """Score a leased file and record the result; False where the lease was lost meanwhile."""
    stages = Stages(evaluation)
    try:
        scored = _score(evaluation, stages)
    except Refused as refused:
        return reject(evaluation, problem_of(refused), stages.timings)
    except Unscorable as undefined:
        problem = {"code": undefined.code, "sentence": undefined.sentence, "problems": []}
        return reject(evaluation, problem, stages.timings)
    return release(evaluation, scored) is not None


def check(held: FileCheck) -> None:
    """Read a claimed file as if it were submitted and store what was found; no label is opened."""
    stages = Stages()
    solution = held.competition.solutions.latest("version")
    member = Member.objects.filter(competition=held.competition, user=held.user).first()
    try:
        opened = form(held.competition, solution)
        found = inspect(held, member.team_id if member else None, solution, opened, stages)
    except Refused as refused:
        checking.finish(held, problem=problem_of(refused), timings=stages.timings)
        return
    checking.finish(
        held,
        rows=found.predictions.n,
        notices=list(found.predictions.notices),
        checks=found.checks,
        timings=stages.timings,
    )


def inspect(
    file: Submission | FileCheck,
    team_id: int | None,
    solution: Solution,
    opened: Form,
    stages: Stages,
) -> Inspected:
    """Read a file and look at it without labels; raises Refused."""
    with stages.stage(Stage.READING):
        predictions = read(file, opened)
    with stages.stage(Stage.CHECKING):
        whole = digest.digest(opened.task, predictions)
        found = checks.describe(opened.task, predictions, _earlier(team_id, solution, opened))
    told = [
        {"code": check.code, "sentence": check.sentence, "warning": check.warning}
        for check in found
    ]
    return Inspected(predictions, whole, told)


def read(file: Submission | FileCheck, opened: Form) -> reading.Predictions:
    """Read a stored file as predictions aligned with the ids; raises Refused."""
    competition = file.competition
    limits = reading.Limits(packed=competition.packed_limit, unpacked=competition.unpacked_limit)
    return reading.read(
        store.inside(settings.UPLOADS_DIR, file.path),
        opened.task,
        opened.ids,
        name=file.original_name,
        limits=limits,
    )


def contest(competition: Competition, solution: Solution) -> Contest:
    """Open a competition's task, metric, ids and public part, or return them as kept."""
    return _opened(solution.folder, json.dumps(competition.task), competition.metric)


def form(competition: Competition, solution: Solution) -> Form:
    """Open a competition's task and ids alone, or return them as kept."""
    return _form(solution.folder, json.dumps(competition.task))


def problem_of(refused: Refused) -> dict:
    """A refusal of the reader as it is stored and shown."""
    return {
        "code": refused.code,
        "sentence": refused.sentence,
        "problems": [
            {
                "code": problem.code,
                "message": problem.message,
                "line": problem.line,
                "lines": list(problem.lines),
                "count": problem.count,
                "excerpt": [list(line) for line in problem.excerpt],
            }
            for problem in refused.problems
        ],
    }


def _score(evaluation: Evaluation, stages: Stages) -> Scored:
    submission = evaluation.submission
    with stages.stage(Stage.READING):
        opened = contest(submission.competition, evaluation.solution)
    found = inspect(submission, evaluation.team_id, evaluation.solution, opened, stages)
    predictions = found.predictions
    with stages.stage(Stage.SCORING):
        key = digest.digest(opened.task, predictions, opened.public.slots)
        in_force = release_settings.rule(evaluation.release_settings)
        exact = _exact(opened, predictions, in_force)
        difference, against = _difference(evaluation, opened, predictions, in_force, key)
    _keep(submission, opened, predictions)
    return Scored(
        digest=key,
        predictions=found.digest,
        exact=exact,
        rows=predictions.n,
        notices=list(predictions.notices),
        checks=found.checks,
        timings=stages.timings,
        difference=difference,
        against=against,
    )


def _exact(opened: Contest, predictions, in_force) -> float:
    """Return the exact public score.

    Some metrics have no value for some files, a correlation for a constant one. A file that is at
    fault over all its rows is refused with the reason. One that only the public rows show to be so
    must not be: the refusal would tell which rows are public. It counts as the worst there is.
    """
    try:
        return evaluate.evaluate(opened.task, opened.metric, opened.public, predictions)
    except Unscorable:
        values = np.asarray(predictions.values)
        if (values == values[:1]).all():
            raise
        return worst(in_force)


def worst(in_force: rules.ReleaseSettings) -> float:
    """Return the worst score a file can have, in displayed units."""
    bound = in_force.low if in_force.greater_is_better else in_force.high
    if bound is not None:
        return bound
    return float(in_force.start - sign(in_force) * FAR_BELOW * in_force.grid)


def _earlier(
    team_id: int | None, solution: Solution, opened: Form
) -> list[tuple[str, reading.Predictions]]:
    """Return the team's latest scored files with their predictions, the oldest first."""
    before = (
        Submission.objects.filter(
            team=team_id, evaluations__status=Status.SCORED, evaluations__solution=solution
        )
        .select_related("competition")
        .order_by("-number")[:COMPARED]
    )
    found, spent = [], 0
    for submission in before:
        predictions = _kept.get((submission.uuid, opened.ids))
        if predictions is None:
            spent += submission.size
            if spent > AGAIN_BYTES:
                break
            predictions = read(submission, opened)
            _keep(submission, opened, predictions)
        found.append((str(submission.number), predictions))
    return found[::-1]


def _difference(evaluation: Evaluation, opened: Contest, predictions, in_force, key: str):
    """Compare the file with the one behind the team's reference, for the rules that do so.

    Returns ((advantage, spread), reference). Nothing else of the team is scored meanwhile, so the
    reference still stands when the release looks at it.
    """
    if not rules.get(in_force.rule).paired:
        return None, None
    _, reference = carrying.standing(evaluation.team)
    if reference is None:
        baseline = evaluation.submission.competition.baselines.get(start_line=True)
        limits = reading.Limits(packed=2**40, unpacked=2**40)
        path = store.inside(settings.ANSWERS_DIR, baseline.path)
        other = reading.read(path, opened.task, opened.ids, limits=limits)
    else:
        set_by = (
            Release.objects.filter(
                evaluation__team__in=carrying.origins(evaluation.team),
                outcome=Outcome.RELEASED,
                value=reference,
                repeated=False,
            )
            .order_by("evaluation__submission_id")
            .select_related("evaluation__submission__competition")
            .first()
        )
        submission = set_by.evaluation.submission
        other = _kept.get((submission.uuid, opened.ids)) or read(submission, opened)
    # Where the metric has no closed formula the spread is drawn: by the file, so that a second
    # reading of it comes to the same decision.
    rng = np.random.default_rng(int(key, 16))
    compared = intervals.paired_difference(
        opened.task, opened.metric, opened.public, other, predictions, rng
    )
    return compared, reference


@functools.lru_cache(maxsize=OPEN_SOLUTIONS)
def _opened(folder: str, task: str, metric: str) -> Contest:
    """Open a solution once in a process; its files are never written a second time."""
    known = _form(folder, task)
    public = answers.load_part(settings.ANSWERS_DIR / folder / "public", known.ids)
    return Contest(known.task, known.ids, metrics.get(metric), public)


@functools.lru_cache(maxsize=OPEN_SOLUTIONS)
def _form(folder: str, task: str) -> Form:
    ids = answers.load_ids(settings.ANSWERS_DIR / folder / "ids")
    return Form(Task.from_dict(json.loads(task)), ids)


# By submission and by what it was read for: a new version of the solution may have other rows.
_kept: OrderedDict[tuple[UUID, answers.Ids], reading.Predictions] = OrderedDict()


def _keep(submission: Submission, opened: Form, predictions: reading.Predictions) -> None:
    key = (submission.uuid, opened.ids)
    _kept[key] = predictions
    _kept.move_to_end(key)
    while sum(np.asarray(kept.values).nbytes for kept in _kept.values()) > KEPT_BYTES:
        _kept.popitem(last=False)
