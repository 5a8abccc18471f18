"""Start-up checks of the limits that derive from one another.

A file may take less time than its lease lasts, or two workers would score it; a lease is shorter
than Redis's patience, or a message would come back while its worker is still at it.
"""

from itertools import pairwise

from django.apps import apps
from django.conf import settings
from django.core.checks import Error
from django.db import DatabaseError

ORDER = ("SCORING_HARD_LIMIT", "SCORING_LEASE", "VISIBILITY_TIMEOUT")


def limits_in_order(app_configs, **options) -> list[Error]:
    """Refuse to start unless hard limit < lease < visibility timeout."""
    faults = []
    for lower, upper in pairwise(ORDER):
        if getattr(settings, lower) >= getattr(settings, upper):
            text = (
                f"{lower} ({getattr(settings, lower)} s) must be less than "
                f"{upper} ({getattr(settings, upper)} s)."
            )
            faults.append(Error(text, id="submissions.E001"))
    return faults


def hard_limits_within_the_lease(app_configs, databases=None, **options) -> list[Error]:
    """Refuse to start when a competition gives a file more time than a lease lasts."""
    if not databases:
        return []
    # Looked up and not imported: this module is loaded before the models are.
    competitions = apps.get_model("competitions", "Competition").objects
    try:
        beyond = list(
            competitions.filter(
                hard_limit__gte=settings.SCORING_LEASE, archived_at=None
            ).values_list("slug", "hard_limit")
        )
    except DatabaseError:
        # Before the first migration there is nothing to check.
        return []
    return [
        Error(
            f"The competition {slug} gives a file {seconds} s; a lease lasts "
            f"{settings.SCORING_LEASE} s. Raise SCORING_LEASE or lower the competition's limit.",
            id="submissions.E002",
        )
        for slug, seconds in beyond
    ]
