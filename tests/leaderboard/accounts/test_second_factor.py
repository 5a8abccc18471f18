"""The second factor: set up, asked for, recovered, switched off."""

import re
import time

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from django.core import mail
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from leaderboard.accounts import factors
from tests.leaderboard import factories

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _quiet(settings):
    settings.ACCOUNT_EMAIL_VERIFICATION = "none"
    cache.clear()


def code(secret: str) -> str:
    return format_hotp_value(hotp_value(secret, int(time.time()) // 30))


def again(client, password: str = "alice") -> None:
    client.post(reverse("account_reauthenticate"), {"password": password})


@pytest.fixture
def secret(client) -> str:
    """The secret of alice's app; she is signed in and has just given her password."""
    client.force_login(factories.user("alice"))
    again(client)
    page = client.get(reverse("mfa_activate_totp")).content.decode()
    return re.search(r"<code[^>]*>([A-Z2-7]{32})</code>", page)[1]


@pytest.fixture
def switched_on(client, secret) -> str:
    client.post(reverse("mfa_activate_totp"), {"code": code(secret)})
    cache.clear()
    return secret


def half_in(client=None) -> Client:
    """A browser that has given the password and no code yet."""
    client = client or Client()
    response = client.post(reverse("account_login"), {"login": "alice", "password": "alice"})
    assert response["Location"] == reverse("mfa_authenticate")
    assert client.get(reverse("account")).status_code == 302
    return client


def is_in(client) -> bool:
    return client.get(reverse("account")).status_code == 200


def test_setting_up_asks_for_the_password_first(client):
    client.force_login(factories.user("alice"))
    for name in ("mfa_activate_totp", "mfa_generate_recovery_codes", "account_delete"):
        response = client.get(reverse(name))
        assert response["Location"].startswith(reverse("account_reauthenticate"))


def test_the_page_draws_the_code_without_a_data_address(client, secret):
    page = client.get(reverse("mfa_activate_totp"))
    text = page.content.decode()
    assert 'class="qr"' in text
    assert "data:" not in re.sub(r"data-\w+", "", text)
    assert page.context["code"].size > 20


def test_a_wrong_code_switches_nothing_on(client, secret):
    page = client.post(reverse("mfa_activate_totp"), {"code": "000000"})
    assert "wrong or no longer valid" in page.content.decode()
    assert not Authenticator.objects.exists()


def test_with_the_factor_a_password_is_half_the_way(client, switched_on):
    other = half_in()
    wrong = other.post(reverse("mfa_authenticate"), {"code": "123456"})
    assert wrong.status_code == 200
    assert not is_in(other)
    other.post(reverse("mfa_authenticate"), {"code": code(switched_on)})
    assert is_in(other)


def test_a_code_works_once(client, switched_on):
    used = code(switched_on)
    first, second = half_in(), half_in()
    first.post(reverse("mfa_authenticate"), {"code": used})
    second.post(reverse("mfa_authenticate"), {"code": used})
    assert is_in(first)
    assert not is_in(second)


def test_guessing_codes_is_slowed_down(client, switched_on):
    other = half_in()
    for number in range(12):
        page = other.post(reverse("mfa_authenticate"), {"code": f"{number:06}"}).content.decode()
        if "Too many tries" in page:
            break
    else:
        pytest.fail("a dozen wrong codes were answered")
    other.post(reverse("mfa_authenticate"), {"code": code(switched_on)})
    assert not is_in(other)


def test_a_recovery_code_signs_in_once(client, switched_on):
    page = client.get(reverse("mfa_view_recovery_codes"))
    codes = page.context["unused_codes"]
    assert len(codes) == 10
    assert codes[0] in client.get(reverse("mfa_download_recovery_codes")).content.decode()
    first, second = half_in(), half_in()
    first.post(reverse("mfa_authenticate"), {"code": codes[0]})
    assert is_in(first)
    second.post(reverse("mfa_authenticate"), {"code": codes[0]})
    assert not is_in(second)


def test_new_codes_end_the_old_ones(client, switched_on):
    old = client.get(reverse("mfa_view_recovery_codes")).context["unused_codes"]
    client.post(reverse("mfa_generate_recovery_codes"))
    new = client.get(reverse("mfa_view_recovery_codes")).context["unused_codes"]
    assert not set(old) & set(new)
    other = half_in()
    other.post(reverse("mfa_authenticate"), {"code": old[0]})
    assert not is_in(other)


def test_switching_off_deletes_secret_and_codes_and_tells_the_person(client, settings, switched_on):
    settings.ACCOUNT_EMAIL_NOTIFICATIONS = True
    assert "is on" in client.get(reverse("mfa_index")).content.decode() or is_in(client)
    client.post(reverse("mfa_deactivate_totp"))
    assert not Authenticator.objects.exists()
    other = Client()
    other.post(reverse("account_login"), {"login": "alice", "password": "alice"})
    assert is_in(other)


def test_the_database_holds_no_secret_in_clear(client, switched_on):
    stored = str(list(Authenticator.objects.values_list("data", flat=True)))
    assert switched_on not in stored
    for one in client.get(reverse("mfa_view_recovery_codes")).context["unused_codes"]:
        assert one not in stored


def test_secrets_stay_readable_when_the_key_is_replaced(settings):
    hidden = factors.Adapter().encrypt("secret")
    old, settings.SECRET_KEY = settings.SECRET_KEY, "another-key"
    settings.SECRET_KEY_FALLBACKS = [old]
    assert factors.Adapter().decrypt(hidden) == "secret"


def test_every_page_of_the_factor_has_our_look(client, switched_on):
    names = (
        "mfa_index",
        "mfa_deactivate_totp",
        "mfa_view_recovery_codes",
        "mfa_generate_recovery_codes",
        "mfa_reauthenticate",
        "account_reauthenticate",
        "socialaccount_connections",
        "account_delete",
    )
    for name in names:
        page = client.get(reverse(name)).content.decode()
        assert 'class="narrow"' in page, name
        assert "<h1>" in page, name
    page = half_in().get(reverse("mfa_authenticate")).content.decode()
    assert 'class="narrow"' in page


def test_who_has_no_password_proves_it_by_a_mailed_code(client):
    alice = factories.user("alice")
    alice.set_unusable_password()
    alice.save()
    alice.emailaddress_set.create(email=alice.email, verified=True, primary=True)
    client.force_login(alice)
    asked = client.get(reverse("account_delete"))
    assert asked["Location"].startswith(reverse("account_request_reauthentication_code"))
    assert 'class="narrow"' in client.get(asked["Location"]).content.decode()
    client.post(asked["Location"], {"recipient": alice.email})
    sent = re.search(r"\n([A-Z0-9-]{6,})\n", mail.outbox[-1].body)[1]
    place = reverse("account_confirm_reauthentication_code")
    assert 'class="narrow"' in client.get(place).content.decode()
    client.post(f"{place}?next=/account/delete/", {"code": sent})
    assert client.get(reverse("account_delete")).status_code == 200
