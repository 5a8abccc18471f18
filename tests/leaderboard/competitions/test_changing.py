"""Dates and limits change as promised: announced, recorded, and nothing else is touched."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest
from django.forms.models import model_to_dict

from leaderboard.audit.models import LedgerEntry
from leaderboard.competitions import changing, clock, release_settings
from leaderboard.competitions.models import Announcement, Competition, State
from leaderboard.submissions import closing, finals
from leaderboard.submissions.models import Entry, Evaluation, Release, Submission
from leaderboard.submissions.refusals import Refusal
from scoring import release
from tests.leaderboard import factories

pytestmark = pytest.mark.db
DAY = timedelta(days=1)


@pytest.fixture
def contest():
    return factories.competition("contest", daily_limit=5, rejected_limit=50, max_team_size=3)


@pytest.fixture
def hana():
    return factories.user("hana")


def change(contest, reason="As asked.", **wanted) -> Announcement:
    return changing.change(contest, factories.user("hana"), wanted, reason)


def refused(contest, **wanted) -> dict[str, str]:
    before = model_to_dict(Competition.objects.get(pk=contest.pk))
    with pytest.raises(changing.Refused) as refusal:
        change(contest, **wanted)
    assert model_to_dict(Competition.objects.get(pk=contest.pk)) == before
    assert not Announcement.objects.exists()
    return refusal.value.problems


@dataclass
class Everything:
    """All that a change of a date must leave as it is."""

    rows: dict

    @classmethod
    def of(cls, contest):
        models = (Submission, Evaluation, Release, Entry)
        rows = {model.__name__: list(model.objects.order_by("pk").values()) for model in models}
        fields = Competition.objects.values().get(pk=contest.pk)
        for name in ("closes_at", "board_version"):
            fields.pop(name)
        return cls(
            rows | {"competition": fields, "settings": list(contest.release_settings.values())}
        )


def test_an_extension_touches_nothing_but_the_date(contest):
    team = factories.team(contest, "alice")
    factories.scored(team, 0.8)
    factories.upload(team, 0.9, seed=2)
    before, closes = Everything.of(contest), contest.closes_at + 7 * DAY
    change(contest, closes_at=closes)
    assert Everything.of(contest) == before
    contest.refresh_from_db()
    assert contest.closes_at == closes
    assert contest.state(closes - timedelta(seconds=1)) == State.LIVE
    # What waited is scored, and the next file is taken, as if nothing had been.
    assert [evaluation.status for evaluation in factories.score(team)] == ["scored"] * 2
    assert factories.upload(team, 0.7, seed=3).number == 3


def test_after_an_extension_files_are_taken_until_the_new_close_and_no_longer(contest, monkeypatch):
    team, old = factories.team(contest, "alice"), contest.closes_at
    change(contest, closes_at=old + DAY)
    monkeypatch.setattr(clock, "now", lambda: old + timedelta(hours=23))
    assert factories.upload(team).number == 1
    monkeypatch.setattr(clock, "now", lambda: old + DAY)
    with pytest.raises(Refusal) as refusal:
        factories.upload(team, seed=2)
    assert refusal.value.code == "closed"


def test_a_change_is_announced_with_old_and_new_values_and_the_reason(contest, hana):
    Competition.objects.update(closes_at=datetime(2099, 12, 14, 23, 59, tzinfo=UTC))
    closes = datetime(2099, 12, 21, 23, 59, tzinfo=UTC)
    wanted = {"closes_at": closes, "daily_limit": 8}
    made = changing.change(contest, hana, wanted, "The queue stood still.", zone="Europe/Berlin")
    assert (made.kind, made.title) == ("dates", "The close is later: 21 Dec 2099, 23:59 UTC")
    for part in (
        "- **Closes:** 14 Dec 2099, 23:59 UTC (15 Dec 2099, 00:59 Europe/Berlin) → "
        "21 Dec 2099, 23:59 UTC (22 Dec 2099, 00:59 Europe/Berlin)",
        "- **Files a day:** 5 → 8",
        "Reason: The queue stood still.",
    ):
        assert part in made.text
    body = LedgerEntry.objects.get(kind="dates and limits changed").payload.body
    assert body["before"] == {
        "closes_at": "2099-12-14T23:59:00.000000+00:00",
        "daily_limit": 5,
    }
    assert (body["after"]["daily_limit"], body["by"]) == (8, hana.pk)
    assert LedgerEntry.objects.filter(kind="announced").count() == 1


@pytest.mark.parametrize(
    ("wanted", "kind", "title"),
    [
        ({"daily_limit": 6}, "rule", "Limits changed"),
        ({"board_names": "own_row"}, "rule", "Rules changed"),
        ({"late_files": True}, "rule", "Rules changed"),
    ],
)
def test_limits_and_rules_are_announced_as_such(contest, wanted, kind, title):
    made = change(contest, **wanted)
    assert (made.kind, made.title) == (kind, title)


@pytest.mark.parametrize(
    ("field", "value", "part"),
    [
        ("daily_limit", 4, "It is 5 now and can only rise"),
        ("rejected_limit", 49, "can only rise"),
        ("total_limit", 100, "It is no limit now"),
        ("max_team_size", 2, "can only rise"),
        ("finals_count", 1, "can only rise"),
        ("packed_limit", 2**20, "It is 64 MiB now"),
        ("unpacked_limit", 2**20, "can only rise"),
        ("daily_limit", 10**9, "From 1 to 100,000"),
        ("finals_count", 0, "From 1 to 20"),
    ],
)
def test_what_teams_were_promised_at_the_opening_never_shrinks(contest, field, value, part):
    assert part in refused(contest, **{field: value})[field]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("daily_limit", 6),
        ("rejected_limit", 60),
        ("max_team_size", 4),
        ("finals_count", 3),
        ("packed_limit", 65 * 2**20),
    ],
)
def test_limits_rise(contest, field, value):
    change(contest, **{field: value})
    assert getattr(Competition.objects.get(), field) == value


def test_a_total_limit_can_be_lifted(contest):
    Competition.objects.update(total_limit=20)
    change(contest, total_limit=None)
    assert Competition.objects.get().total_limit is None
    assert "**Files in all:** 20 → no limit" in Announcement.objects.get().text


def test_before_the_opening_everything_may_change_but_no_team_is_made_too_large():
    contest = factories.competition("soon", opened_days_ago=-2)
    factories.team(contest, "alice", "bob")
    change(contest, daily_limit=1, total_limit=30, finals_count=1, board_names="pseudonyms")
    contest.refresh_from_db()
    change(contest, board_names="names", opens_at=contest.opens_at + DAY)
    assert (
        "a team of 2"
        in changing.problems(contest, {"max_team_size": 1}, clock.now())["max_team_size"]
    )


def test_the_board_only_becomes_more_reserved(contest):
    change(contest, board_names="pseudonyms")
    change(contest, board_names="own_row")
    contest.refresh_from_db()
    found = changing.problems(contest, {"board_names": "pseudonyms"}, clock.now())
    assert "can only show less" in found["board_names"]


@pytest.mark.parametrize("field", ["board_names", "late_files", "closes_at"])
def test_what_changes_the_board_gives_it_a_new_version(contest, field):
    values = {
        "board_names": "own_row",
        "late_files": True,
        "closes_at": contest.closes_at + DAY,
    }
    change(contest, **{field: values[field]})
    assert Competition.objects.get().board_version == contest.board_version + 1
    change(contest, daily_limit=9)
    assert Competition.objects.get().board_version == contest.board_version + 1


def test_the_close_moves_neither_into_the_past_nor_near_enough_to_surprise(contest):
    now = clock.now()
    assert "has passed" in refused(contest, closes_at=now - DAY)["closes_at"]
    found = refused(contest, closes_at=now + timedelta(hours=23))["closes_at"]
    assert "24 hours are left" in found
    change(contest, closes_at=now + timedelta(hours=25))
    assert "earlier" in Announcement.objects.get().title


def test_a_close_that_is_near_can_still_be_moved_later_by_an_hour(contest):
    closes = clock.now() + timedelta(hours=2)
    Competition.objects.update(closes_at=closes)
    change(contest, closes_at=closes + timedelta(hours=1))
    assert Competition.objects.get().closes_at == closes + timedelta(hours=1)


def test_after_the_close_no_date_moves(contest):
    factories.end(contest)
    found = refused(contest, closes_at=clock.now() + 9 * DAY, daily_limit=9)
    assert found == dict.fromkeys(("closes_at", "daily_limit"), "This cannot change any more.")


def test_late_files_are_switched_on_after_the_results_and_nothing_else(contest, hana):
    factories.scored(factories.team(contest, "alice"))
    factories.end(contest)
    finals.finalise(contest.pk)
    contest.refresh_from_db()
    closing.reveal(contest, hana)
    contest.refresh_from_db()
    assert changing.changeable(contest, clock.now()) == {"late_files"}
    change(contest, late_files=True)
    assert Competition.objects.get().late_files
    Competition.objects.update(archived_at=clock.now())
    contest.refresh_from_db()
    assert changing.changeable(contest, clock.now()) == frozenset()


def test_the_opening_is_history_once_it_happened(contest):
    assert (
        refused(contest, opens_at=clock.now() + DAY)["opens_at"] == "This cannot change any more."
    )


def test_merges_end_between_opening_and_close(contest):
    found = refused(contest, merge_deadline=contest.closes_at + DAY)
    assert "between opening and close" in found["merge_deadline"]
    assert (
        "24 hours"
        in refused(contest, merge_deadline=clock.now() + timedelta(hours=1))["merge_deadline"]
    )
    change(contest, merge_deadline=contest.closes_at - 2 * DAY)
    contest.refresh_from_db()
    # A close before it would leave it hanging: both are moved, or none.
    found = changing.problems(contest, {"closes_at": contest.closes_at - 3 * DAY}, clock.now())
    assert "merge_deadline" in found
    both = {
        "closes_at": contest.closes_at - 3 * DAY,
        "merge_deadline": contest.closes_at - 4 * DAY,
    }
    assert changing.problems(contest, both, clock.now()) == {}


def test_a_change_needs_a_reason_and_something_to_change(contest):
    with pytest.raises(changing.Refused) as refusal:
        change(contest, reason=" ", daily_limit=5)
    assert set(refusal.value.problems) == {"", "reason"}


def test_who_looked_at_older_values_changes_nothing(contest, hana):
    seen = changing.stamp(contest)
    change(contest, closes_at=contest.closes_at + DAY)
    with pytest.raises(changing.Refused) as refusal:
        changing.change(contest, hana, {"daily_limit": 9}, "More.", seen)
    assert refusal.value.problems == {"": changing.STALE}
    assert Competition.objects.get().daily_limit == 5


@pytest.mark.django_db(transaction=True)
def test_the_same_change_many_times_at_once_is_one(contest, hana, together, monkeypatch):
    monkeypatch.setattr("leaderboard.competitions.announcing.ring", lambda *call: True)
    seen, wanted = changing.stamp(contest), {"closes_at": contest.closes_at + DAY}
    made = together(lambda _: changing.change(contest, hana, wanted, "Once.", seen), 5)
    assert sum(isinstance(one, Announcement) for one in made) == 1, made
    assert Announcement.objects.count() == 1


def test_a_moved_close_reminds_again_when_its_own_time_comes(contest):
    reminded = clock.now()
    Competition.objects.update(reminded_at=reminded, closes_at=reminded + DAY)
    change(contest, closes_at=reminded + timedelta(hours=30))
    assert Competition.objects.get().reminded_at == reminded, "it is near all the same"
    change(contest, closes_at=reminded + 9 * DAY)
    assert Competition.objects.get().reminded_at is None


def test_a_short_competition_reminds_half_way(contest):
    contest.opens_at = datetime(2026, 12, 1, 8, tzinfo=UTC)
    contest.closes_at = datetime(2026, 12, 1, 18, tzinfo=UTC)
    assert changing.remind_at(contest) == datetime(2026, 12, 1, 13, tzinfo=UTC)
    contest.closes_at = datetime(2026, 12, 11, 8, tzinfo=UTC)
    assert changing.remind_at(contest) == datetime(2026, 12, 9, 8, tzinfo=UTC)


def test_new_release_settings_are_announced_but_not_the_first_ones(contest, hana):
    assert not Announcement.objects.exists()
    rule = release_settings.rule(release_settings.in_force(contest))
    values = rule.to_dict() | {"tau": "0.08"}
    release_settings.change(
        contest, hana, "custom", release.ReleaseSettings.from_dict(values), "Fewer false gains."
    )
    made = Announcement.objects.get()
    assert (made.kind, made.title) == ("rule", "Release settings changed, version 2")
    assert "**Threshold τ:** 0.05 → 0.08" in made.text
    assert "Reason: Fewer false gains." in made.text


def test_an_early_close_by_the_host_is_announced_once(contest, hana):
    closing.close(contest, hana)
    closing.close(contest, hana)
    made = Announcement.objects.get()
    assert (made.kind, made.title) == ("dates", "The competition is closed")
