"""What the API refuses, and that it says so in one form."""

import io
import json
import logging
from datetime import datetime

import pytest
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile

from leaderboard.accounts import tokens
from leaderboard.accounts.models import ApiToken
from leaderboard.api import described, door, me_calls
from leaderboard.competitions.models import Competition
from leaderboard.submissions.models import Submission
from tests.leaderboard import factories
from tests.leaderboard.api.conftest import Caller


def refused(answer, status: int, code: str) -> dict:
    """Check the form of an error and return it."""
    told = answer.json()
    assert (answer.status_code, told["code"]) == (status, code), told
    assert set(told) == {"code", "message", "details"}
    assert answer["Content-Type"] == "application/json"
    assert "Traceback" not in answer.content.decode()
    return told


def upload(content: bytes = b"id,label\n1,yes\n") -> SimpleUploadedFile:
    return SimpleUploadedFile("model.csv", content)


def test_a_call_without_a_token_is_told_how_to_send_one(stage):
    answer = stage.nobody.get("me")
    refused(answer, 401, "no_token")
    assert answer["WWW-Authenticate"] == 'Bearer realm="holdout"'


@pytest.mark.parametrize(
    "sent", ["Bearer holdout_wrong", "Bearer", "Basic YWxpY2U6YWxpY2U=", "holdout_", "Bearer é"]
)
@pytest.mark.parametrize("place", ["me", "competitions"])
def test_wrong_credentials_are_refused_where_none_are_needed_too(stage, place, sent):
    refused(stage.nobody.get(place, Authorization=sent), 401, "wrong_token")


def test_a_revoked_token_and_that_of_somebody_gone_end_at_once(stage):
    assert stage.alice.get("me").status_code == 200
    tokens.revoke(ApiToken.objects.get(user=stage.alice.person))
    refused(stage.alice.get("me"), 401, "wrong_token")
    stage.bob.person.is_active = False
    stage.bob.person.save()
    refused(stage.bob.get("me"), 401, "wrong_token")


def test_a_session_counts_for_nothing(stage):
    stage.nobody.client.force_login(stage.alice.person)
    refused(stage.nobody.get("me"), 401, "no_token")
    assert stage.nobody.get(stage.base).json()["you"]["joined"] is False


def test_a_token_in_the_address_is_refused(stage):
    for name in ("token", "access_token", "api_key"):
        refused(stage.nobody.get(f"me?{name}={stage.alice.secret}"), 422, "unknown")


@pytest.mark.parametrize(
    ("place", "field"),
    [
        ("competitions?ordering=private_score", "ordering"),
        ("competitions/contest/leaderboard?private_score__gt=0.8", "private_score__gt"),
        ("competitions/contest/leaderboard?fields=value", "fields"),
        ("me?x=1", "x"),
    ],
)
def test_an_unknown_parameter_is_named(stage, place, field):
    told = refused(stage.alice.get(place), 422, "unknown")
    assert told["details"]["problems"][0]["field"] == field


@pytest.mark.parametrize(
    "query",
    ["page=0", "page=-1", "page_size=101", "page_size=1000000000", "page=x", "page=1&page=2",
     "page=99999999999999999999", "set=private", "q=%00", f"q={'x' * 61}", "baselines=maybe"],
)  # fmt: skip
def test_a_parameter_that_makes_no_sense_is_named(stage, query):
    told = refused(stage.nobody.get(f"{stage.base}/leaderboard?{query}"), 422, "invalid")
    assert told["details"]["problems"][0]["field"] == query.partition("=")[0]


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ('{"accept_rules": true, "team": 1}', 422, "invalid"),
        ('{"accept_rules": "true"}', 422, "invalid"),
        ("{}", 422, "invalid"),
        ("[]", 422, "invalid"),
        ("null", 422, "invalid"),
        ('{"accept_rules": NaN}', 400, "bad_json"),
        ('{"accept_rules": true, "accept_rules": false}', 400, "bad_json"),
        ("{", 400, "bad_json"),
        ("\x00", 400, "bad_json"),
        ("[" * 60_000, 400, "too_deep"),
        ('{"accept_rules": ' + "[" * 20 + "]" * 20 + "}", 400, "too_deep"),
        (" " * (door.BODY_BYTES + 1), 413, "too_large"),
    ],
)
def test_a_body_that_makes_no_sense_changes_nothing(stage, body, status, code):
    answer = stage.stella.client.post(
        f"/api/v1/{stage.base}/join",
        body,
        content_type="application/json",
        headers={"Authorization": f"Bearer {stage.stella.secret}"},
    )
    refused(answer, status, code)
    assert not stage.contest.participants.filter(user=stage.stella.person).exists()


def test_no_field_of_a_model_can_be_set(stage):
    before = Submission.objects.values().get()
    for name in [field.name for field in Submission._meta.get_fields()] + ["score", "status"]:
        if name not in ("note", "own_score"):
            told = refused(stage.alice("patch", stage.file, {name: 1}), 422, "invalid")
            assert told["details"]["problems"][0]["field"] == name
            form = {"file": upload(), name: "1"}
            refused(stage.charlie.post(f"{stage.base}/submissions", form), 422, "invalid")
    assert Submission.objects.values().get() == before


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"file": upload(), "note": "x" * 301}, 422, "invalid"),
        ({"file": upload(), "own_score": "0,5"}, 400, "own_score"),
        ({"file": upload(), "own_score": "nan"}, 400, "own_score"),
        ({"file": [upload(), upload()]}, 422, "invalid"),
        ({"file": "text"}, 422, "invalid"),
        ({"file": upload(b"")}, 400, "empty"),
    ],
)
def test_a_form_that_makes_no_sense_is_no_submission(stage, body, status, code):
    for one in body["file"] if isinstance(body["file"], list) else [body["file"]]:
        if hasattr(one, "seek"):
            one.seek(0)
    refused(stage.charlie.post(f"{stage.base}/submissions", body), status, code)
    assert Submission.objects.count() == 1


def test_a_file_that_is_too_large_is_refused_before_its_form_is_read(stage, monkeypatch):
    Competition.objects.filter(pk=stage.contest.pk).update(packed_limit=1000)
    monkeypatch.setattr("django.http.request.MultiPartParser", None)
    told = stage.charlie.post(f"{stage.base}/submissions", {"file": upload(b"x" * 80_000)})
    refused(told, 413, "too_large")
    refused(stage.charlie.post(f"{stage.base}/checks", {"file": upload(b"x" * 80_000)}), 413,
            "too_large")  # fmt: skip


def test_a_body_in_chunks_and_one_of_another_type_are_refused(stage):
    headers = {"Authorization": f"Bearer {stage.charlie.secret}", "Transfer-Encoding": "chunked"}
    place = f"/api/v1/{stage.base}/submissions"
    # As gunicorn hands over a body in chunks: readable to its end, without a length.
    sent = {"wsgi.input": io.BytesIO(b"x" * 100), "CONTENT_LENGTH": ""}
    answer = stage.charlie.client.generic("POST", place, headers=headers, **sent)
    refused(answer, 411, "no_length")
    refused(stage.charlie.post(f"{stage.base}/submissions", {"note": "x"}), 415, "wrong_type")
    refused(stage.charlie.post(f"{stage.base}/submissions", None), 400, "wrong_form")


@pytest.mark.parametrize("method", ["put", "patch", "delete", "options", "trace"])
def test_other_methods_are_named(stage, method):
    answer = stage.alice(method, "me")
    told = refused(answer, 405, "wrong_method")
    assert told["details"]["allowed"] == ["GET", "HEAD"]
    assert answer["Allow"] == "GET, HEAD"
    overridden = stage.alice.post("me", X_HTTP_Method_Override="GET")
    assert overridden.status_code == 405


@pytest.mark.parametrize(
    "place",
    ["nothing", "competitions/", "competitions/contest/files/..%2F..%2Fkeys", "me%0A", "%00"],
)
def test_what_is_no_address_is_not_found_in_the_same_form(stage, place):
    told = stage.alice.get(place)
    refused(told, 404, "not_found")
    assert told.content == stage.alice.get("competitions/unknown").content


def test_an_error_of_ours_has_a_number_and_nothing_else(stage, monkeypatch, caplog):
    def fails(*arguments):
        raise RuntimeError("the secret reason")

    monkeypatch.setattr(me_calls.clock, "now", fails)
    answer = stage.alice.get("me")
    told = refused(answer, 500, "failed")
    assert "secret" not in answer.content.decode()
    assert told["details"]["number"] in caplog.text


def test_an_error_of_the_cache_is_one_of_ours(stage, monkeypatch):
    def fails(*arguments, **options):
        raise OSError("the cache is gone")

    monkeypatch.setattr(type(cache._connections["default"]), "get", fails)
    refused(stage.nobody.get("competitions"), 500, "failed")


def test_no_number_that_json_does_not_have_is_answered(stage):
    with pytest.raises(ValueError, match="JSON"):
        described.Renderer().render(None, {"score": float("nan")}, response_status=200)
    Submission.objects.filter(pk=stage.sent.pk).update(own_score=None)
    json.loads(stage.alice.get(stage.file).content, parse_constant=pytest.fail)


def test_calls_are_counted_for_a_person_with_all_tokens(stage, settings):
    settings.API_CALLS_A_MINUTE = 3
    cache.clear()
    second = Caller(stage.alice.person)
    statuses = [caller.get("me").status_code for caller in (stage.alice, second) * 2]
    # A new minute of the clock may have begun between two calls.
    assert statuses in ([200, 200, 200, 429], [200] * 4)
    answer = stage.alice.get("me")
    if answer.status_code == 429:
        refused(answer, 429, "too_many_calls")
        assert 1 <= int(answer["Retry-After"]) <= 60
    assert stage.bob.get("me").status_code == 200
    assert stage.nobody.get("competitions").status_code == 200


def test_the_quota_says_when_it_begins_again(stage):
    Competition.objects.filter(pk=stage.contest.pk).update(daily_limit=1)
    answer = stage.bob.post(f"{stage.base}/submissions", {"file": upload()})
    told = refused(answer, 429, "over_quota")
    assert (told["details"]["limit"], told["details"]["left"]) == (1, 0)
    resets = datetime.fromisoformat(told["details"]["resets_at"])
    assert (resets.hour, resets.minute) == (0, 0)
    assert 0 < int(answer["Retry-After"]) <= 86_401
    Competition.objects.filter(pk=stage.contest.pk).update(daily_limit=5, total_limit=1)
    refused(stage.bob.post(f"{stage.base}/submissions", {"file": upload()}), 429, "over_total")
    assert Submission.objects.count() == 1


def test_the_same_key_is_one_submission(stage):
    content = factories.csv(factories.predictions(0.7, seed=8))
    place = f"{stage.base}/submissions"
    sent = [
        stage.charlie.post(place, {"file": upload(content)}, Idempotency_Key="run 1")
        for _ in range(2)
    ]
    assert [answer.status_code for answer in sent] == [201, 201]
    assert sent[0].json() == sent[1].json()
    other = stage.charlie.post(place, {"file": upload()}, Idempotency_Key="run 1")
    told = refused(other, 409, "key_used")
    assert told["details"]["submission"] == sent[0].json()["uuid"]
    assert stage.charlie.post(place, {"file": upload()}, Idempotency_Key="é2").status_code == 201
    refused(
        stage.charlie.post(place, {"file": upload()}, Idempotency_Key="x" * 201), 422, "invalid"
    )
    assert Submission.objects.filter(team__name="charlie").count() == 2


@pytest.mark.db
@pytest.mark.django_db(transaction=True)
def test_parallel_retries_with_one_key_are_one_submission(stage, together):
    logging.getLogger("django.request").setLevel(logging.ERROR)
    content = factories.csv(factories.predictions(0.7, seed=8))

    def send(number: int):
        caller = Caller()
        caller.secret = stage.charlie.secret
        body = {"file": upload(content)}
        return caller.post(f"{stage.base}/submissions", body, Idempotency_Key="again")

    answers = together(send, 8)
    assert [answer.status_code for answer in answers] == [201] * 8, answers
    assert len({answer.json()["uuid"] for answer in answers}) == 1
    assert Submission.objects.filter(team__name="charlie").count() == 1
