"""The board: order, bands, groups, dividers, marks, search, pages, and its number of queries."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from leaderboard.competitions import clock
from leaderboard.standings import history
from leaderboard.standings.table import board
from leaderboard.submissions.models import Entry
from tests.leaderboard.standings import boards

pytestmark = pytest.mark.db


def told(made):
    """The board as lines of text."""
    lines = []
    for item in made.items:
        if item.kind == "team":
            lines.append(f"{item.first}-{item.last} {item.name} {item.score}")
        elif item.kind == "baseline":
            lines.append(f"x {item.name} {item.score}")
        else:
            lines.append(f"-- {item.text}")
    return lines


def test_order_bands_dividers_and_marks():
    contest = boards.contest()
    boards.mark(contest, "Forest", 83)
    boards.place(
        contest,
        {"e": 70, "b": 88, "a": 90, "late": 83, "d": 83, "c": 85, "none": None, "Zero": None},
    )
    made = board(contest)
    assert told(made) == [
        "-- Tied for first: 2 teams less than 0.05 below the best score",
        "1-2 a 0.90",
        "1-3 b 0.88",
        "-- Behind the leader by 0.05 or more",
        "2-5 c 0.85",
        "3-5 late 0.83",
        "3-5 d 0.83",
        "x Forest 0.83",
        "6-6 e 0.70",
        "x Constant 0.50",
    ]
    assert [row.name for row in made.below] == ["none", "Zero"]
    assert made.below[0].score == "–"
    assert (made.ranked, made.below_total, made.resolution_text) == (6, 2, "0.05")
    assert [item.place for item in made.items if item.kind == "team"] == [1, 2, 3, 4, 4, 6]


def test_who_is_not_listed():
    contest = boards.contest()
    teams = boards.place(contest, {"a": 90, "out": 95, "quiet": None})
    Entry.objects.filter(team=teams["quiet"]).update(submissions=0)
    teams["out"].disqualified_at = clock.now()
    teams["out"].save()
    made = board(contest)
    assert [item.name for item in made.items if item.kind == "team"] == ["a"]
    assert (made.ranked, made.below_total) == (1, 0)
    assert made.items[0].first == made.items[0].last == 1


def test_own_row_is_pinned_and_ties_with_it_are_marked():
    contest = boards.contest()
    teams = boards.place(contest, {"a": 90, "b": 86, "c": 85, "d": 80, "e": 70})
    made = board(contest, boards.as_member(teams["c"]))
    assert made.pinned.name == "c"
    assert {row.name for row in made.items if row.kind == "team" and row.tied} == {"b"}
    assert [row.mine for row in made.items if row.kind == "team"] == [0, 0, 1, 0, 0]
    assert board(contest, boards.as_member(teams["a"]), per_page=2).own_page == 1
    assert board(contest, boards.as_member(teams["e"]), per_page=2).own_page == 3


def test_own_row_on_another_page_keeps_its_band():
    contest = boards.contest()
    teams = boards.place(contest, {f"t{i}": 90 - 6 * i for i in range(5)})
    made = board(contest, boards.as_member(teams["t4"]), per_page=2)
    assert (made.pinned.first, made.pinned.last) == (5, 5)
    assert made.pinned.band.side == "left"
    assert made.pages.count == 3


def test_a_team_without_a_score_has_no_pinned_row():
    contest = boards.contest()
    teams = boards.place(contest, {"a": 90, "b": None})
    made = board(contest, boards.as_member(teams["b"]))
    assert made.pinned is None
    assert made.below[0].mine


def test_pages_say_where_the_others_are_and_repeat_no_mark():
    contest = boards.contest()
    boards.mark(contest, "Forest", 75)
    boards.place(contest, {f"t{i}": 90 - 6 * i for i in range(5)})
    first, second, third = (board(contest, page=page, per_page=2) for page in (1, 2, 3))
    assert told(first)[-3:] == [
        "-- Places 3 to 5 are on pages 2 to 3",
        "x Forest 0.75",
        "x Constant 0.50",
    ]
    assert told(second)[1:] == ["x Forest 0.75", "4-4 t3 0.72", "-- Places 5 to 5 are on page 3"]
    assert told(third) == ["5-5 t4 0.66", "x Constant 0.50"]
    assert (third.pages.first, third.pages.last, third.pages.total) == (5, 5, 5)
    assert board(contest, page=99, per_page=2).pages.number == 3


def test_search_keeps_true_bands_and_drops_dividers():
    contest = boards.contest()
    boards.place(contest, {"alpha": 90, "beta": 80, "alphabet": 70, "alpine": None, "none": None})
    made = board(contest, query="ALP")
    assert told(made) == ["1-1 alpha 0.90", "3-3 alphabet 0.70"]
    assert [row.name for row in made.below] == ["alpine"]
    assert made.pages.total == 2


def test_teams_below_the_start_line_have_a_list_of_their_own():
    contest = boards.contest()
    boards.place(contest, {"a": 90, **{f"n{i}": None for i in range(8)}})
    made = board(contest)
    assert (len(made.below), made.below_more) == (5, 3)
    listed = board(contest, below=True, per_page=4, page=2)
    assert [row.name for row in listed.below] == ["n4", "n5", "n6", "n7"]
    assert not listed.items


def test_no_link_takes_the_row_of_the_team_it_leads_to():
    contest = boards.contest()
    boards.place(contest, {"a": 90, **{f"n{i}": None for i in range(7)}})
    made = board(contest)
    assert (len(made.below), made.below_more) == (7, 0)


def test_marks_can_be_left_out():
    contest = boards.contest()
    boards.place(contest, {"a": 90})
    assert [item.kind for item in board(contest, baselines=False).items] == ["team"]


def test_lower_is_better():
    contest = boards.contest(
        metric="rmse", task=boards.factories.NUMBERS, rule={"start": "5.00", "low": 0}
    )
    boards.place(contest, {"far": -300, "near": -200, "mid": -204})
    made = board(contest)
    assert told(made)[:4] == [
        "-- Tied for first: 2 teams less than 0.05 behind the best score",
        "1-2 near 2.00",
        "1-2 mid 2.04",
        "-- Behind the leader by 0.05 or more",
    ]
    assert made.lower
    rows = [item for item in made.items if item.kind == "team"]
    assert rows[0].band.dot > rows[1].band.dot > rows[2].band.dot


@pytest.mark.parametrize(
    ("rule", "value", "sealed", "resolution"),
    [
        ({"rule": "sealed"}, None, True, None),
        ({"rule": "exact"}, 90, False, "0.05"),
        ({"rule": "rounded"}, 90, False, "0.05"),
    ],
)
def test_other_rules(rule, value, sealed, resolution):
    """Without noise and threshold the sampling error alone makes the resolution: 2 x 0.02."""
    contest = boards.contest(rule=rule)
    boards.place(contest, {"a": value})
    made = board(contest)
    assert made.sealed == sealed
    if resolution:
        assert made.resolution_text == resolution


def test_the_number_of_queries_does_not_depend_on_the_teams():
    counts = set()
    for size in (3, 60):
        contest = boards.contest()
        values = {f"t{i}": 90 - i for i in range(size)} | {"n1": None, "n2": None}
        teams = boards.place(contest, values)
        for name in ("t0", "t1", "t2"):
            boards.released(teams[name], 5, 60)
        viewer = boards.as_member(teams["t0"])
        with CaptureQueriesContext(connection) as asked:
            board(contest, viewer, now=clock.now())
        counts.add(len(asked))
    assert len(counts) == 1
    assert counts.pop() <= 10


def test_no_page_of_the_board_reads_a_sealed_number():
    contest = boards.contest()
    teams = boards.place(contest, {"a": 90})
    boards.released(teams["a"], 5, 90)
    with CaptureQueriesContext(connection) as asked:
        made = board(contest, boards.as_member(teams["a"]))
        history.best_chart(made)
    read = " ".join(query["sql"] for query in asked)
    assert "sealedscore" not in read
    assert "private_score" not in read


def test_settings_at_the_close_judge_a_closed_board():
    contest = boards.contest()
    boards.place(contest, {"a": 90})
    closed = contest.closes_at + timedelta(days=3)
    assert board(contest, now=closed).state == "closing"


def test_best_over_time_rises_only():
    contest = boards.contest()
    team = boards.place(contest, {"a": 80})["a"]
    for hours, value in ((9, 70), (7, 65), (5, 80), (3, 80)):
        boards.released(team, hours, value)
    line = history.best_so_far(contest, [team.pk])[team.pk]
    assert [value for _, value in line] == [70, 80]


def test_the_chart_has_the_leaders_the_own_team_and_a_table():
    contest = boards.contest()
    teams = boards.place(contest, {f"t{i}": 90 - i for i in range(5)})
    for team in teams.values():
        boards.released(team, 48, 60)
    boards.released(teams["t0"], 24, 90)
    made = board(contest, boards.as_member(teams["t4"]))
    chart = history.best_chart(made)
    assert [line.name for line in chart.series] == ["t0", "t1", "t2", "t4"]
    assert [line.mine for line in chart.series] == [False, False, False, True]
    assert chart.data["series"][0]["v"][-1] == 0.9
    assert chart.data["series"][0]["v"][0] is None
    assert chart.data["band"] == 0.025
    assert chart.table[-1][1] == ["0.90", "0.60", "0.60", "0.60"]
    assert len(chart.table) <= history.TABLE_ROWS + 1
    assert "t0 leads at 0.90" in chart.label


def test_no_chart_without_a_score():
    contest = boards.contest()
    boards.place(contest, {"a": None})
    assert history.best_chart(board(contest)) is None
