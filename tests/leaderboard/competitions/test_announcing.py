"""Announcements: published once, delivered to every participant once, whatever dies between."""

import tracemalloc
import uuid
from datetime import timedelta

import pytest
from django.urls import reverse

from leaderboard.accounts.models import Mail, User
from leaderboard.audit.models import LedgerEntry
from leaderboard.competitions import announcing, clock, mailing, notices, tasks
from leaderboard.competitions.models import Announcement, Notice, Participant
from tests.leaderboard import factories

pytestmark = pytest.mark.db


@pytest.fixture(autouse=True)
def rung(monkeypatch):
    """The bells of announcements and notices; no worker hears them."""
    found = []
    for module in (announcing, notices, tasks):
        monkeypatch.setattr(module, "ring", lambda *call: found.append(call) or True)
    return found


@pytest.fixture
def contest():
    return factories.competition("contest")


def join(contest, count: int, **fields) -> list:
    """Take in many people at once."""
    users = User.objects.bulk_create(
        User(username=f"p{n}", email=f"p{n}@example.org", skeleton=f"p{n}", **fields)
        for n in range(count)
    )
    at = clock.now() - timedelta(days=1)
    Participant.objects.bulk_create(
        Participant(competition=contest, user=user, joined_at=at) for user in users
    )
    return users


def announce(contest, title="Files corrected", text="The *sample* was wrong.", **options):
    return announcing.announce(contest, factories.user("hana"), title, text, **options)


def test_an_announcement_reaches_everybody_who_takes_part(contest):
    factories.team(contest, "alice")
    factories.user("stella")
    made = announce(contest)
    assert not Notice.objects.exists(), "the page answers before anybody is told"
    assert announcing.deliver(made.pk)
    notice = Notice.objects.get()
    assert notice.user.username == "alice"
    assert (notice.kind, notice.title) == ("announcement", "Contest: Files corrected")
    assert notice.text == "The sample was wrong."
    assert notice.address == f"/c/contest/announcements/#a-{made.uuid}"
    made.refresh_from_db()
    assert made.delivered_at
    assert announcing.undelivered() == []


def test_an_announcement_is_in_the_ledger_with_its_text(contest):
    made = announce(contest)
    entry = LedgerEntry.objects.get(kind="announced", competition=contest.uuid)
    assert entry.payload.body == {
        "announcement": str(made.uuid),
        "kind": "news",
        "title": "Files corrected",
        "text": "The *sample* was wrong.",
        "by": factories.user("hana").pk,
    }


def test_the_same_form_twice_publishes_once(contest):
    key = uuid.uuid4()
    assert announce(contest, key=key) == announce(contest, "Other", key=key)
    assert Announcement.objects.get().title == "Files corrected"


@pytest.mark.django_db(transaction=True)
def test_a_form_pressed_many_times_at_once_publishes_once(contest, together):
    hana, key = factories.user("hana"), uuid.uuid4()
    made = together(lambda _: announcing.announce(contest, hana, "T", "x", key=key).pk, 6)
    assert len(set(made)) == 1, made
    assert Announcement.objects.count() == 1


def test_a_worker_that_dies_half_way_is_followed_by_one_that_goes_on(contest, monkeypatch):
    people = join(contest, 12)
    monkeypatch.setattr(notices, "BATCH", 5)
    made, calls, store = announce(contest), [], notices.store

    def dies_at_the_second(batch):
        calls.append(len(batch))
        if len(calls) == 2:
            raise MemoryError
        return store(batch)

    monkeypatch.setattr(notices, "store", dies_at_the_second)
    with pytest.raises(MemoryError):
        announcing.deliver(made.pk)
    assert Notice.objects.count() == 5
    assert announcing.undelivered() == [made.pk]
    assert announcing.deliver(made.pk)
    assert calls == [5, 5, 5, 2], "nobody is told twice, nor looked at twice"
    assert Notice.objects.count() == len(people)


def test_a_long_way_is_gone_in_several_tasks(contest, monkeypatch, rung):
    join(contest, 12)
    monkeypatch.setattr(notices, "BATCH", 5)
    made = announce(contest)
    rung.clear()
    assert not announcing.deliver(made.pk, seconds=-1)
    assert Notice.objects.count() == 5
    monkeypatch.setattr(announcing, "SECONDS", -1)
    monkeypatch.setattr(announcing.deliver, "__defaults__", (-1,))
    tasks.deliver(made.pk)
    assert (announcing.DELIVER, made.pk) in rung
    tasks.deliver(made.pk)
    tasks.deliver(made.pk)
    assert Notice.objects.count() == 12
    assert announcing.undelivered() == []


@pytest.mark.django_db(transaction=True)
def test_workers_that_deliver_at_the_same_time_tell_each_person_once(
    contest, together, monkeypatch
):
    join(contest, 30)
    monkeypatch.setattr(notices, "BATCH", 4)
    made = announce(contest)
    assert together(lambda _: announcing.deliver(made.pk), 4) == [True] * 4
    assert Notice.objects.filter(announcement=made).count() == 30


def test_who_joins_later_or_is_gone_has_no_notice_and_reads_the_page(contest, client):
    made = announce(contest)
    factories.team(contest, "alice")
    Participant.objects.update(joined_at=clock.now())
    gone = factories.user("gone")
    Participant.objects.create(
        competition=contest, user=gone, joined_at=made.created_at - timedelta(days=1)
    )
    User.objects.filter(pk=gone.pk).update(is_active=False)
    assert announcing.deliver(made.pk)
    assert not Notice.objects.exists()
    assert (
        "Files corrected" in client.get(reverse("announcements", args=["contest"])).content.decode()
    )


def test_the_sweeper_rings_for_what_was_not_delivered_or_mailed(contest, rung):
    factories.team(contest, "alice")
    made = announce(contest)
    rung.clear()
    tasks.sweep()
    assert rung == [(announcing.DELIVER, made.pk)]
    announcing.deliver(made.pk)
    rung.clear()
    tasks.sweep()
    assert rung == [(notices.MAIL,)]
    mailing.mail_waiting()
    rung.clear()
    tasks.sweep()
    assert rung == []


def test_ten_thousand_participants_are_told_in_bounded_memory_and_few_statements(
    contest, django_assert_max_num_queries
):
    join(contest, 10_000)
    with django_assert_max_num_queries(20):
        made = announce(contest)
    tracemalloc.start()
    with django_assert_max_num_queries(250):
        assert announcing.deliver(made.pk, seconds=600)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert Notice.objects.count() == 10_000
    # A batch at a time: all 10,000 at once would be several times as much.
    assert peak < 16 * 2**20


def test_the_mail_has_the_text_with_links_that_lead_to_the_site(contest, settings):
    settings.SITE_URL = "https://holdout.example.org"
    factories.team(contest, "alice")
    made = announce(contest, text="See the [rules](../rules/) or <https://example.org/?a=1&b=2>.")
    announcing.deliver(made.pk)
    assert mailing.mail_waiting()
    mail = Mail.objects.get()
    assert "[rules](https://holdout.example.org/c/contest/rules/)" in mail.body
    assert 'href="https://holdout.example.org/c/contest/rules/"' in mail.html
    assert 'href="https://example.org/?a=1&amp;b=2"' in mail.html
    assert f"https://holdout.example.org/c/contest/announcements/#a-{made.uuid}" in mail.body


def test_the_beginning_of_a_long_announcement_is_mailed(contest):
    factories.team(contest, "alice")
    announcing.deliver(announce(contest, text="word " * 900).pk)
    mailing.mail_waiting()
    mail = Mail.objects.get()
    assert "word…" in mail.body
    assert len(mail.body) < mailing.LONGEST + 400


def test_the_latest_ones_stand_on_the_overview_and_all_on_their_page(contest, client):
    for number in range(5):
        announce(contest, f"News {number}", at=clock.now() - timedelta(hours=9 - number))
    overview = client.get(reverse("competition", args=["contest"])).content.decode()
    assert "News 4" in overview
    assert "News 1" not in overview
    page = client.get(reverse("announcements", args=["contest"])).content.decode()
    assert page.index("News 4") < page.index("News 0")
    assert "<em>sample</em>" in page


def test_whoever_reads_the_page_has_read_the_notices_of_it(contest, client):
    factories.team(contest, "alice")
    alice = factories.user("alice")
    announcing.deliver(announce(contest).pk)
    notices.tell([alice], Notice.Kind.INVITATION, "T", "", "/", contest)
    client.force_login(alice)
    client.get(reverse("announcements", args=["contest"]))
    assert notices.unread(alice) == 1


def test_markup_of_an_announcement_is_no_markup_of_the_page(contest, client):
    announce(contest, "<b>Bold</b>", "<script>alert(1)</script> [x](javascript:alert(1))")
    for name in ("competition", "announcements"):
        page = client.get(reverse(name, args=["contest"])).content.decode()
        assert "<script>alert" not in page
        assert "<b>Bold" not in page
        assert 'href="javascript' not in page


def test_the_name_of_another_competitions_announcement_is_not_taken(contest):
    first = announce(contest)
    other = factories.competition("other")
    made = announce(other, key=first.uuid)
    assert made.competition == other
    assert made.uuid != first.uuid
