"""The leaderboard's pages: states, words, refreshes, caches, and what is never there."""

from datetime import timedelta

import pytest
from django.urls import reverse

from leaderboard.competitions import clock
from leaderboard.competitions.models import Competition, Host
from tests.leaderboard import factories
from tests.leaderboard.standings import boards

pytestmark = pytest.mark.db
HTMX = {"headers": {"HX-Request": "true"}}


@pytest.fixture
def contest():
    made = boards.contest(slug="c")
    boards.place(made, {"ann": 90, "ben": 87, "cid": 70, "dan": None})
    return made


def address(contest, query=""):
    return reverse("leaderboard", args=(contest.slug,)) + query


def page(client, contest, query="", **options):
    return client.get(address(contest, query), **options).content.decode()


def at(contest, **fields):
    Competition.objects.filter(pk=contest.pk).update(**fields)


def signed_in(client, team):
    client.force_login(team.members.get().user)
    return client


def test_anybody_reads_the_board(client, contest):
    text = page(client, contest)
    for words in ("ann", "1–2", "0.90", "Baseline: Constant, start line", "dan"):
        assert words in text
    assert "Not yet above the start line, 0.50: 1 team, by name, without rank and score" in text
    assert "Equal scores share a place (1-2-2-4); of those the one reached earlier" in text
    assert "Differences under <b" in text
    assert "±" not in text.split("<main")[1]


def test_the_own_row_is_pinned(client, contest):
    team = contest.teams.get(name="ben")
    text = page(signed_in(client, team), contest)
    assert 'class="mine pinned"' in text
    assert 'id="me" aria-current="true"' in text
    assert 'class="tied"' in text
    assert "Your rank band" in text
    assert "?page=1#me" in text


@pytest.mark.parametrize(("name", "score"), [("ben", "0.87"), ("dan", None)])
def test_the_overview_shows_a_team_its_score_with_its_band(client, contest, name, score):
    team = contest.teams.get(name=name)
    overview = reverse("competition", args=(contest.slug,))
    text = signed_in(client, team).get(overview).content.decode()
    assert ('class="bigscore"' in text) == ('svg class="band"' in text) == (score is not None)
    assert score is None or f">{score}</p>" in text


def test_a_refresh_gets_the_table_alone(client, contest):
    answer = client.get(address(contest), **HTMX)
    text = answer.content.decode()
    assert text.lstrip().startswith('<section class="panel flush" id="board"')
    assert "<html" not in text
    assert "HX-Request" in answer["Vary"]
    assert "private" in answer["Cache-Control"]


def test_going_back_gets_the_whole_page(client, contest):
    headers = {"HX-Request": "true", "HX-History-Restore-Request": "true"}
    assert "<html" in page(client, contest, headers=headers)


def test_nothing_is_sent_again_while_nothing_has_changed(client, contest):
    first = client.get(address(contest), **HTMX)
    known = {"headers": {"HX-Request": "true", "If-None-Match": first["ETag"]}}
    assert client.get(address(contest), **known).status_code == 304
    assert client.get(address(contest, "?page=2"), **known).status_code == 200
    have = first["ETag"].strip('"')
    assert f'{{"have": "{have}"}}' in first.content.decode()
    assert client.get(address(contest, f"?have={have}"), **HTMX).status_code == 204
    at(contest, board_version=contest.board_version + 1)
    assert client.get(address(contest), **known).status_code == 200
    assert client.get(address(contest, f"?have={have}"), **HTMX).status_code == 200


def test_two_teams_do_not_share_a_cached_table(client, contest):
    tags = set()
    for name in ("ann", "ben"):
        signed_in(client, contest.teams.get(name=name))
        tags.add(client.get(address(contest), **HTMX)["ETag"])
    assert len(tags) == 2


def test_links_of_a_refreshed_table_do_not_carry_the_old_tag(client, contest):
    boards.place(contest, {f"t{i}": 60 for i in range(30)})
    text = client.get(address(contest, "?have=old"), **HTMX).content.decode()
    assert "have=" not in text
    assert 'hx-get="/c/c/leaderboard/"' in text


def test_only_a_live_board_refreshes_itself(client, contest):
    assert "every 30s" in page(client, contest)
    factories.end(contest)
    assert "every 30s" not in page(client, contest)


@pytest.mark.parametrize(
    ("query", "there", "gone"),
    [
        ("?q=AN", ("ann", "dan"), ("ben", "Baseline")),
        ("?q=nobody", ("No team with a score has “nobody” in its name.",), ("ann",)),
        ("?filter=1", ("ann",), ("Baseline: Constant",)),
        ("?filter=1&baselines=1", ("Baseline: Constant",), ()),
        ("?below=1", ("dan",), ("ann",)),
        ("?page=-1", ("ann",), ()),
        ("?page=x&q=%00", ("ann",), ()),
        ("?page=99999999", ("ann",), ()),
        ("?q=%3Cscript%3E", ("&lt;script&gt;",), ("<script>",)),
    ],
)
def test_questions(client, contest, query, there, gone):
    text = page(client, contest, query)
    board = text[text.index('id="board"') : text.index("</section>")]
    for words in there:
        assert words in board
    for words in gone:
        assert words not in board


def test_later_pages_have_links_that_keep_the_search(client, contest):
    boards.place(contest, {f"team{i:02}": 60 - i for i in range(30)})
    text = page(client, contest, "?q=team")
    assert 'href="?q=team&amp;page=2"' in text
    assert "Teams 1–25 of 30 with a score" in text
    assert "Teams 26–30 of 30 with a score" in page(client, contest, "?q=team&page=2")


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"closes_at": timedelta(seconds=-5)}, "Closed, files are still being scored."),
        (
            {"closes_at": timedelta(seconds=-5), "finals_ready_at": timedelta(seconds=-1)},
            "Closed, results follow.",
        ),
        ({"opens_at": timedelta(days=1)}, "Files are accepted from"),
    ],
)
def test_states(client, contest, fields, words):
    now = clock.now()
    at(contest, **{name: now + span for name, span in fields.items()})
    assert words in page(client, contest)


def test_no_teams_yet(client):
    contest = boards.contest()
    text = page(client, contest)
    assert "No scores yet" in text
    assert "clearly above the start line, 0.50" in text
    assert "Find a team" not in text


def test_a_sealed_competition_has_no_scores(client):
    contest = boards.contest(rule={"rule": "sealed"})
    boards.place(contest, {"ann": None, "ben": None})
    text = page(client, contest)
    assert "No public scores." in text
    assert "Sent valid files: 2 teams, by name" in text
    assert "start line" not in text.split('id="board"')[1]


def test_exact_scores_are_called_so(client):
    contest = boards.contest(rule={"rule": "exact"})
    boards.place(contest, {"ann": 90})
    assert "This board shows exact scores, so it can be overfitted." in page(client, contest)


def test_a_draft_is_its_hosts_own(client, contest):
    at(contest, published_at=None)
    assert client.get(address(contest)).status_code == 404
    assert client.get(reverse("leaderboard_csv", args=("c",))).status_code == 404
    client.force_login(Host.objects.get(competition=contest).user)
    assert client.get(address(contest)).status_code == 200
    assert client.get("/c/unknown/leaderboard/").status_code == 404


def test_the_chart_is_on_the_plain_first_page_only(client, contest):
    boards.released(contest.teams.get(name="ann"), 30, 90)
    assert "best-data" in page(client, contest)
    assert "Show as a table" in page(client, contest)
    assert "best-data" not in page(client, contest, "?q=a")
    assert "best-data" not in page(client, contest, "?page=2")


def test_only_reading(client, contest):
    assert client.post(address(contest)).status_code == 405
