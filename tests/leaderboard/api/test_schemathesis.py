"""schemathesis sends whatever the description allows and forbids, as several people; no finding.

All its checks run. A finding is a difference between the description and what is answered, an error
of the server, bad input that is accepted, or credentials that are ignored.
"""

import logging
from collections import Counter

import pytest
import schemathesis
from schemathesis.config import SchemathesisConfig
from schemathesis.engine import Status, events, from_schema
from schemathesis.transport.wsgi import WSGITransport

from leaderboard.api import described
from leaderboard.wsgi import application
from tests.leaderboard import factories

SEED = 20261130
# Real objects for the parameters, so that calls come further than "not found".
PINNED = {"slug": "contest", "name": "train.csv"}
# One person goes through all phases; the others send what is drawn at random.
ALL = {
    "fuzzing": {"generation": {"max-examples": 4}},
    "stateful": {"max-steps": 4, "generation": {"max-examples": 2}},
}
RANDOM = {
    "examples": {"enabled": False},
    "coverage": {"enabled": False},
    "fuzzing": {"generation": {"max-examples": 4}},
    "stateful": {"enabled": False},
}


def served(environ, start_response):
    """Answer as a server does: read the whole answer, then close it and what the request opened."""
    answer = application(environ, start_response)
    try:
        return [b"".join(answer)]
    finally:
        answer.close()


@pytest.fixture(autouse=True)
def _settings_of_sockets_reach_no_application(monkeypatch):
    """Its check of ignored credentials hands a WSGI application what only sockets know."""
    send = WSGITransport.send

    def without(self, case, *, session=None, **options):
        for name in ("max_redirects", "verify", "cert", "proxies"):
            options.pop(name, None)
        return send(self, case, session=session, **options)

    monkeypatch.setattr(WSGITransport, "send", without)


def run(headers: dict[str, str], parameters: dict, phases: dict) -> tuple[list[str], Counter]:
    """Return findings, and how often each operation was called."""
    config = SchemathesisConfig.from_dict(
        {
            "seed": SEED,
            "headers": headers,
            "parameters": parameters,
            "generation": {"deterministic": True, "database": "none"},
            "phases": phases,
        }
    )
    schema = schemathesis.openapi.from_wsgi("/api/openapi.json", served, config=config)
    found, called = [], Counter()
    for event in from_schema(schema).execute():
        if isinstance(event, events.NonFatalError):
            found.append(f"{event.label}: {event.value!r}")
        elif isinstance(event, events.FatalError):
            found.append(repr(event.exception))
        elif isinstance(event, events.ScenarioFinished):
            recorder = event.recorder
            called.update(
                recorder.cases[case].value.operation.label for case in recorder.interactions
            )
            found += [
                f"{check.name}: {check.failure_info.failure}\n{check.failure_info.code_sample}\n"
                f"-> {recorder.interactions[case].response.content[:300]}"
                for case, checks in recorder.checks.items()
                for check in checks
                if check.status == Status.FAILURE
            ]
    return found, called


@pytest.mark.django_db(transaction=True)
def test_schemathesis_finds_nothing(stage, settings):
    settings.API_CALLS_A_MINUTE = 10**9
    settings.CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
    logging.disable(logging.CRITICAL)
    factories.competition("other", host="oscar")
    mine = PINNED | {"uuid": str(stage.sent.uuid)}
    whose = {
        "alice": (stage.alice, mine, ALL),
        "charlie": (stage.charlie, PINNED, RANDOM),
        "hana": (stage.hana, mine, RANDOM),
        "nobody": (stage.nobody, {}, RANDOM),
    }
    wrong, everything = [], Counter()
    try:
        for name, (caller, parameters, phases) in whose.items():
            headers = {"Authorization": f"Bearer {caller.secret}"} if caller.secret else {}
            found, called = run(headers, parameters, phases)
            everything += called
            wrong += [f"as {name}: {one}" for one in found]
    finally:
        logging.disable(logging.NOTSET)
    assert not wrong, "\n\n".join(wrong)
    described_here = {
        f"{method.upper()} {path}"
        for path, operations in described.description()["paths"].items()
        for method in operations
    }
    assert set(everything) == described_here
