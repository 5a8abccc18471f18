"""Where a host hides teams, no page, header, feed, file or call holds the name of another team.

Names of teams and of their people are words that stand nowhere else; every address that a role can
reach, by browser and by token, is read and searched for them, while a competition runs, after its
close and after the reveal.
"""

import re
import uuid

import pytest
from django.test import Client
from django.urls import reverse

from leaderboard.accounts import tokens
from leaderboard.competitions.models import Announcement, Competition
from leaderboard.submissions import closing, finals
from tests.leaderboard import factories
from tests.leaderboard.standings import boards
from tests.test_permissions import TABLE, address
from tests.test_secrets import Stage, crawl

pytestmark = pytest.mark.django_db
# User name -> (name of the team, share of right answers).
TEAMS = {
    "xylograph": ("zeppelin", 0.9),
    "quokka": ("obsidian", 0.8),
    "yttrium": ("kaleidoscope", 0.5),
    "wombat": ("juniper", 0.85),
}
OWN = "quokka"
OUT = "wombat"
SETS = ("", "?set=public", "?set=late")
QUESTIONS = {
    "leaderboard": (*SETS, "?set=final", "?set=public&below=1", "?set=public&page=2", "?have=x"),
    "compare": ("", "?teams={uuids}"),
    "leaderboard_csv": SETS,
    "leaderboard_json": SETS,
    "feed": ("",),
    "api_leaderboard": (*SETS, "?set=public&rows=unscored", "?page_size=100"),
}
CALLS = ("ListCompetitions", "GetCompetition", "GetLeaderboard", "DownloadLeaderboard")


@pytest.fixture(params=["pseudonyms", "own_row"])
def stage(request) -> Stage:
    contest = factories.competition("contest", board_names=request.param, late_files=True)
    made = Stage(contest, [])
    for index, (person, (name, right)) in enumerate(TEAMS.items()):
        team = factories.team(contest, person, name=name)
        made.files.append(factories.scored(team, right, seed=index).submission)
    out = contest.teams.get(name=TEAMS[OUT][0])
    out.disqualified_at, out.disqualified_reason = contest.opens_at, f"{OUT} is a second account"
    out.save()
    Announcement.objects.create(
        competition=contest, title="News", text="Of no team", created_at=contest.opens_at
    )
    # One file of the own team, one of another's: the pages of more say nothing else.
    made.files = made.files[:2]
    return made


def hidden_from(role: str) -> set[str]:
    """Names that a role must find nowhere."""
    return {
        word for person, (team, _) in TEAMS.items() if person != role for word in (person, team)
    }


def asked(stage: Stage, role: str) -> dict[str, str]:
    """Return what questions in an address, and programs with a token, are answered."""
    client = Client()
    headers = {}
    if role:
        headers = {"Authorization": f"Bearer {tokens.make(factories.user(role), 'test')[1]}"}
    found = {}
    slug = stage.contest.slug
    uuids = ",".join(str(team.uuid) for team in stage.contest.teams.all())
    session = Client()
    if role:
        session.force_login(factories.user(role))
    for name, queries in QUESTIONS.items():
        place = reverse(name, args=[slug])
        for query in (text.format(uuids=uuids) for text in queries):
            for more in ({}, {"HX-Request": "true"} if name == "leaderboard" else {}):
                found[f"{place}{query} {more}"] = session.get(place + query, headers=more).content
            if name == "api_leaderboard":
                found[f"{place}{query} token"] = client.get(place + query, headers=headers).content
    for team in stage.contest.teams.all():
        for name in ("team_public", "api_team_public"):
            place = reverse(name, args=[slug, team.uuid])
            found[place] = session.get(place).content
            found[f"{place} by token"] = client.get(place, headers=headers).content
    for name in TABLE:
        if name.startswith(("api_", "kaggle_")):
            place = address(name, stage.contest, stage.files[0])
            answer = client.get(place, headers=headers)
            found[place] = (
                b"".join(answer.streaming_content) if answer.streaming else answer.content
            )
    for call in CALLS:
        place = reverse("kaggle_call", args=[call])
        body = {"competitionName": slug}
        answer = client.post(place, body, content_type="application/json", headers=headers)
        found[place] = answer.content
    return {place: content.decode("utf-8", "replace") for place, content in found.items()}


def read_by(stage: Stage, *roles: str, whole: bool = True) -> dict[str, set[str]]:
    """Return where roles read names that they must not, and which; `whole`: of every page."""
    found = {}
    for role in roles:
        texts = asked(stage, role) | (crawl(stage, role or "anonymous") if whole else {})
        for place, text in texts.items():
            words = {word for word in hidden_from(role) if word in text.casefold()}
            if words:
                found[f"{role} {place}"] = words
    return found


def bare(text: str, word: str) -> str:
    """An answer without the word that was asked for, the name of its state, and the time."""
    return re.sub(r'"have": "\w+"|\d{10}\.\d+', "", text.replace(word, ""))


def search_finds(stage: Stage, role: str) -> list[str]:
    """Return the hidden words by which a search of the board, or of the comparison, finds a row."""
    client = Client()
    if role:
        client.force_login(factories.user(role))
    found = []
    nothing = uuid.uuid4().hex
    for name in ("leaderboard", "compare", "api_leaderboard"):
        place = reverse(name, args=[stage.contest.slug])
        empty = client.get(place, {"q": nothing, "set": "public"}).content.decode()
        for word in sorted(hidden_from(role) - TEAMS.keys()):
            text = client.get(place, {"q": word, "set": "public"}).content.decode()
            # Apart from the word itself, nothing may differ from a search that finds nothing.
            if bare(text, word) != bare(empty, nothing):
                found.append(f"{name} {word}")
    return found


def test_no_role_reads_a_hidden_name_anywhere(stage):
    contest = stage.contest
    assert not read_by(stage, OWN) | read_by(stage, "", "stella", whole=False)
    assert not search_finds(stage, "") + search_finds(stage, OWN)
    seen = asked(stage, "hana").values()
    for word in hidden_from(""):
        assert any(word in text for text in seen), f"hosts see names: {word}"
    assert any(TEAMS[OWN][0] in text for text in asked(stage, OWN).values())
    factories.end(contest)
    finals.finalise(contest.pk)
    contest.refresh_from_db()
    assert contest.finals_ready_at
    assert not read_by(stage, "", OWN, whole=False)
    closing.reveal(contest, factories.user("hana"))
    for person in (OWN, "xylograph"):
        boards.late(contest.teams.get(members__user__username=person), 0.95)
    assert not read_by(stage, OWN) | read_by(stage, "", whole=False)
    assert not search_finds(stage, OWN)


def test_the_search_for_names_finds_them_where_they_are_shown():
    contest = factories.competition("contest")
    made = Stage(contest, [])
    for index, (person, (name, right)) in enumerate(TEAMS.items()):
        team = factories.team(contest, person, name=name)
        made.files.append(factories.scored(team, right, seed=index).submission)
    assert Competition.objects.get().board_names == "names"
    found = set().union(*read_by(made, "stella", whole=False).values())
    assert found == hidden_from("stella")
    assert search_finds(made, "stella")
