"""Pages of a file: send it, follow it, have it back."""

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

from leaderboard.competitions import access, clock, store
from leaderboard.competitions.viewers import Visit
from leaderboard.submissions import intake, own_scores, receiving, showing
from leaderboard.submissions.expected import expected
from leaderboard.submissions.quotas import quota
from leaderboard.submissions.refusals import Refusal
from leaderboard.submissions.visits import evaluation_of, page_of, see_other
from leaderboard.teams import viewers

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
    if visit.viewer.signed_in and request.method != "POST":
        return form(request, visit)
    return refused_at_the_door(request, visit) or _take(request, visit)


def refused_at_the_door(request, visit: Visit):
    """Answer who is signed out, and what is not even parsed; None lets the form have its file."""
    if not visit.viewer.signed_in:
        if wants_json(request):
            sentence = "Sign in before you send a file."
            return JsonResponse({"code": "signed_out", "sentence": sentence}, status=403)
        return redirect_to_login(request.get_full_path())
    refusal = receiving.refuse_body(request, visit.competition.packed_limit)
    if refusal:
        return refused(request, visit, refusal)
    receiving.take_files(request)
    return None


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
        return refused(request, visit, refusal, request.POST)
    address = reverse("submission", args=(visit.competition.slug, taken.uuid))
    if not wants_json(request):
        return see_other(address)
    counted = quota(team, visit.competition, clock.now(), request.user, late=taken.late)
    body = {
        "number": taken.number,
        "location": address,
        "left": counted.left,
        "limit": counted.limit,
        "total_left": counted.total_left,
        "resets_at": counted.resets_at,
    }
    return JsonResponse(body, status=201, headers={"Location": address})


def refused(request, visit: Visit, refusal: Refusal, given=None):
    """Answer a refusal with its sentence and status; `given` is the form, to fill it again."""
    if wants_json(request):
        body = {"code": refusal.code, "sentence": refusal.sentence}
        return JsonResponse(body, status=refusal.status)
    return form(request, visit, refusal, given)


def form(request, visit: Visit, refusal: Refusal | None = None, given=None):
    """Show the page on which a file is chosen."""
    competition = visit.competition
    team = viewers.team_of(request.user, competition)
    given = given or {}
    wanted = expected(competition)
    context = {
        **page_of(visit),
        "team": team,
        "expected": wanted,
        "rules": wanted.rules | {"sent": showing.sent_before(team) if team else {}},
        "refusal": refusal,
        "note": given.get("note", "")[: intake.NOTE_LENGTH],
        "note_length": intake.NOTE_LENGTH,
        "own_score": given.get("own_score", "")[: own_scores.LENGTH],
        "own_score_pattern": own_scores.PATTERN,
        "form_token": given.get("form_token") or secrets.token_urlsafe(24),
        "open": visit.may_submit,
        **(showing.today(team, competition, visit.now, request.user) if team else {}),
    }
    status = refusal.status if refusal else 200
    return render(request, "submissions/submit.html", context, status=status)


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
    if shown["polls"] and request.GET.get("seen") == shown["seen"]:
        return HttpResponse(status=HTTPStatus.NO_CONTENT)
    status = 200 if shown["polls"] else STOP_POLLING
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


def wants_json(request) -> bool:
    """Whether it is our script that asks, or a program, and not a person's browser."""
    return request.accepts("application/json") and not request.accepts("text/html")
