"""What a team may be called: like no other team, host or baseline, to the eye as to the letter."""

import unicodedata

import pytest
from django.db import IntegrityError, transaction

from leaderboard.audit.models import LedgerEntry
from leaderboard.competitions import clock
from leaderboard.competitions.models import Competition
from leaderboard.teams import joining, naming
from leaderboard.teams.models import Team
from tests.leaderboard import factories

pytestmark = pytest.mark.db
TWINS = (
    *("Night-Train", "NIGHT-TRAIN", "night-train ", " night-train", "night--train"),
    *("nıght-train", "nighт-train", "night-traіn", "ｎight-train", "night-trаin"),
    *("night\u200b-train", "night-train\u200d", "\u202enight-train", "night\u00ad-train"),
    *("night-tra1n", "n1ght-tra1n", "nlght-traln", "night‐train", "night‑train", "ηight-train"),
    *(
        "night-tr\u0430in",
        "nigh\u0442-train",
        "𝗇ight-train",
        "night-train\u0000",
        "ⓝight-train",
        "NIGHT-TRAlN",
    ),
    *("night\u2060-train", "n\u0456ght-tra\u0456n", "Night-Traın", "night-train\ufe0f"),
)


@pytest.fixture
def contest():
    return factories.competition()


def refused(team, name, by="alice") -> str:
    with pytest.raises(joining.Refusal) as refusal:
        naming.rename(team, name, factories.user(by))
    return refusal.value.code


def test_a_team_is_renamed_and_the_board_made_again(contest):
    team = factories.team(contest, "alice", "bob")
    before = Competition.objects.get().board_version
    made = naming.rename(team, "  Tail   Wind ", factories.user("alice"))
    assert made.name == Team.objects.get().name == "Tail Wind"
    assert Competition.objects.get().board_version == before + 1
    body = LedgerEntry.objects.get(kind="team renamed").payload.body
    assert (body["before"], body["after"], body["team"]) == ("alice", "Tail Wind", str(team.uuid))
    # The same name again changes nothing.
    naming.rename(team, "Tail Wind", factories.user("alice"))
    assert Competition.objects.get().board_version == before + 1
    # In other letters of the own name it is nobody else's.
    assert naming.rename(team, "tail wind", factories.user("alice")).name == "tail wind"


def test_no_team_can_pass_for_another(contest):
    factories.team(contest, "bob", name="night-train")
    team = factories.team(contest, "alice")
    assert len(TWINS) >= 30
    for twin in TWINS:
        assert refused(team, twin) in ("taken_name", "bad_name"), ascii(twin)
    assert Team.objects.get(pk=team.pk).name == "alice"


def test_names_of_all_scripts_are_names(contest):
    team = factories.team(contest, "alice")
    for name in ("Ночной поезд", "夜行列車", "Żółw 2", "rail_2.0", "قطار الليل"):
        assert naming.rename(team, name, factories.user("alice")).name == unicodedata.normalize(
            "NFKC", name
        )


def test_wrong_and_reserved_names_are_refused(contest):
    team = factories.team(contest, "alice")
    wrong = ("", "a", "x" * 41, "x" * 10_000, "a" + "\u0301" * 30 + "b", "123", "<b>bold</b>")
    for name in (*wrong, "admin", "Bаseline", "staff"):
        assert refused(team, name) == "bad_name", name
    for name in ("The Lab", "constant", "HANA"):
        assert refused(team, name) == "reserved_name", name


def test_another_competition_has_names_of_its_own(contest):
    factories.team(factories.competition(), "bob", name="night-train")
    team = factories.team(contest, "alice")
    assert naming.rename(team, "night-train", factories.user("alice"))


def test_the_owner_alone_renames_and_only_before_the_close(contest):
    team = factories.team(contest, "alice", "bob")
    assert refused(team, "wings", by="bob") == "owner_only"
    assert refused(team, "wings", by="charlie") == "not_member"
    factories.end(contest)
    assert refused(team, "wings") == "closed"
    Competition.objects.update(closes_at=clock.now().replace(year=2999))
    Team.objects.update(disqualified_at=clock.now())
    assert refused(team, "wings") == "disqualified"


def test_the_database_keeps_twins_out_too(contest):
    factories.team(contest, "alice", name="wing")
    with pytest.raises(IntegrityError), transaction.atomic():
        Team.objects.create(competition=contest, name="wlng", created_at=clock.now())


def test_who_joins_gets_a_name_that_is_free_to_the_eye(contest):
    factories.team(contest, "bob", name="ivan")
    assert factories.team(contest, "lvan").name == "lvan-2"
