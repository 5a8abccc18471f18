"""Mail of a whole site: without Redis, without a mail server, and after both are back."""

import re
import time

import pytest

from tests.faults.observer import rows, wait_for
from tests.faults.test_workers import QUICK
from tests.leaderboard.accounts.smtp import MailServer
from tests.person import Person
from tests.servers import redis_server

pytestmark = pytest.mark.faults


@pytest.fixture
def redis():
    with redis_server() as running:
        yield running


@pytest.fixture
def mail():
    made = MailServer()
    made.start()
    yield made
    made.stop()


def test_the_confirming_mail_arrives_whatever_was_down(own_site, redis, mail):
    site = own_site(
        REDIS_URL=redis.url,
        EMAIL_VERIFICATION="mandatory",
        EMAIL_HOST="127.0.0.1",
        EMAIL_PORT=str(mail.port),
        EMAIL_USE_TLS="0",
        **QUICK,
    )
    dora = Person(site.url)
    assert "Confirm your e-mail address" in dora.sign_up("dora").text
    wait_for(lambda: len(mail.taken) == 1, 20, site, "the mail was not sent")
    link = re.search(r"http://[^/]+(/account/confirm/[-:\w=\r\n]+/)", mail.taken[0])[1]
    link = link.replace("=\r\n", "")
    assert dora.post(link).status == 200
    assert "dora" in dora.get("/account/").text

    redis.stop()
    begun = time.monotonic()
    Person(site.url).sign_up("emil")
    assert time.monotonic() - begun < 5
    assert rows(site, "SELECT COUNT(*) FROM accounts_mail WHERE sent_at IS NULL")[0][0] == 1
    redis.start()
    wait_for(lambda: len(mail.taken) == 2, 40, site, "the mail was forgotten with Redis")

    mail.stop()
    Person(site.url).sign_up("frida")
    wait_for(
        lambda: rows(site, "SELECT COUNT(*) FROM accounts_mail WHERE problem <> ''")[0][0] == 1,
        20,
        site,
        "the failure was not noted",
    )
    mail.start()
    # The first delay is a minute; the test does not wait for it.
    site.python(
        "from leaderboard.accounts.models import Mail\n"
        "from django.db.models.functions import Now\n"
        "result = Mail.objects.filter(sent_at=None).update(due_at=Now())"
    )
    wait_for(lambda: len(mail.taken) == 3, 20, site, "the mail was not tried again")
    assert len({re.search("Message-ID: (.*)", text)[1] for text in mail.taken}) == 3
