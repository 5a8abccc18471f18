"""The pages of dates and limits and of announcements: what a host types, sees and applies."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from django.forms import ValidationError
from django.urls import reverse

from leaderboard.competitions import changing, clock
from leaderboard.competitions.models import Announcement, Competition
from leaderboard.hosting import terms
from tests.leaderboard import factories

pytestmark = pytest.mark.db
PAGE = "/c/contest/host/settings/"
CLOSES = datetime(2099, 12, 14, 23, 59, 30, 500_000, tzinfo=UTC)


@pytest.fixture(autouse=True)
def bell(monkeypatch):
    monkeypatch.setattr("leaderboard.competitions.announcing.ring", lambda *call: True)


@pytest.fixture
def contest(client):
    made = factories.competition("contest")
    Competition.objects.update(closes_at=CLOSES)
    made.refresh_from_db()
    client.force_login(factories.user("hana"))
    return made


def typed(page: str, **changes) -> dict:
    """What a browser would send: every field of the page as it stands, with changes."""
    sent = {}
    for tag in re.findall(r"<input[^>]*>", page):
        found = dict(re.findall(r'([\w-]+)="([^"]*)"', tag))
        if found.get("type") in ("radio", "checkbox") and " checked" not in tag:
            continue
        if "name" in found and found["name"] != "csrfmiddlewaretoken":
            empty = "on" if found.get("type") == "checkbox" else ""
            sent[found["name"]] = found.get("value", empty)
    zone = re.search(r'<option value="([^"]*)" selected', page)
    sent["zone"] = zone and zone[1]
    return {name: value for name, value in (sent | changes).items() if value is not None}


def get(client) -> str:
    answer = client.get(PAGE)
    assert answer.status_code == 200
    return answer.content.decode()


def test_what_is_typed_is_shown_before_it_is_applied(client, contest):
    sent = typed(get(client), closes_at="2099-12-21T23:59", daily_limit="8", reason="Holidays.")
    answer = client.post(PAGE, sent)
    page = answer.content.decode()
    assert answer.status_code == 200
    for part in ("14 Dec 2099, 23:59 UTC", "21 Dec 2099, 23:59 UTC", "Files a day", "Holidays."):
        assert part in page
    assert Competition.objects.get().closes_at == CLOSES
    answer = client.post(PAGE, typed(page, do="apply"))
    assert answer.status_code == 302
    contest.refresh_from_db()
    assert contest.closes_at == datetime(2099, 12, 21, 23, 59, tzinfo=UTC)
    assert contest.daily_limit == 8
    assert "Reason: Holidays." in Announcement.objects.get().text


def test_what_was_changed_after_the_review_is_reviewed_again(client, contest):
    page = client.post(PAGE, typed(get(client), daily_limit="8", reason="More."))
    sent = typed(page.content.decode(), do="apply", daily_limit="80")
    answer = client.post(PAGE, sent)
    assert answer.status_code == 200
    assert "This will change" in answer.content.decode()
    assert Competition.objects.get().daily_limit == contest.daily_limit


def test_fields_left_alone_keep_their_exact_values(client, contest):
    Competition.objects.update(packed_limit=12_345_678)
    page = client.post(PAGE, typed(get(client), daily_limit="8", reason="More.")).content.decode()
    client.post(PAGE, typed(page, do="apply"))
    contest.refresh_from_db()
    assert (contest.closes_at, contest.packed_limit) == (CLOSES, 12_345_678)
    assert contest.daily_limit == 8


def test_another_zone_moves_no_date_but_shows_it_there(client, contest):
    sent = typed(get(client), zone="Asia/Tokyo", daily_limit="8", reason="More.")
    page = client.post(PAGE, sent).content.decode()
    assert 'value="2099-12-15T08:59"' in page
    assert "Closes" not in page[page.index("This will change") : page.index("</b> More.")]
    client.post(PAGE, typed(page, do="apply"))
    assert Competition.objects.get().closes_at == CLOSES


def test_a_date_is_taken_in_the_named_zone(client, contest):
    sent = typed(get(client), zone="Asia/Tokyo", closes_at="2099-12-20T09:00", reason="More time.")
    page = client.post(PAGE, sent).content.decode()
    assert "20 Dec 2099, 00:00 UTC (20 Dec 2099, 09:00 Asia/Tokyo)" in page
    client.post(PAGE, typed(page, do="apply"))
    assert Competition.objects.get().closes_at == datetime(2099, 12, 20, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "zone", "part"),
    [
        ("2027-03-28T02:30", "Europe/Berlin", "skip this time"),
        ("2027-10-31T02:30", "Europe/Berlin", "show this time twice"),
    ],
)
def test_a_local_time_that_is_none_or_two_is_refused(text, zone, part):
    with pytest.raises(ValidationError, match=part):
        terms.aware(datetime.fromisoformat(text), zone)
    assert terms.aware(datetime(2027, 7, 1, 12), zone) == datetime(2027, 7, 1, 10, tzinfo=UTC)


@pytest.mark.parametrize(
    ("changes", "part"),
    [
        ({"daily_limit": "1"}, "can only rise"),
        ({"daily_limit": "x"}, "Enter a whole number"),
        ({"closes_at": "soon"}, "This is no date with a time"),
        ({"closes_at": "2001-01-01T00:00"}, "has passed"),
        ({"closes_at": ""}, "This field is required"),
        ({"merge_deadline": "2100-01-01T00:00"}, "between opening and close"),
        ({"zone": "Mars/Olympus"}, "valid choice"),
        ({"reason": ""}, "Write a reason"),
        ({"reason": "x" * 301}, "at most 300"),
        ({}, "Nothing was changed."),
        ({"seen": "old", "daily_limit": "901"}, "Somebody else changed"),
    ],
)
def test_what_cannot_be_is_refused_beside_its_field(client, contest, changes, part):
    sent = typed(get(client), **({"reason": "Because."} | changes))
    answer = client.post(PAGE, sent | {"do": "apply"})
    assert answer.status_code == 422
    assert part in answer.content.decode()
    assert 'value="901"' not in answer.content.decode(), "the values in force are shown"
    assert not Announcement.objects.exists()


def test_everything_that_is_wrong_is_said_at_once(client, contest):
    sent = typed(get(client), daily_limit="1", finals_count="x", closes_at="2001-01-01T00:00")
    page = client.post(PAGE, sent).content.decode()
    for part in ("can only rise", "Enter a whole number", "has passed", "Write a reason"):
        assert part in page


def test_what_is_fixed_is_shown_and_no_field(client, contest):
    page = get(client)
    assert 'name="opens_at"' not in page
    assert "Fixed since the opening" in page
    factories.end(contest)
    page = get(client)
    assert 'name="closes_at"' not in page
    assert 'name="daily_limit"' not in page
    assert 'name="late_files"' in page
    # A field that is not there is not changed by a form that was made up.
    sent = typed(page, daily_limit="90", closes_at="2099-12-30T00:00", late_files="on", reason="R")
    page = client.post(PAGE, sent).content.decode()
    client.post(PAGE, typed(page, do="apply"))
    before = contest.daily_limit
    contest.refresh_from_db()
    assert (contest.daily_limit, contest.late_files) == (before, True)
    assert contest.closes_at < clock.now()


def test_the_close_page_leads_to_the_dates(client, contest):
    page = client.get(reverse("host_close", args=["contest"])).content.decode()
    assert f'href="{PAGE}">Dates and limits</a></div>' in page


def test_every_zone_offered_is_one(client, contest):
    assert terms.zones()[0] == "UTC"
    assert "America/New_York" in terms.zones()
    for zone in terms.zones():
        assert changing.instant(CLOSES, zone)


ANNOUNCE = "/c/contest/host/announce/"


def test_an_announcement_is_previewed_and_published(client, contest):
    factories.team(contest, "alice")
    page = client.get(ANNOUNCE).content.decode()
    assert "1 participant gets a notice" in page
    key = re.search(r'name="key" value="([^"]*)"', page)[1]
    sent = {"key": key, "title": "News", "text": "A *word*.\r\n\r\n    code\r\n"}
    page = client.post(ANNOUNCE, sent | {"do": "preview"}).content.decode()
    assert "<em>word</em>" in page
    assert not Announcement.objects.exists()
    for _ in range(2):
        assert client.post(ANNOUNCE, sent | {"do": "publish"}).status_code == 302
    made = Announcement.objects.get()
    assert (made.title, made.text) == ("News", "A *word*.\n\n    code")
    assert made.created_by.username == "hana"
    page = client.get(ANNOUNCE).content.decode()
    assert "On the way" in page
    Announcement.objects.update(delivered_at=made.created_at + timedelta(seconds=1))
    assert "Delivered" in client.get(ANNOUNCE).content.decode()


@pytest.mark.parametrize(
    ("sent", "part"),
    [
        ({}, "Write a title"),
        ({"title": "T"}, "Write what the participants"),
        ({"title": "T" * 121, "text": "x"}, "at most 120"),
        ({"title": "T", "text": "x" * 5_001}, "at most 5,000"),
        ({"title": "\0\n", "text": "\0"}, "Write a title"),
    ],
)
def test_an_announcement_that_cannot_be_is_kept_and_refused(client, contest, sent, part):
    answer = client.post(ANNOUNCE, sent | {"do": "publish", "key": "no uuid"})
    assert answer.status_code == 422
    assert part in answer.content.decode()
    assert not Announcement.objects.exists()
