"""Acts on teams at the same moment: each ends as if they had come one after the other."""

import contextlib

import pytest
from django.core.management import call_command
from django.db import transaction

from leaderboard.audit import ledger
from leaderboard.audit.models import LedgerEntry
from leaderboard.competitions.models import Competition
from leaderboard.submissions import membership, merging, queue, releasing
from leaderboard.submissions.models import Entry, Evaluation, Submission
from leaderboard.submissions.refusals import Refusal as FileRefusal
from leaderboard.teams import inviting, joining, naming
from leaderboard.teams.models import Invitation, Member, MergeProposal, Team
from tests.leaderboard import factories

pytestmark = [pytest.mark.db, pytest.mark.django_db(transaction=True)]


def user(name):
    return factories.user(name)


def codes(results) -> set[str]:
    return {one.code for one in results if isinstance(one, joining.Refusal)}


def made(results, kind) -> list:
    unexpected = [
        one for one in results if not isinstance(one, kind | joining.Refusal | FileRefusal)
    ]
    assert not unexpected, unexpected
    return [one for one in results if isinstance(one, kind)]


def test_the_last_place_is_taken_once(together):
    contest = factories.competition(max_team_size=3)
    team = factories.team(contest, "alice", "bob")
    people = [user(f"person-{place}") for place in range(6)]
    links = [inviting.invite_by_link(team, user("alice"))[0] for _ in people]
    results = together(lambda place: membership.accept(links[place], people[place]), 6)
    assert len(made(results, Team)) == 1, results
    assert codes(results) == {"full"}
    assert team.members.count() == 3
    assert Invitation.objects.exclude(accepted_at=None).count() == 1
    assert not ledger.verify()


def test_one_link_lets_one_person_in(together):
    team = factories.team(factories.competition(max_team_size=20), "alice")
    people = [user(f"person-{place}") for place in range(6)]
    link, _ = inviting.invite_by_link(team, user("alice"))
    results = together(lambda place: membership.accept(link, people[place]), 6)
    assert len(made(results, Team)) == 1, results
    assert codes(results) == {"used"}
    assert team.members.count() == 2


def test_one_person_gets_into_one_team(together):
    contest = factories.competition()
    teams = [factories.team(contest) for _ in range(4)]
    links = [inviting.invite_by_link(one, one.members.get().user)[0] for one in teams]
    bob = user("bob")
    results = together(lambda place: membership.accept(links[place], bob), 4)
    assert len(made(results, Team)) == 1, results
    assert codes(results) == {"leave_first"}
    assert Member.objects.filter(user=user("bob")).count() == 1


def test_a_link_taken_back_as_it_is_used_is_one_of_the_two(together):
    team = factories.team(factories.competition(), "alice")
    link, _ = inviting.invite_by_link(team, user("alice"))
    bob, alice = user("bob"), user("alice")

    def act(place):
        return inviting.revoke(link, alice) if place else membership.accept(link, bob)

    together(act, 2)
    link.refresh_from_db()
    assert (link.accepted_at is None) != (link.revoked_at is None)
    assert team.members.count() == 1 + (link.accepted_at is not None)


def pair(limit: int = 5) -> tuple[Team, Team, MergeProposal]:
    contest = factories.competition(daily_limit=limit)
    stays = factories.team(contest, "alice", name="wings")
    joins = factories.team(contest, "charlie", name="tails")
    factories.scored(stays, 0.7)
    factories.scored(joins, 0.8)
    return stays, joins, merging.propose(stays, "tails", user("alice"))


def test_a_merge_accepted_twice_at_once_happens_once(together):
    stays, _, proposal = pair()
    results = together(lambda _: merging.accept(proposal, user("charlie")), 4)
    assert made(results, Team) == [stays] * 4
    assert LedgerEntry.objects.filter(kind="teams merged").count() == 1
    assert sorted(Submission.objects.values_list("number", flat=True)) == [1, 2]
    assert Entry.objects.get().used == 2
    assert not ledger.verify()


def test_two_teams_that_take_each_other_in_become_one(together):
    _, joins, there = pair()
    back = merging.propose(joins, "wings", user("charlie"))
    acts = [(there, user("charlie")), (back, user("alice"))]
    results = together(lambda place: merging.accept(*acts[place]), 2)
    assert len(made(results, Team)) == 1, results
    assert Member.objects.values("team").distinct().count() == 1
    assert Submission.objects.values("team").distinct().count() == 1
    assert Entry.objects.count() == 1


def test_uploads_during_a_merge_stay_with_a_team_that_is(together):
    stays, joins, proposal = pair()
    content = factories.csv(factories.predictions())
    charlie = user("charlie")

    def act(place):
        if place == 2:
            return merging.accept(proposal, charlie)
        return factories.upload(joins, content, person=charlie)

    results = together(act, 5)
    made(results, Team | Submission)
    merged = Team.objects.get(pk=joins.pk).merged_into
    # Before the merge: it waits for the file. After it: the file is refused, nothing is orphaned.
    assert set(Submission.objects.values_list("team", flat=True)) <= {
        (merged or joins).pk,
        stays.pk,
    }
    for evaluation in Evaluation.objects.select_related("submission"):
        assert evaluation.team_id == evaluation.submission.team_id
    if merged:
        assert not Submission.objects.filter(team=joins).exists()
    factories.score(stays)
    factories.score(joins)
    call_command("rebuild_entries", "--check")


def test_a_file_is_released_while_its_sender_leaves(together):
    contest = factories.competition()
    team = factories.team(contest, "alice", "bob")
    for seed in range(3):
        factories.upload(team, 0.6 + seed / 10, seed=seed, person=user("bob"))
    held = queue.claim(team.pk)
    found = releasing.Scored(digest="a" * 64, predictions="b" * 64, exact=0.8, rows=400)

    def act(place):
        if place:
            return membership.leave(team, user("bob"))
        return releasing.release(held, found)

    results = together(act, 2)
    assert not [one for one in results if isinstance(one, Exception)], results
    own = Member.objects.get(user=user("bob")).team
    factories.score(team)
    assert Entry.objects.get().team == team
    own.refresh_from_db()
    # However it went, who left is charged with all that was told of the files before.
    assert own.carried_used == Entry.objects.get().used
    call_command("rebuild_entries", "--check")


def test_members_of_one_team_share_one_limit(together):
    """R-02, and for each person: five members of two teams send at once."""
    contest = factories.competition(daily_limit=5, max_team_size=5)
    team = factories.team(contest, *(f"person-{place}" for place in range(5)))
    content = factories.csv(factories.predictions())
    people = [user(f"person-{place}") for place in range(5)]
    results = together(lambda place: factories.upload(team, content, person=people[place % 5]), 20)
    assert len(made(results, Submission)) == 5
    assert {one.code for one in results if isinstance(one, FileRefusal)} == {"over_quota"}


def test_a_person_who_hops_while_sending_has_one_limit(together):
    contest = factories.competition(daily_limit=5)
    team = factories.team(contest, "alice", "bob")
    content = factories.csv(factories.predictions())
    bob = user("bob")

    def act(place):
        if place == 3:
            return membership.leave(team, bob)
        return factories.upload(
            Member.objects.get(competition=contest, user=bob).team, content, person=bob
        )

    made(together(act, 12), Submission | Team)
    own = Member.objects.get(user=bob).team
    assert Submission.objects.filter(user=bob).count() <= 5
    for _ in range(5):
        with contextlib.suppress(FileRefusal):
            factories.upload(own, content, person=bob)
    assert Submission.objects.filter(user=bob).count() == 5


def test_renaming_to_one_name_at_once_leaves_one_with_it(together):
    contest = factories.competition()
    teams = [factories.team(contest) for _ in range(4)]

    def act(place):
        from_owner = teams[place].members.get().user
        return naming.rename(teams[place], "wings", from_owner)

    results = together(act, 4)
    assert len(made(results, Team)) == 1
    assert codes(results) == {"taken_name"}
    with transaction.atomic():
        assert Competition.objects.get().board_version == 1
