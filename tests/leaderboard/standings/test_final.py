"""The final ranking: only after the reveal, with moves, ties, marks and the public board beside."""

import pytest
from django.urls import reverse

from leaderboard.competitions import clock
from leaderboard.competitions.models import Competition
from leaderboard.standings import final, slope
from leaderboard.standings.table import final_board
from leaderboard.submissions.models import FinalStanding
from tests.leaderboard import factories
from tests.leaderboard.standings import boards

pytestmark = pytest.mark.db
SECRET = 0.81234567


@pytest.fixture
def contest():
    made = boards.contest(slug="c")
    teams = boards.place(made, {"ann": 90, "ben": 86, "cid": 70, "dan": None, "eve": 60})
    # (team, place, private score, public value, public place, tied first, tied last)
    boards.finals(
        made,
        [
            (teams["ben"], 1, SECRET, 86, 2, 1, 2),
            (teams["cid"], 2, 0.8, 70, 3, 1, 2),
            (teams["ann"], 3, 0.7, 90, 1, 3, 4),
            (teams["dan"], 4, 0.69, None, None, 3, 4),
            (teams["eve"], None, None, 60, 4, None, None),
        ],
    )
    boards.mark(made, "Forest", 75, private=0.75)
    return made


def text_of(client, contest, query=""):
    return client.get(reverse("leaderboard", args=(contest.slug,)) + query).content.decode()


def test_places_moves_ties_and_marks(contest):
    made = final_board(boards.reveal(contest))
    rows = [
        (item.place, item.name, item.score, item.apart, item.public, item.move, item.outside)
        if item.kind == "team"
        else (item.name, item.score, item.public)
        for item in made.items
    ]
    assert rows == [
        (1, "ben", "0.8123", "2", "0.86", 1, False),
        (2, "cid", "0.8000", "1", "0.70", 1, True),
        ("Forest", "0.7500", "0.75"),
        (3, "ann", "0.7000", "4", "0.90", -2, True),
        (4, "dan", "0.6900", "3", "–", None, False),
    ]
    assert [row.name for row in made.winners] == ["ben"]
    assert made.not_separable == 1
    assert (made.covered, made.covered_of) == (1, 3)
    assert made.median_move == "1 place"
    assert [row.name for row in made.unplaced] == ["eve"]
    assert made.items[0].error == "0.0123"


@pytest.mark.parametrize(
    ("place", "first", "last", "shared", "said"),
    [
        (1, 1, 1, (), "–"),
        (2, 1, 3, (), "1, 3"),
        (1, 1, 5, (), "2, 3, 4, 5"),
        (1, 1, 9, (), "2–9"),
        (5, 1, 9, (), "1–4, 6–9"),
        (2, 2, 2, (2,), "2"),
        (5, 1, 5, (1, 3), "1, 3"),
        (2, 1, 9, (2,), "1–9"),
        (None, None, None, (), "–"),
    ],
)
def test_what_cannot_be_separated(place, first, last, shared, said):
    standing = FinalStanding(place=place, tied_first=first, tied_last=last)
    # After a place that two teams share the next one is skipped: 1-2-2-4.
    places = {at: 1 + (at in shared) for at in range(1, 11) if at - 1 not in shared}
    assert final.apart(standing, places) == said


def test_own_team_wherever_it_stands(contest):
    boards.reveal(contest)
    team = contest.teams.get(name="eve")
    made = final_board(contest, boards.as_member(team), per_page=2)
    assert made.mine.name == "eve"
    assert made.mine.place is None


def test_the_newest_version_counts_and_says_why(client, contest):
    teams = {team.name: team for team in contest.teams.all()}
    run = boards.finals(contest, [(teams["ann"], 1, 0.9, 90, 1, 1, 1)], version=2)
    run.reason = "A label was wrong."
    run.save()
    boards.reveal(contest)
    text = text_of(client, contest)
    assert "This is version 2 of the ranking" in text
    assert "A label was wrong." in text
    assert "0.8123" not in text


def test_disqualified_teams_leave_the_ranking_with_a_reason(client, contest):
    team = contest.teams.get(name="ben")
    team.disqualified_at, team.disqualified_reason = clock.now(), "A second account."
    team.save()
    boards.reveal(contest)
    for name, placed in (("cid", True), ("ben", False)):
        client.force_login(contest.teams.get(name=name).members.get().user)
        assert ("Your final rank" in text_of(client, contest)) is placed
    client.logout()
    text = text_of(client, contest)
    assert "Disqualified: ben (A second account.)" in text
    assert "0.8123" not in text


def test_nothing_private_before_the_reveal(client, contest):
    now = clock.now()
    people = [None, factories.user("hana"), contest.teams.get(name="ben").members.get().user]
    for fields in ({}, {"closes_at": now}, {"closes_at": now, "finals_ready_at": now}):
        Competition.objects.filter(pk=contest.pk).update(**fields)
        for person in people:
            client.logout()
            if person:
                client.force_login(person)
            for query in ("", "?set=public", "?set=final"):
                for name in ("leaderboard", "leaderboard_csv"):
                    answer = client.get(reverse(name, args=("c",)) + query)
                    body = answer.content.decode()
                    assert answer.status_code == 200
                    assert "0.812" not in body
                    assert "0.75" not in body.replace(">0.75<", "").replace(",0.75,", "")
                    assert "rivate score" not in body.replace("sees a private score", "")


def test_the_final_page(client, contest):
    boards.reveal(contest)
    team = contest.teams.get(name="ann")
    client.force_login(team.members.get().user)
    text = text_of(client, contest)
    for words in (
        "Final, private set",
        "0.8123 on the private set. First, not separable from 1 other",
        "200 rows still leave sampling error",
        "the order stands.",
        "From public to final",
        "outside band",
        "down 2",
        "no public score",
        "Without a place, because no file of theirs could be scored on the private rows: eve.",
        "Your final rank",
    ):
        assert words in text
    assert "Private score" not in text_of(client, contest, "?set=public")
    assert "as it closed" in text_of(client, contest, "?set=public")


def test_shared_prizes_are_said(client, contest):
    Competition.objects.filter(pk=contest.pk).update(prize_ties="shared")
    boards.reveal(contest)
    assert "tied teams share." in text_of(client, contest)


def test_lower_is_better(client):
    contest = boards.contest(
        metric="rmse", task=factories.NUMBERS, rule={"start": "5.00", "low": 0}
    )
    teams = boards.place(contest, {"near": -200, "far": -300})
    boards.finals(
        contest,
        [(teams["near"], 1, 2.1, -200, 1, 1, 1), (teams["far"], 2, 3.2, -300, 2, 2, 2)],
    )
    boards.mark(contest, "Mean", -500, private=2.5)
    boards.reveal(contest)
    made = final_board(contest)
    assert [item.name for item in made.items] == ["near", "Mean", "far"]
    assert [item.public for item in made.items] == ["2.00", "5.00", "3.00"]
    assert "lower is better" in text_of(client, contest)


def test_no_finals_at_all(client):
    contest = boards.reveal(boards.contest())
    assert final_board(contest) is None
    assert "No final ranking" in text_of(client, contest)


def test_a_sealed_competition_has_nothing_to_compare(client):
    contest = boards.contest(rule={"rule": "sealed"})
    teams = boards.place(contest, {"ann": None})
    boards.finals(contest, [(teams["ann"], 1, 0.9, None, None, 1, 1)])
    text = text_of(client, boards.reveal(contest))
    assert "From public to final" not in text
    assert "Median move" not in text
    assert "Prize rule" in text


def test_the_slope_chart_shows_who_led_in_public_and_fell():
    made = boards.contest(slug="fall")
    names = {f"team{number:02}": 90 - number for number in range(29)}
    teams = boards.place(made, {"climber": 95} | names)
    places = [
        (teams[name], place, 0.9 - place / 100, value, place + 1, place, place)
        for place, (name, value) in enumerate(names.items(), 1)
    ]
    boards.finals(made, [*places, (teams["climber"], 30, 0.5, 95, 1, 30, 30)])
    found = final_board(boards.reveal(made))
    for chart in (found.slope, found.slope_small):
        lines = {line.name: line for line in chart.lines}
        climber = lines["climber"]
        assert climber.left_y == min(line.left_y for line in lines.values())
        assert climber.right_y == max(line.right_y for line in lines.values())
        assert climber.place == 30
        assert climber.kind == "out"


def test_the_slope_chart_orders_both_sides(contest):
    made = final_board(boards.reveal(contest))
    lines = {line.name: line for line in made.slope.lines}
    step, top = slope.WIDE.step, slope.WIDE.top
    left = {name: (line.left_y - top) // step for name, line in lines.items()}
    right = {name: (line.right_y - top) // step for name, line in lines.items()}
    assert left == {"ann": 0, "ben": 1, "cid": 2, "dan": 3}
    assert right == {"ben": 0, "cid": 1, "ann": 2, "dan": 3}
    assert {name: line.kind for name, line in lines.items()} == {
        "ben": "up",
        "cid": "out",
        "ann": "out",
        "dan": "",
    }
    assert lines["dan"].band == "–"


def test_the_number_of_queries_is_fixed(contest, django_assert_max_num_queries):
    boards.reveal(contest)
    viewer = boards.as_member(contest.teams.get(name="eve"))
    with django_assert_max_num_queries(15):
        final_board(contest, viewer)
