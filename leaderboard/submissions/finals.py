"""The private part, opened for the first time after the close: final scores, places, who is tied.

Every score is stored as it is made, so that a worker that dies half-way has lost one file at most
and the next one goes on. The ranking is written in one transaction at the end, once.
"""

import functools
import hashlib
import json
import logging
from dataclasses import dataclass
from datetime import timedelta
from time import monotonic

import numpy as np
from django.conf import settings
from django.db import transaction

from leaderboard.audit import ledger
from leaderboard.competitions import clock, keys, store
from leaderboard.competitions.models import Baseline, Competition, Solution, State
from leaderboard.submissions import closing, grading, releasing
from leaderboard.submissions.models import (
    Entry,
    Evaluation,
    FinalRun,
    FinalScore,
    FinalStanding,
    Stage,
    Submission,
)
from leaderboard.submissions.queue import Stages
from leaderboard.teams.models import Team
from scoring import answers, evaluate, intervals, ranks, reading
from scoring.errors import Refused, Unscorable

# Draws of the bootstrap behind a standard error, by rows: a constant cost per file.
DRAWS_ROWS, LEAST_DRAWS, MOST_DRAWS = 4_000_000, 50, 400
# Two final scores are told apart at this level, by a test on the same rows.
LEVEL = 0.05
TEST_DRAWS = 400
# Seconds and bytes that the tests of pairs may take, from the first place down.
TEST_SECONDS = 30
TEST_BYTES = 256 * 2**20
# A file of the organiser's has no limit of size.
NO_LIMITS = reading.Limits(packed=2**40, unpacked=2**40)

logger = logging.getLogger(__name__)


@dataclass
class Place:
    """A team on its way to the final ranking."""

    team: Team
    score: FinalScore | None
    place: int | None = None
    tied: tuple[int | None, int | None] = (None, None)


def finalise(competition_id: int, reason: str = "") -> FinalRun | None:
    """Make the final ranking of a closed competition whose files are all scored or waived.

    Returns the run, also where it was made before; None where it is too early or another worker
    is at it.
    """
    begun = _begin(competition_id, reason)
    if begun is None:
        return None
    run, competition = begun
    if competition.finals_ready_at:
        return run
    solution = competition.solutions.latest("version")
    try:
        private = Private(competition, solution)
    except FileNotFoundError:
        logger.warning("Competition %s waits for its private part", competition.slug)
        return None
    places = _score(run, competition, private)
    _rank(places, private)
    return _finish(run, places)


def publish_salts(competition_id: int) -> None:
    """Publish the salts of a revealed competition's commitments; a second time changes nothing."""
    competition = Competition.objects.get(pk=competition_id)
    if not competition.revealed_at:
        return
    for solution in competition.solutions.all():
        for tag, salt in keys.salts(solution).items():
            solution.commitments.filter(tag=tag, revealed_salt="").update(revealed_salt=salt)


def late_score(evaluation: Evaluation) -> bool:
    """Score a leased late file on the private rows; False where the lease was lost meanwhile.

    Only files sent after the reveal are late, so that nothing is told that was still hidden.
    """
    submission = evaluation.submission
    competition, solution = submission.competition, evaluation.solution
    if not evaluation.late or not competition.revealed_at:
        raise RuntimeError("only a file sent after the reveal is scored on the private rows")
    stages = Stages(evaluation)
    try:
        opened = grading.form(competition, solution)
        found = grading.inspect(submission, evaluation.team_id, solution, opened, stages)
    except Refused as refused:
        return releasing.reject(evaluation, grading.problem_of(refused), stages.timings)
    with stages.stage(Stage.SCORING):
        score = Private(competition, solution).score(found.predictions)
    read = releasing.Read(
        predictions=found.digest,
        rows=found.predictions.n,
        notices=list(found.predictions.notices),
        checks=found.checks,
        timings=stages.timings,
    )
    return releasing.record_late(evaluation, read, score) is not None


class Private:
    """The private part of a solution, and files scored on it."""

    def __init__(self, competition: Competition, solution: Solution):
        self.contest = grading.contest(competition, solution)
        folder = settings.ANSWERS_DIR / solution.folder / "private"
        self.part = answers.load_part(folder, self.contest.ids)

    def score(self, predictions) -> float | None:
        """Return the private score; None where the metric has no value for this file."""
        task, metric = self.contest.task, self.contest.metric
        try:
            return evaluate.evaluate(task, metric, self.part, predictions)
        except Unscorable:
            return None

    def standard_error(self, predictions, seed: str) -> float | None:
        """Return the sampling error of a private score."""
        draws = min(max(DRAWS_ROWS // max(self.part.n, 1), LEAST_DRAWS), MOST_DRAWS)
        try:
            return intervals.standard_error(
                self.contest.task,
                self.contest.metric,
                self.part,
                predictions,
                resamples=draws,
                rng=_generator(seed),
            )
        except Unscorable:
            return None

    def separated(self, better, worse, seed: str) -> bool:
        """Whether a test on the same rows tells two files apart."""
        try:
            chance = intervals.paired_test(
                self.contest.task,
                self.contest.metric,
                self.part,
                better,
                worse,
                rng=_generator(seed),
                resamples=TEST_DRAWS,
            )
        except Unscorable:
            return False
        return chance < LEVEL

    def read(self, submission: Submission):
        """Read a team's file again."""
        return grading.read(submission, self.contest)

    def read_baseline(self, baseline: Baseline):
        """Read a baseline's file."""
        path = store.inside(settings.ANSWERS_DIR, baseline.path)
        return reading.read(path, self.contest.task, self.contest.ids, limits=NO_LIMITS)

    def sort_key(self, score: float) -> float:
        """Better first; what differs by rounding errors alone is equal."""
        rounded = float(f"{score:.12g}")
        return -rounded if self.contest.metric.greater_is_better else rounded


def _begin(competition_id: int, reason: str) -> tuple[FinalRun, Competition] | None:
    """Find out under the lock whether it is time, and keep other workers out for a while."""
    with transaction.atomic():
        competition = Competition.objects.select_for_update(no_key=True).get(pk=competition_id)
        now = clock.now()
        if competition.finals_ready_at:
            return competition.final_runs.latest("version"), competition
        if competition.state(now) != State.CLOSING or closing.unsettled(competition).exists():
            return None
        run = competition.final_runs.order_by("-version").first()
        if run is None:
            closing.record_close(competition)
            run = FinalRun(competition=competition, version=1, reason=reason, made_at=now)
        elif run.busy_until > now:
            return None
        run.busy_until = now + timedelta(seconds=settings.VISIBILITY_TIMEOUT)
        run.save()
    return run, competition


def _score(run: FinalRun, competition: Competition, private: Private) -> list[Place]:
    """Score every final file and baseline that is not scored yet, and choose each team's best."""
    places = []
    teams = Team.objects.filter(competition=competition, disqualified_at=None, entry__isnull=False)
    for team in teams.select_related("competition").order_by("pk"):
        made = [_score_file(run, file, private) for file in closing.effective_finals(team)]
        scored = [score for score in made if score.score is not None]
        best = min(
            scored,
            key=lambda score: (private.sort_key(score.score), score.submission.number),
            default=None,
        )
        if best and best.standard_error is None:
            predictions = private.read(best.submission)
            best.standard_error = private.standard_error(predictions, best.submission.sha256)
            best.save(update_fields=("standard_error",))
        places.append(Place(team, best))
    for baseline in competition.baselines.all():
        if not run.scores.filter(baseline=baseline).exists():
            score = private.score(private.read_baseline(baseline))
            run.scores.get_or_create(baseline=baseline, defaults={"score": score})
    return places


def _score_file(run: FinalRun, submission: Submission, private: Private) -> FinalScore:
    known = run.scores.filter(submission=submission).select_related("submission").first()
    if known:
        return known
    score = private.score(private.read(submission))
    return run.scores.get_or_create(submission=submission, defaults={"score": score})[0]


def _rank(places: list[Place], private: Private) -> None:
    """Order the teams, give places (1-2-2-4) and find who cannot be told apart.

    Of equal scores the file that was sent earlier is listed first; it gives no better place.
    """

    def order(place: Place):
        if place.score is None:
            return (1, 0.0, place.team.created_at)
        return (0, private.sort_key(place.score.score), place.score.submission.accepted_at)

    places.sort(key=order)
    ranked = [place for place in places if place.score is not None]
    keys_of = [private.sort_key(place.score.score) for place in ranked]
    steps = {key: -step for step, key in enumerate(sorted(set(keys_of)))}
    numbers = ranks.places([steps[key] for key in keys_of])
    for place, number in zip(ranked, numbers, strict=True):
        place.place = number
    _find_ties(ranked, private)


def _find_ties(ranked: list[Place], private: Private) -> None:
    """From each place go outwards until a test tells the files apart: [first, last] tied place.

    From the first place down, as far as time and memory reach; below that nothing is said.
    """
    if not ranked:
        return
    end = monotonic() + TEST_SECONDS

    @functools.cache
    def predictions(index: int):
        return private.read(ranked[index].score.submission)

    @functools.cache
    def apart(better: int, worse: int) -> bool:
        seed = "".join(ranked[i].score.submission.sha256 for i in (better, worse))
        return private.separated(predictions(better), predictions(worse), seed)

    most = max(TEST_BYTES // np.asarray(predictions(0).values).nbytes, 1)
    for index, place in enumerate(ranked):
        first = last = index
        while first > 0 and not apart(first - 1, index):
            first -= 1
        while last + 1 < len(ranked) and not apart(index, last + 1):
            last += 1
            if monotonic() > end or last >= most:
                logger.info("Ties of the final ranking are known down to place %s", place.place)
                return
        place.tied = (ranked[first].place, ranked[last].place)


def _finish(run: FinalRun, places: list[Place]) -> FinalRun:
    """Write the ranking once: of two workers the second finds it made."""
    with transaction.atomic():
        competition = Competition.objects.select_for_update(no_key=True).get(pk=run.competition_id)
        if competition.finals_ready_at:
            return run
        public = _public_places(competition)
        standings = [_standing(run, place, public) for place in places]
        FinalStanding.objects.bulk_create(standings)
        for score in run.scores.filter(baseline__isnull=False):
            Baseline.objects.filter(pk=score.baseline_id).update(private_score=score.score)
        now = clock.now()
        body = {
            "version": run.version,
            "reason": run.reason,
            "files": run.scores.filter(submission__isnull=False).count(),
            "teams": len(standings),
            "ranking_sha256": _digest(places),
        }
        competition.finals_ready_at = now
        competition.save(update_fields=("finals_ready_at",))
        ledger.append("finalised", competition.uuid, body, now)
    return run


def _standing(run: FinalRun, place: Place, public: dict[int, tuple[Entry, int | None]]):
    entry, public_place = public[place.team.pk]
    score = place.score
    return FinalStanding(
        run=run,
        team=place.team,
        place=place.place,
        score=score.score if score else None,
        standard_error=score.standard_error if score else None,
        submission=score.submission if score else None,
        public_place=public_place,
        public_value=entry.value,
        files=entry.submissions,
        tied_first=place.tied[0],
        tied_last=place.tied[1],
    )


def _public_places(competition: Competition) -> dict[int, tuple[Entry, int | None]]:
    """The public board at the close: each team's entry and its place, None without a score."""
    entries = list(competition.entries.filter(team__disqualified_at=None))
    ranked = [entry for entry in entries if entry.value is not None]
    numbers = ranks.places([entry.value for entry in ranked])
    place = {entry.pk: number for entry, number in zip(ranked, numbers, strict=True)}
    return {entry.team_id: (entry, place.get(entry.pk)) for entry in entries}


def _digest(places: list[Place]) -> str:
    """Bind the ledger to the ranking without writing a private score into it."""
    rows = [
        [
            str(place.team.uuid),
            place.place,
            repr(place.score.score) if place.score else None,
            str(place.score.submission.uuid) if place.score else None,
        ]
        for place in places
    ]
    return hashlib.sha256(json.dumps(rows).encode()).hexdigest()


def _generator(seed: str) -> np.random.Generator:
    """Draws of bootstrap samples by the files themselves: a second run comes to the same."""
    return np.random.default_rng(int(hashlib.sha256(seed.encode()).hexdigest(), 16))
