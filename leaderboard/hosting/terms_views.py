"""The host's page for dates and limits: type, see what will change, apply and announce."""

import hashlib

from django.contrib import messages
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from leaderboard.competitions import changing
from leaderboard.hosting import console
from leaderboard.hosting.terms import Terms


@require_http_methods(["GET", "HEAD", "POST"])
def settings(request, slug):
    """Show dates and limits; a POST shows what would change, a second one applies it."""
    context = console.context(request, slug, "settings")
    competition = context["competition"]
    form = Terms(competition, context["now"], request.POST if request.method == "POST" else None)
    context |= {
        "form": form,
        "seen": changing.stamp(competition),
        "participants": competition.participants.count(),
    }
    if request.method == "POST" and _apply_or_review(request, competition, form, context):
        return redirect("host_settings", slug=slug)
    status = 422 if form.errors or context.get("stale") else 200
    return render(request, "hosting/terms.html", context, status=status)


def _apply_or_review(request, competition, form: Terms, context: dict) -> bool:
    """Apply what was reviewed; else put the review or what is wrong into the context."""
    valid = form.is_valid()
    if request.POST.get("seen", context["seen"]) != context["seen"]:
        # What was typed rests on values that are no longer so: begin again from those in force.
        context |= {"stale": changing.STALE, "form": Terms(competition, context["now"])}
        return False
    # Everything that is wrong at once, also where some of it could not even be read.
    wanted = form.wanted()
    found = changing.problems(competition, wanted, context["now"])
    changed = changing.differing(competition, wanted)
    if valid and not changed:
        found = {"": "Nothing was changed."}
    _refuse(form, found)
    if form.errors:
        return False
    reason, zone = form.cleaned_data["reason"], form.zone_name
    lines = changing.lines(competition, changed, zone)
    reviewed = _named(lines, reason)
    if request.POST.get("do") != "apply" or request.POST.get("reviewed") != reviewed:
        # Whoever typed something else after the review sees a new one.
        context |= {"review": lines, "reviewed": reviewed, "reason": reason}
        return False
    try:
        changing.change(competition, request.user, wanted, reason, context["seen"], zone)
    except changing.Refused as refused:
        _refuse(form, refused.problems)
        return False
    messages.success(
        request, "The change is applied, and everybody is told of it.", extra_tags="good"
    )
    return True


def _refuse(form: Terms, problems: dict[str, str]) -> None:
    for name, sentence in problems.items():
        form.add_error(name if name in form.fields else None, sentence)


def _named(lines: list[changing.Line], reason: str) -> str:
    """Return a name of a review: of these lines with this reason and no others."""
    return hashlib.sha256(repr((lines, reason)).encode()).hexdigest()[:32]
