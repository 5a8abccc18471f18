"""Pages of a team's files as a list: find them, choose the final ones, take one back."""

from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from leaderboard.competitions import access, release_settings
from leaderboard.competitions.viewers import Visit
from leaderboard.submissions import closing, listing, showing
from leaderboard.submissions.models import Submission
from leaderboard.submissions.refusals import Refusal
from leaderboard.submissions.visits import own_file, page_of, see_other
from leaderboard.teams import viewers


@login_required
@require_safe
def submissions(request, slug: str):
    """List the team's files; htmx gets the list alone."""
    visit = viewers.visit(request, slug)
    team = viewers.team_of(request.user, visit.competition)
    if team is None:
        raise Http404
    page = request.GET.get("page", "")
    made = listing.listing(
        team,
        request.GET.get("show", ""),
        int(page) if page.isascii() and page.isdigit() and len(page) < 8 else 1,
    )
    partial = request.htmx and not request.htmx.history_restore_request
    context = {
        **page_of(visit),
        "team": team,
        "list": made,
        "partial": partial,
        "may_choose": access.may_choose_finals(visit.viewer, visit.state),
        "settings": release_settings.rule(release_settings.in_force(visit.competition, visit.now)),
        **showing.today(team, visit.competition, visit.now),
    }
    name = "submissions/_list.html" if partial else "submissions/list.html"
    return render(request, name, context)


@login_required
@require_POST
def submission_final(request, slug: str, uuid):
    """Choose a file as final, or take the choice back; then show the page it was done on."""
    visit, evaluation = own_file(request, slug, uuid)
    sent = evaluation.submission
    try:
        if request.POST.get("chosen"):
            closing.choose(sent.team, sent, request.user)
        else:
            closing.unchoose(sent.team, sent, request.user)
    except Refusal as refusal:
        messages.error(request, refusal.sentence, extra_tags="bad")
    return _back(request, visit, sent)


@login_required
@require_POST
def submission_withdraw(request, slug: str, uuid):
    """Withdraw a file: it stays on record and cannot be final."""
    visit, evaluation = own_file(request, slug, uuid)
    sent = evaluation.submission
    try:
        closing.withdraw(sent, request.user)
    except Refusal as refusal:
        messages.error(request, refusal.sentence, extra_tags="bad")
    return _back(request, visit, sent)


def _back(request, visit: Visit, sent: Submission):
    """Go back to the page of the file, or to the list and the page of it that was open."""
    slug = visit.competition.slug
    if request.POST.get("from") != "list":
        return see_other(reverse("submission", args=(slug, sent.uuid)))
    kept = {key: request.POST[key] for key in ("show", "page") if request.POST.get(key)}
    query = f"?{urlencode(kept)}" if kept else ""
    return see_other(reverse("submissions", args=(slug,)) + query)
