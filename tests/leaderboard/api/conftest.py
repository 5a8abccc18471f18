"""What the tests of the API share: a small competition and people who call with tokens."""

from dataclasses import dataclass

import pytest
from django.conf import settings
from django.core.cache import cache
from django.test import Client

from leaderboard.accounts import tokens
from leaderboard.competitions import store
from leaderboard.competitions.models import Competition, DataFile
from tests.leaderboard import factories

CONTENT = b"id,label\n" + b"".join(b"%d,yes\n" % row for row in range(500))


class Caller:
    """Somebody who calls the API: with a token, or as nobody."""

    def __init__(self, person=None):
        self.person = person
        # A server that fails answers 500: the test sees what a client sees.
        self.client = Client(raise_request_exception=False)
        self.secret = tokens.make(person, "tests")[1] if person else None

    def __call__(self, method: str, place: str, body=None, **headers):
        """Call `/api/v1/<place>`; a dict is sent as JSON, a dict with `file` as a form."""
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        if self.secret:
            given.setdefault("Authorization", f"Bearer {self.secret}")
        sends = {} if body is None else {"data": body}
        if body is None and method == "post":
            sends = {"data": "", "content_type": "application/json"}
        elif isinstance(body, dict) and "file" not in body:
            sends["content_type"] = "application/json"
        return getattr(self.client, method)(f"/api/v1/{place}", headers=given, **sends)

    def get(self, place: str, **headers):
        return self("get", place, **headers)

    def post(self, place: str, body=None, **headers):
        return self("post", place, body, **headers)


@dataclass
class Stage:
    """A live competition with alice's team, its file, and a data file."""

    contest: Competition
    sent: object
    alice: Caller
    bob: Caller
    charlie: Caller
    stella: Caller
    hana: Caller
    nobody: Caller

    @property
    def base(self) -> str:
        return f"competitions/{self.contest.slug}"

    @property
    def file(self) -> str:
        return f"{self.base}/submissions/{self.sent.uuid}"


def data_file(contest: Competition) -> DataFile:
    """Put a file to download into a competition."""
    stored = store.write(settings.DOWNLOADS_DIR, str(contest.uuid), "train.csv", [CONTENT])
    return DataFile.objects.create(
        competition=contest,
        name="train.csv",
        description="All there is",
        path=stored.path,
        size=stored.size,
        sha256=stored.sha256,
        rows=500,
        columns=[{"name": "id", "type": "int"}, {"name": "label", "type": "str"}],
    )


@pytest.fixture
def stage(db) -> Stage:
    """Alice and bob are a team with a scored file, charlie another one; stella has not joined."""
    cache.clear()
    contest = factories.competition("contest", total_limit=40, rule={"looks": 2})
    team = factories.team(contest, "alice", "bob")
    factories.team(contest, "charlie")
    sent = factories.scored(team, 0.8).submission
    data_file(contest)
    people = {name: Caller(factories.user(name)) for name in ("alice", "bob", "charlie", "stella")}
    return Stage(contest, sent, **people, hana=Caller(factories.user("hana")), nobody=Caller())
