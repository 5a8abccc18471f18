"""Host pages: who may open them, what they show and never show, settings, close and reveal."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from leaderboard.competitions import clock, release_settings
from leaderboard.competitions.models import ReleaseSettings, State
from leaderboard.hosting import drafting, figures
from leaderboard.hosting.tasks import foresee
from leaderboard.submissions import finals, ringing
from leaderboard.submissions.models import Evaluation, Status
from tests.leaderboard import factories

pytestmark = pytest.mark.db

PAGES = (
    "host",
    "host_release",
    "host_preview",
    "host_outlook",
    "host_submissions",
    "host_close",
)


@pytest.fixture(autouse=True)
def bell(monkeypatch):
    """The names of the tasks that were rung for; no worker hears them."""
    rung = []
    monkeypatch.setattr(ringing, "ring", lambda name, *rest, **options: rung.append(name) or True)
    return rung


@pytest.fixture
def contest():
    return factories.competition(
        "penguins", rule={"sigma_compare": "0.00625", "sigma_value": "0.01"}
    )


@pytest.fixture
def hana(client, contest):
    person = factories.user("hana")
    client.force_login(person)
    return person


@pytest.fixture
def stuck(contest):
    """A file that failed three times on our side."""
    sent = factories.upload(factories.team(contest, "alice"))
    Evaluation.objects.update(status=Status.NEEDS_ATTENTION, attempts=3)
    return Evaluation.objects.get(submission=sent)


def read(client, name, *args, **query) -> str:
    response = client.get(reverse(name, args=args or ["penguins"]), query)
    assert response.status_code == 200
    return response.content.decode()


def text(html: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


def form(**changes) -> dict:
    return {
        "preset": "custom",
        "filled": "custom",
        "rule": "gate",
        "tau": "0.08",
        "sigma_compare": "0.01",
        "sigma_value": "0.01",
        "cap": "10",
        "looks": "0",
        "start": "kept",
        "reason": "Fewer false gains.",
    } | changes


# Who may


@pytest.mark.parametrize("name", PAGES)
def test_to_everybody_else_the_pages_do_not_exist(client, contest, name):
    address = reverse(name, args=["penguins"])
    assert client.get(address).status_code == 404
    factories.team(contest, "alice")
    client.force_login(factories.user("alice"))
    assert client.get(address).status_code == 404
    other = factories.competition("other", host="otto")
    client.force_login(factories.user("otto"))
    assert client.get(address).status_code == 404
    assert other.hosts.count() == 1
    client.force_login(factories.user("hana"))
    assert client.get(address).status_code == 200
    client.force_login(factories.user("sam", is_staff=True))
    assert client.get(address).status_code == 200


@pytest.mark.parametrize("name", ["host_release", "host_close", "host_reveal"])
def test_nobody_else_can_act(client, contest, name):
    address = reverse(name, args=["penguins"])
    for person in (None, "alice", "otto"):
        if person:
            client.force_login(factories.user(person))
        assert client.post(address, form(confirm="penguins")).status_code == 404
    contest.refresh_from_db()
    assert contest.state(clock.now()) == State.LIVE
    assert ReleaseSettings.objects.filter(competition=contest).count() == 1


@pytest.mark.parametrize("name", ["host_waive", "host_rescore"])
def test_a_host_decides_on_files_of_its_own_competition_only(client, stuck, name):
    factories.competition("other", host="otto")
    client.force_login(factories.user("otto"))
    for slug in ("penguins", "other"):
        address = reverse(name, args=[slug, stuck.submission.uuid])
        assert client.post(address).status_code == 404
        assert client.get(address).status_code == 405
    stuck.refresh_from_db()
    assert (stuck.status, stuck.waived_at) == (Status.NEEDS_ATTENTION, None)


def test_acts_need_the_token_of_their_form(contest):
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(factories.user("hana"))
    for name in ("host_release", "host_close", "host_reveal"):
        response = strict.post(reverse(name, args=["penguins"]), form(confirm="penguins"))
        assert response.status_code == 403
        assert "Nothing was changed" in response.content.decode()


def test_reveal_waive_and_rescore_answer_to_post_only(client, hana, stuck):
    assert client.get(reverse("host_reveal", args=["penguins"])).status_code == 405
    for name in ("host_waive", "host_rescore"):
        address = reverse(name, args=["penguins", stuck.submission.uuid])
        assert client.get(address).status_code == 405


# Activity


def test_activity_of_an_empty_competition(client, hana):
    page = text(read(client, "host"))
    assert "Teams with a score 0" in page
    assert "no file failed so far" in page


def test_activity_counts_what_happened(client, contest, hana):
    team = factories.team(contest, "alice")
    factories.scored(team, 0.8)
    factories.scored(team, 0.8, seed=2)
    factories.scored(team, b"id,label\n1,yes\n")
    factories.team(contest, "bob")
    page = text(read(client, "host"))
    assert "Teams with a score 1" in page
    assert "1 of 2 without a scored file" in page
    assert "3 in all" in page
    assert "33.3%" in page
    assert "1 of 2 scored files ended in “No new score”" in page


@pytest.mark.parametrize("rule", ["gate", "sealed", "exact", "rounded"])
@pytest.mark.parametrize("name", PAGES)
def test_every_page_reads_under_every_rule(client, name, rule):
    made = factories.competition("other", rule={"rule": rule}, preset="custom")
    factories.scored(factories.team(made, "alice"), 0.8)
    client.force_login(factories.user("hana"))
    assert read(client, name, "other")


def test_the_alarm_rings_at_half_of_all_caps():
    contest = factories.competition("small", rule={"cap": 1})
    factories.scored(factories.team(contest, "alice"), 0.8)
    factories.team(contest, "bob")
    found = figures.new_scores(contest, clock.now())
    assert (found.given, found.most, found.alarm, found.state) == (1, 2, 1, "over")
    assert found.used_up == ["alice"]


def test_a_repeated_answer_is_no_new_score():
    contest = factories.competition("small")
    team = factories.team(contest, "alice")
    factories.scored(team, 0.8)
    factories.scored(team, 0.8)
    assert figures.new_scores(contest, clock.now()).given == 1


# Submissions


def test_hosts_see_what_the_teams_see_and_no_exact_score(client, contest, hana):
    factories.scored(factories.team(contest, "alice"), 0.735, name="mine.csv")
    assert Evaluation.objects.get().sealed.exact == 0.735
    for name in PAGES:
        assert "0.735" not in read(client, name)
    page = read(client, "host_submissions")
    assert "mine.csv" in page
    assert "New score" in page


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({}, 3),
        ({"show": "new"}, 1),
        ({"show": "none"}, 1),
        ({"show": "failed"}, 1),
        ({"show": "attention"}, 0),
        ({"show": "nonsense"}, 3),
        ({"q": "alice"}, 3),
        ({"q": "alice good"}, 1),
        ({"q": "nobody"}, 0),
        ({"q": "\0"}, 3),
        ({"span": "day"}, 3),
        ({"page": "99"}, 3),
        ({"page": "-1"}, 3),
        ({"page": "x" * 50}, 3),
    ],
)
def test_filters_of_the_list(client, contest, hana, query, found):
    team = factories.team(contest, "alice")
    factories.scored(team, 0.8, name="good.csv")
    factories.scored(team, 0.8, seed=2, name="same.csv")
    factories.scored(team, b"id,label\n1,yes\n", name="bad.csv")
    page = read(client, "host_submissions", **query)
    assert len(re.findall(r"<code>\w+\.csv</code>", page)) == found


def test_hostile_names_stay_texts(client, contest, hana):
    nasty = '"><img src=x onerror=alert(1)>.csv'
    factories.scored(factories.team(contest, "alice", name="<b>x"), 0.8, name=nasty)
    for name in PAGES:
        page = read(client, name)
        assert "<img" not in page
        assert "<b>x" not in page


def test_a_stuck_file_is_set_aside_or_scored_again(client, hana, stuck):
    for name in ("host", "host_submissions", "host_close"):
        assert "failed" in read(client, name)
    again = reverse("host_rescore", args=["penguins", stuck.submission.uuid])
    assert client.post(again).status_code == 302
    stuck.refresh_from_db()
    assert (stuck.status, stuck.attempts) == (Status.QUEUED, 0)
    page = client.post(again, follow=True).content.decode()
    assert "does not wait for a decision" in page


def test_setting_aside_twice_is_once(client, hana, stuck):
    aside = reverse("host_waive", args=["penguins", stuck.submission.uuid])
    client.post(aside, {"back": "close"})
    stuck.refresh_from_db()
    first = stuck.waived_at
    response = client.post(aside, {"back": "close"})
    assert response["Location"] == reverse("host_close", args=["penguins"])
    stuck.refresh_from_db()
    assert stuck.waived_at == first
    assert stuck.waived_by == hana


# Release settings


def test_a_change_is_a_new_version_that_everybody_reads(client, contest, hana):
    response = client.post(reverse("host_release", args=["penguins"]), form(), follow=True)
    assert "Version 2 holds for files accepted from now on" in response.content.decode()
    row = release_settings.in_force(contest)
    assert (row.version, row.reason, row.created_by) == (2, "Fewer false gains.", hana)
    assert str(release_settings.rule(row).tau) == "0.08"
    told = Client().get(reverse("competition_evaluation", args=["penguins"])).content.decode()
    assert "Fewer false gains." in told
    assert "0.08" in told


def test_a_reason_is_kept_as_it_prints(client, contest, hana):
    client.post(
        reverse("host_release", args=["penguins"]), form(reason="Fewer\0 \u202efalse\r\ngains.")
    )
    assert contest.release_settings.latest("version").reason == "Fewer false gains."


def test_a_file_is_judged_by_the_settings_of_its_acceptance(client, contest, hana):
    team = factories.team(contest, "alice")
    before = factories.upload(team, 0.8)
    client.post(reverse("host_release", args=["penguins"]), form())
    after = factories.upload(team, 0.7, seed=3)
    version = {e.submission_id: e.release_settings.version for e in Evaluation.objects.all()}
    assert version == {before.pk: 1, after.pk: 2}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"tau": "-1"}, "above 0"),
        ({"tau": "much"}, "Write a number"),
        ({"sigma_value": "9"}, "larger than the threshold"),
        ({"cap": "0"}, "from 1 to 10,000"),
        ({"rule": "nonsense"}, "no rule of this name"),
        ({"reason": "  "}, "Write a reason"),
        ({"reason": "x" * 301}, "at most 300 characters"),
        ({"tau": "0.05", "sigma_compare": "0.00625"}, "Nothing was changed"),
    ],
)
def test_a_refused_change_says_why_and_keeps_what_was_typed(client, contest, hana, changes, said):
    sent = form(**changes)
    response = client.post(reverse("host_release", args=["penguins"]), sent)
    assert response.status_code == 422
    page = response.content.decode()
    assert said in page
    assert "Nothing was changed" in page
    assert f'value="{sent["tau"]}"' in page
    assert contest.release_settings.count() == 1


def test_choosing_a_preset_fills_it_in_and_changes_nothing(client, contest, hana):
    sent = form(preset="open", filled="custom")
    response = client.post(reverse("host_release", args=["penguins"]), sent)
    assert response.status_code == 200
    page = response.content.decode()
    assert "Nothing is changed until you apply them" in page
    assert contest.release_settings.count() == 1
    assert "Recommended values are for Open" in page
    shown = drafting.recommended(
        contest, release_settings.rule(release_settings.in_force(contest)), "open"
    )
    assert f'value="{shown.tau}"' in page


def test_the_rule_can_be_looked_at_before_it_is_applied(client, contest, hana):
    sent = form(rule="thresholdout_laplace", redraw="1")
    page = client.post(reverse("host_release", args=["penguins"]), sent).content.decode()
    assert 'name="budget" value="' in page
    assert contest.release_settings.count() == 1


def test_the_preview_says_what_values_mean(client, hana):
    page = text(read(client, "host_preview", **form()))
    assert "Resolution" in page
    assert "Threshold τ 0.05 → 0.08" in page
    page = text(read(client, "host_preview", **form(tau="nonsense")))
    assert "These values cannot be used" in page


def test_the_preview_rings_a_worker_once_for_the_same_values(client, hana, bell):
    first = read(client, "host_preview", **form())
    read(client, "host_preview", **form())
    assert bell.count("hosting.outlook") == 1
    digest = re.search(r"question=([0-9a-f]{64})", first).group(1)
    assert "Simulating" in read(client, "host_outlook", question=digest)
    assert "has not answered" in read(client, "host_outlook", question=digest, looks="30")
    for nonsense in ("", "x y", "z" * 400):
        assert "Simulating" in read(client, "host_outlook", question=nonsense, looks=nonsense)


def test_a_worker_answers_and_the_page_draws(client, hana):
    first = read(client, "host_preview", **form())
    digest = re.search(r"question=([0-9a-f]{64})", first).group(1)
    foresee("0" * 64)
    foresee(digest)
    page = read(client, "host_outlook", question=digest)
    assert 'data-host-chart="honest"' in page
    assert 'data-host-chart="attack"' in page
    assert "application/json" in page
    assert "Simulated" in read(client, "host_preview", **form())


# Close and reveal


def close(client, confirm="penguins"):
    return client.post(reverse("host_close", args=["penguins"]), {"confirm": confirm})


def reveal(client, confirm="penguins"):
    return client.post(reverse("host_reveal", args=["penguins"]), {"confirm": confirm})


def test_closing_asks_for_the_address_typed(client, contest, hana):
    page = read(client, "host_close", confirm="close")
    assert "Close now?" in page
    assert 'id="confirm"' in page
    for wrong in ("", "Penguins!", "penguin"):
        response = close(client, wrong)
        assert response.status_code == 422
        assert "Nothing was done" in response.content.decode()
    contest.refresh_from_db()
    assert contest.state(clock.now()) == State.LIVE


def test_the_road_from_live_to_revealed(client, contest, hana):
    team = factories.team(contest, "alice")
    factories.scored(team, 0.8)
    assert close(client, " penguins ").status_code == 302
    contest.refresh_from_db()
    assert contest.state(clock.now()) == State.CLOSING
    page = text(read(client, "host_close"))
    assert "In a moment" in page
    response = reveal(client)
    assert response.status_code == 302
    contest.refresh_from_db()
    assert contest.revealed_at is None
    finals.finalise(contest.pk)
    page = read(client, "host_close", confirm="reveal")
    assert "Reveal the final ranking?" in page
    assert reveal(client, "nonsense").status_code == 422
    assert reveal(client).status_code == 302
    contest.refresh_from_db()
    first = contest.revealed_at
    assert first
    assert reveal(client, "").status_code == 302
    contest.refresh_from_db()
    assert contest.revealed_at == first
    assert "See the final ranking" in read(client, "host_close")


def test_closing_twice_moves_nothing(client, contest, hana):
    close(client)
    contest.refresh_from_db()
    first = contest.closes_at
    assert close(client, "").status_code == 302
    contest.refresh_from_db()
    assert contest.closes_at == first


def test_the_finals_wait_for_the_hosts_decision(client, stuck, hana):
    close(client)
    page = text(read(client, "host_close"))
    assert "Waits for you" in page
    assert "Needs attention: alice, file 1, failed 3 times on our side" in page


def test_an_upcoming_competition_cannot_be_closed(client):
    factories.competition("soon", opened_days_ago=-3, published_at=clock.now())
    client.force_login(factories.user("hana"))
    assert client.post(reverse("host_close", args=["soon"]), {"confirm": "soon"}).status_code == 404


def test_no_private_score_stands_on_a_host_page_before_the_reveal(client, contest, hana):
    factories.scored(factories.team(contest, "alice"), 0.735)
    close(client)
    finals.finalise(contest.pk)
    assert contest.final_runs.get().standings.get().score == 0.735
    for name in PAGES:
        assert "0.735" not in read(client, name)
