"""Small real things for tests: people, a competition with sealed answers, teams, files.

Nothing is faked: the answers go through `scoring.answers`, keys and commitments are real, and a
file is accepted by `intake` and scored by the worker's own functions.
"""

import io
import itertools
from datetime import timedelta
from decimal import Decimal

import numpy as np
from django.conf import settings
from django.contrib.auth import get_user_model

from leaderboard.competitions import clock, keys, release_settings, store
from leaderboard.competitions.models import Baseline, Commitment, Competition, Host, Solution
from leaderboard.submissions import intake, tasks
from leaderboard.submissions.models import Evaluation, Submission
from leaderboard.teams.joining import join
from leaderboard.teams.models import Team
from scoring import answers, metrics, release
from scoring.task import Task

_numbers = itertools.count(1)

LABELS = Task("id", ("label",), "label", classes=("no", "yes"), positive="yes")
PROBABILITY = Task("id", ("label",), "probability")
NUMBERS = Task("id", ("value",), "number")
# No noise: what a test expects of the rule is then certain.
GATE = {
    "rule": "gate",
    "tau": "0.05",
    "sigma_compare": "0",
    "sigma_value": "0",
    "grid": "0.01",
    "start": "0.5",
    "cap": 10,
    "standard_error": 0.02,
}
PLAIN = {"rule": "exact", "tau": "0", "sigma_compare": "0", "sigma_value": "0", "cap": None}


def user(name: str = "", **fields):
    """A person; the password is the user name."""
    name = name or f"person{next(_numbers)}"
    found = get_user_model().objects.filter(username=name).first()
    return found or get_user_model().objects.create_user(
        name, f"{name}@example.org", name, **fields
    )


def truth(rows: int = 400) -> np.ndarray:
    """The answers of every competition here: 0 or 1, half of each."""
    return np.random.default_rng(7).permutation(np.arange(rows) % 2)


def public(rows: int = 400) -> np.ndarray:
    """Which rows are public: half of them."""
    return np.random.default_rng(11).permutation(np.arange(rows) % 2 == 0)


def competition(
    slug: str = "",
    *,
    task: Task = LABELS,
    metric: str = "accuracy_score",
    rows: int = 400,
    rule: dict | None = None,
    preset: str = "custom",
    host: str = "hana",
    opened_days_ago: float = 10,
    closes_in_days: float = 20,
    **fields,
) -> Competition:
    """A published competition with real sealed answers; `rule` overrides GATE's settings."""
    now = clock.now()
    slug = slug or f"contest-{next(_numbers)}"
    made = Competition.objects.create(
        **{
            "slug": slug,
            "title": slug.capitalize(),
            "organiser": "The lab",
            "task": task.to_dict(),
            "metric": metrics.get(metric).name,
            "sample_header": task.header,
            "test_rows": rows,
            "published_at": now - timedelta(days=opened_days_ago + 1),
            "opens_at": now - timedelta(days=opened_days_ago),
            "closes_at": now + timedelta(days=closes_in_days),
        }
        | fields
    )
    if host:
        Host.objects.create(competition=made, user=user(host))
    solution = _solution(made, task, rows)
    chosen = _rule(metric, rule or {})
    release_settings.change(made, None, preset, chosen, "Set at the launch.", at=made.published_at)
    constant = np.zeros(rows)
    path = store.write(
        settings.ANSWERS_DIR, f"{made.uuid}/baselines", "1", [csv(constant, task)]
    ).path
    Baseline.objects.create(
        competition=made,
        name="Constant",
        path=path,
        value=release.steps(chosen, chosen.start),
        start_line=True,
        ruler=True,
    )
    assert solution.version == 1
    return made


def team(contest: Competition, *names: str, name: str = "") -> Team:
    """A team of the people named, the first of them its owner."""
    names = names or (f"person{next(_numbers)}",)
    made = join(contest, user(names[0]), contest.opens_at)
    for other in names[1:]:
        add_member(made, user(other))
    if name:
        made.name = name
        made.save()
    return made


def add_member(made: Team, person) -> None:
    """Put a person into a team."""
    made.members.create(
        competition=made.competition, user=person, joined_at=made.created_at, owner=False
    )


def predictions(right: float = 0.8, rows: int = 400, seed: int = 1) -> np.ndarray:
    """Values 0 or 1 that are right on exactly this share of the public and of the private rows."""
    rng = np.random.default_rng(seed)
    values = truth(rows).copy()
    for part in (np.flatnonzero(public(rows)), np.flatnonzero(~public(rows))):
        wrong = rng.permutation(part)[: round((1 - right) * len(part))]
        values[wrong] = 1 - values[wrong]
    return values


def csv(values: np.ndarray, task: Task = LABELS) -> bytes:
    """A file with these values for the rows 1, 2, 3, ..."""
    if task.kind == "label":
        values = [task.classes[int(value)] for value in values]
    lines = [task.header, *(f"{row},{value}" for row, value in enumerate(values, 1))]
    return ("\n".join(lines) + "\n").encode()


def upload(
    made: Team,
    content: bytes | float | None = None,
    *,
    seed: int = 1,
    name: str = "file.csv",
    person=None,
    **options,
) -> Submission:
    """Send a file: bytes, or a share of right answers (default 0.8)."""
    contest = Competition.objects.get(pk=made.competition_id)
    if not isinstance(content, bytes):
        values = predictions(0.8 if content is None else content, contest.test_rows, seed)
        content = csv(values, Task.from_dict(contest.task))
    return intake.submit(
        competition=contest,
        team=made,
        user=person or made.members.earliest("pk").user,
        file=io.BytesIO(content),
        original_name=name,
        **options,
    )


def score(made: Team | Competition) -> list[Evaluation]:
    """Score all that waits, as a worker does, and return the evaluations in order of sending."""
    teams = [made] if isinstance(made, Team) else list(made.teams.order_by("pk"))
    for one in teams:
        while Evaluation.objects.filter(team=one, status="queued").exists():
            tasks.score_next(one.pk)
    return list(Evaluation.objects.filter(team__in=teams).order_by("submission_id"))


def scored(made: Team, content: bytes | float | None = None, **options) -> Evaluation:
    """Send a file and score it."""
    sent = upload(made, content, **options)
    score(made)
    return Evaluation.objects.get(submission=sent)


def end(contest: Competition) -> Competition:
    """Move the close of a competition into the past."""
    Competition.objects.filter(pk=contest.pk).update(closes_at=clock.now() - timedelta(seconds=1))
    contest.refresh_from_db()
    return contest


def _rule(metric: str, given: dict) -> release.ReleaseSettings:
    kind = metrics.get(metric)
    facts = {
        "greater_is_better": kind.greater_is_better,
        "low": kind.low,
        "high": kind.high,
    }
    values = GATE | (PLAIN if given.get("rule") in ("exact", "rounded", "sealed") else {})
    return release.ReleaseSettings(**(values | facts | given)).validate()


def _solution(made: Competition, task: Task, rows: int) -> Solution:
    folder = settings.ANSWERS_DIR / str(made.uuid) / "v1"
    parts = np.where(public(rows), "Public", "Private")
    values = truth(rows)
    if task.kind == "label":
        values = [task.classes[value] for value in values]
    column = task.solution_column or task.value_columns[0]
    lines = [f"{task.id_column},{column},Usage"] + [
        f"{row},{value},{part}"
        for row, (value, part) in enumerate(zip(values, parts, strict=True), 1)
    ]
    prepared = answers.prepare(task, "\n".join(lines).encode(), folder)
    solution = Solution.objects.create(
        competition=made,
        folder=f"{made.uuid}/v1",
        n_rows=prepared.n_rows,
        n_public=prepared.n_public,
        n_private=prepared.n_private,
        standard_error=float(Decimal("0.02")),
    )
    keys.commit(
        solution,
        {
            Commitment.Tag.PUBLIC_PART: answers.artefact_bytes(folder / "public"),
            Commitment.Tag.PRIVATE_PART: answers.artefact_bytes(folder / "private"),
        },
    )
    return solution
