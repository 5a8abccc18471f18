"""A person's notices, and a competition's announcements."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from leaderboard.competitions import notices as acts
from leaderboard.competitions import viewers
from leaderboard.competitions.models import Notice

PER_PAGE = 30
ANNOUNCEMENTS_PER_PAGE = 20


@require_safe
@login_required
def notices(request):
    """List a person's notices, the unread ones first; filters are links."""
    wanted = request.GET.get("show", "")
    unread = acts.unread(request.user)
    found = acts.of(request.user)
    if wanted == "unread":
        found = found.filter(read_at=None)
    elif wanted in Notice.Kind.values:
        found = found.filter(kind=wanted)
    else:
        wanted = ""
    context = {
        "section": "notices",
        "page": Paginator(found, PER_PAGE).get_page(request.GET.get("page")),
        "show": wanted,
        "kinds": Notice.Kind.choices,
        "unread": unread,
        "many": acts.MANY,
    }
    return render(request, "competitions/notices.html", context)


@require_POST
@login_required
def read_all(request):
    """Mark all notices of a person as read."""
    if acts.read(Notice.objects.filter(user=request.user)):
        messages.success(request, "All notices are marked as read.", extra_tags="good")
    return redirect("notices")


@require_safe
@login_required
def notice(request, pk):
    """Lead to what a notice is about, and mark it as read; another person's is not there."""
    found = get_object_or_404(Notice, pk=pk, user=request.user)
    acts.read(Notice.objects.filter(pk=found.pk))
    # Written by the site itself: a path, never an address elsewhere.
    return redirect(found.address or "notices")


@require_safe
def announcements(request, slug):
    """Show everything that was announced in a competition, the latest first."""
    visit = viewers.visit(request, slug)
    told = visit.competition.announcements.all()
    if request.user.is_authenticated:
        # Whoever reads them here has read the notices of them.
        acts.read(
            Notice.objects.filter(
                user=request.user, announcement__competition=visit.competition
            ).exclude(kind=Notice.Kind.RESULT)
        )
    context = {
        "section": "competitions",
        "tab": "overview",
        "tab_title": "Announcements",
        "visit": visit,
        "competition": visit.competition,
        "viewer": visit.viewer,
        "state": visit.state,
        "now": visit.now,
        "page": Paginator(told, ANNOUNCEMENTS_PER_PAGE).get_page(request.GET.get("page")),
    }
    return render(request, "competitions/announcements.html", context)
