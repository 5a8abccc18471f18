"""The Atom feed: announcements and what moved the board, valid XML, asked for conditionally."""

import uuid
from datetime import timedelta
from xml.etree import ElementTree

import pytest
from django.urls import reverse

from leaderboard.competitions import clock
from leaderboard.competitions.models import Announcement, Competition
from leaderboard.submissions.models import Outcome, Release
from tests.leaderboard import factories
from tests.leaderboard.standings import boards

pytestmark = pytest.mark.db
ATOM = "{http://www.w3.org/2005/Atom}"


@pytest.fixture
def contest():
    return boards.contest(slug="c", tagline="Who wins")


def announce(contest, title, hours_ago=1.0, text="", kind="news"):
    return Announcement.objects.create(
        competition=contest,
        kind=kind,
        title=title,
        text=text,
        created_at=clock.now() - timedelta(hours=hours_ago),
    )


def feed(client, contest):
    answer = client.get(reverse("feed", args=(contest.slug,)))
    assert answer.status_code == 200
    assert answer["Content-Type"] == "application/atom+xml; charset=utf-8"
    return ElementTree.fromstring(answer.content)


def titles(found):
    return [entry.findtext(f"{ATOM}title") for entry in found.iter(f"{ATOM}entry")]


def test_the_newest_comes_first_with_an_address_and_a_lasting_id(client, contest):
    teams = boards.place(contest, {"ann": 90})
    boards.released(teams["ann"], 30, 80)
    boards.released(teams["ann"], 10, 90)
    announced = announce(contest, "A day longer", 20, "**Until** Friday", "dates")
    found = feed(client, contest)
    assert titles(found) == ["New score 0.90: ann", "A day longer", "New score 0.80: ann"]
    first, second, _ = found.iter(f"{ATOM}entry")
    assert first.find(f"{ATOM}link").get("href").endswith(f"/c/c/teams/{teams['ann'].uuid}/")
    assert second.findtext(f"{ATOM}id") == f"urn:uuid:{announced.uuid}"
    assert "<strong>Until</strong>" in second.findtext(f"{ATOM}summary")
    assert second.find(f"{ATOM}category").get("term") == "Change of dates"
    assert found.findtext(f"{ATOM}id") == f"urn:uuid:{contest.uuid}"
    assert found.findtext(f"{ATOM}updated") == first.findtext(f"{ATOM}updated")
    ids = [entry.findtext(f"{ATOM}id") for entry in feed(client, contest).iter(f"{ATOM}entry")]
    assert ids == [entry.findtext(f"{ATOM}id") for entry in found.iter(f"{ATOM}entry")]


def test_only_what_moved_the_board_is_told(client, contest):
    team = boards.place(contest, {"ann": 80})["ann"]
    boards.released(team, 9, 80)
    lower = boards.released(team, 8, 70)
    Release.objects.filter(pk=lower.pk).update(previous=80)
    again = boards.released(team, 7, 80)
    Release.objects.filter(pk=again.pk).update(repeated=True)
    none = boards.released(team, 6, 60)
    Release.objects.filter(pk=none.pk).update(outcome=Outcome.NO_CHANGE)
    out = boards.place(contest, {"out": 95})["out"]
    boards.released(out, 5, 95)
    out.disqualified_at = clock.now()
    out.save()
    assert titles(feed(client, contest)) == ["New score 0.80: ann"]


def test_the_releases_of_another_competition_are_not_in_it(client, contest):
    other = boards.contest()
    boards.released(boards.place(other, {"ben": 90})["ben"], 5, 90)
    announce(other, "Elsewhere")
    assert titles(feed(client, contest)) == []


def test_an_empty_feed_is_one_and_does_not_change_by_itself(client, contest):
    updated = {feed(client, contest).findtext(f"{ATOM}updated") for _ in range(2)}
    assert updated == {contest.published_at.isoformat()}


def test_signs_that_xml_cannot_hold_break_nothing(client, contest):
    team = boards.place(contest, {"a\x0bnn <b>&": 90})["a\x0bnn <b>&"]
    boards.released(team, 5, 90)
    announce(contest, "Tab\x0c and <i>", text="x\x08y <script>alert(1)</script>")
    found = titles(feed(client, contest))
    assert found == ["Tab and <i>", "New score 0.90: ann <b>&"]
    body = client.get(reverse("feed", args=("c",))).content
    assert b"<script" not in body
    assert b"&amp;lt;b&amp;gt;" in body


def test_it_is_sent_again_only_when_something_is_new(client, contest):
    place = reverse("feed", args=("c",))
    first = client.get(place)
    known = {"headers": {"If-None-Match": first["ETag"]}}
    assert client.get(place, **known).status_code == 304
    announce(contest, "News")
    second = client.get(place, **known)
    assert second.status_code == 200
    known = {"headers": {"If-None-Match": second["ETag"]}}
    Competition.objects.filter(pk=contest.pk).update(board_version=contest.board_version + 1)
    third = client.get(place, **known)
    assert third.status_code == 200
    known = {"headers": {"If-None-Match": third["ETag"]}}
    Competition.objects.filter(pk=contest.pk).update(tagline="A new line")
    assert "A new line" in client.get(place, **known).text


def test_own_row_tells_a_team_its_own_scores_alone(client, contest):
    teams = boards.place(contest, {"ann": 90, "ben": 80})
    for name, value in (("ann", 90), ("ben", 80)):
        boards.released(teams[name], 5, value)
    announce(contest, "News", 9)
    Competition.objects.filter(pk=contest.pk).update(board_names="own_row")
    assert titles(feed(client, contest)) == ["News"]
    client.force_login(teams["ben"].members.get().user)
    assert titles(feed(client, contest)) == ["New score 0.80: ben", "News"]
    client.force_login(factories.user("hana"))
    assert len(titles(feed(client, contest))) == 3


def test_pages_lead_to_it(client, contest):
    boards.place(contest, {"ann": 90})
    text = client.get(reverse("leaderboard", args=("c",))).content.decode()
    assert 'rel="alternate" type="application/atom+xml"' in text
    assert text.count('href="/c/c/feed.atom"') == 2


def test_a_draft_has_none(client, contest):
    Competition.objects.filter(pk=contest.pk).update(published_at=None)
    assert client.get(reverse("feed", args=("c",))).status_code == 404


def test_the_number_of_queries_is_fixed(client, contest, django_assert_max_num_queries):
    for team in boards.place(contest, {f"t{index}": 90 - index for index in range(12)}).values():
        boards.released(team, 5, 60)
    for _ in range(12):
        announce(contest, uuid.uuid4().hex)
    with django_assert_max_num_queries(8):
        feed(client, contest)
