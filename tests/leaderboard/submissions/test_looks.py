"""Looks: a noisy score for the team alone, never more than allowed, the same for the same."""

import pytest
from django.urls import reverse

from leaderboard.audit import ledger
from leaderboard.audit.models import LedgerEntry
from leaderboard.competitions import clock, release_settings
from leaderboard.submissions import looks, ringing, tasks
from leaderboard.submissions.models import Entry, Look, Release
from leaderboard.submissions.refusals import Refusal
from leaderboard.teams.models import Team
from scoring.leakage import records
from tests.leaderboard import factories

pytestmark = pytest.mark.db
RULE = {"looks": 2}


@pytest.fixture
def contest():
    return factories.competition(rule=RULE, daily_limit=50)


@pytest.fixture
def team(contest):
    return factories.team(contest, "alice", "bob")


def drawn(evaluation, name: str = "alice") -> Look:
    made = looks.ask(evaluation, factories.user(name))
    tasks.draw_look(made.pk)
    made.refresh_from_db()
    return made


def refused(evaluation, name: str = "alice") -> str:
    with pytest.raises(Refusal) as caught:
        looks.ask(evaluation, factories.user(name))
    return caught.value.code


def test_a_look_is_a_noisy_score_of_the_file(team):
    """One SE of noise around the exact score, whatever the file was told."""
    values = []
    for seed in range(30):
        # A team has two looks: each file is another team's.
        one = factories.team(team.competition)
        file = factories.scored(one, 0.7, seed=seed)
        values.append(drawn(file, one.members.get().user.username).value)
    assert all(isinstance(value, int) for value in values)
    assert len(set(values)) > 3
    assert abs(sum(values) / 30 - 70) < 1.5
    spread = (sum((value - 70) ** 2 for value in values) / 30) ** 0.5
    assert 1.2 < spread < 3.2


def test_asking_spends_a_look_once_and_is_recorded(team, monkeypatch):
    rung = []
    monkeypatch.setattr(ringing, "ring", lambda name, *rest, **more: rung.append((name, *rest)))
    file = factories.scored(team, 0.8)
    assert looks.left(team, team.competition) == 2
    rung.clear()
    first = looks.ask(file, factories.user("alice"))
    assert (first.value, first.asked_by) == (None, factories.user("alice"))
    assert looks.ask(file, factories.user("bob")) == first
    assert looks.left(team, team.competition) == 1
    entry = LedgerEntry.objects.get(kind="looked")
    assert entry.payload.body["number"] == 1
    assert ledger.verify() == []
    # A bell that was lost is rung again by the sweeper; drawing twice changes nothing.
    tasks.sweep()
    assert (ringing.DRAW_LOOK, first.pk) in rung
    tasks.draw_look(first.pk)
    first.refresh_from_db()
    value, at = first.value, first.drawn_at
    tasks.draw_look(first.pk)
    first.refresh_from_db()
    assert (first.value, first.drawn_at) == (value, at)
    assert looks.waiting() == []


def test_the_same_predictions_have_the_same_number_and_cost_nothing_again(team):
    first, again = factories.scored(team, 0.8), factories.scored(team, 0.8)
    other = factories.scored(team, 0.7, seed=2)
    one = drawn(first)
    assert drawn(again).value == one.value
    assert looks.left(team, team.competition) == 1
    drawn(other)
    assert looks.left(team, team.competition) == 0
    # Known predictions still cost nothing, new ones are refused.
    assert drawn(factories.scored(team, 0.8)).value == one.value
    assert refused(factories.scored(team, 0.6, seed=3)) == "looks_used_up"
    rival = factories.team(team.competition, "charlie")
    theirs = drawn(factories.scored(rival, 0.8), "charlie")
    assert theirs.value == one.value
    assert looks.left(rival, team.competition) == 1


def test_a_look_tells_nothing_to_the_board(team):
    file = factories.scored(team, 0.52)
    before = Entry.objects.values().get(), Release.objects.values().get()
    version = team.competition.__class__.objects.get(pk=team.competition_id).board_version
    drawn(file)
    assert (Entry.objects.values().get(), Release.objects.values().get()) == before
    team.competition.refresh_from_db()
    assert team.competition.board_version == version


@pytest.mark.parametrize("state", ["waiting", "rejected", "closed", "none", "foreign"])
def test_where_there_is_no_look(team, state):
    if state == "waiting":
        assert refused(factories.upload(team).evaluations.get()) == "no_look"
    elif state == "rejected":
        assert refused(factories.scored(team, b"id,label\n1,yes\n")) == "no_look"
    elif state == "closed":
        file = factories.scored(team)
        factories.end(team.competition)
        assert refused(file) == "looks_closed"
    elif state == "none":
        plain = factories.team(factories.competition(), "alice")
        assert refused(factories.scored(plain)) == "looks_used_up"
    else:
        factories.team(team.competition, "charlie")
        assert refused(factories.scored(team), "charlie") == "not_yours"
    assert not Look.objects.exists()


def test_a_disqualified_team_looks_no_more(team, client):
    file = factories.scored(team, 0.8)
    slug = team.competition.slug
    client.force_login(factories.user("alice"))
    pages = [
        reverse("submissions", args=[slug]),
        reverse("submission", args=[slug, file.submission.uuid]),
    ]
    form = reverse("submission_look", args=[slug, file.submission.uuid])
    assert all(form in client.get(page).text for page in pages)
    Team.objects.update(disqualified_at=clock.now())
    assert refused(file) == "disqualified"
    assert not any(form in client.get(page).text for page in pages)
    assert not Look.objects.exists()


def test_a_file_judged_in_silence_stays_silent(team):
    """What was sent under the rule `sealed` was promised to be told nothing of."""
    contest = factories.competition(rule={"rule": "sealed"})
    team = factories.team(contest, "alice")
    file = factories.scored(team)
    chosen = factories._rule("accuracy_score", {"looks": 3})
    release_settings.change(contest, None, "custom", chosen, "Show scores.")
    assert looks.left(team, contest) == 3
    assert refused(file) == "no_look"


def test_the_settings_in_force_now_give_the_number(team):
    file = factories.scored(team)
    drawn(file)
    chosen = factories._rule("accuracy_score", {"looks": 1})
    release_settings.change(team.competition, None, "custom", chosen, "Fewer.")
    assert looks.left(team, team.competition) == 0
    assert refused(factories.scored(team, 0.6, seed=2)) == "looks_used_up"


def test_looks_are_counted_for_the_leakage(team):
    version = team.competition.release_settings.get()
    rival = factories.team(team.competition, "charlie")
    drawn(factories.scored(team, 0.8))
    drawn(factories.scored(rival, 0.8), "charlie")
    drawn(factories.scored(team, 0.7, seed=2))
    # Two different predictions, three times: the same number again tells nothing more.
    assert looks.told(version) == 2
    found = records.from_release(
        release_settings.rule(version),
        sensitivity=1 / 200,
        comparisons=2,
        values=1,
        looks=looks.told(version),
    )
    assert [record.count for record in found if record.kind == "look"] == [2]


@pytest.mark.django_db(transaction=True)
def test_of_many_that_ask_at_once_no_more_get_a_look_than_there_are(team, together):
    files = [factories.scored(team, 0.6 + seed / 40, seed=seed) for seed in range(8)]
    people = [factories.user("alice"), factories.user("bob")]
    results = together(lambda place: looks.ask(files[place % 8], people[place % 2]), 16)
    got = {result.evaluation_id for result in results if isinstance(result, Look)}
    assert len(got) == 2, results
    assert {getattr(result, "code", "") for result in results if not isinstance(result, Look)} == {
        "looks_used_up"
    }
    assert Look.objects.count() == 2
    assert looks.left(Team.objects.get(pk=team.pk), team.competition) == 0
