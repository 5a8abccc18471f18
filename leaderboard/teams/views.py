"""Acts of people who want to take part."""

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import Http404
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from leaderboard.competitions import viewers
from leaderboard.teams import joining


@require_POST
def join(request, slug):
    """Join a competition by accepting its rules; a second click changes nothing."""
    visit = viewers.visit(request, slug)
    if not visit.viewer.signed_in:
        # Back to the rules, not to this address, which answers to POST only.
        return redirect_to_login(reverse("competition_rules", args=[slug]))
    try:
        team = joining.join(visit.competition, request.user, visit.now)
    except joining.Refusal as refusal:
        if refusal.status == 404:
            raise Http404 from refusal
        messages.error(request, refusal.sentence, extra_tags="bad")
        return redirect("competition_rules", slug=slug)
    messages.success(
        request, f"You have joined. Your team is called {team.name}.", extra_tags="good"
    )
    return redirect("competition", slug=slug)
