"""Links in mails lead to this site, whatever the asker's Host header says (W-07)."""

import re

import pytest
from django.urls import reverse

from tests.leaderboard import factories

SITE = "https://holdout.example.org"


@pytest.mark.django_db
@pytest.mark.parametrize(
    "forged", [{"HTTP_HOST": "evil.example"}, {"HTTP_X_FORWARDED_HOST": "e.x"}]
)
def test_a_forged_host_is_in_no_mail(client, settings, mailoutbox, forged):
    settings.SITE_URL, settings.ALLOWED_HOSTS = SITE, ["*"]
    factories.user("alice")
    client.post(reverse("account_reset_password"), {"email": "alice@example.org"}, **forged)
    client.post(reverse("account_reset_password"), {"email": "nobody@example.org"}, **forged)
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    client.post(
        reverse("account_signup"),
        {
            "username": "newcomer",
            "email": "newcomer@example.org",
            "password1": "correct-horse-9",
            "one_account": "on",
        },
        **forged,
    )
    bodies = [mail.body for mail in mailoutbox]
    assert len(bodies) == 3
    links = re.findall(r"https?://\S+", "\n".join(bodies))
    assert len(links) >= 2
    assert all(link.startswith(f"{SITE}/") for link in links), links


@pytest.mark.django_db
def test_the_link_of_a_reset_still_opens_its_page(client, settings, mailoutbox):
    settings.SITE_URL = SITE
    factories.user("alice")
    client.post(reverse("account_reset_password"), {"email": "alice@example.org"})
    link = re.search(rf"{SITE}(/\S+)", mailoutbox[0].body)[1]
    assert client.get(link, follow=True).status_code == 200
    assert b"New password" in client.get(link, follow=True).content
