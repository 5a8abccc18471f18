"""Signing in with an OpenID Connect provider: a real one, on this machine."""

import html
import re

import pytest
from allauth.account.models import EmailAddress
from allauth.socialaccount.models import SocialAccount
from django.core.exceptions import ImproperlyConfigured
from django.test import Client
from django.urls import reverse

from leaderboard import env
from leaderboard.accounts.models import User
from tests.leaderboard import factories
from tests.leaderboard.accounts.provider import CLIENT, SECRET, Provider

pytestmark = pytest.mark.django_db

REFRESH = re.compile(r'http-equiv="refresh" content="0; url=([^"]+)"')


@pytest.fixture
def provider(settings, monkeypatch):
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    made = Provider()
    monkeypatch.setenv("OIDC_PROVIDERS", "uni")
    monkeypatch.setenv("OIDC_UNI_NAME", "Uni Login")
    monkeypatch.setenv("OIDC_UNI_SERVER", made.url)
    monkeypatch.setenv("OIDC_UNI_CLIENT_ID", CLIENT)
    monkeypatch.setenv("OIDC_UNI_CLIENT_SECRET", SECRET)
    settings.SOCIALACCOUNT_PROVIDERS = {"openid_connect": {"APPS": env.openid_providers()}}
    yield made
    made.stop()


def person(**fields) -> dict:
    return {"sub": "uni-17", "email": "dora@uni.example", "email_verified": True} | fields


def go_and_return(client, provider, **sent):
    """Press the button, sign in there, come back."""
    page = client.post(reverse("openid_connect_login", args=["uni"]), sent)
    assert page.status_code == 200
    there = html.unescape(
        re.search(r'http-equiv="refresh" content="0; url=([^"]+)"', page.content.decode())[1]
    )
    assert there.startswith(f"{provider.url}/authorize")
    return client.get(provider.authorize(there))


def signed_in(client) -> User | None:
    return (
        client.get(reverse("account")).context.get("user")
        if client.session.get("_auth_user_id")
        else None
    )


def test_the_buttons_are_there_where_a_provider_is_configured(client, provider, settings):
    for name in ("account_login", "account_signup"):
        assert "Uni Login" in client.get(reverse(name)).content.decode()
    settings.SOCIALACCOUNT_PROVIDERS = {"openid_connect": {"APPS": []}}
    assert "Uni Login" not in client.get(reverse("account_login")).content.decode()


def test_a_new_person_chooses_a_user_name_and_comes_back_as_the_same(client, provider):
    factories.user("alice")
    provider.person = person(preferred_username="alice", given_name="Dora", family_name="Smith")
    response = go_and_return(client, provider, next="/how-scores-work/")
    assert response["Location"] == reverse("socialaccount_signup")
    assert not User.objects.filter(email="dora@uni.example").exists()
    form = {"username": "a1ice", "email": "dora@uni.example", "one_account": "on"}
    refused = client.post(reverse("socialaccount_signup"), form)
    assert "looks like one that is" in refused.content.decode()
    made = client.post(reverse("socialaccount_signup"), form | {"username": "dora"})
    assert made["Location"] == "/how-scores-work/"
    dora = User.objects.get(username="dora")
    assert (dora.first_name, dora.last_name) == ("", "")
    assert not dora.has_usable_password()
    assert EmailAddress.objects.get(user=dora).verified
    other = Client()
    assert go_and_return(other, provider).status_code == 302
    assert signed_in(other) == dora
    assert User.objects.count() == 2


def test_the_new_account_needs_the_promise_of_one_account(client, provider):
    provider.person = person()
    go_and_return(client, provider)
    form = {"username": "dora", "email": "dora@uni.example"}
    page = client.post(reverse("socialaccount_signup"), form).content.decode()
    assert "one account only" in page
    assert not User.objects.filter(username="dora").exists()


def test_an_address_verified_on_both_sides_signs_in_to_the_account(client, provider):
    alice = factories.user("alice")
    EmailAddress.objects.create(user=alice, email="alice@example.org", verified=True, primary=True)
    provider.person = person(email="alice@example.org")
    go_and_return(client, provider)
    assert signed_in(client) == alice
    assert SocialAccount.objects.get(user=alice).uid == "uni-17"


@pytest.mark.parametrize(("here", "there"), [(False, True), (True, False), (False, False)])
def test_an_address_that_one_side_did_not_verify_signs_in_to_nothing(client, provider, here, there):
    alice = factories.user("alice")
    EmailAddress.objects.create(user=alice, email="alice@example.org", verified=here, primary=True)
    provider.person = person(email="alice@example.org", email_verified=there)
    response = go_and_return(client, provider)
    assert response["Location"] == reverse("socialaccount_signup")
    assert signed_in(client) is None
    form = {"username": "dora", "email": "alice@example.org", "one_account": "on"}
    client.post(reverse("socialaccount_signup"), form)
    assert not SocialAccount.objects.filter(user=alice).exists()
    assert signed_in(client) is None


def test_connecting_asks_for_the_password_and_disconnecting_leaves_a_way_in(client, provider):
    alice = factories.user("alice")
    client.force_login(alice)
    provider.person = person(email="other@uni.example")
    asked = go_and_return(client, provider, process="connect")
    assert asked["Location"].startswith(reverse("account_reauthenticate"))
    client.post(reverse("account_reauthenticate"), {"password": "alice"})
    linked = SocialAccount.objects.get(user=alice)
    assert "other@uni.example" in client.get(reverse("socialaccount_connections")).content.decode()
    alice.set_unusable_password()
    alice.save()
    client.force_login(alice)
    page = client.post(reverse("socialaccount_connections"), {"account": linked.pk})
    assert "Set a password first" in page.content.decode()
    assert SocialAccount.objects.filter(pk=linked.pk).exists()


def test_a_provider_that_is_down_is_told_and_changes_nothing(client, provider):
    provider.broken = True
    page = client.post(reverse("openid_connect_login", args=["uni"]))
    assert page.status_code == 401
    assert "Uni Login did not answer as it should" in page.content.decode()


def test_a_forged_way_back_is_refused(client, provider):
    back = reverse("openid_connect_callback", args=["uni"])
    page = client.get(f"{back}?code=guessed&state=guessed")
    assert page.status_code == 401
    assert "did not work" in page.content.decode()
    assert client.get(f"{back}?error=access_denied&state=x").status_code in (302, 401)


def test_a_form_leads_to_the_provider_and_a_link_only_asks(client, provider):
    page = client.get(reverse("openid_connect_login", args=["uni"])).content.decode()
    assert "http-equiv" not in page
    assert "Go to Uni Login" in page


@pytest.mark.parametrize(
    ("variables", "why"),
    [
        ({"OIDC_PROVIDERS": "Uni!"}, "short names"),
        ({"OIDC_PROVIDERS": "uni"}, "set OIDC_UNI_SERVER"),
        (
            {
                "OIDC_PROVIDERS": "uni",
                "OIDC_UNI_SERVER": "http://uni.example",
                "OIDC_UNI_CLIENT_ID": "x",
            },
            "must begin with https",
        ),
    ],
)
def test_a_wrong_configuration_says_which_variable(monkeypatch, variables, why):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(ImproperlyConfigured, match=why):
        env.openid_providers()
