"""The list and the tabs: what stands there, for whom, and how sizes, times and settings read."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from django.conf import settings
from django.urls import reverse

from leaderboard.competitions import clock, release_settings, store, telling
from leaderboard.competitions.models import Competition, DataFile
from leaderboard.competitions.templatetags import competitions_tags as tags
from scoring import release
from tests.leaderboard import factories

pytestmark = pytest.mark.db

TABS = ("competition", "competition_data", "competition_rules", "competition_evaluation")


def read(client, name, *args, **query) -> str:
    response = client.get(reverse(name, args=args), query)
    assert response.status_code == 200
    return response.content.decode()


def add_file(contest, name="train.csv", content=b"id,x\n1,2\n"):
    stored = store.write(settings.DOWNLOADS_DIR, str(contest.uuid), name, [content])
    return DataFile.objects.create(
        competition=contest,
        name=name,
        path=stored.path,
        size=stored.size,
        sha256=stored.sha256,
        rows=1,
        columns=[{"name": "id", "type": "text", "description": "the row", "example": "1"}],
    )


def test_the_list_is_grouped_by_state(client):
    factories.competition("running")
    factories.competition("planned", opened_days_ago=-3, published_at=clock.now())
    factories.competition("over", closes_in_days=-2)
    factories.competition("hidden", published_at=None)
    page = read(client, "home")
    assert page.index("Running") < page.index("Planned") < page.index("Over")
    assert "Hidden" not in page


def test_a_draft_is_listed_for_its_hosts_only(client):
    factories.competition("hidden", published_at=None)
    client.force_login(factories.user("alice"))
    assert "Hidden" not in read(client, "home")
    client.force_login(factories.user("hana"))
    assert "Hidden" in read(client, "home")


def test_the_empty_list_says_what_to_do(client):
    assert "No competition yet" in read(client, "home")
    factories.competition("running")
    page = read(client, "home", q="tidal power")
    assert "No competition matches" in page
    assert "tidal power" in page


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"q": "runn"}, {"running"}),
        ({"q": "the LAB"}, {"running", "over"}),
        ({"status": "finished"}, {"over"}),
        ({"status": "nonsense"}, {"running", "over"}),
        ({"metric": "Accuracy"}, {"running", "over"}),
        ({"metric": "RMSE"}, set()),
        ({"mine": "1"}, {"running"}),
        ({"q": "\0<b>"}, set()),
    ],
)
def test_filters(client, query, found):
    factories.team(factories.competition("running"), "alice")
    factories.competition("over", closes_in_days=-2)
    client.force_login(factories.user("alice"))
    page = read(client, "home", **query)
    assert {slug for slug in ("running", "over") if f"/c/{slug}/" in page} == found


def test_a_part_is_sent_to_scripts_and_the_page_to_everybody_else(client):
    factories.competition("running")
    assert "<html" in read(client, "home")
    part = client.get(reverse("home"), headers={"hx-request": "true"}).content.decode()
    assert "<html" not in part
    assert "Running" in part


@pytest.mark.parametrize("name", TABS)
@pytest.mark.parametrize(
    "rule", ["gate", "sealed", "exact", "rounded", "thresholdout", "ladder", "gate_paired"]
)
def test_every_tab_reads_under_every_rule(client, name, rule):
    given = {"rule": rule}
    if rule == "thresholdout":
        given["extra"] = {"reference": "best"}
    factories.competition("penguins", rule=given)
    page = read(client, name, "penguins")
    assert "<h1>Penguins</h1>" in page
    assert page.count('aria-current="page"') == 2


@pytest.mark.parametrize("name", TABS)
def test_a_draft_and_an_unknown_competition_look_the_same(client, name):
    factories.competition("hidden", published_at=None)
    for slug in ("hidden", "nothing"):
        response = client.get(reverse(name, args=[slug]))
        assert response.status_code == 404
        assert "There is no page here" in response.content.decode()
    client.force_login(factories.user("hana"))
    assert client.get(reverse(name, args=["hidden"])).status_code == 200


@pytest.mark.parametrize("name", [*TABS, "home", "scores"])
def test_pages_are_read_only(client, name):
    factories.competition("penguins")
    args = [] if name in ("home", "scores") else ["penguins"]
    for method in (client.post, client.put, client.delete, client.patch):
        assert method(reverse(name, args=args)).status_code == 405


def test_evaluation_states_the_gate_and_its_numbers(client):
    factories.competition("penguins", rule={"sigma_value": "0.01", "sigma_compare": "0.00625"})
    page = read(client, "competition_evaluation", "penguins")
    for said in (
        "τ 0.05",
        "σ 0.01",
        "r 0.05",
        "noise of τ/8",
        "the score of the baseline “Constant”",
        "200 rows",
        "Noise key",
        "Public part",
        "Private part",
        "hard to overfit",
        "A thousand accounts in one hand gain under any rule",
    ):
        assert said in page
    assert "within τ" not in page


def test_exact_scores_promise_nothing(client):
    factories.competition("penguins", rule={"rule": "exact"}, preset="exact")
    page = read(client, "competition_evaluation", "penguins")
    assert "No protection" in page
    assert "hard to overfit" not in page
    assert "nor an exact public one" not in page


def test_a_change_is_announced_with_date_reason_and_values(client):
    contest = factories.competition("penguins")
    old = release_settings.rule(release_settings.in_force(contest))
    new = release.ReleaseSettings.from_dict(old.to_dict() | {"tau": "0.08", "cap": 5})
    release_settings.change(contest, factories.user("hana"), "custom", new, "Too <many> gains.")
    page = read(client, "competition_evaluation", "penguins")
    assert "0.05</span> → <span" in page
    assert "0.08" in page
    assert "Too &lt;many&gt; gains." in page
    assert "Version 2" in page


@pytest.mark.parametrize("name", ["%00", "a%00b", "..%2f..%2fsecret_key", "%E2%80%AE", "a" * 300])
def test_a_name_that_no_file_can_have_is_no_address(client, name):
    factories.team(factories.competition("penguins"), "alice")
    client.force_login(factories.user("alice"))
    assert client.get(f"/c/penguins/data/{name}").status_code == 404


def test_data_goes_to_those_who_joined(client):
    contest = factories.competition("penguins")
    file = add_file(contest)
    address = reverse("competition_data_file", args=["penguins", "train.csv"])
    assert client.get(address).status_code == 404
    client.force_login(factories.user("charlie"))
    assert client.get(address).status_code == 404
    factories.team(contest, "alice")
    client.force_login(factories.user("alice"))
    page = read(client, "competition_data", "penguins")
    assert address in page
    assert file.sha256 in page
    response = client.get(address)
    assert b"".join(response.streaming_content) == b"id,x\n1,2\n"
    assert response["Content-Disposition"] == 'attachment; filename="train.csv"'
    assert response["Content-Security-Policy"] == "sandbox"
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Cache-Control"] == "private, no-store"


@pytest.mark.parametrize("name", ["..%2f..%2fsecret_key", "nothing.csv", "%2e%2e", "Train.csv"])
def test_no_other_file_can_be_named(client, name):
    contest = factories.competition("penguins")
    add_file(contest)
    factories.team(contest, "alice")
    client.force_login(factories.user("alice"))
    assert client.get(f"/c/penguins/data/{name}").status_code == 404


def test_data_is_not_handed_out_before_the_opening(client):
    contest = factories.competition("soon", opened_days_ago=-3, published_at=clock.now())
    add_file(contest)
    factories.team(contest, "alice")
    client.force_login(factories.user("alice"))
    assert client.get("/c/soon/data/train.csv").status_code == 404


def test_hostile_texts_stay_texts(client):
    nasty = '"><script>alert(1)</script>'
    contest = factories.competition("penguins", title=nasty, organiser=nasty, tagline=nasty)
    add_file(contest, "x.csv")
    DataFile.objects.update(description=nasty)
    for address in ["/", *(reverse(name, args=["penguins"]) for name in TABS)]:
        page = client.get(address).content.decode()
        assert "<script>alert" not in page


def test_the_header_tells_each_person_the_next_step(client):
    contest = factories.competition("penguins")
    assert "Sign in to submit" in read(client, "competition", "penguins")
    client.force_login(factories.user("charlie"))
    assert ">Join</a>" in read(client, "competition", "penguins")
    factories.team(contest, "alice")
    client.force_login(factories.user("alice"))
    page = read(client, "competition", "penguins")
    assert "Submit predictions" in page
    assert "My submissions" in page
    assert reverse("host", args=["penguins"]) not in page
    client.force_login(factories.user("hana"))
    assert reverse("host", args=["penguins"]) in read(client, "competition", "penguins")


def test_the_favicon_is_there(client):
    response = client.get("/favicon.ico")
    assert response.status_code == 301
    assert response["Location"].endswith(".svg")


def test_a_failure_shows_a_code_and_no_traceback(client, monkeypatch, caplog):
    client.raise_request_exception = False
    monkeypatch.setattr(Competition.objects, "annotate", lambda **_: 1 / 0)
    response = client.get("/")
    assert response.status_code == 500
    page = response.content.decode()
    assert "Something failed on our side" in page
    assert "ZeroDivisionError" not in page
    code = page.split("under <code>")[1].split("<")[0]
    assert code in caplog.text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (1_250_000, "14 d 11 h"),
        (33_240, "9 h 14 min"),
        (190, "3 min"),
        (59, "less than 1 min"),
        (-5, "less than 1 min"),
    ],
)
def test_time_left(seconds, text):
    assert tags.time_left(timedelta(seconds=seconds)) == text


@pytest.mark.parametrize(
    ("size", "text"),
    [(412, "412 bytes"), (41_200, "41 kB"), (7_240_000, "7.2 MB"), (301_000_000, "301 MB")],
)
def test_sizes(size, text):
    assert tags.size(size) == text


def test_the_close_can_be_passed_on_for_every_zone():
    at = datetime(2026, 12, 31, 11, 30, tzinfo=UTC)
    told = "31 Dec 2026, 11:30 UTC = 30 Dec 2026, 23:30 anywhere on earth (UTC\N{MINUS SIGN}12)"
    assert tags.everywhere(at) == told


def test_instants_are_utc_beside_what_a_script_needs():
    at = datetime(2026, 12, 14, 23, 59, tzinfo=UTC)
    text = tags.instant(at)
    assert ">14 Dec 2026, 23:59 UTC</time>" in text
    assert 'datetime="2026-12-14T23:59:00Z"' in text


@pytest.mark.parametrize("days", [0.2, 3, 40, 200, 2_000, 20_000])
def test_the_ruler_is_never_crowded(days):
    now = datetime(2026, 1, 1, tzinfo=UTC)
    contest = Competition(opens_at=now, closes_at=now + timedelta(days=days))
    drawn = tags.ruler(contest, now + timedelta(days=days / 2))
    assert len(drawn["ticks"]) <= 102
    assert drawn["now"] == "160.0"


@pytest.mark.parametrize(
    ("amount", "text"), [(0.0127, "0.013"), (18.3, "18"), (0.5, "0.50"), (None, "–"), (0.0, "0")]
)
def test_standard_errors_have_two_digits(amount, text):
    assert telling.two_digits(amount) == text


@pytest.mark.parametrize(
    ("amount", "text"), [("0.00125", "0.00125"), ("10.0", "10"), ("0E-6", "0"), ("1E+2", "100")]
)
def test_plain_decimals(amount, text):
    assert telling.plain(Decimal(amount)) == text
