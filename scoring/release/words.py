"""The sentences a team reads about its files: pages, API and command line take them from here."""

from __future__ import annotations

from scoring.release.rules import Outcome, State
from scoring.release.units import steps, text

USED_UP = (
    "Your new scores are used up. Files are still accepted, checked and count for the final "
    "ranking."
)
RECEIVED = "Received and valid."
NOT_AN_ESTIMATE = "It may be a little better, equal or much worse; this is not an estimate of it."
DASH = "\N{EN DASH}"
"""What a table shows where a file has no new score."""


def sentence(settings, outcome: Outcome, state: State) -> str:
    """What a team is told; `state` is the one its file was judged against."""
    if outcome.kind == "released":
        return f"New score {text(settings, outcome.value)}."
    if outcome.kind == "no_change":
        return f"No new score. This file is not {_against(settings, state)}. {NOT_AN_ESTIMATE}"
    return {"used_up": USED_UP, "received": RECEIVED}[outcome.kind]


def cell(settings, outcome: Outcome) -> str:
    """The score of a file in a table: the new score, or a dash."""
    return text(settings, outcome.value) if outcome.kind == "released" else DASH


def _against(settings, state: State) -> str:
    chosen = settings.extra.get("reference", "best")
    if chosen == "training":
        return "clearly different from its own score on the training rows"
    if chosen == "baseline" or state.reference is None:
        return f"clearly above the start line, {text(settings, steps(settings, settings.start))}"
    return f"clearly above your best, {text(settings, state.reference)}"
