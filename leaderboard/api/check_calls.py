"""Calls that cost no submission: check a file without sending it, and look at a file's score."""

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from ninja import Router, Status

from leaderboard.api import file_answers, file_schemas, sent_forms
from leaderboard.api.calls import Slug, call, form
from leaderboard.api.errors import too_soon
from leaderboard.api.submission_calls import FILE, UPLOAD, Uuid, accepted, waiting
from leaderboard.competitions import clock
from leaderboard.submissions import checking, looks
from leaderboard.submissions.models import FileCheck, Look
from leaderboard.submissions.refusals import Refusal
from leaderboard.submissions.visits import own_file
from leaderboard.teams import viewers

router = Router()
looking = Router()
CHECKS = "competitions/{slug:slug}/checks"
SEND = form(fields={"file": UPLOAD}, required=["file"])


@call(
    router, "POST", CHECKS, "api_checks", answers=file_schemas.FileCheckOut, status=202,
    summary="Check a file without submitting it", fails=(403, 409, 411, 413, 415, 507), extra=SEND,
)  # fmt: skip
def check(request, response: HttpResponse, slug: Slug):
    """Have a file read as if it were submitted: without labels, quota or score.

    At most 60 an hour, one at a time. Then read the check until it is finished.
    """
    visit = viewers.visit(request, slug)
    file, _ = sent_forms.take(request, visit.competition, frozenset())
    try:
        made = checking.submit_check(visit.competition, request.user, file, file.name)
    except Refusal as refusal:
        raise _waiting(refusal, request.user) from refusal
    response["Location"] = reverse("api_check", args=(slug, made.uuid))
    response["Retry-After"] = str(file_answers.ASK_AGAIN)
    return Status(202, file_answers.checked(made, checking.describe(made)))


def _waiting(refusal: Refusal, user) -> Exception:
    """Return a refusal by the number of checks with the instant at which it ends."""
    if refusal.code != "too_many_checks":
        return refusal
    now = clock.now()
    latest = FileCheck.objects.filter(user=user).order_by("-created_at")[: checking.HOURLY]
    ends = list(latest)[-1].created_at + checking.HOUR
    return too_soon(refusal.sentence, refusal.code, ends, now, {"limit": checking.HOURLY})


@call(
    router, "GET", CHECKS + "/{uuid:uuid}", "api_check", answers=file_schemas.FileCheckOut,
    summary="Follow a check",
)  # fmt: skip
def checked(request, response: HttpResponse, slug: Slug, uuid: Uuid):
    """What the reader says of the file; your own checks only, kept for a day."""
    _, made = _own(request, slug, uuid)
    told = checking.describe(made)
    if not told["final"]:
        response["Retry-After"] = str(file_answers.ASK_AGAIN)
    return file_answers.checked(made, told)


@call(
    router, "POST", CHECKS + "/{uuid:uuid}/submit", "api_check_submit",
    answers=file_schemas.SubmissionOut, status=201, summary="Submit a checked file",
    fails=(403, 409, 410, 507),
)  # fmt: skip
def submit(request, response: HttpResponse, slug: Slug, uuid: Uuid):
    """Submit the very bytes that passed a check, within the hour; a second call changes nothing."""
    visit, made = _own(request, slug, uuid)
    team = viewers.team_of(request.user, visit.competition)
    try:
        sent = checking.submit_checked(made, request.user)
    except Refusal as refusal:
        raise waiting(refusal, visit, team, request.user) from refusal
    return accepted(request, response, slug, sent)


def _own(request, slug: str, uuid):
    """Return a check of the caller's own; all else is 404."""
    visit = viewers.visit(request, slug)
    mine = FileCheck.objects.filter(competition=visit.competition, user=request.user)
    return visit, get_object_or_404(mine.select_related("competition"), uuid=uuid)


@call(
    looking, "POST", FILE + "/look", "api_look", answers=file_schemas.LookOut,
    summary="Look at a file's score", fails=(403, 409),
)  # fmt: skip
def look(request, response: HttpResponse, slug: Slug, uuid: Uuid):
    """Spend one of your team's looks on a scored file: a noisy score for your team alone.

    The same predictions give the same number, however often. Read it until it is drawn.
    """
    _, evaluation = own_file(request, slug, uuid)
    return _told(response, looks.ask(evaluation, request.user))


@call(
    looking, "GET", FILE + "/look", "api_look", answers=file_schemas.LookOut,
    summary="Read a look",
)  # fmt: skip
def looked(request, response: HttpResponse, slug: Slug, uuid: Uuid):
    """The number of a look your team took; 404 where it took none at this file."""
    _, evaluation = own_file(request, slug, uuid)
    found = Look.objects.filter(evaluation=evaluation).first()
    if found is None:
        raise Http404
    return _told(response, found)


def _told(response: HttpResponse, found: Look) -> file_schemas.LookOut:
    if found.value is None:
        response["Retry-After"] = str(file_answers.ASK_AGAIN)
    return file_answers.looked(found)
