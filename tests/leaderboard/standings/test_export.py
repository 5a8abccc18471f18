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
