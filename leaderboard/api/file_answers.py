"""How a file, a check and a look are told to a program: the words of the pages, as fields."""

from django.urls import reverse

from leaderboard.api import file_schemas as schemas
from leaderboard.competitions import release_settings
from leaderboard.competitions.viewers import Visit
from leaderboard.submissions import closing, cures, looks, outcomes, progress
from leaderboard.submissions.models import Evaluation, FileCheck, Look, Status
from leaderboard.submissions.quotas import Quota
from leaderboard.submissions.showing import NewScores
from leaderboard.teams.models import Team
from scoring import release
from scoring.task import Task

# Seconds that a program should wait before it asks again.
ASK_AGAIN = 1
PENDING = frozenset({Status.QUEUED, Status.LEASED})


def final_ids(team: Team) -> set[int]:
    """Return the files of a team that would be final if the close were now."""
    return {submission.pk for submission in closing.effective_finals(team)}


def short(request, visit: Visit, evaluation: Evaluation, finals: set[int]) -> dict:
    """Tell a file in a line; its own score is the team's alone."""
    sent = evaluation.submission
    own = visit.viewer.team_id == evaluation.team_id
    told = outcomes.describe(evaluation)
    return {
        "uuid": sent.uuid,
        "number": sent.number,
        "file_name": sent.original_name,
        "bytes": sent.size,
        "sha256": sent.sha256,
        "sent_by": sent.user.username if sent.user else None,
        "accepted_at": sent.accepted_at,
        "note": sent.note,
        "own_score": sent.own_score if own else None,
        "late": sent.late,
        "status": evaluation.status,
        "stage": evaluation.stage,
        "finished": told.final,
        "outcome": told.outcome or None,
        "score": score(evaluation, told.units),
        "word": told.word,
        "sentence": told.headline,
        "repeated": told.repeated,
        "chosen": hasattr(sent, "final_choice"),
        "final": sent.pk in finals,
        "withdrawn": hasattr(sent, "withdrawal"),
        "page": request.build_absolute_uri(
            reverse("submission", args=(visit.competition.slug, sent.uuid))
        ),
    }


def whole(request, visit: Visit, evaluation: Evaluation) -> schemas.SubmissionOut:
    """Tell everything that the page of a file says."""
    waits = None
    if evaluation.status in PENDING:
        queue = progress.queue(evaluation, visit.now)
        waits = schemas.Waiting(
            position=queue.position,
            waiting=queue.waiting,
            scoring=queue.scoring,
            usual_seconds=round(queue.usual, 1),
        )
    late = getattr(evaluation, "late_score", None)
    look = getattr(evaluation, "look", None) if visit.viewer.team_id == evaluation.team_id else None
    return schemas.SubmissionOut(
        **short(request, visit, evaluation, final_ids(evaluation.submission.team)),
        problems=problems(evaluation.problem, Task.from_dict(visit.competition.task)),
        notices=evaluation.notices,
        checks=checks(evaluation.checks),
        milliseconds=evaluation.timings,
        finished_at=evaluation.finished_at,
        queue=waits,
        late_score=late.score if late else None,
        look=score(evaluation, look.value) if look else None,
    )


def score(evaluation: Evaluation, units: int | None) -> float | None:
    """Return a shown score as a number with the decimals of the grid; None where none is shown."""
    if units is None:
        return None
    return float(release.shown(release_settings.rule(evaluation.release_settings), units))


def problems(stored: dict | None, task: Task) -> list[schemas.Problem]:
    """Tell each kind of fault of a rejected file, with its lines and its cure."""
    if not stored:
        return []
    rows = stored.get("problems") or [{"code": stored["code"], "message": stored["sentence"]}]
    found = []
    for row in rows:
        sentence, example = cures.cure(row["code"], task)
        lines = row.get("lines") or ([row["line"]] if row.get("line") else [])
        found.append(
            schemas.Problem(
                code=row["code"],
                title=cures.title(row["code"]),
                message=row["message"],
                count=row.get("count") or 1,
                lines=lines,
                cure=sentence,
                example=example,
            )
        )
    return found


def checks(stored: list[dict]) -> list[schemas.Check]:
    """Tell the checks that need no labels."""
    return [
        schemas.Check(
            code=check["code"], sentence=check["sentence"], warning=bool(check.get("warning"))
        )
        for check in stored
    ]


def checked(check: FileCheck, told: dict) -> schemas.FileCheckOut:
    """Tell a file that was only read; `told` is `checking.describe` of it."""
    valid = {"valid": True, "rejected": False}.get(told["status"])
    return schemas.FileCheckOut(
        uuid=check.uuid,
        file_name=check.original_name,
        bytes=check.size,
        sha256=check.sha256,
        created_at=check.created_at,
        finished=told["final"],
        valid=valid,
        failed=told["status"] == "failed",
        rows=check.rows,
        sentence=told["headline"],
        problems=problems(check.problem, Task.from_dict(check.competition.task)),
        notices=check.notices,
        checks=checks(check.checks),
        kept_until=told["kept_until"],
    )


def looked(look: Look) -> schemas.LookOut:
    """Tell a look, drawn or not yet."""
    evaluation = look.evaluation
    return schemas.LookOut(
        submission=evaluation.submission.uuid,
        drawn=look.value is not None,
        value=score(evaluation, look.value),
        asked_at=look.asked_at,
        looks_left=looks.left(evaluation.team, evaluation.submission.competition),
    )


def quota(counted: Quota) -> dict:
    """Tell how many files are left, and when today's count begins again."""
    return {
        "limit": counted.limit,
        "used": counted.used,
        "left": counted.left,
        "resets_at": counted.resets_at,
        "rejected_used": counted.rejected_used,
        "rejected_limit": counted.rejected_limit,
        "total_limit": counted.total_limit,
        "total_used": counted.total_used,
    }


def new_scores(counted: NewScores) -> dict:
    """Tell how many new scores are used."""
    limit = counted.cap if counted.counted else None
    left = counted.left if counted.counted else None
    return {"used": counted.used, "limit": limit, "left": left}
