"""What settings would mean, simulated: the web asks, a worker answers, the cache carries both.

The simulator needs numpy, which no web process loads. A question is named by the digest of
everything it depends on, so the same settings are simulated once, whoever asks.
"""

import hashlib
import json

from django.core.cache import cache

from leaderboard.competitions.models import Competition
from leaderboard.hosting import drafting
from leaderboard.submissions import ringing
from scoring import release

VERSION = 1
KEPT = 7 * 86_400
# Seconds until a question that nobody answered may be asked again.
PATIENCE = 20


def question(competition: Competition, settings: release.ReleaseSettings) -> dict | None:
    """Return what the simulator needs to know; None where there is nothing to simulate."""
    solution = competition.solutions.order_by("-version").first()
    if solution is None or not solution.n_public or not settings.standard_error:
        return None
    return {
        "version": VERSION,
        "settings": settings.to_dict(),
        "n_public": solution.n_public,
        "standard_error": settings.standard_error,
        # The marks on the board: the exact scores of the baselines are stored nowhere.
        "baselines": [
            float(release.shown(settings, mark.value)) for mark in drafting.marks(competition)
        ],
    }


def name(asked: dict) -> str:
    """Return the digest that names a question."""
    return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()


def answer(digest: str) -> dict | None:
    """Return the answer to a question, None where there is none yet."""
    return cache.get(_key("answer", digest))


def ask(asked: dict) -> tuple[str, dict | None]:
    """Return (name, answer or None) of a question; a new one is put to a worker."""
    digest = name(asked)
    found = answer(digest)
    if found is None and cache.add(_key("question", digest), asked, PATIENCE):
        ringing.foresee(digest)
    return digest, found


def asked(digest: str) -> dict | None:
    """Return the question of this name while somebody waits for its answer."""
    return cache.get(_key("question", digest))


def store(digest: str, found: dict) -> None:
    """Keep an answer; settings that are looked at again need no second simulation."""
    cache.set(_key("answer", digest), found, KEPT)


def _key(what: str, digest: str) -> str:
    return f"outlook-{what}-{digest}"
