"""Scores over time of chosen teams: the choice is the address, and no hidden team is in it."""

import re
import uuid

import pytest
from django.urls import reverse

from leaderboard.competitions.models import Competition
from leaderboard.standings import compare, history
from tests.leaderboard.standings import boards

pytestmark = pytest.mark.db


@pytest.fixture
def contest():
    made = boards.contest(slug="c")
    teams = boards.place(made, {f"t{index:02}": 90 - index for index in range(12)} | {"low": None})
    for index in range(12):
        boards.released(teams[f"t{index:02}"], 30 - index, 90 - index)
    return made


def marks(contest, *names):
    return [str(contest.teams.get(name=name).uuid) for name in names]


def page(client, contest, query=""):
    answer = client.get(reverse("compare", args=("c",)) + query)
    assert answer.status_code == 200
    return answer.content.decode()


def chosen(text):
    """Names of the ticked boxes, in order."""
    return re.findall(r'name="teams" value="[^"]+" checked> <span>(\w+)', text)


def offered(text):
    return re.findall(r'name="teams" value="[^"]+"> <span>(\w+)', text)


def test_without_a_choice_the_leaders_and_the_own_team_are_drawn(client, contest):
    assert chosen(page(client, contest)) == ["t00", "t01", "t02"]
    client.force_login(contest.teams.get(name="t09").members.get().user)
    text = page(client, contest)
    assert chosen(text) == ["t00", "t01", "t02", "t09"]
    assert "t09 (you)" in text
    client.force_login(contest.teams.get(name="t01").members.get().user)
    assert chosen(page(client, contest)) == ["t00", "t01", "t02"]


@pytest.mark.parametrize("glue", ["&teams=", ","])
def test_the_address_names_the_teams(client, contest, glue):
    text = page(client, contest, "?teams=" + glue.join(marks(contest, "t07", "t03")))
    assert chosen(text) == ["t03", "t07"]
    assert "t07</li>" in text
    assert "Show as a table" in text
    table = text.split("<thead>")[1].split("</table>")[0]
    assert [name for name in ("t03", "t07", "t00") if name in table] == ["t03", "t07"]
    assert "0.83" in table
    assert offered(text)[:2] == ["t00", "t01"]


def test_more_than_fit_keeps_the_best_and_says_so(client, contest):
    names = [f"t{index:02}" for index in range(10)]
    text = page(client, contest, "?teams=" + ",".join(marks(contest, *names)))
    assert chosen(text) == names[: history.MOST_TEAMS]
    assert "The chart holds 8 teams" in text
    text = page(client, contest, "?teams=" + ",".join(marks(contest, *names[:8])))
    assert "The chart holds" not in text


def test_all_lines_differ_by_more_than_colour():
    looks = [(look.width, look.dash, look.css) for look in (history.OWN, *history.LOOKS)]
    assert len(history.LOOKS) >= history.MOST_TEAMS
    assert len(set(looks)) == len(looks)
    dashes = [look.dash for look in history.LOOKS if look.dash]
    assert len(set(dashes)) == len(dashes)


@pytest.mark.parametrize(
    "query", ["?teams=nothing", "?teams=", "?teams=%00", "?teams=" + "x," * 300, "?q=%00", "?q=t1"]
)
def test_what_makes_no_sense_is_as_if_not_asked(client, contest, query):
    assert chosen(page(client, contest, query)) == ["t00", "t01", "t02"]


def test_unknown_foreign_and_unscored_teams_are_left_out(client, contest):
    foreign = boards.place(boards.contest(), {"eve": 95})["eve"]
    asked = [str(uuid.uuid4()), str(foreign.uuid), *marks(contest, "low", "t05")]
    assert chosen(page(client, contest, "?teams=" + ",".join(asked))) == ["t05"]


def test_a_search_offers_what_it_finds_and_keeps_the_choice(client, contest):
    text = page(client, contest, f"?teams={marks(contest, 't05')[0]}&q=t1")
    assert chosen(text) == ["t05"]
    assert offered(text) == ["t10", "t11"]
    text = page(client, contest, "?q=%3Cb%3E")
    assert "No other team with a score has “&lt;b&gt;” in its name." in text


def test_own_row_draws_nobody_else(client, contest):
    Competition.objects.filter(pk=contest.pk).update(board_names="own_row")
    query = "?teams=" + ",".join(marks(contest, "t00", "t05"))
    assert "No scores to compare" in page(client, contest, query)
    client.force_login(contest.teams.get(name="t05").members.get().user)
    text = page(client, contest, query)
    assert chosen(text) == ["t05"]
    assert offered(text) == []
    assert "t00" not in text


def test_asked_teams_come_once_and_in_order():
    one, two = uuid.uuid4(), uuid.uuid4()
    assert compare.asked_teams([f"{two}, {one}", str(two)]) == [two, one]


def test_the_number_of_queries_is_fixed(client, contest, django_assert_max_num_queries):
    boards.place(contest, {f"more{index}": 60 - index for index in range(20)})
    query = "?teams=" + ",".join(marks(contest, *[f"t{i:02}" for i in range(8)]))
    with django_assert_max_num_queries(16):
        page(client, contest, query)
