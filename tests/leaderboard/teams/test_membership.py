"""Coming and going: files stay, what was used up goes along, and hopping gains nothing (R-03)."""

import pytest
from django.core.management import call_command
from django.urls import reverse

from leaderboard.audit.models import LedgerEntry
from leaderboard.competitions import clock
from leaderboard.competitions.models import Competition, Notice
from leaderboard.submissions import carrying, looks, membership, merging, queue, tasks
from leaderboard.submissions.models import Entry, Evaluation, Outcome, Release, Status, Submission
from leaderboard.submissions.refusals import Refusal as FileRefusal
from leaderboard.teams import inviting, joining, owning
from leaderboard.teams.models import Departure, Member, Team
from tests.leaderboard import factories

pytestmark = pytest.mark.db


@pytest.fixture
def contest():
    return factories.competition("contest", daily_limit=100)


@pytest.fixture
def team(contest):
    """Alice's team, with bob in it."""
    return factories.team(contest, "alice", "bob", name="wings")


def user(name):
    return factories.user(name)


def refused(act, *arguments) -> str:
    with pytest.raises(joining.Refusal) as refusal:
        act(*arguments)
    return refusal.value.code


def let_in(team, name) -> Team:
    """Invite and let in a person, as the owner whoever that is."""
    owner = team.members.get(owner=True).user
    return membership.accept(inviting.invite_by_link(team, owner)[0], user(name))


def team_of(name, contest) -> Team:
    return Member.objects.get(competition=contest, user=user(name)).team


def test_who_leaves_gets_a_team_of_one_with_what_was_used_up(team, contest):
    for right in (0.7, 0.8, 0.9):
        factories.scored(team, right)
    made = membership.leave(team, user("bob"))
    assert [(m.user, m.owner) for m in made.members.all()] == [(user("bob"), True)]
    assert (made.name, made.carried_used, made.carried_reference) == ("bob", 3, 90)
    assert Submission.objects.filter(team=team).count() == 3
    gone = Departure.objects.get()
    assert (gone.user, gone.team, gone.used, gone.reference) == (user("bob"), team, 3, 90)
    assert LedgerEntry.objects.order_by("seq").last().kind == "member left"
    assert Notice.objects.get(user=user("alice")).title == "bob left: wings"
    # The first file of the new team is judged by what was told before.
    first = factories.scored(made, 0.92, seed=5)
    assert (first.release.outcome, first.release.previous) == (Outcome.NO_CHANGE, 90)
    factories.scored(made, 0.99, seed=6)
    entry = Entry.objects.get(team=made)
    assert (entry.used, entry.reference, entry.value) == (4, 99, 99)
    call_command("rebuild_entries", "--check")


def test_rebuilding_starts_from_what_was_carried(team, contest, capsys):
    factories.scored(team, 0.8)
    made = membership.leave(team, user("bob"))
    factories.scored(made, 0.9)
    kept = list(Entry.objects.order_by("team").values())
    Entry.objects.filter(team=made).update(used=1, reference=None)
    call_command("rebuild_entries", "--check")
    assert "1 entries differ" in capsys.readouterr().out
    call_command("rebuild_entries")
    for row in (kept, made_again := list(Entry.objects.order_by("team").values())):
        for one in row:
            one.pop("id")
    assert kept == made_again


def test_a_removed_member_sees_nothing_of_the_team_any_more(team, contest, client):
    """A-09: the files of the team, the own ones too, are not there from then on."""
    sent = factories.scored(team, 0.8, person=user("bob")).submission
    client.force_login(user("bob"))
    pages = [
        reverse(name, args=["contest", sent.uuid])
        for name in ("submission", "submission_file", "submission_status")
    ]
    for page in pages:
        answer = client.get(page)
        assert answer.status_code in (200, 286), page
        for close in getattr(answer, "_resource_closers", ()):
            close()
    made = membership.remove(team, user("bob"), user("alice"))
    for page in pages:
        assert client.get(page).status_code == 404, page
    for act in ("submission_final", "submission_withdraw"):
        assert client.post(reverse(act, args=["contest", sent.uuid])).status_code == 404
    assert "file.csv" not in client.get(reverse("submissions", args=["contest"])).content.decode()
    with pytest.raises(FileRefusal):
        factories.upload(team, person=user("bob"))
    body = LedgerEntry.objects.get(kind="member removed").payload.body
    assert (body["user"], body["by"]) == (user("bob").pk, user("alice").pk)
    assert body["new_team"] == str(made.uuid)
    assert "no longer in the team wings" in Notice.objects.get(user=user("bob")).title


def test_a_file_belongs_to_the_team_it_was_accepted_for(team, contest):
    sent = factories.upload(team, 0.8, person=user("bob"))
    held = queue.claim(team.pk)
    made = membership.remove(team, user("bob"), user("alice"))
    # The worker that had it finishes it; who left is charged with it.
    from_before = Evaluation.objects.get(pk=held.pk)
    assert from_before.status == Status.LEASED
    Evaluation.objects.filter(pk=held.pk).update(lease_until=clock.now())
    tasks.score_next(team.pk)
    sent.refresh_from_db()
    assert (sent.team, Entry.objects.get().team) == (team, team)
    made.refresh_from_db()
    assert (Entry.objects.get().used, made.carried_used) == (1, 1)
    assert Departure.objects.get().used == 1
    call_command("rebuild_entries", "--check")


def test_an_owner_hands_over_before_leaving(team, contest):
    assert refused(membership.leave, team, user("alice")) == "hand_over_first"
    assert refused(owning.hand_over, team, user("bob"), user("bob")) == "owner_only"
    assert refused(owning.hand_over, team, user("charlie"), user("alice")) == "no_such_member"
    assert refused(owning.hand_over, team, user("alice"), user("alice")) == "yourself"
    owning.hand_over(team, user("bob"), user("alice"))
    assert list(team.members.filter(owner=True).values_list("user__username", flat=True)) == ["bob"]
    assert LedgerEntry.objects.order_by("seq").last().kind == "team handed over"
    assert Notice.objects.get(user=user("bob")).title == "You own the team wings"
    assert membership.leave(team, user("alice")).name == "alice"
    assert refused(membership.leave, team, user("bob")) == "only_member"


def test_the_owner_alone_removes_and_never_the_owner(team):
    factories.add_member(team, user("dora"))
    assert refused(membership.remove, team, user("dora"), user("bob")) == "owner_only"
    assert refused(membership.remove, team, user("alice"), user("alice")) == "remove_yourself"
    assert refused(membership.remove, team, user("charlie"), user("alice")) == "no_such_member"
    assert refused(membership.remove, team, user("dora"), user("charlie")) == "not_member"


def test_nobody_comes_or_goes_after_the_close_or_out_of_a_disqualified_team(team, contest):
    Team.objects.update(disqualified_at=clock.now())
    for act, arguments in (
        (membership.leave, (team, user("bob"))),
        (membership.remove, (team, user("bob"), user("alice"))),
        (owning.hand_over, (team, user("bob"), user("alice"))),
    ):
        assert refused(act, *arguments) == "disqualified"
    Team.objects.update(disqualified_at=None)
    factories.end(contest)
    assert refused(membership.leave, team, user("bob")) == "closed"
    assert Member.objects.filter(team=team).count() == 2


def test_hopping_ten_times_gains_no_file(contest):
    """R-03: leave, send alone, come back, into a fresh team: a person's files of the day count."""
    Competition.objects.update(daily_limit=5)
    answers = []

    def send(place, number):
        try:
            factories.upload(place, 0.6, seed=number, person=user("alice"))
            answers.append("accepted")
        except FileRefusal as full:
            answers.append(full.code)

    for number in range(10):
        fresh = factories.team(contest, f"friend{number}")
        alone = Member.objects.filter(user=user("alice")).first()
        if alone and not membership.without_files(alone.team):
            # Alone with files there is no way into another team but to leave them to somebody.
            assert refused(let_in, fresh, "alice") == "merge_instead"
            let_in(alone.team, f"mate{number}")
            owning.hand_over(alone.team, user(f"mate{number}"), user("alice"))
            membership.leave(alone.team, user("alice"))
        let_in(fresh, "alice")
        send(fresh, number)
        send(membership.leave(fresh, user("alice")), number)
    assert answers == ["accepted"] * 5 + ["over_quota"] * 15


def test_hopping_ten_times_gains_no_new_score(contest):
    """R-03: in whatever teams, a person takes part in no more new scores than one team has."""
    told = 0
    for number in range(10):
        fresh = factories.team(contest, f"friend{number}")
        let_in(fresh, "alice")
        # Against a fresh reference each of these files would be told.
        for right in (0.6, 0.7, 0.8):
            sent = factories.scored(fresh, right + number / 200, person=user("alice"))
            told += sent.release.outcome == Outcome.RELEASED
        used = carrying.standing(fresh)[0]
        assert used >= told
        alone = membership.leave(fresh, user("alice"))
        assert carrying.standing(alone)[0] >= told
    assert told == 10
    assert Release.objects.filter(outcome=Outcome.USED_UP).exists()
    call_command("rebuild_entries", "--check")


def test_who_joins_brings_the_used_new_scores_and_leaves_the_reference(team, contest):
    for right in (0.7, 0.8):
        factories.scored(team, right)
    membership.leave(team, user("bob"))
    other = factories.team(contest, "charlie")
    factories.scored(other, 0.6)
    let_in(other, "bob")
    other.refresh_from_db()
    entry = Entry.objects.get(team=other)
    assert (entry.used, entry.reference, other.carried_used) == (2, 60, 1)
    # Somebody who used fewer changes nothing.
    let_in(other, "dora")
    assert Entry.objects.get(team=other).used == 2
    call_command("rebuild_entries", "--check")


def test_under_the_paired_rule_the_file_behind_a_carried_reference_is_found():
    contest = factories.competition(rule={"rule": "gate_paired"}, daily_limit=100)
    team = factories.team(contest, "alice", "bob")
    factories.scored(team, 0.8)
    made = membership.leave(team, user("bob"))
    assert made.carried_from == team
    let_in(made, "dora")
    owning.hand_over(made, user("dora"), user("bob"))
    again = membership.leave(made, user("bob"))
    for one in (made, again):
        scored = factories.scored(one, 0.95, seed=3)
        assert scored.status == Status.SCORED
        assert (scored.release.outcome, scored.release.previous) == (Outcome.RELEASED, 80)


def test_the_largest_of_all_departures_is_carried(contest):
    first = factories.team(contest, "alice", "bob")
    for right in (0.7, 0.8):
        factories.scored(first, right)
    membership.leave(first, user("bob"))
    second = factories.team(contest, "charlie")
    factories.scored(second, 0.9)
    let_in(second, "bob")
    made = membership.leave(second, user("bob"))
    assert (made.carried_used, made.carried_reference, made.carried_from) == (2, 90, second)


def test_looks_do_not_come_back_by_leaving_and_merging():
    contest = factories.competition("contest", rule={"looks": 2}, daily_limit=100)
    team, alice, bob = factories.team(contest, "alice", "bob"), user("alice"), user("bob")
    for right in (0.7, 0.8):
        looks.ask(factories.scored(team, right), alice)
    own = membership.leave(team, bob)
    assert (Departure.objects.get().looks, own.carried_looks) == (2, 2)
    assert looks.left(own, contest) == 0
    sent = factories.scored(own, 0.9, person=bob)
    with pytest.raises(FileRefusal, match="used its 2 looks"):
        looks.ask(sent, bob)
    merging.accept(merging.propose(team, own.name, alice), bob)
    assert looks.left(membership.leave(team, bob), contest) == 0


def test_who_joins_brings_used_looks_along():
    contest = factories.competition("contest", rule={"looks": 2})
    team = factories.team(contest, "alice", "bob")
    looks.ask(factories.scored(team, 0.7), user("bob"))
    membership.leave(team, user("bob"))
    other = factories.team(contest, "charlie")
    assert let_in(other, "bob") == other
    assert looks.left(other, contest) == 1
    looks.ask(factories.scored(other, 0.8), user("bob"))
    # Back again: the team has used fewer than what comes along.
    membership.leave(other, user("bob"))
    let_in(team, "bob")
    assert looks.left(team, contest) == 0


def test_the_reference_that_a_waiting_file_sets_goes_along_too(team, contest):
    factories.upload(team, 0.9, person=user("bob"))
    own = membership.leave(team, user("bob"))
    factories.score(team)
    own = Team.objects.get(pk=own.pk)
    assert carrying.standing(own) == carrying.standing(team) == (1, 90)
    assert own.carried_from == team
    assert factories.scored(own, 0.91, seed=5).release.outcome == Outcome.NO_CHANGE
    call_command("rebuild_entries", "--check")


def test_everybody_but_who_did_it_is_told(team):
    factories.add_member(team, user("charlie"))
    membership.remove(team, user("bob"), user("alice"))
    told = Notice.objects.order_by("user__username").values_list("user__username", flat=True)
    assert list(told) == ["bob", "charlie"]
