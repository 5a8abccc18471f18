"""The outbox: nothing is lost, nothing blocks, nothing goes out twice on purpose."""

import re
import threading
import time
from datetime import timedelta

import pytest
from django.core.mail import BadHeaderError, EmailMessage, send_mail
from django.db import connection, transaction
from django.urls import reverse
from django.utils import timezone

from leaderboard.accounts import outbox, sending, tasks
from leaderboard.accounts.models import Mail
from tests.leaderboard import factories
from tests.leaderboard.accounts.smtp import MailServer

pytestmark = pytest.mark.django_db


@pytest.fixture
def server(settings):
    settings.MAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_BACKEND = "leaderboard.accounts.outbox.Backend"
    settings.EMAIL_HOST, settings.EMAIL_USE_TLS = "127.0.0.1", False
    made = MailServer()
    made.start()
    settings.EMAIL_PORT = made.port
    yield made
    made.stop()


def due_now() -> None:
    """Let the time pass until every mail may be tried again."""
    Mail.objects.filter(sent_at=None).update(due_at=timezone.now() - timedelta(seconds=1))


def only() -> Mail:
    return Mail.objects.get()


def test_a_mail_goes_out_once_and_is_forgotten(server):
    outbox.post("alice@example.org", "Results", "You are sixth.", html="<p>sixth</p>")
    assert not sending.send_waiting()
    assert not sending.send_waiting()
    assert len(server.taken) == 1
    assert "You are sixth." in server.taken[0]
    assert "<p>sixth</p>" in server.taken[0]
    assert "To: alice@example.org" in server.taken[0]
    mail = only()
    assert mail.sent_at
    assert mail.attempts == 1
    assert (mail.to, mail.subject, mail.body, mail.html) == ("", "", "", "")


def test_one_connection_carries_many(server):
    for number in range(5):
        outbox.post(f"person{number}@example.org", "Results", "text")
    sending.send_waiting()
    assert len(server.taken) == 5


def test_a_mail_that_a_server_defers_goes_out_later_with_the_same_id(server):
    server.faults = ["451 later please", "hang up", "451 later please"]
    outbox.post("alice@example.org", "Results", "text")
    delays = []
    for attempt in range(1, 4):
        sending.send_waiting()
        mail = only()
        assert mail.attempts == attempt
        assert mail.sent_at is None
        delays.append(mail.due_at - timezone.now())
        # Before its time nothing is tried.
        sending.send_waiting()
        assert only().attempts == attempt
        due_now()
    assert delays[0] < delays[1] < delays[2]
    sending.send_waiting()
    assert only().sent_at
    assert len(server.taken) == 1
    assert f"Message-ID: <mail-{only().pk}-" in server.taken[0]


def test_a_server_that_is_down_is_asked_once_for_all_that_is_due(server):
    server.stop()
    for number in range(20):
        outbox.post(f"person{number}@example.org", "Results", "text")
    started = time.monotonic()
    assert not sending.send_waiting()
    assert time.monotonic() - started < 3
    assert set(Mail.objects.values_list("attempts", flat=True)) == {1}
    assert not sending.waiting(timezone.now()).exists()
    server.start()
    due_now()
    sending.send_waiting()
    assert len(server.taken) == 20
    assert not Mail.objects.filter(sent_at=None).exists()


def test_one_bad_address_holds_up_nobody(server):
    server.refused = {"nobody@example.org"}
    outbox.post("nobody@example.org", "Results", "text")
    outbox.post("alice@example.org", "Results", "text")
    sending.send_waiting()
    assert len(server.taken) == 1
    assert "550" in Mail.objects.get(sent_at=None).problem


def test_after_three_days_a_mail_is_given_up_with_an_error(server, caplog):
    server.refused = {"nobody@example.org"}
    outbox.post("nobody@example.org", "Results", "text")
    Mail.objects.update(created_at=timezone.now() - timedelta(days=3, minutes=1), attempts=70)
    sending.send_waiting()
    mail = only()
    assert mail.given_up_at
    assert mail.body == ""
    errors = [record.message for record in caplog.records if record.levelname == "ERROR"]
    assert "given up" in errors[0]
    due_now()
    sending.send_waiting()
    assert only().attempts == mail.attempts


def test_the_longest_delay_leaves_many_tries_within_three_days(server):
    server.faults = ["451 later"]
    outbox.post("alice@example.org", "Results", "text")
    Mail.objects.update(attempts=40)
    sending.send_waiting()
    assert only().due_at - timezone.now() <= sending.LONGEST_DELAY


def test_who_died_while_sending_is_followed_after_the_lease(server):
    outbox.post("alice@example.org", "Results", "text")
    assert sending._claim() == only()
    # The one who claimed it is gone; nobody takes it before the lease is over.
    sending.send_waiting()
    assert not server.taken
    assert only().due_at > timezone.now() + sending.LEASE / 2
    due_now()
    sending.send_waiting()
    assert len(server.taken) == 1


@pytest.mark.db
@pytest.mark.django_db(transaction=True)
def test_of_many_senders_one_takes_a_mail():
    for number in range(6):
        outbox.post(f"person{number}@example.org", "Results", "text")
    taken = []
    start = threading.Barrier(4)

    def work() -> None:
        start.wait()
        try:
            while mail := sending._claim():
                taken.append(mail.pk)
        finally:
            connection.close()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(taken) == len(set(taken))
    assert set(taken) == set(Mail.objects.filter(attempts=1).values_list("pk", flat=True))


@pytest.mark.django_db(transaction=True)
def test_what_is_rolled_back_is_not_mailed(monkeypatch):
    rung = []
    monkeypatch.setattr(outbox, "ring", rung.append)
    with transaction.atomic():
        outbox.post("alice@example.org", "Results", "text")
        transaction.set_rollback(True)
    assert not Mail.objects.exists()
    assert not rung


@pytest.mark.django_db(transaction=True)
def test_a_transaction_rings_once_whatever_it_posts(monkeypatch):
    rung = []
    monkeypatch.setattr(outbox, "ring", rung.append)
    with transaction.atomic():
        for number in range(5):
            outbox.post(f"person{number}@example.org", "Results", "text")
        assert not rung
    assert rung == ["accounts.send_mail"]


@pytest.mark.db
def test_what_may_go_out_once_is_stored_once():
    for _ in range(3):
        outbox.post("alice@example.org", "Reminder", "text", once="reminder 7 alice")
    assert Mail.objects.count() == 1


@pytest.mark.parametrize(
    ("to", "subject"),
    [
        ("alice@example.org\nBcc: x@example.org", "fine"),
        ("alice@example.org", "Results\r\nBcc: x@example.org"),
        ("alice@example.org", "Results\nmore"),
    ],
)
def test_line_breaks_in_headers_are_refused(to, subject):
    with pytest.raises(BadHeaderError):
        outbox.post(to, subject, "text")
    assert not Mail.objects.exists()


def test_mail_of_django_goes_into_the_outbox_too(server):
    send_mail("Subject", "text", None, ["alice@example.org", "bob@example.org"])
    EmailMessage("Subject", "text", "Host <host@example.org>", ["c@example.org"]).send()
    assert Mail.objects.count() == 3
    assert not server.taken
    tasks.send_mail()
    assert len(server.taken) == 3
    assert any("From: Host <host@example.org>" in mail for mail in server.taken)


def test_a_page_does_not_wait_for_a_mail_server_that_is_down(client, server):
    server.stop()
    factories.user("alice")
    started = time.monotonic()
    response = client.post(reverse("account_reset_password"), {"email": "alice@example.org"})
    assert response.status_code == 302
    assert time.monotonic() - started < 3
    assert only().to == "alice@example.org"
    server.start()
    sending.send_waiting()
    assert re.search(r"/password/reset/\w+-", server.taken[0])


def test_marks_of_mails_stay_and_the_rest_is_dropped_after_a_month():
    for once in ("kept", None):
        outbox.post("alice@example.org", "Results", "text", once=once)
    outbox.post("alice@example.org", "Results", "not sent yet")
    old = timezone.now() - timedelta(days=31)
    Mail.objects.exclude(body="not sent yet").update(sent_at=old)
    Mail.objects.update(created_at=old)
    assert sending.forget_sent() == 1
    assert set(Mail.objects.values_list("once", flat=True)) == {"kept", None}
