"""What the kaggle client's interface refuses, and what a secret address is good for."""

import base64
import errno
import io
import os
import time
from datetime import timedelta

import pytest
from django.conf import settings
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from leaderboard.accounts import tokens
from leaderboard.api import tasks
from leaderboard.api.kaggle import uploads
from leaderboard.api.models import UploadTicket
from leaderboard.competitions import clock, store
from leaderboard.competitions.models import Competition
from leaderboard.hosting import deletion
from leaderboard.submissions import closing, finals
from leaderboard.submissions.models import Submission
from tests.leaderboard import factories
from tests.leaderboard.api.conftest import data_file

pytestmark = pytest.mark.db


@pytest.fixture
def contest(db):
    return factories.competition("contest")


@pytest.fixture
def team(contest):
    return factories.team(contest, "alice", "bob")


class Caller:
    """A client with credentials, that says `call(method, body)`."""

    def __init__(self, name: str = "", header: str = ""):
        self.client = Client(raise_request_exception=False)
        self.header = header
        if name and not header:
            self.header = f"Bearer {tokens.make(factories.user(name), 'test')[1]}"

    def call(self, method: str, body=None, **more):
        headers = {"Authorization": self.header} if self.header else {}
        return self.client.post(
            reverse("kaggle_call", args=[method]),
            {} if body is None else body,
            content_type="application/json",
            headers=headers,
            **more,
        )

    def start(self, size: int, name: str = "a.csv", competition: str = "contest"):
        body = {"competitionName": competition, "contentLength": size, "fileName": name}
        return self.call("StartSubmissionUpload", body)

    def submit(self, content: bytes) -> dict:
        given = self.start(len(content)).json()
        assert put(given["createUrl"], content).status_code == 201
        body = {"competitionName": "contest", "blobFileTokens": given["token"]}
        return self.call("CreateSubmission", body).json()


def put(address: str, content: bytes):
    path = "/" + address.split("/", 3)[3]
    return Client().put(path, content, content_type="application/octet-stream")


CONTENT = factories.csv(factories.predictions(0.8))


def test_an_address_is_good_for_one_file_of_one_size_once(team):
    alice = Caller("alice")
    given = alice.start(len(CONTENT)).json()
    assert put(given["createUrl"], CONTENT + b"1").status_code == 400
    assert put(given["createUrl"], CONTENT[:-1]).status_code == 400
    assert put(given["createUrl"], CONTENT).status_code == 201
    again = put(given["createUrl"], CONTENT)
    assert again.status_code == 404
    assert "used" in again.json()["message"]
    body = {"competitionName": "contest", "blobFileTokens": given["token"]}
    first = alice.call("CreateSubmission", body).json()
    assert alice.call("CreateSubmission", body).json()["ref"] == first["ref"]
    assert Submission.objects.count() == 1
    assert put(given["createUrl"], CONTENT).status_code == 404


def test_an_address_expires_with_its_bytes(team):
    alice = Caller("alice")
    given = alice.start(len(CONTENT)).json()
    assert put(given["createUrl"], CONTENT).status_code == 201
    long_ago = clock.now() - timedelta(days=1)
    UploadTicket.objects.update(expires_at=long_ago)
    body = {"competitionName": "contest", "blobFileTokens": given["token"]}
    assert alice.call("CreateSubmission", body).status_code == 404
    assert put(given["createUrl"], CONTENT).status_code == 404
    assert uploads.sweep() == 1
    assert not UploadTicket.objects.exists()


def test_a_token_of_somebody_else_submits_nothing(team, contest):
    factories.team(contest, "charlie")
    given = Caller("alice").start(len(CONTENT)).json()
    put(given["createUrl"], CONTENT)
    body = {"competitionName": "contest", "blobFileTokens": given["token"]}
    # Not even a member of the same team's.
    for name in ("charlie", "bob"):
        assert Caller(name).call("CreateSubmission", body).status_code == 404
    factories.competition("other")
    factories.team(Competition.objects.get(slug="other"), "alice")
    other = {"competitionName": "other", "blobFileTokens": given["token"]}
    assert Caller("alice").call("CreateSubmission", other).status_code == 404
    assert not Submission.objects.exists()


def test_bytes_are_not_piled_up(team):
    alice = Caller("alice")
    for _ in range(uploads.MOST_OPEN):
        assert alice.start(10).status_code == 200
    refused = alice.start(10)
    assert refused.status_code == 429
    assert "10 files" in refused.json()["message"]


def test_what_would_be_refused_is_refused_before_the_bytes_come(team, contest):
    Competition.objects.update(packed_limit=1000, daily_limit=1)
    alice = Caller("alice")
    assert alice.start(1001).status_code == 413
    assert alice.start(0).status_code == 400
    assert Caller("stella").start(10).status_code == 403
    assert Caller().start(10).status_code == 401
    Competition.objects.update(packed_limit=10**6)
    alice.submit(CONTENT)
    assert alice.start(10).status_code == 429
    Competition.objects.update(closes_at=clock.now())
    assert "closed" in alice.start(10).json()["message"]


def test_a_file_is_its_teams_own(team, contest):
    factories.team(contest, "charlie")
    ref = Caller("alice").submit(CONTENT)["ref"]
    assert Caller("bob").call("GetSubmission", {"ref": ref}).json()["ref"] == ref
    foreign = Caller("charlie").call("GetSubmission", {"ref": ref})
    unknown = Caller("charlie").call("GetSubmission", {"ref": ref + 1})
    assert foreign.status_code == unknown.status_code == 404
    assert foreign.json()["message"].replace(str(ref), "") == unknown.json()["message"].replace(
        str(ref + 1), ""
    )
    place = reverse("kaggle_submission_file", args=[ref, "a.csv"])
    for name, status in (("alice", 200), ("bob", 200), ("charlie", 404), ("hana", 404)):
        answer = Client().get(place, headers={"Authorization": Caller(name).header})
        assert answer.status_code == status, name
        for close in answer._resource_closers:
            close()


def test_a_key_opens_only_with_its_own_name(team):
    _, secret = tokens.make(factories.user("alice"), "test")

    def basic(name: str) -> str:
        return "Basic " + base64.b64encode(f"{name}:{secret}".encode()).decode()

    body = {"competitionName": "contest"}
    assert Caller(header=basic("alice")).call("ListSubmissions", body).status_code == 200
    binary = "Basic " + base64.b64encode(b"\xff").decode()
    for header in (basic("bob"), "Basic ???", "Basic \xe9", binary):
        answer = Caller(header=header).call("ListSubmissions", body)
        assert answer.status_code == 401
        assert "WWW-Authenticate" in answer
    assert Caller(header="Digest x").call("ListCompetitions").status_code == 401


@pytest.mark.parametrize(
    "body",
    [b"{", b"[1]", b'{"a": NaN}', b"\xff", b"[" * 20_000, b'{"x": "' + b"a" * 70_000 + b'"}'],
)
def test_broken_bodies_are_refused(team, body):
    answer = Caller("alice").call("ListCompetitions", body)
    assert answer.status_code in (400, 413)
    assert answer.json()["code"] == answer.status_code
    assert answer.json()["message"]


@pytest.mark.parametrize(
    ("method", "body"),
    [
        ("GetSubmission", {"ref": "1; drop"}),
        ("GetSubmission", {"ref": 10**30}),
        ("GetSubmission", {"ref": True}),
        ("ListSubmissions", {"competitionName": 7}),
        ("ListSubmissions", {"competitionName": "contest", "pageToken": "x"}),
        ("StartSubmissionUpload", {"competitionName": "contest", "contentLength": 1.5}),
    ],
)
def test_values_of_another_kind_are_refused(team, method, body):
    assert Caller("alice").call(method, body).status_code == 400


def test_unknown_calls_and_competitions_are_not_found(team):
    alice = Caller("alice")
    assert alice.call("LaunchCompetition").status_code == 404
    for name in ("nowhere", "a\0b", ""):
        answer = alice.call("ListDataFiles", {"competitionName": name})
        assert answer.status_code == 404
    Competition.objects.update(published_at=None)
    assert alice.call("ListDataFiles", {"competitionName": "contest"}).status_code == 404
    assert alice.call("ListCompetitions").json()["competitions"] == []


def test_a_page_token_leads_through_all_files(team):
    alice = Caller("alice")
    Competition.objects.update(daily_limit=9)
    refs = [
        alice.submit(factories.csv(factories.predictions(0.6, seed=n)))["ref"] for n in range(3)
    ]
    found, token = [], ""
    while True:
        body = {"competitionName": "contest", "pageSize": 2, "pageToken": token}
        page = alice.call("ListSubmissions", body).json()
        found += [row["ref"] for row in page["submissions"]]
        token = page["nextPageToken"]
        if not token:
            break
    assert found == refs[::-1]


def test_a_row_that_is_hidden_is_hidden_here_too(team, contest):
    rivals = factories.team(contest, "charlie")
    for one, right in ((team, 0.8), (rivals, 0.9)):
        factories.scored(one, right)
    body = {"competitionName": "contest"}

    def names(who: str) -> list[str]:
        rows = Caller(who).call("GetLeaderboard", body).json()["submissions"]
        return [row["teamName"] for row in rows]

    assert names("alice") == ["charlie", "alice"]
    Competition.objects.update(board_names="pseudonyms")
    hidden, own = names("alice")
    assert own == "alice"
    assert hidden.startswith("Team ")
    Competition.objects.update(board_names="own_row")
    assert names("alice") == ["alice"]
    csv = Caller("alice").call("DownloadLeaderboard", body).content
    assert b"charlie" not in csv
    public = Caller("alice").call("ListTeamPublicSubmissions", {"teamId": rivals.pk})
    assert public.status_code == 404


def test_the_address_for_the_bytes_is_one_the_client_reaches(team):
    alice = Caller("alice")
    body = {"competitionName": "contest", "contentLength": 10, "fileName": "a"}
    proxied = alice.call("StartSubmissionUpload", body, HTTP_HOST="localhost").json()
    assert proxied["createUrl"].startswith("http://localhost/")
    direct = alice.call("StartSubmissionUpload", body, HTTP_HOST="localhost:8000").json()
    assert direct["createUrl"].startswith("http://localhost:8000/")


def test_what_everybody_may_read_needs_no_token(team):
    factories.scored(team, 0.8)
    nobody = Caller()
    body = {"competitionName": "contest"}
    assert nobody.call("ListCompetitions").json()["competitions"][0]["ref"] == "contest"
    for method in ("GetLeaderboard", "ListDataFiles", "ListCompetitionPages"):
        assert nobody.call(method, body).status_code == 200, method
    for method in ("ListSubmissions", "GetSubmissionLimits", "DownloadDataFiles"):
        assert nobody.call(method, body).status_code in (401, 404), method


def test_a_token_says_whose_it_is(team):
    _, secret = tokens.make(factories.user("alice"), "test")
    for given, active in ((secret, True), ("wrong", False), ("", False)):
        answer = Client().post(
            reverse("kaggle_introspect"), {"token": given}, content_type="application/json"
        )
        assert answer.json()["active"] is active
    assert answer.json() == {"active": False}


@pytest.mark.parametrize(
    ("method", "field", "value"),
    [
        ("ListCompetitions", "search", "a\ud800"),
        ("ListCompetitions", "sortBy", []),
        ("ListDataFiles", "competitionName", "a\udfff"),
        ("DownloadDataFile", "fileName", "\udc00"),
        ("CreateSubmission", "competitionName", "\0\ud800"),
    ],
)
def test_signs_that_no_database_holds_are_no_fault_of_ours(team, method, field, value):
    body = {"competitionName": "contest", field: value}
    assert Caller("alice").call(method, body).status_code in (200, 404)


def test_the_address_of_somebody_who_has_gone_takes_nothing(team):
    given = Caller("bob").start(len(CONTENT)).json()
    deletion.delete(factories.user("bob"))
    assert put(given["createUrl"], CONTENT).status_code == 404
    assert not UploadTicket.objects.exclude(path="").exists()


def test_a_call_repeated_while_the_first_is_at_it_is_the_same_file(team, contest, monkeypatch):
    alice, opened, first = factories.user("alice"), store.open_file, []
    secret = uploads.open_ticket(contest, alice, "a.csv", len(CONTENT))
    uploads.receive(secret, io.BytesIO(CONTENT), len(CONTENT))

    def overtaken(*arguments):
        monkeypatch.setattr(store, "open_file", opened)
        first.append(uploads.submit(secret, contest, team, alice, ""))
        return opened(*arguments)

    monkeypatch.setattr(store, "open_file", overtaken)
    assert uploads.submit(secret, contest, team, alice, "") == first[0]


@pytest.mark.parametrize(
    ("name", "local"),
    [
        ("model.csv", "model.csv"),
        ("my file (2).csv", "my-file-2-.csv"),
        ("../_a/b.csv", "a-b.csv"),
        ("\u6a21\u578b", "file-1"),
        ("", "file-1"),
    ],
)
def test_a_file_of_any_name_is_downloaded_under_a_plain_one(team, name, local):
    sent = factories.upload(team, CONTENT, name=name)
    alice = Caller("alice")
    answer = alice.call("DownloadSubmission", {"submissionId": sent.pk})
    assert answer.status_code == 302
    assert answer["Location"].rpartition("/")[2] == local
    got = alice.client.get(answer["Location"], headers={"Authorization": alice.header})
    assert b"".join(got.streaming_content) == CONTENT
    store.remove(settings.UPLOADS_DIR, sent.path)
    gone = alice.client.get(answer["Location"], headers={"Authorization": alice.header})
    assert gone.status_code == 404


class BrokenOff(io.RawIOBase):
    """A body that ends with the connection."""

    def read(self, size=-1):
        raise OSError("the connection is gone")


def test_a_full_disk_and_a_broken_connection_keep_nothing(team, contest, monkeypatch):
    def full(*arguments):
        raise OSError(errno.ENOSPC, "No space left on device")

    alice = Caller("alice")
    given = alice.start(len(CONTENT)).json()
    path = "/" + given["createUrl"].split("/", 3)[3]
    broken = Client().put(path, CONTENT, **{"wsgi.input": BrokenOff()})
    assert (broken.status_code, "broke off" in broken.json()["message"]) == (400, True)
    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        answer = Client().put(path, CONTENT)
    assert (answer.status_code, "disk is full" in answer.json()["message"]) == (507, True)
    for folder in (store.INCOMING, f"{contest.uuid}/tickets"):
        assert not list((settings.UPLOADS_DIR / folder).iterdir())
    # The address is as good as before.
    assert put(given["createUrl"], CONTENT).status_code == 201


def test_a_full_disk_is_said_where_the_archive_has_no_room(team, contest, monkeypatch):
    def full(*arguments):
        raise OSError(errno.ENOSPC, "No space left on device")

    data_file(contest)
    monkeypatch.setattr(os, "fsync", full)
    place = reverse("kaggle_files", args=["contest"])
    answer = Client().get(place, headers={"Authorization": Caller("alice").header})
    assert (answer.status_code, "disk is full" in answer.json()["message"]) == (507, True)


def test_calls_are_counted_with_those_of_the_api(team, settings):
    settings.API_CALLS_A_MINUTE = 2
    cache.clear()
    alice = Caller("alice")
    statuses = [alice.call("ListCompetitions").status_code for _ in range(2)]
    statuses.append(Client().get("/api/v1/me", headers={"Authorization": alice.header}).status_code)
    statuses.append(alice.call("ListCompetitions").status_code)
    cache.clear()
    # A new minute of the clock may have begun between two calls.
    assert statuses in ([200, 200, 429, 429], [200, 200, 200, 429], [200] * 4)
    assert alice.call("ListCompetitions").status_code == 200


@pytest.mark.parametrize("length", ["\xb2", "-1", "x"])
def test_a_length_that_is_no_number_is_no_fault_of_ours(team, length):
    client = Client(raise_request_exception=False)
    place = reverse("kaggle_put", args=["x"])
    assert client.put(place, CONTENT, CONTENT_LENGTH=length).status_code == 411
    assert client.get("/api/v1/competitions", CONTENT_LENGTH=length).status_code == 400
    assert Caller().call("ListCompetitions", CONTENT_LENGTH=length).status_code == 413
    client.force_login(factories.user("alice"))
    sent = client.post(reverse("submit", args=["contest"]), CONTENT_LENGTH=length)
    assert sent.status_code == 400
    long = {"CONTENT_LENGTH": "9" * 5000}
    assert client.put(place, CONTENT, **long).status_code == 404
    assert client.get("/api/v1/competitions", **long).status_code == 400
    assert Caller().call("ListCompetitions", **long).status_code == 413


def test_what_was_announced_and_not_submitted_goes_by_itself(team, contest):
    alice = factories.user("alice")
    secret = uploads.open_ticket(contest, alice, "a.csv", len(CONTENT))
    uploads.receive(secret, io.BytesIO(CONTENT), len(CONTENT))
    stored = settings.UPLOADS_DIR / UploadTicket.objects.get().path
    orphan = store.write(settings.UPLOADS_DIR, f"{contest.uuid}/tickets", "orphan", [b"1"])
    orphan = settings.UPLOADS_DIR / orphan.path
    tasks.sweep()
    assert stored.exists()
    assert orphan.exists()
    UploadTicket.objects.update(expires_at=clock.now() - timedelta(days=1))
    long_ago = time.time() - 2 * uploads.ORPHANED
    os.utime(orphan, (long_ago, long_ago))
    # What a process left that was stopped while it packed an archive.
    half = settings.DOWNLOADS_DIR / store.INCOMING / "half"
    half.parent.mkdir(parents=True, exist_ok=True)
    half.write_bytes(b"1")
    os.utime(half, (long_ago, long_ago))
    tasks.sweep()
    assert not half.exists()
    assert not stored.exists()
    assert not orphan.exists()
    assert not UploadTicket.objects.exists()


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("gate", "only if the file is clearly above the team's best"),
        ("exact", "Its public score appears as soon as it is scored."),
        ("sealed", "no file gets a score before the close."),
    ],
)
def test_what_follows_an_accepted_file_is_what_its_rule_does(db, rule, said):
    contest = factories.competition("contest", rule={"rule": rule}, late_files=True)
    team = factories.team(contest, "alice")
    alice = Caller("alice")
    assert said in alice.submit(CONTENT)["message"]
    factories.score(team)
    reveal(contest)
    assert "a private score and ranks nowhere" in alice.submit(CONTENT + b"\n")["message"]


def test_the_own_place_is_that_of_the_board_shown(team, contest):
    other = factories.team(contest, "charlie")
    factories.scored(team, 0.8)
    # Too little for a public score: both tie at the start line, and only the final has a place.
    factories.scored(other, 0.5)

    def place(name: str):
        (told,) = Caller(name).call("ListCompetitions").json()["competitions"]
        return told.get("userRank")

    assert (place("alice"), place("charlie"), place("stella")) == (1, None, None)
    reveal(contest)
    assert (place("alice"), place("charlie")) == (1, 2)


def test_why_there_are_no_data_files_is_said_as_it_is(team, contest):
    body = {"competitionName": "contest", "fileName": "train.csv"}

    def said(name: str) -> str:
        answer = Caller(name).call("DownloadDataFile", body)
        assert answer.status_code == 403
        return answer.json()["message"]

    assert "Join this competition" in said("stella")
    factories.end(contest)
    assert "takes no more people" in said("stella")
    Competition.objects.update(archived_at=clock.now())
    for name in ("alice", "stella"):
        assert "archived" in said(name)


def reveal(contest: Competition) -> None:
    """Close a competition, score its finals and show them."""
    factories.end(contest)
    finals.finalise(contest.pk)
    contest.refresh_from_db()
    closing.reveal(contest, factories.user("hana"))
