"""Pages of a file that is only checked: send it, see what was found, submit what passed."""

from http import HTTPStatus

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from leaderboard.competitions.viewers import Visit
from leaderboard.submissions import checking, intake, own_scores, showing
from leaderboard.submissions.models import FileCheck
from leaderboard.submissions.refusals import Refusal
from leaderboard.submissions.views import (
    STOP_POLLING,
    refused,
    refused_at_the_door,
    wants_json,
)
from leaderboard.submissions.visits import page_of, see_other
from leaderboard.teams import viewers


@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def check(request, slug: str):
    """Take a file to be checked; who only looks here is sent to the form, which has the button.

    Exempt at the door only, as `submit` is.
    """
    visit = viewers.visit(request, slug)
    if visit.viewer.signed_in and request.method != "POST":
        return see_other(reverse("submit", args=(slug,)))
    return refused_at_the_door(request, visit) or _take(request, visit)


@csrf_protect
def _take(request, visit: Visit):
    file = request.FILES.get("file")
    try:
        made = checking.submit_check(
            visit.competition, request.user, file, file.name if file else ""
        )
    except Refusal as refusal:
        return refused(request, visit, refusal, request.POST)
    address = reverse("check_result", args=(visit.competition.slug, made.uuid))
    if wants_json(request):
        body = {"uuid": str(made.uuid), "location": address}
        return JsonResponse(body, status=201, headers={"Location": address})
    return see_other(address)


@login_required
@require_safe
def check_result(request, slug: str, uuid):
    """Show what the reader found in a file that was not submitted."""
    visit, found = _own(request, slug, uuid)
    return render(request, "submissions/check.html", _context(request, visit, found))


@require_safe
def check_status(request, slug: str, uuid):
    """Answer a poll: nothing new, or the result and the end (286)."""
    if not request.user.is_authenticated:
        return render(request, "submissions/_signed_out.html", status=STOP_POLLING)
    visit, found = _own(request, slug, uuid)
    if found.finished_at is None:
        return HttpResponse(status=HTTPStatus.NO_CONTENT)
    context = {**_context(request, visit, found), "partial": True}
    return render(request, "submissions/_check.html", context, status=STOP_POLLING)


@login_required
@require_POST
def check_submit(request, slug: str, uuid):
    """Submit the very bytes that were checked; a double click makes one submission."""
    visit, found = _own(request, slug, uuid)
    try:
        sent = checking.submit_checked(
            found,
            request.user,
            note=request.POST.get("note", ""),
            own_score=request.POST.get("own_score", ""),
        )
    except Refusal as refusal:
        context = {**_context(request, visit, found), "refusal": refusal}
        return render(request, "submissions/check.html", context, status=refusal.status)
    return see_other(reverse("submission", args=(slug, sent.uuid)))


def _own(request, slug: str, uuid) -> tuple[Visit, FileCheck]:
    """Return a check of the viewer's own; anybody else's is not there."""
    visit = viewers.visit(request, slug)
    found = FileCheck.objects.filter(
        uuid=uuid, competition=visit.competition, user=request.user
    ).first()
    if found is None:
        raise Http404
    found.competition = visit.competition
    return visit, found


def _context(request, visit: Visit, found: FileCheck) -> dict:
    team = viewers.team_of(request.user, visit.competition)
    return {
        **page_of(visit),
        **showing.checked(found, visit.now),
        "team": team,
        "note": request.POST.get("note", "")[: intake.NOTE_LENGTH],
        "note_length": intake.NOTE_LENGTH,
        "own_score": request.POST.get("own_score", "")[: own_scores.LENGTH],
        "own_score_pattern": own_scores.PATTERN,
        **(showing.today(team, visit.competition, visit.now, request.user) if team else {}),
    }
