"""Pages for those who run a competition."""

from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard.teams.viewers import host_visit


@require_safe
def activity(request, slug):
    """Show what goes on in a competition."""
    visit = host_visit(request, slug)
    return render(request, "hosting/activity.html", {"visit": visit})
