"""A person's own pages: tokens, choice of mails, other browsers, confirming once more, limits."""

import logging
import re
import sys
from datetime import timedelta

import pytest
from django.contrib.auth import get_user_model
from django.core import mail
from django.core.cache import cache
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from leaderboard.accounts import forms, redacting, tokens
from leaderboard.accounts.models import ApiToken
from leaderboard.accounts.templatetags.accounts_tags import browser
from tests.leaderboard import factories

pytestmark = pytest.mark.django_db

SECRET = re.compile(r"holdout_[\w-]{43}")


@pytest.fixture(autouse=True)
def _quiet(settings):
    settings.ACCOUNT_EMAIL_VERIFICATION = "none"
    cache.clear()


@pytest.fixture
def alice(client):
    found = factories.user("alice")
    client.force_login(found)
    return found


def new_token(client, name="laptop"):
    return client.post(reverse("account_token_new"), {"name": name})


def sign_in(name: str = "alice") -> Client:
    made = Client()
    made.post(reverse("account_login"), {"login": name, "password": name})
    return made


def is_in(client) -> bool:
    return client.get(reverse("account")).status_code == 200


def test_a_token_is_shown_once_and_kept_as_a_digest(client, alice):
    page = new_token(client).content.decode()
    secret = SECRET.search(page)[0]
    token = ApiToken.objects.get()
    assert secret not in str(ApiToken.objects.values())
    assert secret.startswith(token.start)
    assert tokens.owner(secret) == alice
    assert secret not in client.get(reverse("account")).content.decode()
    assert f"KAGGLE_KEY={secret}" in page
    assert f"KAGGLE_API_TOKEN={secret}" in page


def test_a_revoked_token_opens_nothing(client, alice):
    secret = SECRET.search(new_token(client).content.decode())[0]
    token = ApiToken.objects.get()
    assert token.start in client.get(reverse("account")).content.decode()
    client.post(reverse("account_token_revoke", args=[token.pk]))
    assert tokens.owner(secret) is None
    assert token.start not in client.get(reverse("account")).content.decode()


def test_nobody_revokes_the_token_of_another(client, alice):
    token, secret = tokens.make(factories.user("bob"), "his")
    response = client.post(reverse("account_token_revoke", args=[token.pk]))
    assert response.status_code == 404
    assert tokens.owner(secret)


@pytest.mark.parametrize("secret", ["", "holdout_", "x", "holdout_" + "a" * 43, "holdout_ä" * 9])
def test_what_is_no_secret_opens_nothing(secret):
    assert tokens.owner(secret) is None


@pytest.mark.parametrize("field", ["is_active", "deleted_at"])
def test_a_token_of_somebody_gone_opens_nothing(field):
    alice = factories.user("alice")
    _, secret = tokens.make(alice, "laptop")
    setattr(alice, field, timezone.now() if field == "deleted_at" else False)
    alice.save()
    assert tokens.owner(secret) is None


def test_the_last_use_is_written_once_a_minute():
    secret = tokens.make(factories.user("alice"), "laptop")[1]
    tokens.owner(secret)
    first = ApiToken.objects.get().last_used_at
    assert first
    tokens.owner(secret)
    assert ApiToken.objects.get().last_used_at == first
    ApiToken.objects.update(last_used_at=first - timedelta(minutes=2))
    tokens.owner(secret)
    assert ApiToken.objects.get().last_used_at >= first


def test_token_names_are_needed_and_once(client, alice):
    assert "Give the token a name" in new_token(client, "").content.decode()
    new_token(client)
    assert "of this name" in new_token(client).content.decode()
    for number in range(forms.MOST_TOKENS - 1):
        tokens.make(alice, f"token {number}")
    assert "that is the most" in new_token(client, "one more").content.decode()


def test_the_choice_of_mails_is_kept(client, alice):
    client.post(reverse("account_mail"), {"mail_results": "on"})
    alice.refresh_from_db()
    assert alice.mail_results
    others = (alice.mail_announcements, alice.mail_deadlines, alice.mail_invitations)
    assert not any(others)
    client.post(reverse("account_mail"), {"mail_deadlines": "on", "is_staff": "on"})
    alice.refresh_from_db()
    assert (alice.mail_deadlines, alice.mail_results, alice.is_staff) == (True, False, False)


def test_signing_out_other_browsers_leaves_this_one():
    factories.user("alice")
    here, there, elsewhere = sign_in(), sign_in(), sign_in()
    assert "Signed in on" in here.get(reverse("account")).content.decode()
    assert len(here.get(reverse("account")).context["sessions"]) == 3
    here.post(reverse("account_browsers"), {"which": "others"})
    assert is_in(here)
    assert not is_in(there)
    assert not is_in(elsewhere)
    assert len(here.get(reverse("account")).context["sessions"]) == 1
    assert is_in(sign_in())


def test_signing_out_everywhere_ends_this_browser_too():
    factories.user("alice")
    here, there = sign_in(), sign_in()
    here.post(reverse("account_browsers"), {"which": "all"})
    assert not is_in(here)
    assert not is_in(there)
    assert is_in(sign_in())


def test_a_reset_password_ends_all_sessions(client):
    factories.user("alice")
    there = sign_in()
    client.post(reverse("account_reset_password"), {"email": "alice@example.org"})
    link = re.search(r"http://\S+", mail.outbox[0].body).group()
    form = client.get(link, follow=True).redirect_chain[-1][0]
    client.post(form, {"password1": "a-long-password", "password2": "a-long-password"})
    assert not is_in(there)


def sign_up(client, name="dora"):
    form = {
        "username": name,
        "email": f"{name}@example.org",
        "password1": "a-long-password",
        "one_account": "on",
    }
    return client.post(reverse("account_signup"), form)


def test_the_confirming_link_is_sent_again_and_signs_in(client, settings):
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    response = sign_up(client)
    assert response["Location"] == reverse("account_email_verification_sent")
    assert not is_in(client)
    assert "Send the link again" in client.get(response["Location"]).content.decode()
    early = client.post(reverse("account_confirm_again"), follow=True).content.decode()
    assert "Wait a minute" in early
    assert len(mail.outbox) == 1
    cache.clear()
    late = client.post(reverse("account_confirm_again"), follow=True).content.decode()
    assert "was sent again" in late
    assert len(mail.outbox) == 2
    link = re.search(r"http://\S+", mail.outbox[1].body).group()
    client.post(link)
    assert is_in(client)


def test_asking_for_the_link_tells_a_stranger_nothing(client):
    said = client.post(reverse("account_confirm_again"), follow=True).content.decode()
    assert "was sent again" in said
    assert not mail.outbox


def test_two_hundred_tries_of_a_stranger_lock_nobody_out(client):
    """W-15: guessing is slowed down, and the person is not shut out by it."""
    factories.user("alice")
    answered = 0
    for number in range(200):
        page = client.post(
            reverse("account_login"),
            {"login": ("alice", "ALICE", "alice@example.org")[number % 3], "password": str(number)},
            REMOTE_ADDR="192.0.2.1",
        )
        answered += page.status_code == 200 and "is wrong" in page.content.decode()
    assert answered <= 10
    other = Client(REMOTE_ADDR="192.0.2.2")
    other.post(reverse("account_login"), {"login": "alice", "password": "alice"})
    assert is_in(other)


def test_a_class_room_signs_up_and_the_limit_is_said(client, settings):
    settings.ACCOUNT_RATE_LIMITS = settings.ACCOUNT_RATE_LIMITS | {"signup": "3/m/ip"}
    for number in range(3):
        assert sign_up(Client(), f"student{number}").status_code == 302
    page = sign_up(client, "late")
    assert page.status_code == 429
    assert "Too many tries" in page.content.decode()
    assert 'id="main"' in page.content.decode()
    assert get_user_model().objects.count() == 3


def test_changing_the_address_asks_for_the_password_and_holds_once_confirmed(client, alice):
    form = {"email": "new@example.org", "action_add": ""}
    asked = client.post(reverse("account_email"), form)
    assert asked["Location"].startswith(reverse("account_reauthenticate"))
    client.post(reverse("account_reauthenticate"), {"password": "alice"})
    client.post(reverse("account_email"), form)
    alice.refresh_from_db()
    assert alice.email == "alice@example.org"
    link = next(
        re.search(r"http://\S+/account/confirm/\S+", sent.body)[0]
        for sent in mail.outbox
        if sent.to == ["new@example.org"]
    )
    client.post(link)
    alice.refresh_from_db()
    assert alice.email == "new@example.org"


def test_mails_have_our_words(client, settings, alice):
    client.post(
        reverse("account_change_password"),
        {"oldpassword": "alice", "password1": "a-long-password", "password2": "a-long-password"},
    )
    sent = mail.outbox[0]
    assert sent.subject == "Your password was changed on Holdout"
    assert "If this was not you" in sent.body


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            "Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/140.0",
            "Firefox on Linux",
        ),
        ("Mozilla/5.0 (Windows NT 10.0) Chrome/140.0 Safari/537.36 Edg/140.0", "Edge on Windows"),
        ("curl/8", "A browser"),
    ],
)
def test_browsers_are_called_by_name(line, said):
    assert browser(line) == said


def test_the_log_holds_no_secret():
    secret = "holdout_" + "Ab3-" * 10 + "xyz"
    lines = [
        f"GET /api/v1/me Authorization: Bearer {secret}",
        "Authorization: Basic YWxpY2U6aG9sZG91dF9zZWNyZXQ=",
        "POST /signin/ password=hunter22&login=alice",
        "{'password1': 'hunter22'}",
        "Not Found: /account/confirm/MQ:1abc:hunter22/",
        "Not Found: /password/reset/1-hunter22/",
        "GET /signin/with/uni/callback/?code=hunter22&state=hunter22",
        "postgres://holdout:hunter22@db/holdout",
        "KAGGLE_KEY: hunter22 api_key=hunter22",
    ]
    for line in lines[:8]:
        seen = redacting.redact(line)
        assert "hunter22" not in seen
        assert secret not in seen
        assert "YWxpY2U6" not in seen


def test_the_log_of_an_error_holds_no_secret_and_no_forged_line():
    formatter = redacting.Formatter("%(levelname)s %(message)s")
    try:
        raise ValueError("token holdout_" + "a" * 43)
    except ValueError:
        said = ("a\nERROR forged\x1b[31m",)
        record = logging.LogRecord("x", 40, "", 0, "name %s", said, sys.exc_info())
    text = formatter.format(record)
    assert "a" * 43 not in text
    assert "\nERROR forged" not in text
    assert "\x1b" not in text
    assert "Traceback" in text
