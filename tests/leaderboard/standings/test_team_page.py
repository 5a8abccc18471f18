"""A team's public page: what its row says and how it came to it, and nothing that was not told."""

import uuid

import pytest
from django.urls import reverse

from leaderboard.competitions import clock
from leaderboard.competitions.models import Competition
from leaderboard.submissions.models import Entry, LateScore, Outcome, Release
from tests.leaderboard import factories
from tests.leaderboard.standings import boards

pytestmark = pytest.mark.db


@pytest.fixture
def contest():
    made = boards.contest(slug="c")
    teams = boards.place(made, {"ann": 90, "ben": 87, "cid": 70, "dan": None})
    boards.released(teams["ann"], 40, 70)
    boards.released(teams["ann"], 30, 90)
    lower = boards.released(teams["ann"], 20, 60)
    Release.objects.filter(pk=lower.pk).update(outcome=Outcome.NO_CHANGE)
    factories.add_member(teams["ann"], factories.user("annabel"))
    return made


def address(team):
    return reverse("team_public", args=(team.competition.slug, team.uuid))


def page(client, contest, name, status=200):
    answer = client.get(address(contest.teams.get(name=name)))
    assert answer.status_code == status
    return answer.content.decode().split('<div class="wrap body">')[-1].split("<footer")[0]


def test_anybody_reads_what_was_told(client, contest):
    text = page(client, contest, "ann")
    team = contest.teams.get(name="ann")
    owner = team.members.earliest("pk").user.username
    for words in (
        f"{owner}, annabel",
        "In this competition since",
        "0.90",
        "1–2",
        "No team is better by 0.05 or more. 1 other differs by less than 0.05: a tie.",
        "New scores",
        "0.70",
        "Compare with other teams",
        f"?teams={team.uuid}",
    ):
        assert words in text
    # The file without a new score has no number, here or anywhere.
    assert "0.60" not in text
    assert "You</span>" not in text


def test_the_title_names_the_team(client, contest):
    answer = client.get(address(contest.teams.get(name="ann")))
    assert "<title>ann · C · Holdout</title>" in answer.content.decode()


def test_rows_lead_to_it(client, contest):
    board = client.get(reverse("leaderboard", args=("c",))).content.decode()
    for name in ("ann", "ben", "dan"):
        assert f'href="{address(contest.teams.get(name=name))}"' in board


def test_a_team_not_yet_above_the_start_line(client, contest):
    text = page(client, contest, "dan")
    assert "no file is clearly above the start line, 0.50" in text
    assert "2 files were scored; none is clearly above the start line" in text
    assert "Rank band" not in text


def test_without_a_scored_file_a_team_is_its_own_and_the_hosts_business(client, contest):
    quiet = factories.team(contest, "quentin", name="quiet")
    assert client.get(address(quiet)).status_code == 404
    for person, status in (("stella", 404), ("quentin", 200), ("hana", 200)):
        client.force_login(factories.user(person))
        assert client.get(address(quiet)).status_code == status
    Entry.objects.create(competition=contest, team=quiet, submissions=0)
    client.force_login(factories.user("stella"))
    assert client.get(address(quiet)).status_code == 404


def test_unknown_hidden_and_foreign_teams_look_the_same(client, contest):
    other = boards.contest(slug="other")
    foreign = boards.place(other, {"eve": 80})["eve"]
    Competition.objects.filter(pk=contest.pk).update(board_names="own_row")
    hidden = contest.teams.get(name="ben").uuid
    client.force_login(contest.teams.get(name="cid").members.get().user)
    sizes = set()
    for mark in (uuid.uuid4(), hidden, foreign.uuid):
        answer = client.get(reverse("team_public", args=("c", mark)))
        assert answer.status_code == 404
        sizes.add(len(answer.content))
    assert len(sizes) == 1
    assert client.get(address(contest.teams.get(name="cid"))).status_code == 200


def test_pseudonyms_hide_name_and_people(client, contest):
    Competition.objects.filter(pk=contest.pk).update(board_names="pseudonyms")
    team = contest.teams.get(name="ann")
    team.name = "anemone"
    team.save()
    answer = client.get(address(team)).content.decode()
    assert "anemone" not in answer
    assert "annabel" not in answer
    assert "2 people; the host shows no names." in answer
    client.force_login(factories.user("annabel"))
    text = page(client, contest, "anemone")
    assert "anemone" in text
    assert "annabel" in text


def test_a_merged_team_leads_to_the_one_that_took_it_in(client, contest):
    one, two, three = (contest.teams.get(name=name) for name in ("dan", "cid", "ben"))
    for gone, into in ((one, two), (two, three)):
        gone.merged_into, gone.merged_at = into, clock.now()
        gone.save()
    answer = client.get(address(one))
    assert answer.status_code == 302
    assert answer["Location"] == address(three)


def test_a_disqualified_team_says_so_and_shows_no_score(client, contest):
    team = contest.teams.get(name="ann")
    team.disqualified_at, team.disqualified_reason = clock.now(), "A second account."
    team.save()
    text = page(client, contest, "ann")
    assert "Disqualified</span>" in text
    assert "Reason: A second account." in text
    assert "0.90" not in text
    assert "0.70" not in text


def test_nothing_private_before_the_reveal_and_the_result_after_it(client, contest):
    ann, ben = contest.teams.get(name="ann"), contest.teams.get(name="ben")
    boards.finals(contest, [(ben, 1, 0.81234567, 87, 2, 1, 2), (ann, 2, 0.79876543, 90, 1, 1, 2)])
    for name in ("ann", "ben"):
        text = page(client, contest, name)
        assert "Final rank" not in text
        assert "0.8123" not in text
        assert "0.7987" not in text
    boards.reveal(contest)
    text = page(client, contest, "ann")
    for words in ("Final rank", "0.7988", "not separable from 1", "Rank band, public"):
        assert words in text


def test_the_best_late_file_stands_beside_the_result(client, contest):
    team = contest.teams.get(name="ben")
    boards.late(team, 0.95)
    boards.late(team, 0.91)
    assert LateScore.objects.count() == 2
    assert "Best late file" not in page(client, contest, "ben")
    boards.reveal(contest)
    text = page(client, contest, "ben")
    assert "Best late file" in text
    assert "0.9500" in text


def test_a_sealed_competition_shows_no_public_score(client):
    contest = boards.contest(slug="s", rule={"rule": "sealed"})
    team = boards.place(contest, {"ann": None})["ann"]
    text = client.get(address(team)).content.decode()
    assert "This competition shows no public scores." in text
    assert "start line" not in text.split('<div class="wrap body">')[1]


def test_the_number_of_queries_is_fixed(client, contest, django_assert_max_num_queries):
    boards.place(contest, {f"t{index}": 60 - index for index in range(30)})
    with django_assert_max_num_queries(20):
        page(client, contest, "ann")
