"""Files sent after the reveal: the best of each team on a tab of their own, never ranked."""

import pytest
from django.urls import reverse

from leaderboard.competitions import clock
from leaderboard.competitions.models import Competition
from leaderboard.standings import late
from leaderboard.standings.names import Naming
from tests.leaderboard import factories
from tests.leaderboard.standings import boards

pytestmark = pytest.mark.db


@pytest.fixture
def contest():
    made = boards.contest(slug="c", late_files=True)
    teams = boards.place(made, {"ann": 90, "ben": 80})
    boards.finals(made, [(teams["ann"], 1, 0.8, 90, 1, 1, 1), (teams["ben"], 2, 0.7, 80, 2, 2, 2)])
    return made


def page(client, query="?set=late"):
    return client.get(reverse("leaderboard", args=("c",)) + query).content.decode()


def test_the_best_file_of_each_team_without_places(client, contest):
    ann, ben = contest.teams.get(name="ann"), contest.teams.get(name="ben")
    for team, score in ((ann, 0.75), (ann, 0.85), (ann, None), (ben, 0.9123456)):
        boards.late(team, score)
    boards.reveal(contest)
    text = page(client)
    rows = text.split("<tbody>")[1].split("</tbody>")[0]
    assert rows.index("ben") < rows.index("ann")
    for words in ("0.9123", "0.8500", 'data-l="final rank">2', "0.7000"):
        assert words in rows
    assert "0.7500" not in rows
    assert "They have no place and change no ranking." in text
    # The final ranking is what it was.
    final = page(client, "").split("<tbody>")[1]
    assert final.index("ann") < final.index("ben")


def test_lower_is_better():
    contest = boards.contest(
        metric="rmse", task=factories.NUMBERS, rule={"start": "5.00", "low": 0}, late_files=True
    )
    teams = boards.place(contest, {"far": -300, "near": -200})
    boards.late(teams["far"], 3.0)
    boards.late(teams["far"], 2.5)
    boards.late(teams["near"], 1.5)
    found = late.best(contest, Naming(contest))
    assert [(row.name, row.value) for row in found] == [("near", 1.5), ("far", 2.5)]


def test_the_tab_is_there_after_the_reveal_where_late_files_are_allowed_or_came(client, contest):
    link = 'href="/c/c/leaderboard/?set=late"'
    assert link not in page(client, "")
    assert "Late files" not in page(client)
    boards.reveal(contest)
    assert link in page(client, "")
    assert link in page(client, "?set=public")
    assert "No late files yet" in page(client)
    Competition.objects.filter(pk=contest.pk).update(late_files=False)
    assert link not in page(client, "")
    assert "Final ranking" in page(client)
    boards.late(contest.teams.get(name="ann"), 0.9)
    assert link in page(client, "")


def test_disqualified_teams_are_not_listed(client, contest):
    team = contest.teams.get(name="ann")
    boards.late(team, 0.9)
    team.disqualified_at = clock.now()
    team.save()
    boards.reveal(contest)
    assert "No late files yet" in page(client)


def test_csv_and_json_have_the_same_rows(client, contest):
    boards.late(contest.teams.get(name="ben"), 0.9123456)
    boards.reveal(contest)
    answer = client.get(reverse("leaderboard_csv", args=("c",)) + "?set=late")
    assert answer["Content-Disposition"] == 'attachment; filename="c-late.csv"'
    assert ",ben,0.9123456,1," in answer.content.decode()
    told = client.get(reverse("leaderboard_json", args=("c",)) + "?set=late").json()
    assert told["board"] == "late"
    assert [(row["name"], row["private_score"], row["final_place"]) for row in told["rows"]] == [
        ("ben", 0.9123456, 2)
    ]


def test_pages(contest):
    for index in range(5):
        boards.late(factories.team(contest, name=f"t{index}"), 0.5 + index / 100)
    first, last = (late.late_board(contest, page=page, per_page=2) for page in (1, 3))
    assert [row.name for row in first.rows] == ["t4", "t3"]
    assert [row.name for row in last.rows] == ["t0"]
    assert first.pages.total == 5


def test_own_row(client, contest):
    for name in ("ann", "ben"):
        boards.late(contest.teams.get(name=name), 0.9)
    boards.reveal(contest)
    Competition.objects.filter(pk=contest.pk).update(board_names="own_row")
    assert "2 teams sent some; each sees its own." in page(client)
    client.force_login(contest.teams.get(name="ben").members.get().user)
    text = page(client)
    assert "1 other team with late files; each sees its own row" in text
    assert ">ann<" not in text
