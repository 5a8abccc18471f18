"""Sign up, sign in, sign out, password and e-mail address: what is accepted and what is said."""

import re

import pytest
from django.contrib.auth import get_user_model
from django.core import mail
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from tests.leaderboard import factories

pytestmark = pytest.mark.django_db

PASSWORD = "a-long-password"


@pytest.fixture(autouse=True)
def _quiet(settings):
    settings.ACCOUNT_EMAIL_VERIFICATION = "none"
    cache.clear()


def sign_up(client, **changes):
    form = {
        "username": "dora",
        "email": "dora@example.org",
        "password1": PASSWORD,
        "one_account": "on",
    } | changes
    return client.post(reverse("account_signup"), form)


def errors(response) -> str:
    return " ".join(re.findall(r'class="err">([^<]*)<', response.content.decode()))


def test_signing_up_signs_in_and_leads_to_next(client):
    response = client.post(
        reverse("account_signup"),
        {
            "username": "dora",
            "email": "dora@example.org",
            "password1": PASSWORD,
            "one_account": "on",
            "next": "/how-scores-work/",
        },
    )
    assert response.status_code == 302
    assert response["Location"] == "/how-scores-work/"
    assert client.get(reverse("account")).status_code == 200


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"username": "ALICE"}, "This user name is taken"),
        ({"username": "a1ice"}, "looks like one that is"),
        ({"username": "\N{GREEK CAPITAL LETTER ALPHA}dmin"}, "letters of one script"),
        ({"username": "аlice"}, "letters of one script"),
        ({"username": "two words"}, "not a space"),
        ({"username": "x"}, "at least 2 characters"),
        ({"username": "-alice"}, "starts with a letter or a digit"),
        ({"username": "admin"}, "reserved"),
        ({"username": "Baseline"}, "reserved"),
        ({"email": "no address"}, "valid email"),
        ({"email": "alice@example.org"}, "already an account"),
        ({"password1": "short"}, "at least 10 characters"),
        ({"password1": "password123"}, "too common"),
        ({"password1": "12345678901234"}, "numeric"),
        ({"one_account": ""}, "one account only"),
    ],
)
def test_a_refused_sign_up_says_why_beside_the_field(client, changes, said):
    factories.user("alice")
    before = get_user_model().objects.count()
    response = sign_up(client, **changes)
    assert response.status_code == 200
    assert said in errors(response)
    assert get_user_model().objects.count() == before


def test_no_field_beyond_the_form_can_be_set(client):
    sign_up(client, is_staff="1", is_superuser="1", id="7")
    made = get_user_model().objects.get(username="dora")
    assert not made.is_staff
    assert not made.is_superuser


@pytest.mark.parametrize("login", ["alice", "ALICE", "alice@example.org"])
def test_signing_in_by_name_or_address(client, login):
    factories.user("alice")
    response = client.post(reverse("account_login"), {"login": login, "password": "alice"})
    assert response.status_code == 302


@pytest.mark.parametrize("login", ["alice", "nobody"])
def test_a_wrong_password_and_an_unknown_name_read_the_same(client, login):
    factories.user("alice")
    response = client.post(reverse("account_login"), {"login": login, "password": "wrong"})
    assert "User name or password is wrong" in response.content.decode()


@pytest.mark.parametrize(
    "target",
    [
        "https://evil.example/",
        "//evil.example/",
        "/\\evil.example",
        "\\\\evil.example",
        "http:evil.example",
        "/\t/evil.example",
        "javascript:alert(1)",
    ],
)
def test_next_never_leads_off_the_site(client, target):
    factories.user("alice")
    response = client.post(
        reverse("account_login"), {"login": "alice", "password": "alice", "next": target}
    )
    assert response.status_code == 302
    assert response["Location"] == "/"


def test_many_wrong_passwords_are_slowed_down(client):
    factories.user("alice")
    for _ in range(12):
        response = client.post(reverse("account_login"), {"login": "alice", "password": "no"})
        if "Too many tries" in response.content.decode():
            break
    else:
        pytest.fail("a dozen wrong passwords were answered")
    assert response.status_code in (200, 429)


def try_password(client, password, address, **headers) -> str:
    form = {"login": "alice", "password": password}
    return client.post(
        reverse("account_login"), form, REMOTE_ADDR=address, headers=headers
    ).content.decode()


def test_a_stranger_cannot_lock_somebody_out(client):
    factories.user("alice")
    for number in range(8):
        said = try_password(client, f"wrong-{number}", "192.0.2.1")
    assert "Too many tries" in said
    try_password(client, "alice", "192.0.2.2")
    assert client.get(reverse("account")).status_code == 200


def test_behind_a_proxy_tries_are_counted_by_the_address_that_it_saw(client, settings):
    settings.BEHIND_PROXY = True
    factories.user("alice")
    for number in range(8):
        seen = {"X-Forwarded-For": f"198.51.100.{number}, 192.0.2.1"}
        said = try_password(client, f"wrong-{number}", "127.0.0.1", **seen)
    assert "Too many tries" in said
    other = {"X-Forwarded-For": "192.0.2.2"}
    try_password(client, "alice", "127.0.0.1", **other)
    assert client.get(reverse("account")).status_code == 200


def test_without_a_proxy_nobody_chooses_the_address_that_is_counted(client):
    factories.user("alice")
    for number in range(8):
        seen = {"X-Forwarded-For": f"198.51.100.{number}"}
        said = try_password(client, f"wrong-{number}", "192.0.2.1", **seen)
    assert "Too many tries" in said


def test_a_file_sent_to_a_form_that_asks_for_none_is_not_stored(client, settings, tmp_path):
    settings.FILE_UPLOAD_TEMP_DIR = str(tmp_path)
    file = SimpleUploadedFile("x.csv", b"0" * 100_000)
    response = client.post(reverse("account_login"), {"login": "alice", "password": "x", "f": file})
    assert response.status_code == 200
    assert not response.wsgi_request.FILES
    assert not list(tmp_path.iterdir())


def test_signing_out_takes_a_form(client):
    client.force_login(factories.user("alice"))
    assert client.get(reverse("account_logout")).status_code == 405
    assert client.get(reverse("account")).status_code == 200
    assert client.post(reverse("account_logout")).status_code == 302
    assert client.get(reverse("account")).status_code == 302


def test_the_account_lists_what_one_takes_part_in_and_hosts(client):
    contest = factories.competition("penguins")
    factories.team(contest, "alice")
    client.force_login(factories.user("alice"))
    page = client.get(reverse("account")).content.decode()
    assert "Penguins" in page
    assert reverse("submissions", args=["penguins"]) in page
    client.force_login(factories.user("hana"))
    assert reverse("host", args=["penguins"]) in client.get(reverse("account")).content.decode()


def test_changing_the_password_signs_out_other_browsers(client):
    alice = factories.user("alice")
    other = Client()
    other.force_login(alice)
    client.force_login(alice)
    response = client.post(
        reverse("account_change_password"),
        {"oldpassword": "alice", "password1": PASSWORD, "password2": PASSWORD},
    )
    assert response.status_code == 302
    assert client.get(reverse("account")).status_code == 200
    assert other.get(reverse("account")).status_code == 302


@pytest.mark.parametrize("address", ["alice@example.org", "nobody@example.org"])
def test_asking_for_a_reset_answers_the_same_for_any_address(client, address):
    factories.user("alice")
    response = client.post(reverse("account_reset_password"), {"email": address}, follow=True)
    assert "Look into your e-mail" in response.content.decode()
    assert len(mail.outbox) == 1


def test_a_reset_link_works_once(client):
    factories.user("alice")
    client.post(reverse("account_reset_password"), {"email": "alice@example.org"})
    link = re.search(r"http://\S+", mail.outbox[0].body).group()
    form = client.get(link, follow=True)
    client.post(
        form.redirect_chain[-1][0], {"password1": PASSWORD, "password2": PASSWORD}, follow=True
    )
    assert client.login(username="alice", password=PASSWORD)
    client.logout()
    assert "does not work any more" in client.get(link, follow=True).content.decode()


def test_a_forged_host_does_not_reach_the_mail(client):
    factories.user("alice")
    response = client.post(
        reverse("account_reset_password"),
        {"email": "alice@example.org"},
        headers={"host": "evil.example"},
    )
    assert response.status_code == 400
    assert not mail.outbox


def test_pages_of_signed_in_people_are_kept_by_no_cache(client):
    factories.competition("penguins")
    assert "no-cache" in client.get(reverse("home"))["Cache-Control"]
    client.force_login(factories.user("alice"))
    for address in (reverse("home"), reverse("account"), reverse("competition", args=["penguins"])):
        response = client.get(address)
        assert response["Cache-Control"] == "private, no-store"
        assert "Cookie" in response["Vary"]


@pytest.mark.parametrize(
    "name",
    [
        "account_login",
        "account_signup",
        "account_reset_password",
        "account_reset_password_done",
        "account_reset_password_from_key_done",
        "account_email_verification_sent",
        "account_inactive",
    ],
)
def test_every_page_of_accounts_has_our_look(client, name):
    page = client.get(reverse(name)).content.decode()
    assert '<main id="main"' in page
    assert 'class="narrow"' in page


@pytest.mark.parametrize("name", ["account", "account_change_password", "account_email"])
def test_own_pages_need_a_sign_in(client, name):
    response = client.get(reverse(name))
    assert response.status_code == 302
    assert response["Location"].startswith(reverse("account_login"))
    client.force_login(factories.user("alice"))
    assert client.get(reverse(name)).status_code == 200
