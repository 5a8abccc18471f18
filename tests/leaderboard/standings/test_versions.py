"""Every act that changes what a board shows names a new state of it, so that no cache keeps it."""

import pytest

from leaderboard.competitions import changing
from leaderboard.competitions.models import Competition
from leaderboard.hosting import deletion
from leaderboard.submissions import closing, finals, membership, merging, tasks
from leaderboard.submissions.models import LateScore
from leaderboard.teams import inviting, naming
from leaderboard.teams.models import MergeProposal
from tests.leaderboard import factories
from tests.leaderboard.standings import boards

pytestmark = pytest.mark.db


@pytest.fixture
def contest():
    made = factories.competition("c", max_team_size=3)
    factories.team(made, "alice")
    factories.team(made, "charlie")
    return made


def version(contest):
    return Competition.objects.values_list("board_version", flat=True).get(pk=contest.pk)


def team_of(contest, name):
    return contest.teams.get(members__user__username=name)


def score(contest):
    factories.scored(team_of(contest, "alice"), 0.8)


def rename(contest):
    naming.rename(team_of(contest, "alice"), "gradient descenders", factories.user("alice"))


def join_by_invitation(contest):
    team = team_of(contest, "alice")
    invitation = inviting.invite_by_name(team, "charlie", factories.user("alice"))
    membership.accept(invitation, factories.user("charlie"))


def leave(contest):
    team = team_of(contest, "alice")
    factories.add_member(team, factories.user("bob"))
    membership.leave(team, factories.user("bob"))


def remove(contest):
    team = team_of(contest, "alice")
    factories.add_member(team, factories.user("bob"))
    membership.remove(team, factories.user("bob"), factories.user("alice"))


def merge(contest):
    one, other = team_of(contest, "alice"), team_of(contest, "charlie")
    merging.propose(one, other.name, factories.user("alice"))
    merging.accept(MergeProposal.objects.get(), factories.user("charlie"))


def hide_names(contest):
    Competition.objects.filter(pk=contest.pk).update(board_names="names")
    contest.refresh_from_db()
    changing.change(contest, factories.user("hana"), {"board_names": "pseudonyms"}, "Because.")


def delete_account(contest):
    deletion.delete(factories.user("charlie"))


def reveal(contest):
    factories.scored(team_of(contest, "alice"), 0.8)
    factories.end(contest)
    finals.finalise(contest.pk)
    before = version(contest)
    closing.reveal(contest, factories.user("hana"))
    assert version(contest) > before


@pytest.mark.parametrize(
    "act",
    [
        score,
        rename,
        join_by_invitation,
        leave,
        remove,
        merge,
        hide_names,
        delete_account,
        reveal,
    ],
)
def test_it_rises(contest, act):
    before = version(contest)
    act(contest)
    assert version(contest) > before


def test_a_late_score_raises_it(contest):
    team = team_of(contest, "alice")
    factories.scored(team, 0.8)
    Competition.objects.filter(pk=contest.pk).update(late_files=True)
    factories.end(contest)
    finals.finalise(contest.pk)
    closing.reveal(contest, factories.user("hana"))
    before = version(contest)
    factories.upload(team, 0.9, seed=2)
    tasks.score_next(team.pk)
    assert LateScore.objects.count() == 1
    assert version(contest) > before


def test_a_file_that_changes_nothing_shown_does_not(contest):
    before = version(contest)
    boards.contest()
    factories.upload(team_of(contest, "alice"), b"nonsense")
    factories.score(contest)
    assert version(contest) == before
