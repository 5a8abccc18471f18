"""Two teams become one: what both used adds up and must fit, nothing is lost (R-12)."""

from datetime import timedelta

import pytest
from django.core.management import call_command

from leaderboard.audit import ledger
from leaderboard.audit.models import LedgerEntry
from leaderboard.competitions import clock
from leaderboard.competitions.models import Competition, Notice
from leaderboard.submissions import closing, finals, membership, merging
from leaderboard.submissions.models import Entry, Evaluation, FinalChoice, Status, Submission
from leaderboard.submissions.quotas import quota
from leaderboard.teams import joining
from leaderboard.teams.models import Member, MergeProposal, Team
from tests.leaderboard import factories

pytestmark = pytest.mark.db


@pytest.fixture
def contest():
    return factories.competition("contest", daily_limit=5, max_team_size=3)


@pytest.fixture
def stays(contest):
    return factories.team(contest, "alice", "bob", name="wings")


@pytest.fixture
def joins(contest):
    return factories.team(contest, "charlie", name="tails")


def user(name):
    return factories.user(name)


def proposed(stays, joins) -> MergeProposal:
    return merging.propose(stays, joins.name, user("alice"))


def refused(act, *arguments) -> str:
    with pytest.raises(joining.Refusal) as refusal:
        act(*arguments)
    return refusal.value.code


def test_two_teams_become_one(stays, joins, contest):
    for right in (0.7, 0.8):
        factories.scored(stays, right)
    for right in (0.6, 0.9):
        factories.scored(joins, right, name="theirs.csv")
    factories.scored(joins, b"id,label\n")
    reached = Entry.objects.get(team=joins).reached_at
    moved = list(Submission.objects.filter(team=joins).order_by("number"))
    proposal = proposed(stays, joins)
    assert merging.accept(proposal, user("charlie")) == stays
    numbers = {file.uuid: file.number for file in Submission.objects.filter(team=stays)}
    assert [numbers[file.uuid] for file in moved] == [3, 4, 5]
    assert sorted(numbers.values()) == [1, 2, 3, 4, 5]
    assert not Evaluation.objects.filter(team=joins).exists()
    stays.refresh_from_db()
    joins.refresh_from_db()
    assert (stays.last_number, stays.name, joins.name) == (5, "wings", "tails")
    assert (joins.merged_into, joins.members.count()) == (stays, 0)
    assert joins.merged_at
    entry = Entry.objects.get()
    assert (entry.team, entry.used, entry.reference, entry.value) == (stays, 4, 90, 90)
    assert (entry.submissions, entry.reached_at) == (4, reached)
    owners = dict(Member.objects.values_list("user__username", "owner"))
    assert owners == {"alice": True, "bob": False, "charlie": False}
    body = LedgerEntry.objects.get(kind="teams merged").payload.body
    assert body["numbers"][str(moved[0].uuid)] == [1, 3]
    assert not ledger.verify()
    for name in owners:
        assert Notice.objects.filter(user=user(name), title="tails merged into wings").exists()
    call_command("rebuild_entries", "--check")
    # The next file of the team follows, and is judged by the best of both.
    after = factories.scored(stays, 0.92, seed=4, person=user("charlie"))
    assert (after.submission.number, after.release.previous) == (6, 90)
    with pytest.raises(Exception, match="Join this competition"):
        factories.upload(joins, person=user("charlie"))


def test_a_check_names_the_files_by_their_new_numbers(stays, joins):
    factories.scored(stays, 0.7)
    factories.scored(joins, 0.6)
    like = factories.scored(joins, 0.61, seed=1)
    assert any("your file 1" in check["sentence"] for check in like.checks)
    merging.accept(proposed(stays, joins), user("charlie"))
    like.refresh_from_db()
    said = " ".join(check["sentence"] for check in like.checks)
    assert "your file 2" in said
    assert "your file 1" not in said


def test_the_files_of_both_must_fit_into_the_days_so_far(stays, joins, contest):
    """R-12: what both sent is no more than one team could have sent by now."""
    Competition.objects.update(opens_at=clock.now(), daily_limit=3)
    for seed, team in enumerate((stays, stays, joins)):
        factories.scored(team, 0.6, seed=seed)
    factories.scored(joins, b"id,label\n")
    proposal = proposed(stays, joins)
    contest.refresh_from_db()
    shown = merging.preview(proposal)
    assert (shown.days, shown.files_most, shown.counted, shown.files) == (1, 3, 3, 4)
    assert not shown.hindrances
    factories.scored(joins, 0.7)
    shown = merging.preview(proposal)
    assert [hindrance.code for hindrance in shown.hindrances] == ["too_many_files"]
    assert refused(merging.accept, proposal, user("charlie")) == "too_many_files"
    # On the next day it fits.
    Competition.objects.update(opens_at=clock.now() - timedelta(days=1))
    assert merging.preview(MergeProposal.objects.get()).days == 2
    merging.accept(proposal, user("charlie"))
    contest.refresh_from_db()
    assert quota(stays, contest, clock.now()).left == 0


def test_a_total_limit_holds_for_both(stays, joins):
    Competition.objects.update(total_limit=2)
    proposal = proposed(stays, joins)
    for seed, team in enumerate((stays, joins, joins)):
        factories.scored(team, 0.6, seed=seed)
    assert refused(merging.accept, proposal, user("charlie")) == "too_many_files_in_all"


def test_a_merged_team_is_not_too_large(stays, joins):
    factories.add_member(joins, user("dora"))
    assert refused(proposed, stays, joins) == "too_large"
    membership.remove(joins, user("dora"), user("charlie"))
    proposal = proposed(stays, joins)
    Competition.objects.update(max_team_size=2)
    assert refused(merging.accept, proposal, user("charlie")) == "too_large"


def test_no_merge_while_a_file_waits(stays, joins):
    proposal = proposed(stays, joins)
    factories.upload(joins, 0.7)
    assert refused(merging.accept, proposal, user("charlie")) == "unfinished"
    factories.score(joins)
    factories.upload(stays, 0.7)
    assert refused(merging.accept, proposal, user("charlie")) == "unfinished"
    factories.score(stays)
    assert merging.accept(proposal, user("charlie"))


def test_a_file_that_failed_on_our_side_is_scored_for_the_merged_team(stays, joins):
    stuck = factories.upload(joins, 0.7).evaluations.get()
    Evaluation.objects.filter(pk=stuck.pk).update(status=Status.NEEDS_ATTENTION)
    merging.accept(proposed(stays, joins), user("charlie"))
    closing.rescore(Evaluation.objects.get(), user("hana"))
    factories.score(stays)
    assert Entry.objects.get().team == stays


def test_the_deadline_the_close_and_disqualified_teams(stays, joins, contest):
    proposal = proposed(stays, joins)
    Competition.objects.update(merge_deadline=clock.now())
    assert refused(merging.accept, proposal, user("charlie")) == "deadline"
    assert refused(proposed, stays, joins) == "deadline"
    Competition.objects.update(merge_deadline=None)
    for team in (stays, joins):
        Team.objects.filter(pk=team.pk).update(disqualified_at=clock.now())
        assert refused(merging.accept, proposal, user("charlie")) == "disqualified"
        assert refused(proposed, stays, joins) == "disqualified"
        Team.objects.update(disqualified_at=None)
    factories.end(contest)
    assert refused(merging.accept, proposal, user("charlie")) == "closed"
    assert Member.objects.filter(team=stays).count() == 2


def test_the_owners_decide(stays, joins, contest):
    assert refused(merging.propose, stays, "tails", user("bob")) == "owner_only"
    factories.add_member(joins, user("dora"))
    Competition.objects.update(max_team_size=5)
    proposal = proposed(stays, joins)
    for act in (merging.accept, merging.decline):
        assert refused(act, proposal, user("dora")) == "owner_only"
        assert refused(act, proposal, user("alice")) == "not_member"
    assert refused(merging.take_back, proposal, user("charlie")) == "not_member"
    assert refused(merging.take_back, proposal, user("bob")) == "owner_only"


def test_a_proposal_is_answered_once(stays, joins):
    first = proposed(stays, joins)
    assert proposed(stays, joins) == first
    assert Notice.objects.filter(user=user("charlie")).count() == 1
    merging.decline(first, user("charlie"))
    merging.decline(first, user("charlie"))
    assert refused(merging.accept, first, user("charlie")) == "proposal_gone"
    assert Notice.objects.get(user=user("bob")).title == "tails declined to merge"
    second = proposed(stays, joins)
    merging.take_back(second, user("alice"))
    assert refused(merging.accept, second, user("charlie")) == "proposal_gone"
    third = proposed(stays, joins)
    MergeProposal.objects.filter(pk=third.pk).update(expires_at=clock.now())
    assert refused(merging.accept, third, user("charlie")) == "proposal_gone"
    fourth = proposed(stays, joins)
    assert merging.accept(fourth, user("charlie")) == stays
    assert merging.accept(fourth, user("charlie")) == stays
    kinds = list(LedgerEntry.objects.values_list("kind", flat=True))
    assert kinds.count("teams merged") == kinds.count("merge declined") == 1


@pytest.mark.parametrize(
    ("name", "code"), [("wings", "own_team"), ("WINGS", "own_team"), ("x", "no_such_team")]
)
def test_whom_a_team_cannot_ask(stays, name, code):
    assert refused(merging.propose, stays, name, user("alice")) == code


def test_a_merged_team_cannot_be_asked_and_its_own_proposals_end(stays, joins, contest):
    Competition.objects.update(max_team_size=9)
    factories.team(contest, "dora", name="fins")
    waits = merging.propose(joins, "fins", user("charlie"))
    merging.accept(proposed(stays, joins), user("charlie"))
    assert refused(merging.accept, waits, user("dora")) == "proposal_gone"
    assert refused(merging.propose, stays, "tails", user("alice")) == "no_such_team"
    # Its name stays taken.
    assert joining.free_name(contest, "tails") == "tails-2"


@pytest.mark.parametrize(("count", "kept"), [(2, 2), (1, 1)])
def test_final_choices_stay_where_they_fit(stays, joins, count, kept):
    Competition.objects.update(finals_count=count)
    for team in (stays, joins):
        sent = factories.scored(team, 0.8, seed=team.pk).submission
        closing.choose(team, sent, None)
    proposal = proposed(stays, joins)
    assert merging.preview(proposal).keeps_finals == (kept == 2)
    merging.accept(proposal, user("charlie"))
    assert FinalChoice.objects.filter(team=stays).count() == FinalChoice.objects.count() == kept
    assert FinalChoice.objects.filter(submission__number=1).exists()
    # The ledger has what was taken back: final choices can be made again from it.
    body = LedgerEntry.objects.get(kind="teams merged").payload.body
    assert body["unchosen"] == ([] if kept == 2 else [str(sent.uuid)])


def test_used_new_scores_that_were_carried_add_up(stays, joins, contest):
    factories.scored(stays, 0.7)
    factories.scored(stays, 0.8)
    gone = membership.leave(stays, user("bob"))
    factories.scored(gone, 0.95)
    assert Entry.objects.get(team=gone).used == 3
    merging.accept(merging.propose(joins, gone.name, user("charlie")), user("bob"))
    entry = Entry.objects.get(team=joins)
    assert (entry.used, entry.reference) == (3, 95)
    call_command("rebuild_entries", "--check")


def test_the_final_ranking_knows_one_team(stays, joins, contest):
    for team, right in ((stays, 0.7), (joins, 0.9)):
        factories.scored(team, right)
    merging.accept(proposed(stays, joins), user("charlie"))
    factories.end(contest)
    run = finals.finalise(contest.pk)
    standing = run.standings.get()
    assert (standing.team, standing.files, standing.place) == (stays, 2, 1)
    assert standing.submission.number == 2


@pytest.mark.parametrize("board", ["pseudonyms", "own_row"])
def test_asking_tells_nothing_of_a_team_that_the_board_hides(contest, stays, board):
    Competition.objects.update(board_names=board)
    asked = factories.team(contest, "dora", "emil", name="bears")
    with pytest.raises(joining.Refusal) as refused:
        merging.propose(stays, "bears", user("alice"))
    assert "more than 3 members" in refused.value.sentence
    Team.objects.filter(pk=asked.pk).update(disqualified_at=clock.now())
    with pytest.raises(joining.Refusal) as refused:
        merging.propose(stays, "bears", user("alice"))
    assert refused.value.code == "no_such_team"
