"""Who may open what: every address of the site x every role, for reading and for sending."""

import uuid

import pytest
from django.conf import settings
from django.db import transaction
from django.test import Client
from django.urls import URLResolver, get_resolver, reverse

from leaderboard.competitions import notices, store
from leaderboard.competitions.models import Competition, DataFile, Notice
from leaderboard.submissions import merging
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
READ_ONLY = (OPEN, NEVER)
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
    "submissions": ("in 404 200 200 404 404 404", "in 405 405 405 405 405 405"),
    "submission": ("in 404 200 404 200 404 200", "in 405 405 405 405 405 405"),
    # 286 stops the polling; to somebody signed out it says so and nothing else.
    "submission_status": ("286 404 286 404 286 404 286", NEVER),
    # The bytes are the team's own: not even hosts fetch them.
    "submission_file": ("in 404 200 404 404 404 404", "in 405 405 405 405 405 405"),
    "submission_final": ("in 405 405 405 405 405 405", TEAM_ACTS),
    "submission_withdraw": ("in 405 405 405 405 405 405", TEAM_ACTS),
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
        "competition_data_file": {"slug": slug, "name": "train.csv"},
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
    }
    if name in special:
        return reverse(name, kwargs=special[name])
    for arguments in ({}, {"slug": slug}, {"slug": slug, "uuid": sent.uuid}):
        try:
            return reverse(name, kwargs=arguments)
        except Exception:
            continue
    raise AssertionError(f"{name}: no arguments fit")


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
