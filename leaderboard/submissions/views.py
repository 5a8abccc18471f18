"""Pages of a file: send it, follow it, have it back."""

import contextlib
import secrets
from http import HTTPStatus

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.http import FileResponse, Http404, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods, require_safe

from leaderboard.competitions import access, store
from leaderboard.competitions.viewers import Visit
from leaderboard.submissions import intake, own_scores, receiving, refusals, showing
from leaderboard.submissions.expected import expected
from leaderboard.submissions.refusals import Refusal
from leaderboard.submissions.visits import evaluation_of, page_of, see_other
from leaderboard.teams import viewers

# Room for the form around the file.
FORM_BYTES = 64 * 1024
# A body that is too large is read to its end up to this many times the limit, so that the browser
# reads our answer instead of a broken connection.
PATIENCE = 4
CHUNK = 2**20
# htmx stops to ask on this one.
STOP_POLLING = 286


@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def submit(request, slug: str):
    """Show the form for a file and take one.

    Exempt at the door only: a body that is too large is refused before the check of its token has
    the whole body parsed and written to the disk. Whatever is taken has passed `_take`, protected.
    """
    visit = viewers.visit(request, slug)
    if not visit.viewer.signed_in:
        if _wants_json(request):
            sentence = "Sign in before you send a file."
            return JsonResponse({"code": "signed_out", "sentence": sentence}, status=403)
        return redirect_to_login(request.get_full_path())
    if request.method != "POST":
        return _form(request, visit)
    limit = visit.competition.packed_limit
    size = request.META.get("CONTENT_LENGTH") or "0"
    if size.isdigit() and int(size) > limit + FORM_BYTES:
        _read_away(request, PATIENCE * limit)
        return _refused(request, visit, Refusal("too_large", limit=refusals.size(limit)))
    receiving.take_files(request)
    return _take(request, visit)


@csrf_protect
def _take(request, visit: Visit):
    file = request.FILES.get("file")
    team = viewers.team_of(request.user, visit.competition)
    try:
        taken = intake.submit(
            competition=visit.competition,
            team=team,
            user=request.user,
            file=file,
            original_name=file.name if file else "",
            form_token=request.POST.get("form_token") or None,
            note=request.POST.get("note", ""),
            own_score=request.POST.get("own_score", ""),
        )
    except Refusal as refusal:
        return _refused(request, visit, refusal, request.POST)
    address = reverse("submission", args=(visit.competition.slug, taken.uuid))
    if _wants_json(request):
        answer = JsonResponse({"number": taken.number, "location": address}, status=201)
        answer["Location"] = address
        return answer
    return see_other(address)


def _refused(request, visit: Visit, refusal: Refusal, given=None):
    """Answer a refusal with its sentence and status; `given` is the form, to fill it again."""
    if _wants_json(request):
        body = {"code": refusal.code, "sentence": refusal.sentence}
        return JsonResponse(body, status=refusal.status)
    return _form(request, visit, refusal, given)


def _form(request, visit: Visit, refusal: Refusal | None = None, given=None):
    competition = visit.competition
    team = viewers.team_of(request.user, competition)
    given = given or {}
    context = {
        **page_of(visit),
        "team": team,
        "expected": expected(competition),
        "refusal": refusal,
        "note": given.get("note", "")[: intake.NOTE_LENGTH],
        "note_length": intake.NOTE_LENGTH,
        "own_score": given.get("own_score", "")[: own_scores.LENGTH],
        "own_score_pattern": own_scores.PATTERN,
        "form_token": given.get("form_token") or secrets.token_urlsafe(24),
        "open": visit.may_submit,
        **(showing.today(team, competition, visit.now) if team else {}),
    }
    status = refusal.status if refusal else 200
    return render(request, "submissions/submit.html", context, status=status)


def _read_away(request, most: int) -> None:
    """Read a body and keep nothing of it."""
    read = 0
    # A client that went away or stopped has no use for our patience.
    with contextlib.suppress(OSError):
        while read < most and (chunk := request.read(CHUNK)):
            read += len(chunk)


@login_required
@require_safe
def submission(request, slug: str, uuid):
    """Show how a file stands: track, outcome, checks, or what is wrong with it."""
    visit, evaluation = evaluation_of(request, slug, uuid)
    context = {**page_of(visit), **showing.file(evaluation, visit)}
    return render(request, "submissions/detail.html", context)


@require_safe
def submission_status(request, slug: str, uuid):
    """Answer a poll: nothing new, the part of the page that changed, or the end (286)."""
    if not request.user.is_authenticated:
        return render(request, "submissions/_signed_out.html", status=STOP_POLLING)
    visit, evaluation = evaluation_of(request, slug, uuid)
    shown = showing.file(evaluation, visit)
    if not shown["told"].final and request.GET.get("seen") == shown["seen"]:
        return HttpResponse(status=HTTPStatus.NO_CONTENT)
    status = STOP_POLLING if shown["told"].final else 200
    context = {**page_of(visit), **shown, "partial": True}
    return render(request, "submissions/_status.html", context, status=status)


@login_required
@require_safe
def submission_file(request, slug: str, uuid):
    """Send a file back to the team that sent it, as bytes that no browser opens."""
    visit, evaluation = evaluation_of(request, slug, uuid)
    sent = evaluation.submission
    if not access.may_see_submission_bytes(visit.viewer, sent.team_id):
        raise Http404
    try:
        file = store.open_file(settings.UPLOADS_DIR, sent.path)
    except FileNotFoundError as gone:
        raise Http404 from gone
    response = FileResponse(
        file,
        as_attachment=True,
        filename=f"{sent.number}-{sent.original_name}",
        content_type="application/octet-stream",
    )
    response["Cache-Control"] = "private, no-store"
    response["Content-Security-Policy"] = "sandbox"
    return response


def _wants_json(request) -> bool:
    return request.accepts("application/json") and not request.accepts("text/html")
