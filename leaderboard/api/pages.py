"""The API for people: a page that lists every call, and the description for programs."""

from django.conf import settings
from django.http import JsonResponse
from django.shortcuts import render
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe

from leaderboard.api import described, errors, examples
from leaderboard.competitions import clock
from leaderboard.competitions.models import Competition


@require_safe
def documentation(request):
    """List every call with an example, made from the description."""
    base = request.build_absolute_uri("/").rstrip("/")
    description = described.description()
    now = clock.now()
    published = Competition.objects.filter(published_at__isnull=False).order_by(
        "-closes_at", "slug"
    )
    # The examples are for pasting: a live competition answers them.
    listed = published.filter(opens_at__lte=now, closes_at__gt=now).first() or published.first()
    context = {
        "section": "api",
        "base": base,
        "groups": examples.groups(description, base, listed.slug if listed else "penguin-sex"),
        "statuses": sorted(described.MEANINGS.items()),
        "calls_a_minute": settings.API_CALLS_A_MINUTE,
    }
    return render(request, "api/documentation.html", context)


@require_safe
def openapi(request):
    """Send the description of the API in OpenAPI 3.1."""
    return JsonResponse(described.description())


@csrf_exempt
def unknown(request, rest: str):
    """Answer what is no address of the API in its own form."""
    return errors.not_found(request)
