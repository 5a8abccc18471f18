"""Final choices, withdrawal, close, waiver and reveal: recorded acts that happen once."""

from datetime import timedelta

import pytest

from leaderboard.audit import ledger
from leaderboard.audit.models import LedgerEntry
from leaderboard.competitions import clock, keys
from leaderboard.competitions.models import Commitment, Competition, State
from leaderboard.submissions import closing, finals, membership, merging, ringing, tasks
from leaderboard.submissions.models import Evaluation, FinalChoice, FinalRun, Status, Submission
from leaderboard.submissions.refusals import Refusal
from scoring import commitments
from tests.leaderboard import factories

pytestmark = pytest.mark.db


@pytest.fixture
def contest():
    return factories.competition()


@pytest.fixture
def team(contest):
    return factories.team(contest, "alice", "bob")


@pytest.fixture
def alice():
    return factories.user("alice")


@pytest.fixture
def hana():
    return factories.user("hana")


def kinds() -> list[str]:
    return list(LedgerEntry.objects.values_list("kind", flat=True))


def refused(act, *arguments) -> Refusal:
    before = kinds()
    with pytest.raises(Refusal) as caught:
        act(*arguments)
    assert kinds() == before
    return caught.value


def numbers(team) -> list[int]:
    return [file.number for file in closing.effective_finals(team)]


def test_by_default_the_last_new_score_and_the_latest_are_final(team):
    assert numbers(team) == []
    # 1 released, 2 not, 3 released, 4 and 5 not.
    for seed, right in enumerate((0.7, 0.71, 0.8, 0.79, 0.78)):
        factories.scored(team, right, seed=seed)
    assert numbers(team) == [3, 5]


def test_without_a_new_score_the_two_latest_are_final(team):
    for seed in range(3):
        factories.scored(team, 0.5, seed=seed)
    factories.scored(team, b"bad")
    assert numbers(team) == [3, 2]


def test_when_the_last_new_score_is_the_latest_the_one_before_joins_it(team):
    for seed, right in enumerate((0.6, 0.7, 0.8)):
        factories.scored(team, right, seed=seed)
    assert numbers(team) == [3, 2]


def test_chosen_files_come_first_and_the_rest_is_filled(team, alice):
    sent = [factories.scored(team, 0.6 + seed / 10, seed=seed).submission for seed in range(3)]
    closing.choose(team, sent[0], alice)
    assert numbers(team) == [1, 3]
    closing.choose(team, sent[1], alice)
    assert numbers(team) == [2, 1]
    assert refused(closing.choose, team, sent[2], alice).code == "finals_full"
    # Chosen already: nothing happens.
    before = kinds()
    closing.choose(team, sent[0], alice)
    assert kinds() == before
    closing.unchoose(team, sent[0], alice)
    closing.unchoose(team, sent[0], alice)
    assert kinds() == [*before, "unchosen"]
    assert numbers(team) == [2, 3]


def test_a_withdrawn_file_is_not_final_but_its_score_stays(team, alice):
    sent = [factories.scored(team, 0.6 + seed / 10, seed=seed).submission for seed in range(3)]
    closing.choose(team, sent[2], alice)
    closing.withdraw(sent[2], alice)
    closing.withdraw(sent[2], alice)
    assert kinds().count("withdrawn") == 1
    assert not FinalChoice.objects.exists()
    assert numbers(team) == [2, 1]
    assert refused(closing.choose, team, sent[2], alice).code == "withdrawn"
    team.refresh_from_db()
    assert (team.entry.value, team.entry.used) == (80, 3)


def test_only_the_teams_own_scored_files_are_chosen(team, alice, contest):
    foreign = factories.scored(factories.team(contest)).submission
    refusal = refused(closing.choose, team, foreign, alice)
    assert (refusal.code, refusal.status) == ("not_yours", 404)
    waiting = factories.upload(team, 0.9)
    assert refused(closing.choose, team, waiting, alice).code == "not_scored"


def test_after_the_close_nothing_is_chosen_or_withdrawn(team, alice, contest):
    sent = factories.scored(team).submission
    factories.end(contest)
    for act, arguments in (
        (closing.choose, (team, sent, alice)),
        (closing.unchoose, (team, sent, alice)),
        (closing.withdraw, (sent, alice)),
    ):
        assert refused(act, *arguments).code == "closed"


def test_close_sets_the_databases_instant_once(contest, hana):
    announced = contest.closes_at
    before = clock.now()
    closed = closing.close(contest, hana)
    assert before <= closed.closes_at <= clock.now()
    assert closed.state(clock.now()) == State.CLOSING
    again = closing.close(contest, hana)
    assert again.closes_at == closed.closes_at
    body = LedgerEntry.objects.get(kind="closed").payload.body
    assert body["announced"] == ledger.plain(announced)


def test_a_competition_that_has_not_opened_is_not_closed(hana):
    contest = factories.competition(opened_days_ago=-2)
    assert refused(closing.close, contest, hana).code == "not_open"


def test_waive_and_rescore_are_for_stuck_files_alone(team, hana, contest):
    evaluation = factories.scored(team)
    assert refused(closing.waive, evaluation, hana).code == "not_stuck"
    assert refused(closing.rescore, evaluation, hana).code == "not_stuck"
    stuck = factories.upload(team, 0.9).evaluations.get()
    Evaluation.objects.filter(pk=stuck.pk).update(status=Status.NEEDS_ATTENTION, attempts=3)
    closing.waive(stuck, hana)
    closing.waive(stuck, hana)
    assert kinds().count("waived") == 1
    closing.rescore(stuck, hana)
    stuck.refresh_from_db()
    assert (stuck.status, stuck.attempts, stuck.waived_at) == (Status.QUEUED, 0, None)
    assert kinds()[-1] == "rescored"


def test_nothing_is_put_back_once_the_finals_are_made(team, hana, contest):
    factories.scored(team)
    stuck = factories.upload(team, 0.9).evaluations.get()
    Evaluation.objects.filter(pk=stuck.pk).update(status=Status.NEEDS_ATTENTION)
    closing.waive(stuck, hana)
    factories.end(contest)
    assert finals.finalise(contest.pk)
    assert refused(closing.rescore, stuck, hana).code == "not_stuck"


def test_reveal_waits_for_the_finals_and_happens_once(team, hana, contest):
    assert refused(closing.reveal, contest, hana).code == "not_ready"
    factories.scored(team)
    factories.end(contest)
    assert refused(closing.reveal, contest, hana).code == "not_ready"
    finals.finalise(contest.pk)
    first = closing.reveal(contest, hana)
    second = closing.reveal(contest, hana)
    assert first.revealed_at == second.revealed_at
    assert first.state(clock.now()) == State.REVEALED
    assert kinds().count("revealed") == 1


def test_salts_are_published_with_the_reveal_and_open_the_commitments(team, hana, contest):
    factories.scored(team)
    factories.end(contest)
    finals.finalise(contest.pk)
    tasks.publish_salts(contest.pk)
    assert not Commitment.objects.exclude(revealed_salt="").exists()
    assert closing.awaiting_salts() == []
    closing.reveal(contest, hana)
    assert closing.awaiting_salts() == [contest.pk]
    for _ in range(2):
        tasks.publish_salts(contest.pk)
    assert closing.awaiting_salts() == []
    commitment = Commitment.objects.get(tag=Commitment.Tag.NOISE_KEY)
    assert commitments.verify(
        commitment.digest,
        commitments.NOISE_KEY,
        str(contest.uuid),
        bytes.fromhex(commitment.revealed_salt),
        keys.noise_key(contest),
    )
    assert Commitment.objects.exclude(revealed_salt="").count() == 3


def test_the_sweeper_rings_for_finals_and_salts(team, hana, contest, monkeypatch):
    rung = []
    monkeypatch.setattr(ringing, "ring", lambda name, *rest, **options: rung.append((name, *rest)))
    waiting = factories.upload(team).evaluations.get()
    factories.end(contest)
    rung.clear()
    tasks.sweep()
    assert rung == []
    Evaluation.objects.filter(pk=waiting.pk).update(status=Status.NEEDS_ATTENTION)
    tasks.sweep()
    assert rung == []
    closing.waive(waiting, hana)
    tasks.sweep()
    assert rung == [(ringing.FINALISE, contest.pk)]
    finals.finalise(contest.pk)
    rung.clear()
    tasks.sweep()
    assert rung == []
    closing.reveal(contest, hana)
    told = contest.announcements.get(kind="results")
    tasks.sweep()
    assert rung == [(ringing.PUBLISH_SALTS, contest.pk), (ringing.TELL_RESULTS, told.pk)]


@pytest.mark.django_db(transaction=True)
def test_parallel_closes_and_reveals_are_one(team, hana, contest, together):
    factories.scored(team)
    closed = together(lambda _: closing.close(contest, hana).closes_at, 8)
    assert len(set(closed)) == 1, closed
    made = together(lambda _: finals.finalise(contest.pk), 6)
    assert not [result for result in made if isinstance(result, Exception)], made
    assert FinalRun.objects.count() == 1
    revealed = together(lambda _: closing.reveal(contest, hana).revealed_at, 8)
    assert len(set(revealed)) == 1, revealed
    assert [kinds().count(kind) for kind in ("closed", "finalised", "revealed")] == [1, 1, 1]
    assert ledger.verify() == []


@pytest.mark.django_db(transaction=True)
def test_a_close_beside_uploads_leaves_no_file_after_it(team, hana, contest, together):
    """Whoever was accepted was accepted before the close, and the finals know of it."""

    def act(place):
        if place == 3:
            return closing.close(contest, hana)
        return factories.upload(factories.team(contest), 0.8)

    Competition.objects.update(closes_at=clock.now() + timedelta(days=1))
    results = together(act, 8)
    closes_at = Competition.objects.get().closes_at
    for result in results:
        if hasattr(result, "accepted_at"):
            assert result.accepted_at < closes_at


def test_a_file_that_a_merge_has_just_moved_is_not_chosen_for_its_old_team(contest, team, alice):
    other, charlie = factories.team(contest, "charlie"), factories.user("charlie")
    factories.scored(other, 0.8)
    read_before = Submission.objects.select_related("team").get()
    merging.accept(merging.propose(team, "charlie", alice), charlie)
    with pytest.raises(Refusal) as caught:
        closing.choose(read_before.team, read_before, charlie)
    assert caught.value.code == "not_yours"
    assert not FinalChoice.objects.exists()


def test_who_was_removed_meanwhile_acts_no_longer(team, alice):
    sent = factories.scored(team, 0.8).submission
    bob = factories.user("bob")
    membership.remove(team, bob, alice)
    for act in (
        lambda: closing.choose(team, sent, bob),
        lambda: closing.change_choice(team, [sent], [], bob),
        lambda: closing.unchoose(team, sent, bob),
        lambda: closing.withdraw(sent, bob),
    ):
        assert refused(act).code == "not_yours"
