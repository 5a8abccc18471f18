"""What one person is told: in the site always, by mail as the person chose."""

import pytest
from django.urls import reverse

from leaderboard.accounts.models import Mail, User
from leaderboard.competitions import announcing, mailing, notices
from leaderboard.competitions.models import Notice
from tests.leaderboard import factories

INVITATION = Notice.Kind.INVITATION


@pytest.fixture
def alice(client):
    person = factories.user("alice")
    client.force_login(person)
    return person


def tell(person, title="A place in team Owl", address="/c/contest/team/", kind=INVITATION):
    return notices.tell([person], kind, title, "Until 3 May.", address)[0]


@pytest.mark.django_db
def test_everybody_told_has_a_notice_and_a_mail_where_it_is_wanted():
    alice, bob = factories.user("alice"), factories.user("bob", mail_invitations=False)
    contest = factories.competition("contest")
    made = notices.tell(
        [alice, bob], INVITATION, "Team Owl asks you", "Until 3 May.", "/c/contest/team/", contest
    )
    assert [notice.pk for notice in made] == [
        notice.pk for notice in Notice.objects.order_by("user__username")
    ]
    told = Notice.objects.get(user=alice)
    assert (told.kind, told.title, told.text) == (INVITATION, "Team Owl asks you", "Until 3 May.")
    assert (told.address, told.competition, told.read_at) == ("/c/contest/team/", contest, None)
    assert told.wants_mail
    assert not Notice.objects.get(user=bob).wants_mail


@pytest.mark.django_db
@pytest.mark.parametrize("gone", [{"is_active": False}, {"deleted_at": "2026-01-01T00:00Z"}])
def test_nobody_gone_is_told(gone):
    assert notices.tell([factories.user("alice", **gone)], INVITATION, "T", "", "/") == []
    assert not Notice.objects.exists()


@pytest.mark.django_db
def test_a_long_title_ends_at_a_word():
    made = notices.tell([factories.user("alice")], INVITATION, "word " * 60, "x" * 700, "/")
    assert made[0].title.endswith("word…")
    assert len(made[0].title) <= 160
    assert len(made[0].text) == 600
    assert Notice.objects.get().text.endswith("x…")


@pytest.mark.django_db
def test_the_bell_rings_once_for_all_after_the_commit(
    monkeypatch, django_capture_on_commit_callbacks
):
    rung = []
    monkeypatch.setattr(notices, "ring", rung.append)
    with django_capture_on_commit_callbacks(execute=True):
        notices.tell([factories.user(name) for name in ("alice", "bob")], INVITATION, "T", "", "/")
        assert rung == []
    assert rung == [notices.MAIL]


@pytest.mark.db
def test_a_wanted_notice_is_mailed_once_with_its_address_and_the_way_to_choose(settings, alice):
    settings.SITE_URL = "https://holdout.example.org"
    tell(alice)
    assert mailing.mail_waiting()
    assert mailing.mail_waiting()
    mail = Mail.objects.get()
    assert (mail.to, mail.subject) == ("alice@example.org", "A place in team Owl")
    for part in (mail.body, mail.html):
        assert "Until 3 May." in part
        assert "https://holdout.example.org/c/contest/team/" in part
        assert "https://holdout.example.org/account/#mail" in part
    assert Notice.objects.get().mailed_at


@pytest.mark.django_db
@pytest.mark.parametrize(("title", "times"), [("bob joined: Owl", 1), ("<Contest>: closed", 0)])
def test_a_mail_says_which_competition_it_is_about(alice, title, times):
    contest = factories.competition("contest", title="<Contest>")
    notices.tell([alice], INVITATION, title, "Until 3 May.", "/", contest)
    body, html = mailing.mail(Notice.objects.get())
    assert body.count("In the competition <Contest>:") == times
    assert html.count("In the competition &lt;Contest&gt;:") == times


@pytest.mark.db
@pytest.mark.parametrize(
    "fields", [{"mail_invitations": False}, {"is_active": False}, {"email": ""}]
)
def test_a_choice_made_after_the_notice_still_holds_for_its_mail(alice, fields):
    tell(alice)
    User.objects.update(**fields)
    assert mailing.mail_waiting()
    assert not Mail.objects.exists()
    assert not mailing.waiting()


@pytest.mark.db
def test_an_address_that_takes_no_mail_keeps_no_other_from_theirs(alice):
    User.objects.filter(pk=alice.pk).update(email="no address")
    alice.refresh_from_db()
    tell(alice)
    tell(factories.user("bob"))
    assert mailing.mail_waiting()
    assert Mail.objects.get().to == "bob@example.org"


@pytest.mark.db
@pytest.mark.django_db(transaction=True)
def test_workers_that_mail_at_the_same_time_mail_each_notice_once(together, monkeypatch):
    monkeypatch.setattr(mailing, "BATCH", 3)
    monkeypatch.setattr("leaderboard.accounts.outbox.ring", lambda name: True)
    monkeypatch.setattr(notices, "ring", lambda name: True)
    people = [factories.user(f"person-{number}") for number in range(12)]
    notices.tell(people, INVITATION, "A place", "", "/")
    assert together(lambda _: mailing.mail_waiting(), 4) == [True] * 4
    assert sorted(Mail.objects.values_list("to", flat=True)) == sorted(p.email for p in people)


@pytest.mark.db
def test_a_page_of_text_in_the_mail_shows_what_was_written_and_no_markup(alice):
    notices.tell([alice], INVITATION, "Team <b>x</b>", "<script>alert(1)</script>", "/")
    body, html = mailing.mail(Notice.objects.select_related("user").get())
    assert "<script>" in body
    assert "<script>" not in html
    assert "<b>" not in html


@pytest.mark.db
def test_the_bell_counts_what_is_unread_in_one_query(client, alice, django_assert_num_queries):
    tell(alice)
    tell(alice)
    with django_assert_num_queries(1):
        assert notices.unread(alice) == 2
    page = client.get(reverse("notices")).content.decode()
    assert 'aria-label="Notices, 2 unread"' in page
    client.logout()
    assert "Notices, " not in client.get("/").content.decode()


@pytest.mark.db
def test_beyond_a_hundred_the_bell_does_not_count(client, alice):
    Notice.objects.bulk_create(
        Notice(user=alice, kind=INVITATION, title="T", created_at="2026-01-01T00:00Z")
        for _ in range(120)
    )
    assert notices.unread(alice) == 100
    page = client.get(reverse("notices")).content.decode()
    assert "more than 99 unread" in page
    assert "Unread 99+" in page


@pytest.mark.db
def test_unread_ones_stand_first_and_opening_one_reads_it(client, alice):
    first, second = tell(alice, "The first"), tell(alice, "The second")
    client.get(reverse("notice", args=[second.pk]))
    page = client.get(reverse("notices")).content.decode()
    assert page.index("The first") < page.index("The second")
    assert page.count('<li class="new">') == 1
    assert notices.unread(alice) == 1
    response = client.get(reverse("notice", args=[first.pk]))
    assert (response.status_code, response["Location"]) == (302, "/c/contest/team/")
    assert notices.unread(alice) == 0


@pytest.mark.db
def test_reading_all_reads_ones_own_only(client, alice):
    bob = factories.user("bob")
    tell(alice)
    tell(bob)
    client.post(reverse("notices_read"))
    assert (notices.unread(alice), notices.unread(bob)) == (0, 1)


@pytest.mark.db
def test_notices_are_filtered_by_a_link(client, alice):
    read = tell(alice, "A place")
    tell(alice, "A date", kind=Notice.Kind.DEADLINE)
    notices.read(Notice.objects.filter(pk=read.pk))
    for show, there, not_there in (
        ("unread", "A date", "A place"),
        ("invitation", "A place", "A date"),
        ("deadline", "A date", "A place"),
    ):
        page = client.get(reverse("notices"), {"show": show}).content.decode()
        assert there in page
        assert not_there not in page
    assert "A place" in client.get(reverse("notices"), {"show": "x", "page": "9"}).content.decode()


@pytest.mark.db
def test_somebody_without_notices_is_told_what_comes_here(client, alice):
    assert "No notices yet" in client.get(reverse("notices")).content.decode()
    assert "Nothing unread" in client.get(reverse("notices") + "?show=unread").content.decode()


@pytest.mark.django_db
@pytest.mark.parametrize("link", ["http://[bad", "http://[::1/page", "//[x"])
def test_a_link_that_is_no_address_keeps_no_mail_back(link):
    contest = factories.competition("contest")
    factories.team(contest, "alice")
    made = announcing.announce(contest, None, "News", f"See [the page]({link}) and <{link}>.")
    announcing.deliver(made.pk)
    tell(factories.user("bob"))
    assert mailing.mail_waiting()
    to = set(Mail.objects.values_list("to", flat=True))
    assert to == {"alice@example.org", "bob@example.org"}
    assert link in Mail.objects.get(to="alice@example.org").body


@pytest.mark.django_db
def test_a_mail_that_cannot_be_written_keeps_no_other_back(alice, monkeypatch):
    def write(notice, rendered):
        if notice.title == "Bad":
            raise ValueError("cannot be written")
        return mail(notice, rendered)

    mail = mailing.mail
    monkeypatch.setattr(mailing, "mail", write)
    tell(alice, "Bad")
    tell(alice, "Good")
    assert mailing.mail_waiting()
    assert Mail.objects.get().subject == "Good"
