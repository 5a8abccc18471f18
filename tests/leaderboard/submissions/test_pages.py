"""Pages of a team's files: sending, refusals, the live status, the list, final choices, who may."""

import gzip
import io
import json
import uuid
from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils.html import escape

from leaderboard.competitions import clock
from leaderboard.competitions.models import Competition
from leaderboard.submissions.models import Evaluation, FinalChoice, Submission
from tests.leaderboard import factories

pytestmark = pytest.mark.db
JSON = {"headers": {"Accept": "application/json"}}


@pytest.fixture
def contest():
    return factories.competition(slug="c")


@pytest.fixture
def team(contest):
    return factories.team(contest, "alice", "bob")


@pytest.fixture
def alice(client, team):
    client.force_login(factories.user("alice"))
    return client


def as_person(name):
    client = Client()
    client.force_login(factories.user(name))
    return client


def file(content=None, name="file.csv"):
    content = factories.csv(factories.predictions()) if content is None else content
    return SimpleUploadedFile(name, content)


def send(client, content=None, name="file.csv", *, accept=None, **fields):
    options = accept or {}
    given = {"file": file(content, name), "note": "a note", "form_token": "t", **fields}
    given = {key: value for key, value in given.items() if value is not None}
    return client.post(reverse("submit", args=("c",)), given, **options)


def change(contest, **fields):
    Competition.objects.filter(pk=contest.pk).update(**fields)


@pytest.mark.django_db
def test_a_form_that_cannot_be_read_is_answered_in_our_words(alice):
    for client in (alice, Client()):
        response = client.post(
            reverse("account_login"), "x", content_type="multipart/form-data", follow=True
        )
        assert response.status_code == 400
        assert "This request was not understood" in response.content.decode()


def status_of(client, sent, query=""):
    address = reverse("submission_status", args=("c", sent.uuid)) + query
    return client.get(address, headers={"HX-Request": "true"})


def text_of(client, name, *args):
    return client.get(reverse(name, args=("c", *args))).content.decode()


# ---- sending ----


def test_the_form_says_what_a_file_must_look_like(alice):
    text = text_of(alice, "submit")
    for words in (
        "id,label",
        "400",
        "no or yes",
        "5 of 5 submissions left",
        "Resets at ",
        "00:00 UTC</time>",
        "0 of 10 used",
        "clearly above the start line, 0.50",
        "64 MiB",
        'name="form_token"',
    ):
        assert words in text
    rules = text.split('id="rules" type="application/json">')[1].split("</script>")[0]
    assert json.loads(rules)["classes"] == ["no", "yes"]


def test_a_plain_form_goes_to_the_page_of_the_file(alice, team):
    answer = send(alice)
    sent = Submission.objects.get()
    assert answer.status_code == 303
    assert answer["Location"] == f"/c/c/submissions/{sent.uuid}/"
    assert (sent.note, sent.original_name, sent.user.username) == ("a note", "file.csv", "alice")
    assert "Your file arrived" in alice.get(answer["Location"]).content.decode()


def test_a_script_is_told_where_the_file_is(alice):
    answer = send(alice, accept=JSON)
    sent = Submission.objects.get()
    assert answer.status_code == 201
    assert answer["Location"] == answer.json()["location"] == f"/c/c/submissions/{sent.uuid}/"


def test_a_double_click_is_one_file(alice):
    first, second = send(alice), send(alice)
    assert first["Location"] == second["Location"]
    assert Submission.objects.count() == 1


def refusals():
    now = timedelta()
    return [
        ("closed", {"closes_at": now}, {}, 403, "This competition closed on"),
        ("upcoming", {"opens_at": timedelta(days=1)}, {}, 403, "does not take files yet"),
        ("no file", {}, {"file": None}, 400, "No file came with this form."),
        ("empty", {}, {"content": b""}, 400, "This file is empty: it has 0 bytes. It needs the"),
        ("large", {"packed_limit": 1000}, {}, 413, "This file is larger than 1000 bytes"),
        ("huge", {"packed_limit": 10}, {"content": b"x" * 100_000}, 413, "larger than 10 bytes"),
        ("token", {}, {"form_token": "x" * 65}, 400, "No file came with this form."),
    ]


@pytest.mark.parametrize(("case", "fields", "given", "status", "words"), refusals())
def test_every_refusal_has_its_sentence_and_status(
    alice, contest, case, fields, given, status, words
):
    now = clock.now()
    change(
        contest,
        **{
            name: now + value if isinstance(value, timedelta) else value
            for name, value in fields.items()
        },
    )
    page = send(alice, **given)
    assert page.status_code == status
    assert words in page.content.decode()
    told = send(alice, accept=JSON, **given)
    assert told.status_code == status
    assert words in told.json()["sentence"]
    assert not Submission.objects.exists()


def test_the_note_and_the_token_survive_a_refusal(alice):
    text = send(alice, b"", note="kept & safe").content.decode()
    assert 'value="kept &amp; safe"' in text
    assert 'name="form_token" value="t"' in text
    assert "choose the file again" in text


def test_over_quota_says_when_it_resets_and_lets_files_be_checked(alice, contest):
    change(contest, daily_limit=1)
    send(alice)
    answer = send(alice, form_token="u")
    text = answer.content.decode()
    assert answer.status_code == 429
    assert "You can send files again from" in text
    assert "You can still check a file here, without sending it for a score." in text
    assert "data-full" in text
    assert Submission.objects.count() == 1


def test_who_has_not_joined_is_told_how(contest):
    stranger = as_person("charlie")
    assert "Read the rules and join" in text_of(stranger, "submit")
    answer = send(stranger)
    assert answer.status_code == 403
    assert "Join this competition before you send a file." in answer.content.decode()
    assert "/c/c/rules/#join" in answer.content.decode()


def test_hosts_are_told_that_they_do_not_take_part(contest):
    assert "You host this competition." in text_of(as_person("hana"), "submit")


def test_signed_out_people_are_sent_to_sign_in(client, contest):
    assert client.get("/c/c/submit/")["Location"] == "/signin/?next=/c/c/submit/"
    answer = send(client, accept=JSON)
    assert (answer.status_code, answer.json()["code"]) == (403, "signed_out")


def test_a_form_without_its_token_is_refused(team):
    client = Client(enforce_csrf_checks=True)
    client.force_login(factories.user("alice"))
    assert send(client).status_code == 403
    assert not Submission.objects.exists()
    client.get("/c/c/submit/")
    token = client.cookies["csrftoken"].value
    assert send(client, csrfmiddlewaretoken=token).status_code == 303


def test_packed_files_are_taken(alice, team):
    send(alice, gzip.compress(factories.csv(factories.predictions())), name="file.csv.gz")
    assert [evaluation.status for evaluation in factories.score(team)] == ["scored"]


# ---- the page of a file ----


def test_the_live_page_looks_again_by_itself_and_stops(alice, team):
    sent = factories.upload(team)
    page = text_of(alice, "submission", sent.uuid)
    assert 'hx-trigger="every 500ms"' in page
    assert "Without scripts this page does not refresh itself." in page
    seen = page.split("status/?seen=")[1].split('"')[0]
    assert status_of(alice, sent, f"?seen={seen}").status_code == 204
    assert status_of(alice, sent, "?seen=other").status_code == 200
    factories.score(team)
    answer = status_of(alice, sent, f"?seen={seen}")
    text = answer.content.decode()
    assert answer.status_code == 286
    assert "New score 0.80." in text
    assert 'id="said" hx-swap-oob="innerHTML">New score 0.80.' in text
    assert "hx-trigger" not in text.split('id="outcome"')[0]


def test_after_ten_seconds_it_looks_each_second(alice, team):
    sent = factories.upload(team)
    Evaluation.objects.update(queued_at=clock.now() - timedelta(seconds=9))
    assert "every 500ms" in text_of(alice, "submission", sent.uuid)
    Evaluation.objects.update(queued_at=clock.now() - timedelta(seconds=11))
    text = text_of(alice, "submission", sent.uuid)
    assert "every 1s" in text
    assert "Taking longer than usual, position 1 in the queue." in text


def test_the_place_in_the_queue_counts_all_that_waits(alice, contest, team):
    other = factories.upload(factories.team(contest, "dora"))
    sent = factories.upload(team)
    old = clock.now() - timedelta(seconds=60)
    Evaluation.objects.filter(submission=other).update(queued_at=old)
    Evaluation.objects.filter(submission=sent).update(queued_at=old + timedelta(seconds=9))
    assert "position 2 in the queue" in text_of(alice, "submission", sent.uuid)


@pytest.mark.parametrize(
    ("stage", "now"), [("", "Reading"), ("checking", "Checking"), ("scoring", "Scoring")]
)
def test_the_track_shows_the_stage(alice, team, stage, now):
    sent = factories.upload(team)
    Evaluation.objects.update(status="leased", stage=stage, started_at=clock.now())
    text = text_of(alice, "submission", sent.uuid)
    assert f'<li class="now" aria-current="step">{now}' in text


def test_outcomes_in_the_decided_words(alice, team):
    expected = [
        (0.52, "No new score. This file is not clearly above the start line, 0.50."),
        (0.8, "New score 0.80."),
        (0.82, "No new score. This file is not clearly above your best, 0.80."),
    ]
    for share, words in expected:
        evaluation = factories.scored(team, share)
        text = text_of(alice, "submission", evaluation.submission.uuid)
        assert words in text
        assert ("It may be a little better, equal or much worse" in text) == (share != 0.8)
    assert "1 of 10 used" in text


@pytest.mark.parametrize("names", ["names", "pseudonyms", "own_row"])
def test_the_best_score_of_all_stands_beside_the_own_where_its_row_is_shown(alice, team, names):
    Competition.objects.update(board_names=names)
    factories.scored(factories.team(Competition.objects.get(), "charlie"), 0.93)
    sent = factories.scored(team, 0.8).submission
    page = reverse("submission", args=["c", sent.uuid])
    assert ("0.93" in alice.get(page).text) is (names != "own_row")
    host = Client()
    host.force_login(factories.user("hana"))
    assert "0.93" in host.get(page).text


def test_the_same_predictions_again(alice, team):
    factories.scored(team, 0.8)
    again = factories.scored(team, 0.8)
    text = text_of(alice, "submission", again.submission.uuid)
    first = team.submissions.get(number=1)
    place = reverse("submission", args=("c", first.uuid))
    assert f'The same predictions as <a href="{place}">file 1</a>: same answer.' in text
    assert "It used one of today’s submissions and no new score." in text


def test_the_form_knows_the_teams_files_again(alice, team):
    new, none = factories.scored(team, 0.8), factories.scored(team, 0.6, seed=2)
    bad = factories.scored(team, b"id,label\n1,yes\n")
    waits = factories.upload(team, 0.7, seed=3)
    text = text_of(alice, "submit")
    rules = json.loads(text.split('id="rules" type="application/json">')[1].split("</script>")[0])
    assert rules["sent"] == {
        new.submission.sha256[:16]: "the same file as your file 1 (new score 0.80): "
        "the answer would be the same, and it would use a submission",
        none.submission.sha256[:16]: "the same file as your file 2 (no new score): "
        "the answer would be the same, and it would use a submission",
        bad.submission.sha256[:16]: "the same file as your file 3, which failed its checks",
        waits.sha256[:16]: "the same file as your file 4",
    }
    other = as_person(factories.team(team.competition, "charlie").members.get().user.username)
    assert waits.sha256[:16] not in text_of(other, "submit")


def test_what_is_left_is_told_with_the_upload_and_where_a_file_is_chosen(alice, team, contest):
    change(contest, daily_limit=3, total_limit=4)
    answer = send(alice, accept=JSON).json()
    assert (answer["left"], answer["limit"], answer["total_left"]) == (2, 3, 3)
    assert answer["resets_at"].endswith("T00:00:00Z")
    text = text_of(alice, "submit")
    assert "You have 2 of 3 submissions left today and 3 of 4 in all" in text
    factories.score(team)
    own = team.submissions.get()
    assert "2 of 3 submissions left today" in text_of(alice, "submission", own.uuid)
    assert "How long it took" in text_of(alice, "submission", own.uuid)
    # A host reads nothing of a team's day.
    assert "left today" not in text_of(as_person("hana"), "submission", own.uuid)


def test_a_file_that_failed_on_our_side_says_so_and_gives_its_slot_back(alice, team, monkeypatch):
    sent = factories.upload(team)
    Evaluation.objects.filter(submission=sent).update(attempts=1)
    text = text_of(alice, "submission", sent.uuid)
    assert "It is tried again by itself: attempt 2 of 3." in text
    Evaluation.objects.filter(submission=sent).update(status="needs_attention", attempts=3)
    text = text_of(alice, "submission", sent.uuid)
    assert "failed on our side. It did not use up a submission" in text
    assert "You have 5 of 5 submissions left today" in text


def test_a_body_in_chunks_is_told_to_say_its_length(alice):
    body = io.BytesIO(b"x" * 1000)
    sent = {"wsgi.input": body, "HTTP_TRANSFER_ENCODING": "chunked", "CONTENT_LENGTH": ""}
    answer = alice.generic("POST", reverse("submit", args=("c",)), **JSON, **sent)
    assert (answer.status_code, answer.json()["code"]) == (411, "no_length")
    assert "Content-Length" in answer.json()["sentence"]
    # Read to its end, so that the sender reads the answer.
    assert body.tell() == 1000


class BrokenChunks(io.RawIOBase):
    """A body whose first chunk is none, as a server reads it."""

    def read(self, size=-1):
        raise ValueError("Invalid chunk size")


def test_broken_chunks_are_told_so_too(alice):
    sent = {"wsgi.input": BrokenChunks(), "HTTP_TRANSFER_ENCODING": "chunked", "CONTENT_LENGTH": ""}
    answer = alice.generic("POST", reverse("submit", args=("c",)), **JSON, **sent)
    assert (answer.status_code, answer.json()["code"]) == (411, "no_length")


def test_used_up(client):
    contest = factories.competition(slug="c", rule={"cap": 1})
    team = factories.team(contest, "alice")
    client.force_login(factories.user("alice"))
    factories.scored(team, 0.8)
    last = factories.scored(team, 0.95)
    assert "Your new scores are used up." in text_of(client, "submission", last.submission.uuid)


def test_sealed(client):
    team = factories.team(factories.competition(slug="c", rule={"rule": "sealed"}), "alice")
    client.force_login(factories.user("alice"))
    evaluation = factories.scored(team, 0.8)
    text = text_of(client, "submission", evaluation.submission.uuid)
    assert "Received and valid." in text
    assert "0.80" not in text
    assert "new scores" not in text.lower().split("<main")[1]


def test_a_rejected_file_says_all_at_once_with_cures(alice, team):
    lines = factories.csv(factories.predictions()).decode().splitlines()
    lines[5], lines[9] = lines[5].split(",")[0] + ",", lines[9].split(",")[0] + ",maybe"
    lines[20] = lines[19]
    evaluation = factories.scored(team, "\n".join(lines).encode())
    assert evaluation.status == "rejected"
    text = text_of(alice, "submission", evaluation.submission.uuid)
    assert f"not scored, {len(evaluation.problem['problems'])} problems" in text
    for problem in evaluation.problem["problems"]:
        assert escape(problem["message"]) in text
    assert text.count("How to fix.") == len(evaluation.problem["problems"]) >= 3
    assert "This file did not use up a submission. You have 5 of 5 submissions left today;" in text
    assert "Submit a corrected file" in text


def test_what_failed_on_our_side_is_said_so(alice, team):
    sent = factories.upload(team)
    Evaluation.objects.update(status="needs_attention", attempts=3)
    answer = status_of(alice, sent)
    assert answer.status_code == 286
    assert "Scoring this file failed on our side. It did not use up a submission" in (
        answer.content.decode()
    )


def test_checks_that_need_no_label_are_shown(alice, team):
    factories.scored(team, 0.8)
    evaluation = factories.scored(team, 0.7, seed=5)
    text = text_of(alice, "submission", evaluation.submission.uuid)
    assert evaluation.checks
    for check in evaluation.checks:
        assert escape(check["sentence"]) in text
    assert "400 rows, every id once" in text
    assert "Against your earlier files" in text


def test_names_and_notes_are_text(alice, team):
    sent = factories.upload(team, name="<b>x</b>.csv", note="<i>note</i>")
    for text in (text_of(alice, "submission", sent.uuid), text_of(alice, "submissions")):
        assert "&lt;b&gt;x&lt;/b&gt;.csv" in text
        assert "<b>x</b>" not in text
        assert "<i>note" not in text


def test_the_status_of_a_signed_out_person_ends(client, team):
    sent = factories.upload(team)
    answer = status_of(client, sent)
    assert answer.status_code == 286
    assert "You are signed out." in answer.content.decode()


def test_the_file_comes_back_as_it_was_sent(alice, team):
    content = factories.csv(factories.predictions())
    sent = factories.upload(team, content, name="mine.csv")
    answer = alice.get(reverse("submission_file", args=("c", sent.uuid)))
    assert b"".join(answer.streaming_content) == content
    assert answer["Content-Type"] == "application/octet-stream"
    assert answer["Content-Disposition"] == 'attachment; filename="1-mine.csv"'
    assert answer["Content-Security-Policy"] == "sandbox"
    assert "no-store" in answer["Cache-Control"]


# ---- the list and the final choice ----


def test_nothing_sent_yet(alice):
    text = text_of(alice, "submissions")
    assert "You have not submitted yet" in text
    assert "You have 5 submissions today." in text


def test_the_list(alice, team):
    factories.scored(team, 0.8, note="first try")
    factories.scored(team, 0.7)
    factories.scored(team, b"id,label\n1,no\n")
    text = text_of(alice, "submissions")
    for words in ("first try", "New score", "No new score", "Failed checks", "<b>0.80</b>"):
        assert words in text
    assert "It did not count." in text
    # Where nothing is chosen: the last new score and the latest scored file.
    assert "now number 1 and number 2, marked below" in text
    assert text.count(">default<") == 2
    assert "<b>3 of 5</b> left today" in text


@pytest.mark.parametrize(
    ("show", "numbers"),
    [
        ("", [3, 2, 1]),
        ("scored", [2, 1]),
        ("new", [1]),
        ("none", [2]),
        ("failed", [3]),
        ("final", [2, 1]),
        ("nonsense", [3, 2, 1]),
    ],
)
def test_filters(alice, team, show, numbers):
    factories.scored(team, 0.8)
    factories.scored(team, 0.7)
    factories.scored(team, b"nothing")
    text = alice.get(f"/c/c/submissions/?show={show}").content.decode()
    shown = [int(part.split('"')[0]) for part in text.split('<tr id="file-')[1:]]
    assert shown == numbers


def test_the_list_has_pages_and_a_fixed_number_of_queries(
    alice, contest, team, django_assert_max_num_queries
):
    change(contest, daily_limit=100)
    for _ in range(25):
        factories.upload(team, b"nothing")
    factories.score(team)
    with django_assert_max_num_queries(30):
        text = text_of(alice, "submissions")
    assert "1–20 of 25" in text
    assert "21–25 of 25" in alice.get("/c/c/submissions/?page=2").content.decode()


def choose(client, sent, **fields):
    return client.post(reverse("submission_final", args=("c", sent.uuid)), fields)


def test_choosing_final_files(alice, team):
    sent = [factories.scored(team, share).submission for share in (0.8, 0.7, 0.6)]
    answer = choose(alice, sent[2], chosen="1", back="?show=scored&page=2")
    assert (answer.status_code, answer["Location"]) == (303, "/c/c/submissions/?show=scored&page=2")
    assert FinalChoice.objects.get().submission == sent[2]
    assert "1 of 2 chosen for final." in text_of(alice, "submissions")
    assert "Chosen as final" in text_of(alice, "submission", sent[2].uuid)
    # A choice is the file's own, not the team's: the others can still be chosen.
    other = text_of(alice, "submission", sent[1].uuid)
    assert "Chosen as final" not in other
    assert "Use as a final submission" in other
    choose(alice, sent[1], chosen="1")
    assert choose(alice, sent[0], chosen="1")["Location"] == f"/c/c/submissions/{sent[0].uuid}/"
    assert "Your team has chosen 2 final files. Take one back first." in (
        text_of(alice, "submission", sent[0].uuid)
    )
    choose(alice, sent[2])
    assert [choice.submission for choice in FinalChoice.objects.all()] == [sent[1]]


def test_choices_are_frozen_by_the_close(alice, contest, team):
    sent = factories.scored(team, 0.8).submission
    factories.end(contest)
    choose(alice, sent, chosen="1")
    assert not FinalChoice.objects.exists()
    text = text_of(alice, "submissions")
    assert "This competition closed on" in text
    assert "The choice is frozen since the close" in text
    assert 'type="checkbox"' not in text


def test_withdrawing(alice, team):
    sent = factories.scored(team, 0.8).submission
    assert "Withdraw file 1" in text_of(alice, "submission", sent.uuid)
    address = reverse("submission_withdraw", args=("c", sent.uuid))
    assert "a withdrawal cannot be taken back" in alice.get(address).content.decode()
    assert alice.post(address).status_code == 303
    text = text_of(alice, "submission", sent.uuid)
    assert "Withdrawn" in text
    assert "Withdraw file 1" not in text
    assert "Use as a final submission" not in text


# ---- who may ----


@pytest.mark.parametrize(
    ("name", "method", "alice", "bob", "charlie", "hana", "anonymous"),
    [
        ("submission", "get", 200, 200, 404, 200, 302),
        ("submission_status", "get", 200, 200, 404, 200, 286),
        ("submission_file", "get", 200, 200, 404, 404, 302),
        ("submission_final", "post", 303, 303, 404, 404, 302),
        ("submission_withdraw", "post", 303, 303, 404, 404, 302),
    ],
)
def test_who_may(contest, team, name, method, alice, bob, charlie, hana, anonymous):
    factories.team(contest, "charlie")
    sent = factories.upload(team)
    found = {}
    for person in ("alice", "bob", "charlie", "hana"):
        answer = getattr(as_person(person), method)(reverse(name, args=("c", sent.uuid)))
        found[person] = answer.status_code
        if answer.streaming:
            # Read to its end, or the file stays open.
            list(answer.streaming_content)
    assert found == {"alice": alice, "bob": bob, "charlie": charlie, "hana": hana}
    answer = getattr(Client(), method)(reverse(name, args=("c", sent.uuid)))
    assert answer.status_code == anonymous
    unknown = getattr(as_person("alice"), method)(reverse(name, args=("c", uuid.uuid4())))
    assert unknown.status_code == 404


def test_a_file_is_found_under_its_own_competition_only(alice, team):
    factories.competition(slug="other")
    sent = factories.upload(team)
    assert alice.get(reverse("submission", args=("other", sent.uuid))).status_code == 404


def test_the_list_is_for_who_joined(contest, team):
    assert as_person("charlie").get("/c/c/submissions/").status_code == 404
    assert Client().get("/c/c/submissions/").status_code == 302


def test_a_host_sees_the_outcome_and_no_more(contest, team):
    evaluation = factories.scored(team, 0.815)
    factories.scored(team, 0.82)
    text = text_of(as_person("hana"), "submission", evaluation.submission.uuid)
    for words in ("Download file", "Use as a final", "Withdraw file", "0.815"):
        assert words not in text
    assert "New score 0.8" in text


def test_no_page_of_a_file_reads_a_sealed_number(alice, team):
    evaluation = factories.scored(team, 0.8)
    with CaptureQueriesContext(connection) as asked:
        text_of(alice, "submission", evaluation.submission.uuid)
        text_of(alice, "submissions")
        text_of(alice, "submit")
    read = " ".join(query["sql"] for query in asked)
    assert "sealedscore" not in read
    assert "private_score" not in read
