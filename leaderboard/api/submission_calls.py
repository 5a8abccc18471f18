"""Calls about a team's files: send, follow, list, annotate, choose, take back."""

import hashlib
from typing import Annotated, Literal
from uuid import UUID

from django.conf import settings
from django.http import Http404, HttpResponse
from django.urls import reverse
from ninja import Header, Path, Query, Router, Status

from leaderboard.api import errors, file_answers, file_schemas, sent_forms
from leaderboard.api.calls import Paging, Slug, call, form
from leaderboard.api.competition_calls import BYTES, whole
from leaderboard.competitions import access, sending
from leaderboard.competitions.viewers import Visit
from leaderboard.submissions import asking, closing, intake, listing, notes
from leaderboard.submissions.models import Submission
from leaderboard.submissions.quotas import quota
from leaderboard.submissions.refusals import Refusal
from leaderboard.submissions.visits import evaluation_of, own_file
from leaderboard.teams import viewers

router = Router()
FILES = "competitions/{slug:slug}/submissions"
FILE = FILES + "/{uuid:uuid}"
UPLOAD = {
    "type": "string",
    "format": "binary",
    "minLength": 1,
    "description": "CSV, .csv.gz, .zip or Parquet",
}
SEND = form(
    fields={
        "file": UPLOAD,
        "note": {"type": "string", "maxLength": file_schemas.NOTE_LENGTH},
        "own_score": {
            "type": "number",
            "minimum": -1e15,
            "maximum": 1e15,
            "description": "your own validation score; no rule reads it",
        },
    },
    required=["file"],
)
Uuid = Annotated[UUID, Path(description="as the list names it")]
Key = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        min_length=1,
        max_length=200,
        description="any text; the same one again returns the first submission, also in parallel",
    ),
]


@call(
    router, "POST", FILES, "api_submissions", answers=file_schemas.SubmissionOut, status=201,
    summary="Send a file", fails=(403, 409, 411, 413, 415, 507), extra=SEND,
)  # fmt: skip
def submit(request, response: HttpResponse, slug: Slug, key: Key = None):
    """Accept a file for scoring. It is in the queue and on the disk when this answers.

    Then read the submission until it is finished; Retry-After says when to look again. Send an
    Idempotency-Key if you may have to repeat the call.
    """
    visit = viewers.visit(request, slug)
    file, fields = sent_forms.take(request, visit.competition, frozenset({"note", "own_score"}))
    team = viewers.team_of(request.user, visit.competition)
    sha256 = sent_forms.sha256(file) if key else None
    try:
        sent = intake.submit(
            competition=visit.competition,
            team=team,
            user=request.user,
            file=file,
            original_name=file.name,
            form_token=token_of(key),
            note=_note(fields.get("note", "")),
            own_score=fields.get("own_score"),
        )
    except Refusal as refusal:
        raise waiting(refusal, visit, team, request.user) from refusal
    if sha256 not in (None, sent.sha256):
        text = "This Idempotency-Key came with another file before. Use a new one for a new file."
        raise errors.Fault(409, "key_used", text, {"submission": str(sent.uuid)})
    return accepted(request, response, slug, sent)


def accepted(request, response: HttpResponse, slug: str, sent: Submission):
    """Tell a file that is in the queue, where to follow it and when to look."""
    response["Location"] = reverse("api_submission", args=(slug, sent.uuid))
    visit, evaluation = evaluation_of(request, slug, sent.uuid)
    _ask_again(response, evaluation)
    return Status(201, file_answers.whole(request, visit, evaluation))


def token_of(key: str | None) -> str | None:
    """Return the token under which a key is remembered."""
    return hashlib.sha256(f"key:{key}".encode()).hexdigest()[:60] if key else None


def waiting(refusal: Refusal, visit: Visit, team, user) -> Exception:
    """Return a refusal by a quota with the instant at which it ends; any other one as it is."""
    if refusal.status != 429 or team is None:
        return refusal
    counted = quota(team, visit.competition, visit.now, user, late=visit.sees_final)
    told = {
        name: value for name, value in file_answers.quota(counted).items() if name != "resets_at"
    }
    if refusal.code == "over_total":
        return errors.Fault(429, refusal.code, refusal.sentence, told)
    return errors.too_soon(refusal.sentence, refusal.code, counted.resets_at, visit.now, told)


def _note(text: str) -> str:
    if len(text) > file_schemas.NOTE_LENGTH:
        problem = f"A note has at most {file_schemas.NOTE_LENGTH} signs."
        details = {"problems": [{"in": "form", "field": "note", "problem": problem}]}
        raise errors.Fault(422, "invalid", f"form note: {problem}", details)
    return text


def _ask_again(response: HttpResponse, evaluation) -> None:
    if evaluation.status in file_answers.PENDING:
        response["Retry-After"] = str(file_answers.ASK_AGAIN)


class Wanted(Paging):
    """Which files."""

    show: Annotated[
        Literal["", *listing.SHOWS],
        Query(description="the filters of the page; of late files fewer"),
    ] = ""
    q: Annotated[
        str, Query(max_length=asking.QUERY_LENGTH, description="words of name or note, or a number")
    ] = ""
    sort: Annotated[Literal[tuple(asking.SORTS)], Query(description="left out: latest first")] = ""
    late: Annotated[bool, Query(description="files sent after the reveal instead")] = False


@call(
    router, "GET", FILES, "api_submissions", answers=file_schemas.Submissions,
    summary="List your files",
)  # fmt: skip
def submissions(request, slug: Slug, wanted: Query[Wanted]):
    """Your team's files, the latest first; whoever has no team here gets 404."""
    visit = viewers.visit(request, slug)
    team = viewers.team_of(request.user, visit.competition)
    if team is None:
        raise Http404
    asked = asking.Asked(
        wanted.show, " ".join(wanted.q.split()), wanted.sort, wanted.page, wanted.late
    )
    made = listing.listing(team, asked, wanted.page_size)
    finals = {submission.pk for submission in made.finals}
    # The page's list answers with its last page where one past the end is asked for.
    rows = [item.evaluation for item in made.items] if made.page == wanted.page else []
    items = [
        file_schemas.SubmissionShort(**file_answers.short(request, visit, row, finals))
        for row in rows
    ]
    return file_schemas.Submissions(items=items, **wanted.told(made.total))


@call(
    router, "GET", FILE, "api_submission", answers=file_schemas.SubmissionOut,
    summary="Follow a file",
)  # fmt: skip
def submission(request, response: HttpResponse, slug: Slug, uuid: Uuid):
    """How a file stands; while it is not finished, Retry-After says when to look again."""
    visit, evaluation = evaluation_of(request, slug, uuid)
    _ask_again(response, evaluation)
    return file_answers.whole(request, visit, evaluation)


@call(
    router, "PATCH", FILE, "api_submission", answers=file_schemas.SubmissionOut,
    summary="Write a note or your own score", fails=(403, 409),
)  # fmt: skip
def edit(request, slug: Slug, uuid: Uuid, given: file_schemas.Edit):
    """Change the note, or the score of your own validation, which no rule reads."""
    visit, evaluation = own_file(request, slug, uuid)
    sent = evaluation.submission
    named = given.model_dump(exclude_unset=True)
    kept = {"note": sent.note, "own_score": sent.own_score}
    notes.write(sent.team, sent, **(kept | named))
    return file_answers.whole(request, visit, evaluation)


@call(
    router, "GET", FILE + "/file", "api_submission_file", answers=None,
    summary="Download your file", fails=(416,), extra=BYTES,
)  # fmt: skip
def submission_file(request, slug: Slug, uuid: Uuid):
    """The bytes that your team sent; nobody else has them, hosts neither."""
    visit, evaluation = evaluation_of(request, slug, uuid)
    sent = evaluation.submission
    if not access.may_see_submission_bytes(visit.viewer, sent.team_id):
        raise Http404
    name = f"{sent.number}-{sent.original_name}"
    try:
        made = sending.stored(
            request,
            settings.UPLOADS_DIR,
            sent.path,
            name=name,
            tag=sent.sha256,
            at=sent.accepted_at,
        )
    except FileNotFoundError as gone:
        raise Http404 from gone
    return whole(made)


@call(
    router, "PUT", FILE + "/final", "api_submission_final", answers=file_schemas.SubmissionOut,
    summary="Choose as final", fails=(403, 409),
)  # fmt: skip
def choose(request, slug: Slug, uuid: Uuid):
    """Choose a scored file as final; chosen already, nothing changes."""
    return _act(request, slug, uuid, closing.choose)


@call(
    router, "DELETE", FILE + "/final", "api_submission_final", answers=file_schemas.SubmissionOut,
    summary="Take a final choice back", fails=(403, 409),
)  # fmt: skip
def unchoose(request, slug: Slug, uuid: Uuid):
    """Take a choice back; not chosen, nothing changes. The default fills the place."""
    return _act(request, slug, uuid, closing.unchoose)


@call(
    router, "POST", FILE + "/withdraw", "api_submission_withdraw",
    answers=file_schemas.SubmissionOut, summary="Withdraw a file", fails=(403, 409),
)  # fmt: skip
def withdraw(request, slug: Slug, uuid: Uuid):
    """Take a file back for good: it stays on record, keeps its slot and cannot be final."""
    return _act(request, slug, uuid, lambda team, sent, by: closing.withdraw(sent, by))


def _act(request, slug: str, uuid: UUID, act) -> file_schemas.SubmissionOut:
    """Do something with an own file, then tell how it stands."""
    _, evaluation = own_file(request, slug, uuid)
    act(evaluation.submission.team, evaluation.submission, request.user)
    visit, evaluation = own_file(request, slug, uuid)
    return file_answers.whole(request, visit, evaluation)
