"""The CSV of a board: what the page shows, as numbers, and no formula."""

import csv
import io

import pytest
from django.urls import reverse

from leaderboard.standings import export
from tests.leaderboard.standings import boards

pytestmark = pytest.mark.db


def rows(client, contest, query=""):
    answer = client.get(reverse("leaderboard_csv", args=(contest.slug,)) + query)
    assert answer.status_code == 200
    return list(csv.DictReader(io.StringIO(answer.content.decode(), newline="")))


def test_the_public_board(client):
    contest = boards.contest()
    boards.place(contest, {"ann": 90, "ben": 87, "=1+1": 87, "dan": None})
    found = rows(client, contest)
    assert [
        (row["rank_first"], row["rank_last"], row["place"], row["kind"], row["name"], row["score"])
        for row in found
    ] == [
        ("1", "3", "1", "team", "ann", "0.90"),
        ("1", "3", "2", "team", "ben", "0.87"),
        ("1", "3", "2", "team", "'=1+1", "0.87"),
        ("", "", "", "baseline", "Constant", "0.50"),
        ("", "", "", "not yet above the start line", "dan", ""),
    ]
    assert found[0]["reached_at"].endswith("Z")


def test_headers(client):
    contest = boards.contest(slug="c")
    answer = client.get(reverse("leaderboard_csv", args=("c",)))
    assert answer["Content-Disposition"] == 'attachment; filename="c-leaderboard.csv"'
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    assert "private" in answer["Cache-Control"]
    again = client.get(
        reverse("leaderboard_csv", args=(contest.slug,)),
        headers={"If-None-Match": answer["ETag"]},
    )
    assert again.status_code == 304


def test_a_minus_is_a_plain_one(client):
    contest = boards.contest(metric="r2", task=boards.factories.NUMBERS, rule={"start": "-0.50"})
    boards.place(contest, {"ann": -3})
    assert rows(client, contest)[0]["score"] == "-0.03"


@pytest.mark.parametrize("text", ["=1", "+1", "-1", "@x", "\tx", "\rx", "＝1", "＠x"])
def test_formulas_become_text(text):
    assert export.safe(text) == f"'{text}"


def test_other_texts_stay():
    assert export.safe('a=1, "b"') == 'a=1, "b"'


def test_the_final_ranking(client):
    contest = boards.contest()
    teams = boards.place(contest, {"ann": 90, "+ben": 80})
    boards.finals(
        contest,
        [
            (teams["ann"], 1, 0.8123456789, 90, 1, 1, 2),
            (teams["+ben"], None, None, 80, 2, None, None),
        ],
    )
    boards.reveal(contest)
    found = rows(client, contest)
    assert [
        (row["place"], row["name"], row["private_score"], row["public_score"]) for row in found
    ] == [
        ("1", "ann", "0.8123456789", "0.90"),
        ("", "'+ben", "", "0.80"),
        ("", "Constant", "", "0.50"),
    ]
    assert found[1]["note"] == "no file could be scored on the private rows"
    assert "private_score" not in rows(client, contest, "?set=public")[0]


def test_json_has_the_rows_of_the_csv_as_numbers(client):
    contest = boards.contest(slug="c")
    boards.place(contest, {"ann": 90, "=1+1": 87, "dan": None})
    answer = client.get(reverse("leaderboard_json", args=("c",)))
    assert answer["Content-Type"] == "application/json"
    assert "private" in answer["Cache-Control"]
    told = answer.json()
    assert {key: told[key] for key in ("competition", "state", "board", "names")} == {
        "competition": "c",
        "state": "live",
        "board": "public",
        "names": "names",
    }
    assert (told["ties_under"], told["start_line"], told["greater_is_better"]) == (0.05, 0.5, True)
    assert told["rows"][0]["score"] == 0.9
    assert told["rows"][0]["team"] == str(contest.teams.get(name="ann").uuid)
    assert [row["name"] for row in told["rows"]] == ["ann", "=1+1", "Constant", "dan"]
    assert "score" not in told["rows"][-1]
    for plain, row in zip(rows(client, contest), told["rows"], strict=True):
        for key, cell in plain.items():
            shown = row.get(key)
            if isinstance(shown, str):
                shown = export.safe(shown)
            assert (float(cell) if isinstance(shown, float) else cell) == (
                "" if shown is None else shown if isinstance(shown, float | str) else str(shown)
            )


def test_json_is_sent_again_only_when_something_changed(client):
    contest = boards.contest(slug="c")
    place = reverse("leaderboard_json", args=("c",))
    known = {"headers": {"If-None-Match": client.get(place)["ETag"]}}
    again = client.get(place, **known)
    assert (again.status_code, again.content) == (304, b"")
    type(contest).objects.filter(pk=contest.pk).update(board_version=1)
    assert client.get(place, **known).status_code == 200
    assert client.head(place).status_code == 200
    assert client.post(place).status_code == 405


def test_the_final_ranking_as_json(client):
    contest = boards.contest(slug="c")
    teams = boards.place(contest, {"ann": 90, "ben": 80})
    boards.finals(
        contest,
        [
            (teams["ann"], 1, 0.8123456789, 90, 1, 1, 2),
            (teams["ben"], None, None, 80, 2, None, None),
        ],
    )
    place = reverse("leaderboard_json", args=("c",))
    assert client.get(place).json()["board"] == "public"
    boards.reveal(contest)
    told = client.get(place).json()
    assert told["board"] == "final"
    assert told["rows"][0]["private_score"] == 0.8123456789
    assert told["rows"][1]["place"] is None
    assert client.get(place + "?set=public").json()["board"] == "public"


def test_the_number_of_queries_is_fixed(client, django_assert_max_num_queries):
    contest = boards.contest(slug="c")
    boards.place(contest, {f"t{index}": 90 - index for index in range(40)})
    for name in ("leaderboard_csv", "leaderboard_json"):
        with django_assert_max_num_queries(9):
            client.get(reverse(name, args=("c",)))
