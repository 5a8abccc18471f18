"""Who may open what: every address of the site x every role, for reading and for sending."""

import uuid

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.test import Client
from django.urls import URLResolver, get_resolver, reverse

from leaderboard.accounts import tokens
from leaderboard.accounts.models import ApiToken
from leaderboard.api import described
from leaderboard.competitions import clock, notices, store
from leaderboard.competitions.models import Competition, DataFile, Notice
from leaderboard.submissions import merging
from leaderboard.submissions.models import FileCheck
from leaderboard.teams import inviting
from leaderboard.teams.models import Invitation, MergeProposal
from tests.leaderboard import factories

ROLES = ("anonymous", "stranger", "member", "rival", "host", "other_host", "staff")

# What each role gets, in the order of ROLES: a status, or `in` for a redirect to the sign-in page,
# `on` for a redirect elsewhere. 405: the address does not know the method; whoever asks learns
# nothing. 404: there, and none of their business.
OPEN = "200 200 200 200 200 200 200"
NEVER = "405 405 405 405 405 405 405"
SIGNED_IN = "in 200 200 200 200 200 200"
ENTRY = "200 on on on on on on"
MOVED = "on on on on on on on"
UNKNOWN = "404 404 404 404 404 404 404"
HOSTS = "404 404 404 404 200 404 200"
HOSTS_ACT = "404 404 404 404 on 404 on"
HOSTS_CONFIRM = "404 404 404 404 422 404 422"
TEAM_ACTS = "in 404 on 404 404 404 404"
AGAIN = "in on on on on on on"
NO_FACTOR = "in 404 404 404 404 404 404"
NO_JSON = "400 400 400 400 400 400 400"
NO_TOKEN = "401 401 401 401 401 401 401"
READ_ONLY = (OPEN, NEVER)
NOBODY = "401 401 401 401 401 401 401"
NO_FORM = "415 415 415 415 415 415 415"
NO_BODY = "400 400 400 400 400 400 400"
OWN = "401 404 200 404 404 404 404"
UNKNOWN_ID = uuid.uuid4()

# Address -> (GET, POST with an empty form).
TABLE = {
    "home": READ_ONLY,
    "scores": READ_ONLY,
    "favicon": (MOVED, NEVER),
    "account": (SIGNED_IN, NEVER),
    "account_login": (ENTRY, ENTRY),
    "account_signup": (ENTRY, ENTRY),
    "account_logout": (NEVER, MOVED),
    "account_change_password": (SIGNED_IN, SIGNED_IN),
    "account_email": (SIGNED_IN, "in on on on on on on"),
    "account_inactive": READ_ONLY,
    "account_email_verification_sent": READ_ONLY,
    "account_confirm_email": (OPEN, UNKNOWN),
    "account_confirm_again": (NEVER, MOVED),
    "account_mail": (NEVER, "in on on on on on on"),
    "account_browsers": (NEVER, "in on on on on on on"),
    "account_token_new": (SIGNED_IN, SIGNED_IN),
    # Alice's own token.
    "account_token_revoke": (NEVER, "in 404 on 404 404 404 404"),
    # Who has a password changes it; the password, or another proof, is asked for again before it.
    "account_set_password": (AGAIN, AGAIN),
    "account_delete": (AGAIN, AGAIN),
    "account_reauthenticate": (SIGNED_IN, SIGNED_IN),
    "account_request_reauthentication_code": (AGAIN, AGAIN),
    "account_confirm_reauthentication_code": (AGAIN, AGAIN),
    "mfa_authenticate": (AGAIN, AGAIN),
    "mfa_reauthenticate": (AGAIN, AGAIN),
    "mfa_index": (SIGNED_IN, "in 405 405 405 405 405 405"),
    "mfa_activate_totp": (AGAIN, AGAIN),
    "mfa_deactivate_totp": (NO_FACTOR, NO_FACTOR),
    "mfa_view_recovery_codes": (NO_FACTOR, "in 405 405 405 405 405 405"),
    "mfa_generate_recovery_codes": (AGAIN, AGAIN),
    "mfa_download_recovery_codes": (NO_FACTOR, NO_FACTOR),
    "openid_connect_login": (UNKNOWN, UNKNOWN),
    "openid_connect_callback": (UNKNOWN, NEVER),
    "socialaccount_connections": (SIGNED_IN, SIGNED_IN),
    # Without a sign-in elsewhere that waits for a user name.
    "socialaccount_signup": ("in in in in in in in", "in in in in in in in"),
    "socialaccount_login_cancelled": READ_ONLY,
    "socialaccount_login_error": ("401 401 401 401 401 401 401", NEVER),
    "account_reset_password": (OPEN, OPEN),
    "account_reset_password_done": READ_ONLY,
    "account_reset_password_from_key": (OPEN, OPEN),
    "account_reset_password_from_key_done": READ_ONLY,
    "competition": READ_ONLY,
    "competition_data": READ_ONLY,
    "competition_rules": READ_ONLY,
    "competition_evaluation": READ_ONLY,
    "announcements": READ_ONLY,
    "notices": (SIGNED_IN, NEVER),
    "notices_read": (NEVER, "in on on on on on on"),
    # Alice's own: nobody else's, whoever runs the competition.
    "notice": ("in 404 on 404 404 404 404", NEVER),
    "competition_data_file": ("404 404 200 200 200 404 200", NEVER),
    "competition_join": (NEVER, "in on on on on on on"),
    "leaderboard": READ_ONLY,
    "leaderboard_csv": READ_ONLY,
    "leaderboard_json": READ_ONLY,
    "compare": READ_ONLY,
    "feed": READ_ONLY,
    "team_public": READ_ONLY,
    "submit": (SIGNED_IN, "in 403 400 400 403 403 403"),
    "check": ("in on on on on on on", "in 403 400 400 403 403 403"),
    # A check is its sender's own: neither the team nor the host sees it.
    "check_result": ("in 404 200 404 404 404 404", "in 405 405 405 405 405 405"),
    "check_status": ("286 404 204 404 404 404 404", NEVER),
    "check_submit": ("in 405 405 405 405 405 405", "in 404 409 404 404 404 404"),
    "submissions": ("in 404 200 200 404 404 404", "in 405 405 405 405 405 405"),
    # Each team's own files, alone: not even those who run the competition read their list.
    "submissions_csv": ("in 404 200 200 404 404 404", "in 405 405 405 405 405 405"),
    "submissions_status": ("286 404 286 286 404 404 404", NEVER),
    "submissions_final": ("in 404 200 200 404 404 404", "in 404 on on 404 404 404"),
    "submission": ("in 404 200 404 200 404 200", "in 405 405 405 405 405 405"),
    # 286 stops the polling; to somebody signed out it says so and nothing else.
    "submission_status": ("286 404 286 404 286 404 286", NEVER),
    # The bytes are the team's own: not even hosts fetch them.
    "submission_file": ("in 404 200 404 404 404 404", "in 405 405 405 405 405 405"),
    "submission_final": ("in 405 405 405 405 405 405", TEAM_ACTS),
    "submission_withdraw": ("in 404 200 404 404 404 404", TEAM_ACTS),
    "submission_note": ("in 404 200 404 404 404 404", TEAM_ACTS),
    "submission_look": ("in 405 405 405 405 405 405", TEAM_ACTS),
    # Everybody with a team acts on the own one.
    "team": ("in 404 200 200 404 404 404", "in 405 405 405 405 405 405"),
    "team_rename": (NEVER, "in 404 422 422 404 404 404"),
    "team_invite": (NEVER, "in 404 200 200 404 404 404"),
    "team_revoke": (NEVER, TEAM_ACTS),
    # By an open link to alice's team.
    "team_join": ("200 200 200 200 403 200 200", "in 422 on on 422 422 422"),
    "team_leave": (NEVER, "in 404 422 422 404 404 404"),
    "team_remove": (NEVER, "in 404 404 404 404 404 404"),
    "team_hand_over": (NEVER, "in 404 404 404 404 404 404"),
    "team_propose": (NEVER, "in 404 422 422 404 404 404"),
    # Charlie's team asks alice's: hers sees what it would mean, both may answer.
    "team_merge": ("in 404 200 404 404 404 404", "in 404 on on 404 404 404"),
    # The kaggle client signs in by header, never by the browser's session: to a browser these
    # are closed, whoever is signed in there. An empty form is not the JSON of a call.
    "kaggle_call": (NEVER, NO_JSON),
    "kaggle_introspect": (NEVER, NO_JSON),
    "kaggle_put": (NEVER, NEVER),
    "kaggle_files": (NO_TOKEN, NEVER),
    "kaggle_file": (NO_TOKEN, NEVER),
    "kaggle_submission_file": (NO_TOKEN, NEVER),
    "host": (HOSTS, NEVER),
    "host_submissions": (HOSTS, NEVER),
    "host_release": (HOSTS, HOSTS_CONFIRM),
    "host_preview": (HOSTS, NEVER),
    "host_outlook": (HOSTS, NEVER),
    "host_announce": (HOSTS, HOSTS_CONFIRM),
    "host_settings": (HOSTS, HOSTS_CONFIRM),
    "host_close": (HOSTS, HOSTS_CONFIRM),
    "host_reveal": (NEVER, HOSTS_CONFIRM),
    "host_waive": (NEVER, HOSTS_ACT),
    "host_rescore": (NEVER, HOSTS_ACT),
    # A browser's session counts for nothing in the API: whoever is signed in is nobody there.
    "api": READ_ONLY,
    "api_openapi": READ_ONLY,
    "api_unknown": (UNKNOWN, UNKNOWN),
    "api_competitions": READ_ONLY,
    "api_competition": READ_ONLY,
    "api_files": READ_ONLY,
    "api_file": (NOBODY, NEVER),
    "api_announcements": READ_ONLY,
    "api_join": (NEVER, NO_FORM),
    "api_leaderboard": READ_ONLY,
    "api_team": (NOBODY, NEVER),
    "api_team_public": READ_ONLY,
    "api_me": (NOBODY, NEVER),
    "api_submissions": (NOBODY, NOBODY),
    "api_submission": (NOBODY, NEVER),
    "api_submission_file": (NOBODY, NEVER),
    "api_submission_final": (NEVER, NEVER),
    "api_submission_withdraw": (NEVER, NO_BODY),
    "api_look": (NOBODY, NO_BODY),
    "api_checks": (NEVER, NOBODY),
    "api_check": (NOBODY, NEVER),
    "api_check_submit": (NEVER, NO_BODY),
}

# Every operation of the API by its name in the description, called with each role's token.
OPERATIONS = {
    "competitions_get": OPEN,
    "competition_get": OPEN,
    "files_get": OPEN,
    "file_get": "401 404 200 200 200 404 200",
    "announcements_get": OPEN,
    "join_post": "401 200 200 200 403 200 200",
    "leaderboard_get": OPEN,
    "team_get": "401 404 200 200 404 404 404",
    "team_public_get": OPEN,
    "me_get": "401 200 200 200 200 200 200",
    "submissions_get": "401 404 200 200 404 404 404",
    "submissions_post": "401 403 201 201 403 403 403",
    "submission_get": "401 404 200 404 200 404 200",
    "submission_patch": OWN,
    "submission_file_get": OWN,
    "submission_final_put": OWN,
    "submission_final_delete": OWN,
    "submission_withdraw_post": OWN,
    # The settings give no looks; whoever may not look is not told so.
    "look_post": "401 404 409 404 404 404 404",
    "look_get": "401 404 404 404 404 404 404",
    "checks_post": "401 403 202 202 403 403 403",
    # Of alice's check, which is not read yet.
    "check_get": OWN,
    "check_submit_post": "401 404 409 404 404 404 404",
}


def addresses(resolver=None) -> set[str]:
    """Return the names of all addresses; one without a name would escape the table."""
    found = set()
    for pattern in (resolver or get_resolver()).url_patterns:
        if isinstance(pattern, URLResolver):
            found |= addresses(pattern)
        else:
            assert pattern.name, pattern
            found.add(pattern.name)
    return found


@pytest.fixture
def stage(db):
    """A live competition with the file of alice's team, and somebody in every role."""
    contest = factories.competition("contest")
    team = factories.team(contest, "alice")
    rivals = factories.team(contest, "charlie")
    sent = factories.scored(team, 0.8).submission
    invitation, _ = inviting.invite_by_link(team, factories.user("alice"))
    Invitation.objects.filter(pk=invitation.pk).update(digest=inviting.digest("open"))
    merging.propose(rivals, team.name, factories.user("charlie"))
    factories.competition("other", host="oscar")
    stored = store.write(settings.DOWNLOADS_DIR, str(contest.uuid), "train.csv", [b"id,label\n"])
    DataFile.objects.create(
        competition=contest,
        name="train.csv",
        path=stored.path,
        size=stored.size,
        sha256=stored.sha256,
    )
    alice = factories.user("alice")
    tokens.make(alice, "laptop")
    notices.tell([alice], Notice.Kind.INVITATION, "A place in a team", "", "/", contest)
    people = {
        "anonymous": None,
        "stranger": factories.user("stella"),
        "member": factories.user("alice"),
        "rival": factories.user("charlie"),
        "host": factories.user("hana"),
        "other_host": factories.user("oscar"),
        "staff": factories.user("steffi", is_staff=True),
    }
    return contest, sent, people


def address(name: str, contest, sent) -> str:
    """Return an address with the stage's objects in it."""
    slug = contest.slug
    special = {
        "account_confirm_email": {"key": "nothing"},
        "account_reset_password_from_key": {"uidb36": "1", "key": "set-password"},
        "account_token_revoke": {"token": getattr(ApiToken.objects.first(), "pk", 1)},
        "openid_connect_login": {"provider_id": "unknown"},
        "openid_connect_callback": {"provider_id": "unknown"},
        "competition_data_file": {"slug": slug, "name": "train.csv"},
        "kaggle_call": {"method": "ListCompetitions"},
        "kaggle_put": {"secret": "nothing"},
        "kaggle_file": {"slug": slug, "name": "train.csv"},
        "kaggle_submission_file": {"ref": sent.pk, "name": "file.csv"},
        "notice": {"pk": getattr(Notice.objects.first(), "pk", 1)},
        "team_join": {"slug": slug, "secret": "open"},
        "team_revoke": {
            "slug": slug,
            "uuid": getattr(Invitation.objects.first(), "uuid", UNKNOWN_ID),
        },
        "team_merge": {
            "slug": slug,
            "uuid": getattr(MergeProposal.objects.first(), "uuid", UNKNOWN_ID),
        },
        "team_public": {"slug": slug, "uuid": sent.team.uuid},
        "api_team_public": {"slug": slug, "uuid": sent.team.uuid},
        "api_file": {"slug": slug, "name": "train.csv"},
        "check_result": {"slug": slug, "uuid": check_of(contest)},
        "check_status": {"slug": slug, "uuid": check_of(contest)},
        "check_submit": {"slug": slug, "uuid": check_of(contest)},
        "api_check": {"slug": slug, "uuid": check_of(contest)},
        "api_check_submit": {"slug": slug, "uuid": check_of(contest)},
        "api_unknown": {"rest": "v1/nothing"},
    }
    if name in special:
        return reverse(name, kwargs=special[name])
    for arguments in ({}, {"slug": slug}, {"slug": slug, "uuid": sent.uuid}):
        try:
            return reverse(name, kwargs=arguments)
        except Exception:
            continue
    raise AssertionError(f"{name}: no arguments fit")


def check_of(contest) -> uuid.UUID:
    """Return a check that alice asked for and that no worker has read yet."""
    found, _ = FileCheck.objects.get_or_create(
        competition=contest,
        user=factories.user("alice"),
        defaults={"size": 1, "created_at": clock.now()},
    )
    return found.uuid


def tokens_of(people: dict) -> dict[str, dict[str, str]]:
    """Return what each role sends to the API with a call."""
    return {
        role: {"Authorization": f"Bearer {tokens.make(person, role)[1]}"} if person else {}
        for role, person in people.items()
    }


def operations() -> dict[str, tuple[str, str, dict]]:
    """Return every operation that the API describes: method, URL name, body."""
    found = {}
    for path, described_here in described.description()["paths"].items():
        for method, operation in described_here.items():
            name = operation["operationId"]
            content = operation.get("requestBody", {}).get("content", {})
            body = {"data": "", "content_type": "application/json"}
            if "application/json" in content:
                body["data"] = {"accept_rules": True} if path.endswith("/join") else {}
            elif content:
                file = SimpleUploadedFile("model.csv", b"id,label\n1,yes\n")
                body = {"data": {"file": file}}
            found[name] = method, f"api_{name.rpartition('_')[0]}", body
    return found


def call(name: str, place: str, headers: dict[str, str]):
    """Call an operation as its description asks."""
    method, _, body = operations()[name]
    sends = {} if method == "get" else body
    answer = getattr(Client(), method)(place, headers=headers, **sends)
    for close in getattr(answer, "_resource_closers", ()):
        close()
    return answer


def answer_to(role: str, people: dict, method: str, place: str):
    client = Client()
    if people[role]:
        client.force_login(people[role])
    answer = getattr(client, method)(place)
    for close in getattr(answer, "_resource_closers", ()):
        close()
    return answer


def said(answer) -> str:
    if answer.status_code not in (301, 302, 303):
        return str(answer.status_code)
    return "in" if answer["Location"].startswith(reverse("account_login")) else "on"


def test_the_table_has_a_row_for_every_address():
    assert addresses() == set(TABLE)


@pytest.mark.parametrize("method", ["get", "post"])
def test_each_role_gets_what_the_table_says(stage, method):
    contest, sent, people = stage
    wrong = {}
    for name, row in TABLE.items():
        place = address(name, contest, sent)
        found = []
        for role in ROLES:
            # What a role did is taken back before the next one tries.
            with transaction.atomic():
                found.append(said(answer_to(role, people, method, place)))
                transaction.set_rollback(True)
        expected = row[method == "post"].split()
        if found != expected:
            wrong[name] = f"got {' '.join(found)}, expected {' '.join(expected)}"
    assert not wrong


def test_the_table_has_a_row_for_every_operation_of_the_api():
    assert set(operations()) == set(OPERATIONS)


def test_each_role_gets_what_the_table_says_with_its_token(stage):
    contest, sent, people = stage
    told, wrong = tokens_of(people), {}
    for name, row in OPERATIONS.items():
        place = address(operations()[name][1], contest, sent)
        found = []
        for role in ROLES:
            with transaction.atomic():
                if name == "checks_post":
                    # One check at a time: alice's own must not stand in her way.
                    FileCheck.objects.all().delete()
                found.append(str(call(name, place, told[role]).status_code))
                transaction.set_rollback(True)
        if found != row.split():
            wrong[name] = f"got {' '.join(found)}, expected {row}"
    assert not wrong


def test_unknown_and_forbidden_are_one_answer_of_the_api(stage):
    contest, sent, people = stage
    told = tokens_of(people)
    for name in OPERATIONS:
        if "404" not in OPERATIONS[name]:
            continue
        url_name = operations()[name][1]
        there = call(name, address(url_name, contest, sent), told["other_host"])
        unknown = address(url_name, contest, sent).replace("contest", "nothing", 1)
        gone = call(name, unknown, told["member"])
        assert there.status_code == gone.status_code == 404, name
        assert there.content == gone.content, name


def test_a_draft_is_there_for_its_hosts_only_in_the_api_too(stage):
    contest, sent, people = stage
    Competition.objects.filter(pk=contest.pk).update(published_at=None)
    told = tokens_of(people)
    for name in OPERATIONS:
        place = address(operations()[name][1], contest, sent)
        if contest.slug not in place:
            continue
        for role in ("stranger", "member", "other_host"):
            assert call(name, place, told[role]).status_code == 404, (name, role)


@pytest.mark.parametrize("name", sorted(name for name in TABLE if name.startswith("competition")))
def test_a_draft_is_there_for_its_hosts_only(stage, name):
    contest, sent, people = stage
    Competition.objects.filter(pk=contest.pk).update(published_at=None)
    place = address(name, contest, sent)
    method = "post" if name == "competition_join" else "get"
    for role in ("stranger", "other_host"):
        assert answer_to(role, people, method, place).status_code == 404
    if method == "get":
        assert answer_to("anonymous", people, method, place).status_code == 404
        assert answer_to("host", people, method, place).status_code == 200


@pytest.mark.parametrize("name", ["submission", "submission_file", "submission_status"])
def test_a_file_of_another_competition_is_not_found_under_this_one(stage, name):
    _, sent, people = stage
    other = Competition.objects.get(slug="other")
    place = reverse(name, kwargs={"slug": other.slug, "uuid": sent.uuid})
    for role in ("member", "other_host", "staff"):
        assert answer_to(role, people, "get", place).status_code == 404


@pytest.mark.parametrize("name", ["submission", "submission_final", "host_waive"])
def test_an_unknown_file_looks_like_a_forbidden_one(stage, name):
    contest, sent, people = stage
    method = "get" if name == "submission" else "post"
    there = answer_to("rival", people, method, address(name, contest, sent))
    unknown = reverse(name, kwargs={"slug": contest.slug, "uuid": uuid.uuid4()})
    gone = answer_to("rival", people, method, unknown)
    assert there.status_code == gone.status_code == 404
    kept = [answer.content.replace(str(sent.uuid).encode(), b"") for answer in (there, gone)]
    assert len(kept[0]) == len(kept[1])


def test_the_status_of_somebody_signed_out_says_nothing(stage):
    contest, sent, people = stage
    there = answer_to("anonymous", people, "get", address("submission_status", contest, sent))
    unknown = reverse("submission_status", kwargs={"slug": contest.slug, "uuid": uuid.uuid4()})
    assert b"file.csv" not in there.content
    gone = answer_to("anonymous", people, "get", unknown)
    assert len(there.content) == len(gone.content)


def test_every_form_needs_its_token(stage):
    contest, sent, people = stage
    client = Client(enforce_csrf_checks=True)
    client.force_login(people["member"])
    for name in (
        "submit",
        "competition_join",
        "submission_final",
        "submission_withdraw",
        "team_invite",
        "team_join",
    ):
        answer = client.post(address(name, contest, sent))
        assert answer.status_code == 403, name
        assert b"Traceback" not in answer.content
