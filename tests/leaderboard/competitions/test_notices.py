"""What one person is told: in the site always, by mail as the person chose."""

import pytest

from leaderboard.competitions import notices
from leaderboard.competitions.models import Notice
from tests.leaderboard import factories

INVITATION = Notice.Kind.INVITATION


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
