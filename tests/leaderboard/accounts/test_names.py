"""User names: one for one person, whatever its letters look like (N-01 to N-03)."""

import string

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse

from leaderboard.accounts import names
from leaderboard.accounts.backend import find
from leaderboard.accounts.models import User
from tests.leaderboard import factories

pytestmark = pytest.mark.django_db

TWINS = [
    "Paypal",
    "PAYPAL",
    "pAyPaL",
    " paypal",
    "paypal ",
    "\u3000paypal",
    "paypa1",
    "paypaI",
    "PAYPA1",
    "paypa|",
    "ｐａｙｐａｌ",
    "𝐩𝐚𝐲𝐩𝐚𝐥",
    "𝓅𝒶𝓎𝓅𝒶𝓁",
    "ⓟⓐⓨⓟⓐⓛ",
    "рaypal",
    "раураl",
    "рауpаӏ",
    "ρaypal",
    "paypaⅼ",
    "pɑypal",
    "payρal",
    "paуpal",
    "pay\u200bpal",
    "pay\u200dpal",
    "pay\u2060pal",
    "\ufeffpaypal",
    "pay\u00adpal",
    "\u202epaypal",
    "pay\u034fpal",
    "paypal\ufe0f",
    "paypaℓ",
    "paypaｌ",
]


def test_thirty_twins_of_a_name_are_refused(client, settings):
    settings.ACCOUNT_EMAIL_VERIFICATION = "none"
    settings.ACCOUNT_RATE_LIMITS = False
    factories.user("paypal")
    assert len(set(TWINS)) >= 30
    for number, twin in enumerate(TWINS):
        form = {
            "username": twin,
            "email": f"twin{number}@example.org",
            "password1": "a-long-password",
            "one_account": "on",
        }
        response = client.post(reverse("account_signup"), form)
        assert response.status_code == 200, ascii(twin)
        assert 'class="err"' in response.content.decode(), ascii(twin)
    assert User.objects.count() == 1


@pytest.mark.parametrize(
    "name",
    ["alice", "Zoë-7", "ольга", "Ольга_2", "Νίκος", "日本語カナ", "한국어", "मोहित", "นภา", "7up"],
)
def test_names_of_one_script_are_good(name):
    assert names.fault(name, 2, 30, names.SIGNS_OF_USERS) is None


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("аlice", "mixes Cyrillic and Latin"),
        ("Сара", "looks like one in Latin letters"),
        ("НОТ", "looks like one in Latin letters"),
        ("a" * 31, "at most 30"),
        ("ﷺﷺ", "at most 30"),
        ("x", "at least 2"),
        ("12", "at least one letter"),
        ("=cmd", "U+003D"),
        ("a\x00b", "U+0000"),
        ("a\u0301\u0302\u0303\u0304b", "at most 2 accents"),
        ("z" + "\u0335" * 12, "at most 2 accents"),
        ("a\u115fb", "U+115F"),
        ("two words", "a space"),
        ("a.b", "“.” (U+002E)"),
        ("alice-", "ends with a letter"),
        ("admin", "reserved"),
        ("Adm1n", "reserved"),
        ("ＳＴＡＦＦ", "reserved"),
        ("base1ine", "reserved"),
        ("deleted-3f9a01c2", "reserved"),
    ],
)
def test_a_faulty_name_is_refused_with_the_reason(name, why):
    assert why in (names.fault(name, 2, 30, names.SIGNS_OF_USERS) or "good")


def test_names_of_teams_may_hold_spaces_and_points():
    assert names.fault("Late again v1.2", 2, 40) is None
    assert names.clean("  Late \u2003 again ") == "Late again"


def test_letters_that_differ_stay_apart():
    seen = {names.skeleton(letter) for letter in string.ascii_lowercase}
    # i and l look alike as capitals do; every other letter is one of its own.
    assert len(seen) == len(string.ascii_lowercase) - 1


def test_a_skeleton_is_its_own():
    for name in [*TWINS, "Ольга", "m", "rn", "ﷺ", "İstanbul"]:
        assert names.skeleton(names.skeleton(name)) == names.skeleton(name)


@pytest.mark.db
def test_the_database_refuses_a_twin_that_passed_the_form():
    factories.user("alice")
    with pytest.raises(IntegrityError), transaction.atomic():
        User.objects.create_user("a1ice")


@pytest.mark.parametrize("typed", ["ольга", "ОЛЬГА", "Ольга"])
def test_signing_in_finds_a_name_of_any_script_in_any_case(typed):
    olga = factories.user("Ольга")
    assert find(typed) == olga


def test_a_look_alike_does_not_sign_in():
    factories.user("alice")
    assert find("a1ice") is None


def test_saving_an_old_twin_keeps_its_mark():
    twin = factories.user("bob")
    User.objects.filter(pk=twin.pk).update(skeleton=f"bob{names.TWIN}9")
    twin.refresh_from_db()
    twin.save()
    twin.refresh_from_db()
    assert twin.skeleton == f"bob{names.TWIN}9"
