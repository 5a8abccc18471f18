"""What a team is called before whom, and which rows are listed at all: in every form of a board."""

import csv
import io
import json
import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from leaderboard.competitions import clock
from leaderboard.competitions.access import Viewer
from leaderboard.competitions.models import Competition
from leaderboard.competitions.viewers import look
from leaderboard.standings import names
from leaderboard.standings.names import Naming, shown_name
from leaderboard.standings.table import board, rows_for
from leaderboard.teams import viewers
from leaderboard.teams.models import Team
from tests.leaderboard import factories
from tests.leaderboard.standings import boards

pytestmark = pytest.mark.db
HIDDEN = ("anemone", "begonia", "cyclamen", "dahlia")
PSEUDONYM = re.compile(f"Team [{names.SIGNS}]{{{names.LENGTH}}}")


@pytest.fixture
def contest():
    made = boards.contest(slug="c")
    teams = boards.place(made, {"anemone": 90, "begonia": 87, "cyclamen": 70, "dahlia": None})
    boards.released(teams["anemone"], 30, 90)
    boards.released(teams["begonia"], 20, 87)
    return made


def show(contest, how):
    Competition.objects.filter(pk=contest.pk).update(board_names=how)
    contest.refresh_from_db()
    return contest


def member(client, contest, name):
    client.force_login(contest.teams.get(name=name).members.get().user)
    return client


def read(client, name, query="", **options):
    return client.get(reverse(name, args=("c",)) + query, **options).content.decode()


def test_everybody_is_called_by_name(contest):
    team = contest.teams.first()
    assert shown_name(team, contest, Viewer()) == team.name


def test_a_pseudonym_is_the_same_for_all_and_nobody_can_compute_it(contest, settings):
    show(contest, "pseudonyms")
    one, other = contest.teams.order_by("pk")[:2]
    called = shown_name(one, contest, Viewer())
    assert PSEUDONYM.fullmatch(called)
    assert called == shown_name(one, contest, boards.as_member(other))
    assert called != shown_name(other, contest, Viewer())
    settings.SECRET_KEY = "another key"
    assert called != shown_name(one, contest, Viewer())


def test_a_team_has_another_pseudonym_in_another_competition(contest):
    show(contest, "pseudonyms")
    team = contest.teams.first()
    other = show(boards.contest(), "pseudonyms")
    assert shown_name(team, contest, Viewer()) != shown_name(team, other, Viewer())


def test_pseudonyms_of_a_large_board_hardly_ever_meet(contest):
    naming = Naming(show(contest, "pseudonyms"))
    found = {naming.team(Team(pk=number, name="x")) for number in range(10_000)}
    assert len(found) >= 9_997


@pytest.mark.parametrize("how", ["pseudonyms", "own_row"])
def test_the_own_team_hosts_and_staff_see_names(contest, how):
    show(contest, how)
    team, other = contest.teams.order_by("pk")[:2]
    assert shown_name(team, contest, boards.as_member(team)) == team.name
    assert shown_name(team, contest, boards.as_member(other)) != team.name
    for viewer in (Viewer(user_id=1, host=True), Viewer(user_id=1, staff=True)):
        assert shown_name(team, contest, viewer) == team.name
    assert shown_name(team, contest, Viewer(user_id=1)) != team.name


def test_a_search_finds_by_what_is_shown_alone(contest):
    show(contest, "pseudonyms")
    begonia = contest.teams.get(name="begonia")
    called = shown_name(begonia, contest, Viewer())

    def found(query, viewer=names.NOBODY):
        made = board(contest, viewer, query=query)
        return [row.uuid for row in made.items] + [row.uuid for row in made.below]

    for hidden in HIDDEN:
        for length in (1, 3, len(hidden)):
            part = hidden[:length]
            assert all(
                part in PSEUDONYM.fullmatch(shown_name(team, contest, Viewer())).group().casefold()
                for team in contest.teams.filter(uuid__in=found(part))
            )
    assert found(called) == [begonia.uuid]
    assert found(called.removeprefix("Team ").lower()) == [begonia.uuid]
    assert len(found("team")) == 4
    viewer = boards.as_member(begonia)
    assert found("egoni", viewer) == [begonia.uuid]
    assert found(called, viewer) == []


def test_the_order_of_the_group_below_tells_no_name(contest):
    boards.place(contest, {f"n{index}": None for index in range(7)})
    show(contest, "pseudonyms")
    made = board(contest, below=True)
    assert [row.uuid for row in made.below] == sorted(row.uuid for row in made.below)
    contest.teams.filter(name="dahlia").update(name="zinnia")
    assert [row.uuid for row in board(contest, below=True).below] == [r.uuid for r in made.below]


def test_own_row_lists_nobody_else_and_keeps_the_counts(contest):
    show(contest, "own_row")
    made = board(contest, boards.as_member(contest.teams.get(name="begonia")))
    rows = [item for item in made.items if item.kind == "team"]
    assert [row.name for row in rows] == ["begonia"]
    assert (rows[0].first, rows[0].last, made.ranked, made.below_total) == (1, 2, 3, 1)
    assert not made.below
    # Nothing that is drawn tells of the leader.
    assert made.lead_x is None
    assert made.pinned is None
    assert [item.kind for item in made.items] == ["team", "baseline"]
    assert made.pages.total == 1
    stranger = board(contest)
    assert [item.kind for item in stranger.items] == ["baseline"]
    assert not stranger.below


def test_own_row_draws_the_own_line_as_if_alone(contest):
    show(contest, "own_row")
    viewer = boards.as_member(contest.teams.get(name="begonia"))

    def drawn():
        made = board(contest, viewer)
        return made.items[0].spark, made.items[0].band, made.ticks

    before = drawn()
    entry = contest.teams.get(name="anemone").entry
    entry.value = 99
    entry.save()
    assert drawn() == before


@pytest.mark.parametrize("how", ["pseudonyms", "own_row"])
@pytest.mark.parametrize(
    ("page", "query"),
    [
        ("leaderboard", ""),
        ("leaderboard", "?q=a"),
        ("leaderboard", "?below=1"),
        ("compare", ""),
        ("compare", "?q=e"),
        ("leaderboard_csv", ""),
        ("leaderboard_json", ""),
        ("feed", ""),
    ],
)
def test_no_form_of_the_board_holds_a_hidden_name(client, contest, how, page, query):
    show(contest, how)
    others = [name for name in HIDDEN if name != "begonia"]
    text = read(client, page, query)
    assert not [name for name in HIDDEN if name in text]
    text = read(member(client, contest, "begonia"), page, query)
    assert not [name for name in others if name in text]
    assert query or "begonia" in text
    client.force_login(factories.user("hana"))
    text = read(client, page, query)
    assert [name for name in HIDDEN if name in text]


def test_the_data_of_own_row_has_no_row_of_others(client, contest):
    show(contest, "own_row")
    member(client, contest, "dahlia")
    rows = list(csv.DictReader(io.StringIO(read(client, "leaderboard_csv"))))
    assert [(row["kind"], row["name"]) for row in rows] == [
        ("baseline", "Constant"),
        ("not yet above the start line", "dahlia"),
    ]
    told = json.loads(read(client, "leaderboard_json"))
    assert [row["name"] for row in told["rows"]] == ["Constant", "dahlia"]
    assert told["names"] == "own_row"
    stella = factories.user("stella")
    assert rows_for(viewers.joined(look(stella, contest), stella)).rows == []


@pytest.mark.parametrize("how", ["pseudonyms", "own_row"])
def test_the_final_board_holds_no_hidden_name(client, contest, how):
    teams = {team.name: team for team in contest.teams.all()}
    boards.finals(
        contest,
        [
            (teams["begonia"], 1, 0.91, 87, 2, 1, 2),
            (teams["anemone"], 2, 0.9, 90, 1, 1, 2),
            (teams["dahlia"], None, None, None, None, None, None),
        ],
    )
    out = teams["cyclamen"]
    out.disqualified_at, out.disqualified_reason = clock.now(), "cyclamen is a second account"
    out.save()
    show(boards.reveal(contest), how)
    for page in ("leaderboard", "leaderboard_csv", "leaderboard_json"):
        for query in ("", "?set=public", "?set=late"):
            client.logout()
            assert not [name for name in HIDDEN if name in read(client, page, query)]
            text = read(member(client, contest, "anemone"), page, query)
            assert [name for name in HIDDEN if name in text] == ["anemone"]
    text = read(client, "leaderboard")
    assert ("From public to final" in text, "outside band" in text) == (True, False)
    client.force_login(factories.user("hana"))
    text = read(client, "leaderboard")
    assert all(name in text for name in HIDDEN)
    assert "cyclamen is a second account" in text


def test_own_row_shows_no_score_of_others_in_the_final_ranking(client, contest):
    teams = {team.name: team for team in contest.teams.all()}
    boards.finals(
        contest,
        [
            (teams["begonia"], 1, 0.91234, 87, 2, 1, 1),
            (teams["anemone"], 2, 0.84321, 90, 1, 2, 2),
        ],
    )
    show(boards.reveal(contest), "own_row")
    text = read(member(client, contest, "anemone"), "leaderboard")
    assert "0.8432" in text
    assert "0.9123" not in text
    assert "1 other team with a place; each sees its own row" in text
    client.logout()
    text = read(client, "leaderboard")
    assert "0.8432" not in text
    assert "0.9123" not in text


@pytest.mark.parametrize("how", ["pseudonyms", "own_row"])
@pytest.mark.parametrize("page", ["leaderboard", "leaderboard_csv", "leaderboard_json", "feed"])
def test_no_cached_answer_goes_to_another_kind_of_viewer(client, contest, how, page):
    """Each viewer asks with every tag that another one got: only an own tag is ever known."""
    show(contest, how)
    people = {
        "anonymous": None,
        "ann": contest.teams.get(name="anemone").members.get().user,
        "ben": contest.teams.get(name="begonia").members.get().user,
        "hana": factories.user("hana"),
    }
    options = {"HX-Request": "true"} if page == "leaderboard" else {}
    tags = {}

    def ask(who, **headers):
        client.logout()
        if people[who]:
            client.force_login(people[who])
        return client.get(reverse(page, args=("c",)), headers=options | headers)

    for who in people:
        answer = ask(who)
        tags[who] = answer["ETag"]
        assert "Cookie" in answer["Vary"]
        assert "private" in answer["Cache-Control"]
        assert "public" not in answer["Cache-Control"]
    assert len(set(tags.values())) == 4
    for who in people:
        for whose, tag in tags.items():
            assert (ask(who, **{"If-None-Match": tag}).status_code == 304) == (who == whose)


@pytest.mark.parametrize("page", ["leaderboard", "leaderboard_csv", "leaderboard_json", "feed"])
def test_hiding_names_ends_what_caches_hold(client, contest, page):
    options = {"HX-Request": "true"} if page == "leaderboard" else {}
    place = reverse(page, args=("c",))
    tag = client.get(place, headers=options)["ETag"]
    known = options | {"If-None-Match": tag}
    assert client.get(place, headers=known).status_code == 304
    for how in ("pseudonyms", "own_row"):
        show(contest, how)
        answer = client.get(place, headers=known)
        assert answer.status_code == 200
        assert "anemone" not in answer.content.decode()


@pytest.mark.parametrize("tail", ["x.css", ";x.css", "%2fx.css", "index.html"])
def test_no_other_address_answers_with_the_board(client, contest, tail):
    """A cache that stores by the ending of an address finds nothing to store."""
    member(client, contest, "anemone")
    for base in (reverse("leaderboard", args=("c",)), reverse("feed", args=("c",)) + "/"):
        answer = client.get(base + tail)
        assert answer.status_code == 404
        assert "no-store" in answer["Cache-Control"]


def test_pseudonyms_cost_the_same_number_of_queries_for_any_size():
    counts = set()
    for size in (3, 40):
        contest = show(boards.contest(), "pseudonyms")
        boards.place(contest, {f"t{i}": 90 - i for i in range(size)} | {"n1": None, "n2": None})
        with CaptureQueriesContext(connection) as asked:
            board(contest, query="team", now=clock.now())
        counts.add(len(asked))
    assert len(counts) == 1
    assert counts.pop() <= 11


def test_the_page_says_what_is_hidden(client, contest):
    assert 'id="names"' not in read(client, "leaderboard")
    show(contest, "pseudonyms")
    assert "The host shows teams by pseudonyms." in read(client, "leaderboard")
    show(contest, "own_row")
    text = read(client, "leaderboard")
    assert "The host shows each team its own row only." in text
    assert "Find a team" not in text
    assert "Choose teams" not in text
    assert "</a> of announcements." in text
    mine = client.__class__()
    mine.force_login(contest.teams.get(name="anemone").members.get().user)
    text = read(mine, "leaderboard")
    assert "own row only; how many others there are is part of your rank band." in text
    assert "</a> of announcements and of your team’s new scores." in text
    client.force_login(factories.user("hana"))
    text = read(client, "leaderboard")
    assert "You run this competition and see all rows." in text
    assert "</a> of announcements and new scores." in text
