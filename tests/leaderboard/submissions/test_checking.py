"""Check only: the full reader without labels, quota or score; what passed can be submitted."""

import io
import json
import time
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from leaderboard.audit.models import LedgerEntry
from leaderboard.competitions import clock, store
from leaderboard.competitions.models import Competition
from leaderboard.submissions import checking, grading, ringing, tasks
from leaderboard.submissions.models import Evaluation, FileCheck, SealedScore, Submission
from leaderboard.submissions.quotas import quota
from leaderboard.submissions.refusals import Refusal
from tests.leaderboard import factories

pytestmark = pytest.mark.db
BAD = b"id,label\n1,yes\n2,perhaps\n"
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


def asked(team, content=None, name: str = "alice", file_name: str = "file.csv") -> FileCheck:
    content = factories.csv(factories.predictions()) if content is None else content
    contest = Competition.objects.get(pk=team.competition_id)
    return checking.submit_check(contest, factories.user(name), io.BytesIO(content), file_name)


def checked(team, content=None, name: str = "alice", **more) -> FileCheck:
    made = asked(team, content, name, **more)
    tasks.check_file(made.pk)
    made.refresh_from_db()
    return made


def refused(team, *arguments, **more) -> Refusal:
    before = stored(team)
    with pytest.raises(Refusal) as caught:
        asked(team, *arguments, **more)
    assert stored(team) == before
    return caught.value


def stored(team) -> list[Path]:
    return list((settings.UPLOADS_DIR / str(team.competition.uuid) / "checks").glob("*"))


def test_a_valid_file_is_told_so_and_leaves_no_trace_in_the_competition(team, monkeypatch):
    factories.scored(team, 0.9, seed=3)
    before = Evaluation.objects.count(), SealedScore.objects.count(), LedgerEntry.objects.count()

    def labels(*arguments):
        raise AssertionError("a check opened labels")

    grading._opened.cache_clear()
    monkeypatch.setattr(grading.answers, "load_part", labels)
    found = checked(team)
    told = checking.describe(found)
    assert (told["status"], told["final"], told["rows"]) == ("valid", True, 400)
    assert {check["code"] for check in told["checks"]} == {"likeness", "shares"}
    assert "your file 1" in json.dumps(told["checks"])
    assert set(told["timings"]) == {"reading", "checking"}
    after = Evaluation.objects.count(), SealedScore.objects.count(), LedgerEntry.objects.count()
    assert after == before
    assert quota(team, team.competition, clock.now()).used == 1
    assert [path.read_bytes() for path in stored(team)] == [factories.csv(factories.predictions())]


def test_a_faulty_file_is_told_as_a_submission_would_be_and_forgotten(team):
    told = checking.describe(checked(team, BAD))
    rejected = factories.scored(team, BAD)
    assert told["status"] == "rejected"
    assert told["problem"] == rejected.problem
    assert told["headline"] == rejected.problem["sentence"]
    assert stored(team) == []
    assert quota(team, team.competition, clock.now()).rejected_used == 1


def test_one_unfinished_check_a_person_and_sixty_an_hour(team):
    first = asked(team, file_name="mine.csv")
    refusal = refused(team)
    assert (refusal.code, refusal.status) == ("check_unfinished", 409)
    assert "mine.csv" in refusal.sentence
    assert asked(team, name="bob").pk
    tasks.check_file(first.pk)
    now = clock.now()
    FileCheck.objects.bulk_create(
        FileCheck(
            competition=team.competition,
            user=factories.user("alice"),
            original_name="x",
            sha256="0" * 64,
            size=1,
            path="",
            created_at=now - timedelta(minutes=minute),
            finished_at=now,
        )
        for minute in range(59)
    )
    refusal = refused(team)
    assert (refusal.code, refusal.status) == ("too_many_checks", 429)
    assert "60 files within an hour" in refusal.sentence
    FileCheck.objects.filter(pk=first.pk).update(created_at=now - timedelta(minutes=61))
    assert asked(team).pk


def test_who_may_check(team):
    factories.user("charlie")
    assert refused(team, name="charlie").code == "not_joined"
    assert refused(team, name="hana").code == "not_joined"
    Competition.objects.update(daily_limit=1)
    factories.upload(team)
    # No slot is left, and none is needed.
    assert checking.describe(checked(team))["status"] == "valid"
    factories.end(team.competition)
    assert refused(team).code == "closed"
    assert refused(team, b"").code == "closed"


def test_a_file_that_is_empty_or_too_large_is_refused_at_once(team):
    assert refused(team, b"").code == "empty"
    Competition.objects.update(packed_limit=10)
    assert refused(team, b"x" * 11).code == "too_large"


def test_an_error_of_ours_is_tried_again_and_then_told_as_ours(team, monkeypatch):
    heard = []
    monkeypatch.setattr(ringing, "ring", lambda name, *rest, **more: heard.append(more))
    made = asked(team)
    heard.clear()
    monkeypatch.setattr(grading, "read", lambda *arguments: 1 / 0)
    for _ in range(settings.SCORING_ATTEMPTS):
        tasks.check_file(made.pk)
        assert checking.claim(made.pk) is None or made.attempts == settings.SCORING_ATTEMPTS - 1
        FileCheck.objects.update(lease_until=clock.now() - timedelta(seconds=1))
        made.refresh_from_db()
    assert [more.get("countdown") for more in heard] == [2, 8, None]
    tasks.check_file(made.pk)
    made.refresh_from_db()
    told = checking.describe(made)
    assert (told["status"], told["problem"]) == ("failed", None)
    assert "failed on our side" in told["headline"]
    assert stored(team) == []


def test_a_lost_bell_is_rung_again_and_old_checks_are_forgotten(team, monkeypatch):
    rung = []
    monkeypatch.setattr(ringing, "ring", lambda name, *rest, **more: rung.append((name, *rest)))
    waiting = asked(team)
    done = checked(team, name="bob")
    rung.clear()
    tasks.sweep()
    assert rung == []
    FileCheck.objects.filter(pk=waiting.pk).update(created_at=clock.now() - timedelta(minutes=1))
    tasks.sweep()
    assert rung == [(ringing.CHECK_FILE, waiting.pk)]
    assert len(stored(team)) == 2
    FileCheck.objects.filter(pk=done.pk).update(created_at=clock.now() - timedelta(minutes=61))
    tasks.sweep()
    done.refresh_from_db()
    assert (done.path, len(stored(team))) == ("", 1)
    FileCheck.objects.update(created_at=clock.now() - timedelta(hours=25))
    tasks.sweep()
    assert not FileCheck.objects.filter(pk=done.pk).exists()


def test_bytes_that_no_row_names_are_removed_after_two_days(team):
    found = checked(team)
    found.delete()
    assert len(stored(team)) == 1
    checking.forget_old(time.time() + timedelta(days=1).total_seconds())
    assert len(stored(team)) == 1
    checking.forget_old(time.time() + timedelta(days=3).total_seconds())
    assert stored(team) == []


def test_only_the_latest_file_of_a_person_is_kept(team):
    first = checked(team)
    second = checked(team, factories.csv(factories.predictions(0.7)))
    first.refresh_from_db()
    assert first.path == ""
    assert [path.name for path in stored(team)] == [Path(second.path).name]
    with pytest.raises(Refusal) as caught:
        checking.submit_checked(first, factories.user("alice"))
    assert caught.value.code == "check_gone"


def test_what_passed_can_be_submitted_once_within_the_hour(team):
    found = checked(team, file_name="mine.csv")
    sent = checking.submit_checked(found, factories.user("alice"), note="from a check")
    assert (sent.sha256, sent.original_name, sent.note) == (
        found.sha256,
        "mine.csv",
        "from a check",
    )
    assert checking.submit_checked(found, factories.user("alice")) == sent
    assert Submission.objects.count() == 1
    assert stored(team) == []
    factories.score(team)
    assert sent.evaluations.get().status == "scored"
    late = checked(team)
    FileCheck.objects.filter(pk=late.pk).update(created_at=clock.now() - timedelta(minutes=61))
    late.refresh_from_db()
    with pytest.raises(Refusal) as caught:
        checking.submit_checked(late, factories.user("alice"))
    assert (caught.value.code, caught.value.status) == ("check_gone", 410)
    bad = checked(team, BAD)
    with pytest.raises(Refusal) as caught:
        checking.submit_checked(bad, factories.user("alice"))
    assert caught.value.code == "check_not_valid"


def post(client, content=None, **options):
    content = factories.csv(factories.predictions()) if content is None else content
    fields = {"file": SimpleUploadedFile("file.csv", content), "form_token": "t"}
    return client.post(reverse("check", args=("c",)), fields, **options)


def text_of(client, name, uuid) -> str:
    return client.get(reverse(name, args=("c", uuid))).content.decode()


def test_the_pages_of_a_check(alice, team):
    answer = post(alice)
    made = FileCheck.objects.get()
    place = reverse("check_result", args=("c", made.uuid))
    assert (answer.status_code, answer["Location"]) == (303, place)
    assert "waits to be read" in text_of(alice, "check_result", made.uuid)
    status = reverse("check_status", args=("c", made.uuid))
    assert alice.get(status).status_code == 204
    tasks.check_file(made.pk)
    answer = alice.get(status)
    assert answer.status_code == 286
    text = answer.content.decode()
    assert "This file is valid" in text
    assert "used up no submission" in text
    assert "Submit this file" in text
    submit = reverse("check_submit", args=("c", made.uuid))
    assert f'action="{submit}"' in text
    answer = alice.post(submit, {"note": "n"})
    sent = Submission.objects.get()
    assert answer["Location"] == reverse("submission", args=("c", sent.uuid))
    assert alice.post(submit)["Location"] == answer["Location"]


def test_the_page_of_a_faulty_check_says_all_at_once(alice, team):
    answer = post(alice, BAD, **JSON)
    assert answer.status_code == 201
    assert answer["Location"] == answer.json()["location"]
    made = FileCheck.objects.get()
    tasks.check_file(made.pk)
    text = text_of(alice, "check_result", made.uuid)
    assert "Checked: 2 problems" in text
    assert "perhaps" in text
    assert "How to fix." in text
    assert "Submit this file" not in text
    answer = alice.post(reverse("check_submit", args=("c", made.uuid)))
    assert answer.status_code == 409
    assert "Only a file that passed its check" in answer.content.decode()


def test_a_refused_check_shows_the_form_again(alice, team):
    answer = post(alice, b"")
    assert answer.status_code == 400
    assert "This file is empty" in answer.content.decode()
    assert alice.get(reverse("check", args=("c",)))["Location"] == reverse("submit", args=("c",))


def test_a_check_is_its_senders_alone(alice, team):
    post(alice)
    made = FileCheck.objects.get()
    for name in ("bob", "charlie", "hana"):
        other = Client()
        other.force_login(factories.user(name))
        for page in ("check_result", "check_status"):
            assert other.get(reverse(page, args=("c", made.uuid))).status_code == 404
        submit = reverse("check_submit", args=("c", made.uuid))
        assert other.post(submit).status_code == 404
    factories.competition(slug="d")
    assert alice.get(reverse("check_result", args=("d", made.uuid))).status_code == 404


def test_no_slot_left_is_said_on_the_page_of_a_check(alice, team, contest):
    Competition.objects.update(daily_limit=1)
    factories.upload(team)
    found = checked(team)
    text = text_of(alice, "check_result", found.uuid)
    assert "Your team has sent its 1 files of today." in text
    assert "Submit this file" not in text
    answer = alice.post(reverse("check_submit", args=("c", found.uuid)))
    assert answer.status_code == 429


@pytest.mark.django_db(transaction=True)
def test_many_checks_at_once_are_one(team, together):
    results = together(lambda _: asked(team), 12)
    made = [result for result in results if isinstance(result, FileCheck)]
    assert len(made) == 1, results
    assert {getattr(result, "code", "") for result in results if result not in made} == {
        "check_unfinished"
    }
    assert len(stored(team)) == 1
    claimed = [held for held in together(lambda _: checking.claim(made[0].pk), 8) if held]
    assert len(claimed) == 1


def test_a_second_click_while_the_first_is_at_it_is_the_same_file(team, monkeypatch):
    check, opened, first = checked(team), store.open_file, []
    alice = check.user

    def overtaken(*arguments):
        monkeypatch.setattr(store, "open_file", opened)
        first.append(checking.submit_checked(FileCheck.objects.get(pk=check.pk), alice))
        return opened(*arguments)

    monkeypatch.setattr(store, "open_file", overtaken)
    assert checking.submit_checked(check, alice) == first[0]
