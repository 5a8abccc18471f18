"""Accepting a file: the window, the limits, the form's token, and nothing kept of a refusal."""

import io
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings

from leaderboard.audit import ledger
from leaderboard.audit.models import LedgerEntry
from leaderboard.competitions import clock, release_settings
from leaderboard.competitions.models import Competition
from leaderboard.submissions import closing, intake
from leaderboard.submissions.models import Evaluation, Status, Submission
from leaderboard.submissions.refusals import Refusal
from tests.leaderboard import factories

pytestmark = pytest.mark.db
BAD = b"id,label\n1,yes\n"


@pytest.fixture
def team():
    return factories.team(factories.competition(), "alice", "bob")


def stored(team) -> list[Path]:
    """Every file of the team, half-written ones too."""
    folder = settings.UPLOADS_DIR / str(team.competition.uuid)
    return [path for path in folder.rglob("*") if path.is_file()] + list(
        (settings.UPLOADS_DIR / ".incoming").glob("*")
    )


def refused(team, content=0.8, **options) -> Refusal:
    before = stored(team)
    with pytest.raises(Refusal) as caught:
        factories.upload(team, content, **options)
    assert stored(team) == before
    return caught.value


def test_a_file_is_accepted_whole(team):
    sent = factories.upload(team, b"anything", name="x/../y\n.csv", note=" a\tnote ")
    assert (sent.number, sent.size, sent.original_name, sent.note) == (
        1,
        8,
        "x/../y .csv",
        "a note",
    )
    assert [path.read_bytes() for path in stored(team)] == [b"anything"]
    evaluation = sent.evaluations.get()
    assert evaluation.status == Status.QUEUED
    assert evaluation.queued_at == sent.accepted_at
    entry = LedgerEntry.objects.get(kind="accepted")
    assert entry.payload.body["sha256"] == sent.sha256
    assert ledger.verify() == []


def test_rejected_files_are_numbered_too(team):
    assert [factories.upload(team, BAD).number for _ in range(3)] == [1, 2, 3]


@pytest.mark.parametrize(
    ("opened", "closes", "code"),
    [(-1, 20, "not_open"), (10, -0.001, "closed"), (0.001, 0.001, None)],
)
def test_the_window_is_the_databases(opened, closes, code):
    contest = factories.competition(opened_days_ago=10)
    team = factories.team(contest)
    now = clock.now()
    Competition.objects.filter(pk=contest.pk).update(
        opens_at=now - timedelta(days=opened), closes_at=now + timedelta(days=closes)
    )
    if code is None:
        assert factories.upload(team).number == 1
    else:
        refusal = refused(team)
        assert (refusal.code, refusal.status) == (code, 403)
        assert "UTC" in refusal.sentence


def test_a_close_between_the_look_and_the_lock_is_seen(team, monkeypatch):
    store = intake.keep

    def slow(*arguments):
        factories.end(team.competition)
        return store(*arguments)

    monkeypatch.setattr(intake, "keep", slow)
    assert refused(team).code == "closed"
    assert not Submission.objects.exists()


def test_strangers_and_the_disqualified_are_refused(team):
    with pytest.raises(Refusal) as caught:
        factories.upload(team, person=factories.user("charlie"))
    assert caught.value.code == "not_joined"
    with pytest.raises(Refusal) as caught:
        intake.submit(
            competition=team.competition,
            team=None,
            user=factories.user("charlie"),
            file=io.BytesIO(b"x"),
            original_name="x",
        )
    assert caught.value.code == "not_joined"
    team.disqualified_at = clock.now()
    team.save()
    assert refused(team).code == "disqualified"


def test_empty_and_missing_files_are_refused(team):
    assert refused(team, b"").code == "empty"
    with pytest.raises(Refusal) as caught:
        intake.submit(
            competition=team.competition,
            team=team,
            user=factories.user("alice"),
            file=None,
            original_name="x",
        )
    assert (caught.value.code, caught.value.status) == ("wrong_form", 400)


def test_a_file_over_the_limit_is_refused(team):
    Competition.objects.update(packed_limit=2048)
    refusal = refused(team, b"x" * 2049)
    assert (refusal.code, refusal.status) == ("too_large", 413)
    assert "2 KiB" in refusal.sentence
    assert factories.upload(team, b"x" * 2048).size == 2048


def test_a_full_disk_is_said(team, monkeypatch):
    def full(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(intake.store, "write", full)
    refusal = refused(team)
    assert (refusal.code, refusal.status) == ("no_space", 507)


def test_five_files_a_day_of_whichever_member(team):
    for number in range(5):
        factories.upload(team, person=factories.user("bob" if number % 2 else "alice"))
    refusal = refused(team, person=factories.user("bob"))
    assert (refusal.code, refusal.status) == ("over_quota", 429)
    assert "5 files" in refusal.sentence
    # Another team's slots are its own.
    assert factories.upload(factories.team(team.competition)).number == 1


def test_a_new_day_begins_at_midnight_utc(team):
    now = clock.now()
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    before = midnight - timedelta(seconds=1)
    for _ in range(5):
        factories.upload(team, accepted_at=before, seeded=True)
    told = intake.quota(team, team.competition, before)
    assert (told.used, told.left, told.resets_at) == (5, 0, midnight)
    told = intake.quota(team, team.competition, midnight)
    assert (told.used, told.left, told.resets_at) == (0, 5, midnight + timedelta(days=1))
    factories.upload(team)


def test_a_rejected_file_costs_no_slot_but_has_a_limit(team):
    Competition.objects.update(rejected_limit=7)
    for _ in range(7):
        factories.upload(team, BAD)
        factories.score(team)
    told = intake.quota(team, team.competition, clock.now())
    assert (told.used, told.left, told.rejected_used) == (0, 5, 7)
    refusal = refused(team)
    assert (refusal.code, refusal.status) == ("too_many_rejected", 429)


def test_a_file_that_failed_on_our_side_gives_its_slot_back(team):
    sent = factories.upload(team)
    assert intake.quota(team, team.competition, clock.now()).used == 1
    Evaluation.objects.filter(submission=sent).update(status=Status.NEEDS_ATTENTION)
    assert intake.quota(team, team.competition, clock.now()).used == 0


def test_a_withdrawn_file_keeps_its_slot(team):
    closing.withdraw(factories.upload(team), factories.user("alice"))
    assert intake.quota(team, team.competition, clock.now()).used == 1


def test_the_same_form_sent_twice_is_one_file(team):
    first = factories.upload(team, 0.8, form_token="t" * 32)
    files = stored(team)
    assert factories.upload(team, 0.9, form_token="t" * 32) == first
    assert stored(team) == files
    assert Submission.objects.count() == 1
    # Another team may have the same token.
    other = factories.team(team.competition)
    assert factories.upload(other, form_token="t" * 32) != first


def test_a_form_that_came_back_after_the_close_shows_its_file(team):
    first = factories.upload(team, form_token="t")
    factories.end(team.competition)
    assert factories.upload(team, form_token="t") == first


@pytest.mark.parametrize(
    "token", ["", "x" * 65, "a\0b", "a b", "\N{LATIN SMALL LETTER E WITH ACUTE}"]
)
def test_an_odd_token_is_a_wrong_form(team, token):
    assert refused(team, form_token=token).code == "wrong_form"


def test_only_the_seeder_brings_a_time_and_in_order(team):
    then = clock.now() - timedelta(days=2)
    with pytest.raises(ValueError, match="only a seeded"):
        factories.upload(team, accepted_at=then)
    sent = factories.upload(team, accepted_at=then, seeded=True)
    assert sent.accepted_at == then
    assert LedgerEntry.objects.get(kind="accepted").payload.body["seeded"] is True
    for odd in (then - timedelta(seconds=1), clock.now() + timedelta(seconds=9)):
        with pytest.raises(ValueError, match="in order"):
            factories.upload(team, accepted_at=odd, seeded=True)


def test_the_settings_in_force_when_it_was_sent_judge_a_file(team):
    first = factories.upload(team, 0.8)
    rule = release_settings.rule(release_settings.in_force(team.competition))
    changed = type(rule)(**{**rule.__dict__, "tau": "0.4"})
    release_settings.change(team.competition, None, "custom", changed, "stricter")
    second = factories.upload(team, 0.85, seed=2)
    assert first.evaluations.get().release_settings.version == 1
    assert second.evaluations.get().release_settings.version == 2
    told = [evaluation.release for evaluation in factories.score(team)]
    assert [release.outcome for release in told] == ["released", "no_change"]
    assert [release.release_settings.version for release in told] == [1, 2]


def test_an_error_after_the_decision_keeps_the_file(team, monkeypatch):
    """Whether the commit arrived is then unknown: no row may be left without its file."""
    atomic = intake.transaction.atomic

    class Broken:
        def __enter__(self):
            self.inner = atomic()
            return self.inner.__enter__()

        def __exit__(self, *error):
            self.inner.__exit__(*error)
            if error[0] is None:
                raise ConnectionError("the connection broke at the commit")

    monkeypatch.setattr(intake.transaction, "atomic", Broken)
    with pytest.raises(ConnectionError):
        factories.upload(team)
    monkeypatch.undo()
    assert Submission.objects.count() == 1
    assert len(stored(team)) == 1


@pytest.mark.django_db(transaction=True)
def test_fifty_parallel_uploads_at_limit_five_accept_exactly_five(team, together):
    content = factories.csv(factories.predictions())
    people = [factories.user("alice"), factories.user("bob")]

    def send(place):
        return factories.upload(team, content, person=people[place % 2])

    results = together(send, 50)
    accepted = [result for result in results if isinstance(result, Submission)]
    refusals = [result for result in results if isinstance(result, Refusal)]
    assert len(accepted) == 5, results
    assert {refusal.code for refusal in refusals} == {"over_quota"}
    assert len(refusals) == 45
    assert sorted(sent.number for sent in accepted) == [1, 2, 3, 4, 5]
    assert len(stored(team)) == 5
    assert ledger.verify() == []


@pytest.mark.django_db(transaction=True)
def test_the_same_form_in_parallel_is_one_file(team, together):
    results = together(lambda _: factories.upload(team, 0.8, form_token="t"), 8)
    assert len({sent.pk for sent in results}) == 1, results
    assert len(stored(team)) == 1
