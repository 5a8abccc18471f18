"""Every call of the API: what it answers."""

from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from leaderboard.competitions import announcing, clock
from leaderboard.competitions.models import Competition
from leaderboard.submissions import closing, finals, tasks
from leaderboard.submissions.models import FileCheck, Look, Submission
from tests.leaderboard import factories
from tests.leaderboard.api.conftest import CONTENT


def upload(content: bytes | None = None, name: str = "model.csv") -> SimpleUploadedFile:
    if content is None:
        content = factories.csv(factories.predictions(0.9, seed=4))
    return SimpleUploadedFile(name, content, content_type="text/csv")


def test_the_list_of_competitions_says_state_and_whether_one_takes_part(stage):
    factories.competition("soon", opened_days_ago=-1)
    listed = stage.alice.get("competitions").json()
    assert [item["slug"] for item in listed["items"]] == ["contest", "soon"]
    assert listed["items"][0] | {"page": ""} == {
        "slug": "contest",
        "title": "Contest",
        "tagline": "",
        "organiser": "The lab",
        "state": "live",
        "opens_at": listed["items"][0]["opens_at"],
        "closes_at": listed["items"][0]["closes_at"],
        "metric": "accuracy_score",
        "greater_is_better": True,
        "teams": 2,
        "joined": True,
        "page": "",
    }
    assert (listed["page"], listed["pages"], listed["total"]) == (1, 1, 2)
    assert stage.nobody.get("competitions").json()["items"][0]["joined"] is False


@pytest.mark.parametrize(
    ("query", "slugs"),
    [
        ("state=live", ["contest"]),
        ("state=upcoming", ["soon"]),
        ("state=archived", []),
        ("q=LAB+cont", ["contest"]),
        ("joined=true", ["contest"]),
        ("page_size=1", ["contest"]),
        ("page_size=1&page=2", ["soon"]),
        ("page=3", []),
    ],
)
def test_the_list_of_competitions_is_filtered_and_paged(stage, query, slugs):
    factories.competition("soon", opened_days_ago=-1)
    found = stage.alice.get(f"competitions?{query}").json()
    assert [item["slug"] for item in found["items"]] == slugs


def test_a_draft_is_listed_for_its_hosts_only(stage):
    Competition.objects.filter(pk=stage.contest.pk).update(published_at=None)
    assert stage.hana.get("competitions").json()["items"][0]["state"] == "draft"
    for caller in (stage.nobody, stage.alice):
        assert caller.get("competitions").json()["items"] == []
        assert caller.get(stage.base).status_code == 404


def test_a_competition_is_told_as_its_pages_tell_it(stage):
    told = stage.alice.get(stage.base).json()
    assert told["file"] == {
        "header": "id,label",
        "rows": 400,
        "values": "no or yes",
        "kind": "label",
        "id_column": "id",
        "value_columns": ["label"],
        "classes": ["no", "yes"],
    }
    assert told["limits"]["files_a_day"] == 5
    assert told["limits"]["files_in_all"] == 40
    assert told["release"] | {"sentence": "", "resolution": 0} == {
        "version": 1,
        "preset": "custom",
        "rule": "gate",
        "title": told["release"]["title"],
        "sentence": "",
        "threshold": 0.05,
        "noise": 0.0,
        "grid": 0.01,
        "resolution": 0,
        "start_line": 0.5,
        "new_scores": 10,
        "looks": 2,
    }
    assert told["you"] == {
        "joined": True,
        "host": False,
        "may_join": False,
        "may_submit": True,
        "may_download": True,
        "team": "alice",
    }
    assert not any(stage.nobody.get(stage.base).json()["you"].values())


def test_data_files_are_listed_for_everybody_and_sent_to_those_who_joined(stage):
    (told,) = stage.nobody.get(f"{stage.base}/files").json()["items"]
    assert (told["name"], told["bytes"], told["columns"]) == (
        "train.csv",
        len(CONTENT),
        ["id", "label"],
    )
    place = told["address"].partition("/api/v1/")[2]
    answer = stage.alice.get(place)
    assert b"".join(answer.streaming_content) == CONTENT
    assert answer["Content-Disposition"] == 'attachment; filename="train.csv"'
    assert answer["ETag"] == f'"{told["sha256"]}"'
    part = stage.alice.get(place, Range="bytes=3-6", If_Range=answer["ETag"])
    assert (part.status_code, b"".join(part.streaming_content)) == (206, CONTENT[3:7])
    assert part["Content-Range"] == f"bytes 3-6/{len(CONTENT)}"
    assert stage.alice.get(place, If_None_Match=answer["ETag"]).status_code == 304
    beyond = stage.alice.get(place, Range="bytes=99999-")
    assert (beyond.status_code, beyond.json()["code"]) == (416, "no_such_range")
    assert beyond["Content-Range"] == f"bytes */{len(CONTENT)}"
    assert stage.stella.get(place).status_code == 404


def test_announcements_come_the_newest_first(stage):
    for title in ("First", "Second"):
        announcing.announce(stage.contest, stage.hana.person, title, "A *text*.")
    told = stage.nobody.get(f"{stage.base}/announcements?page_size=1").json()
    assert [item["title"] for item in told["items"]] == ["Second"]
    assert (told["pages"], told["total"]) == (2, 2)
    assert told["items"][0]["text"] == "A *text*."


def test_joining_accepts_the_rules_once(stage):
    refused = stage.stella.post(f"{stage.base}/join", {"accept_rules": False})
    assert refused.status_code == 422
    first = stage.stella.post(f"{stage.base}/join", {"accept_rules": True})
    again = stage.stella.post(f"{stage.base}/join", {"accept_rules": True})
    assert first.json() == again.json()
    assert first.json()["name"] == "stella"
    assert stage.hana.post(f"{stage.base}/join", {"accept_rules": True}).json()["code"] == "host"


def test_a_file_is_sent_followed_and_scored(stage):
    answer = stage.charlie.post(
        f"{stage.base}/submissions", {"file": upload(), "note": "tuned", "own_score": "0.83"}
    )
    told = answer.json()
    assert answer.status_code == 201, told
    place = answer["Location"].partition("/api/v1/")[2]
    assert (told["status"], told["finished"], told["score"]) == ("queued", False, None)
    assert (told["note"], told["own_score"], told["file_name"]) == ("tuned", 0.83, "model.csv")
    assert told["queue"]["position"] == 1
    assert answer["Retry-After"] == "1"
    assert stage.charlie.get(place)["Retry-After"] == "1"
    factories.score(stage.contest)
    done = stage.charlie.get(place)
    assert "Retry-After" not in done
    told = done.json()
    assert (told["status"], told["finished"], told["outcome"]) == ("scored", True, "released")
    assert told["score"] == 0.9
    assert told["sentence"] == "New score 0.90."
    assert told["final"] is True
    assert told["queue"] is None
    assert stage.alice.get(place).status_code == 404


def test_a_rejected_file_says_line_reason_and_cure(stage):
    answer = stage.charlie.post(
        f"{stage.base}/submissions", {"file": upload(b"id,label\n1,maybe\n")}
    )
    factories.score(stage.contest)
    told = stage.charlie.get(f"{stage.base}/submissions/{answer.json()['uuid']}").json()
    assert told["status"] == "rejected"
    assert {problem["code"] for problem in told["problems"]} == {"ids", "value"}
    assert all(problem["cure"] for problem in told["problems"])


def test_my_submissions_are_paged_filtered_and_my_teams_own(stage):
    factories.scored(stage.sent.team, 0.7, seed=3, name="worse.csv", note="a try")
    listed = stage.bob.get(f"{stage.base}/submissions").json()
    assert [item["number"] for item in listed["items"]] == [2, 1]
    assert [item["score"] for item in listed["items"]] == [None, 0.8]
    assert listed["items"][0]["sentence"].startswith("No new score.")
    for query, numbers in (
        ("show=new", [1]),
        ("show=none", [2]),
        ("q=try", [2]),
        ("sort=oldest", [1, 2]),
        ("page_size=1&page=2", [1]),
        ("page=9", []),
        ("late=true", []),
    ):
        found = stage.bob.get(f"{stage.base}/submissions?{query}").json()
        assert [item["number"] for item in found["items"]] == numbers, query
    assert stage.charlie.get(f"{stage.base}/submissions").json()["items"] == []
    assert stage.stella.get(f"{stage.base}/submissions").status_code == 404


def test_note_and_own_score_change_apart(stage):
    told = stage.bob("patch", stage.file, {"note": "kept"}).json()
    assert (told["note"], told["own_score"]) == ("kept", None)
    told = stage.alice("patch", stage.file, {"own_score": 0.5}).json()
    assert (told["note"], told["own_score"]) == ("kept", 0.5)
    told = stage.alice("patch", stage.file, {"own_score": None}).json()
    assert (told["note"], told["own_score"]) == ("kept", None)
    assert stage.charlie("patch", stage.file, {"note": "mine"}).status_code == 404
    # Hosts read the file's page, not what the team thinks of it.
    stage.alice("patch", stage.file, {"own_score": 0.5})
    assert stage.hana.get(stage.file).json()["own_score"] is None


def test_a_team_downloads_what_it_sent(stage):
    answer = stage.bob.get(f"{stage.file}/file")
    assert b"".join(answer.streaming_content).startswith(b"id,label\n")
    assert answer["ETag"] == f'"{stage.sent.sha256}"'
    for caller in (stage.charlie, stage.hana):
        assert caller.get(f"{stage.file}/file").status_code == 404
    Submission.objects.filter(pk=stage.sent.pk).update(path="gone/gone")
    assert stage.bob.get(f"{stage.file}/file").status_code == 404


def test_finals_are_chosen_and_taken_back(stage):
    other = factories.scored(stage.sent.team, 0.7, seed=3).submission
    for _ in range(2):
        assert stage.alice("put", f"{stage.file}/final").json()["chosen"] is True
    assert stage.bob("delete", f"{stage.file}/final").json()["chosen"] is False
    assert stage.charlie("put", f"{stage.file}/final").status_code == 404
    withdrawn = stage.alice.post(f"{stage.base}/submissions/{other.uuid}/withdraw").json()
    assert withdrawn["withdrawn"] is True
    refused = stage.alice("put", f"{stage.base}/submissions/{other.uuid}/final")
    assert (refused.status_code, refused.json()["code"]) == (409, "withdrawn")


def test_a_look_is_asked_for_drawn_and_counted(stage):
    asked = stage.alice.post(f"{stage.file}/look")
    assert asked.json() | {"asked_at": ""} == {
        "submission": str(stage.sent.uuid),
        "drawn": False,
        "value": None,
        "asked_at": "",
        "looks_left": 1,
    }
    assert asked["Retry-After"] == "1"
    tasks.draw_look(Look.objects.get().pk)
    told = stage.bob.get(f"{stage.file}/look").json()
    assert told["drawn"]
    assert isinstance(told["value"], float)
    assert stage.alice.get(stage.file).json()["look"] == told["value"]
    for caller in (stage.charlie, stage.hana):
        assert caller.get(f"{stage.file}/look").status_code == 404


def test_a_file_is_checked_without_a_submission(stage):
    answer = stage.alice.post(f"{stage.base}/checks", {"file": upload()})
    assert answer.status_code == 202
    place = answer["Location"].partition("/api/v1/")[2]
    assert answer.json()["finished"] is False
    tasks.check_file(FileCheck.objects.get().pk)
    told = stage.alice.get(place).json()
    assert (told["finished"], told["valid"], told["rows"]) == (True, True, 400)
    for caller in (stage.bob, stage.charlie, stage.hana):
        assert caller.get(place).status_code == 404
    assert Submission.objects.count() == 1
    sent = stage.alice.post(f"{place}/submit")
    again = stage.alice.post(f"{place}/submit")
    assert sent.status_code == again.status_code == 201
    assert sent.json()["uuid"] == again.json()["uuid"]
    assert Submission.objects.count() == 2


def test_the_board_is_what_the_page_shows(stage):
    told = stage.charlie.get(f"{stage.base}/leaderboard").json()
    assert (told["set"], told["names"], told["ranked"]) == ("public", "names", 1)
    row, mark = told["items"]
    assert (row["kind"], row["name"], row["score"]) == ("team", "alice", 0.8)
    assert (row["place"], row["rank_first"], row["rank_last"], row["members"]) == (1, 1, 1, 2)
    assert row["low"] < row["score"] < row["high"]
    assert (mark["kind"], mark["name"], mark["start_line"]) == ("baseline", "Constant", True)
    assert row["yours"] is False
    assert stage.bob.get(f"{stage.base}/leaderboard").json()["you"]["yours"] is True
    assert stage.nobody.get(f"{stage.base}/leaderboard?baselines=false").json()["total"] == 1
    page = stage.nobody.client.get(reverse("leaderboard", args=["contest"])).content.decode()
    assert "0.80" in page


def test_teams_without_a_score_are_listed_apart(stage):
    charlies = stage.contest.teams.get(name="charlie")
    factories.scored(charlies, 0.5)
    told = stage.charlie.get(f"{stage.base}/leaderboard?rows=unscored").json()
    (row,) = told["items"]
    assert (row["kind"], row["score"], row["place"], row["rank_first"]) == (
        "unscored",
        None,
        None,
        None,
    )
    assert told["unscored"] == 1
    # The own row stands beside whichever rows are listed.
    for caller, query in ((stage.charlie, "scored"), (stage.alice, "unscored")):
        told = caller.get(f"{stage.base}/leaderboard?rows={query}").json()
        assert (told["you"]["name"], told["your_page"]) == (caller.person.username, 1)
        assert told["you"]["name"] not in [row["name"] for row in told["items"]]


@pytest.mark.parametrize("mode", ["pseudonyms", "own_row"])
def test_hidden_names_stay_hidden(stage, mode):
    factories.scored(stage.contest.teams.get(name="charlie"), 0.9)
    Competition.objects.filter(pk=stage.contest.pk).update(board_names=mode)
    for caller, own in ((stage.nobody, None), (stage.bob, "alice")):
        text = caller.get(f"{stage.base}/leaderboard").content.decode()
        assert "charlie" not in text
        assert ("alice" in text) == (own is not None)
        assert "alice" not in stage.stella.get(f"{stage.base}/leaderboard?q=alice").content.decode()
    teams = stage.contest.teams.get(name="charlie").uuid
    public = stage.nobody.get(f"{stage.base}/teams/{teams}")
    assert public.status_code == (404 if mode == "own_row" else 200)
    if mode == "pseudonyms":
        assert public.json()["members"] is None
    host = stage.hana.get(f"{stage.base}/leaderboard").json()
    assert {row["name"] for row in host["items"]} >= {"alice", "charlie"}


def test_equal_scores_share_a_place(stage):
    factories.scored(stage.contest.teams.get(name="charlie"), 0.8, seed=9)
    rows = stage.charlie.get(f"{stage.base}/leaderboard").json()["items"]
    teams = [row for row in rows if row["kind"] == "team"]
    assert [(row["place"], row["rank_first"], row["rank_last"]) for row in teams] == [(1, 1, 2)] * 2
    assert [row["tied_with_you"] for row in teams] == [True, False]


def test_the_board_is_paged(stage):
    for number in range(3):
        factories.scored(factories.team(stage.contest, f"team{number}"), 0.9, seed=20 + number)
    first = stage.nobody.get(f"{stage.base}/leaderboard?page_size=2&baselines=false").json()
    rest = stage.nobody.get(f"{stage.base}/leaderboard?page_size=2&page=2&baselines=false").json()
    names = [row["name"] for row in first["items"] + rest["items"]]
    assert len(set(names)) == len(names) == first["total"] == 4
    beyond = stage.nobody.get(f"{stage.base}/leaderboard?page_size=2&page=3").json()
    assert (beyond["items"], beyond["page"], beyond["pages"]) == ([], 3, 2)


def test_the_final_ranking_opens_with_the_reveal(stage):
    factories.end(stage.contest)
    finals.finalise(stage.contest.pk)
    early = stage.alice.get(f"{stage.base}/leaderboard?set=final")
    assert (early.status_code, early.json()["code"]) == (409, "no_such_board")
    assert stage.alice.get(f"{stage.base}/leaderboard").json()["set"] == "public"
    stage.contest.refresh_from_db()
    closing.reveal(stage.contest, stage.hana.person)
    told = stage.alice.get(f"{stage.base}/leaderboard").json()
    assert (told["set"], told["version"]) == ("final", 1)
    row = told["items"][0]
    assert (row["kind"], row["name"], row["place"], row["public_score"]) == (
        "team",
        "alice",
        1,
        0.8,
    )
    assert row["score"] == pytest.approx(0.8)
    assert told["you"]["name"] == "alice"
    assert told["items"][1]["kind"] == "baseline"
    assert stage.alice.get(f"{stage.base}/leaderboard?set=public").json()["set"] == "public"
    assert stage.alice.get(f"{stage.base}/leaderboard?set=late").status_code == 409


def test_late_files_are_listed_apart(stage):
    factories.end(stage.contest)
    finals.finalise(stage.contest.pk)
    stage.contest.refresh_from_db()
    closing.reveal(stage.contest, stage.hana.person)
    Competition.objects.filter(pk=stage.contest.pk).update(late_files=True)
    sent = stage.charlie.post(f"{stage.base}/submissions", {"file": upload()})
    assert sent.status_code == 201, sent.json()
    factories.score(stage.contest)
    told = stage.charlie.get(f"{stage.base}/submissions/{sent.json()['uuid']}").json()
    assert (told["late"], told["score"], told["outcome"]) == (True, None, None)
    assert told["late_score"] == pytest.approx(0.9)
    # The total is of files that can be ranked: none of it binds a late one.
    Competition.objects.filter(pk=stage.contest.pk).update(total_limit=1)
    own = stage.alice.get(f"{stage.base}/team").json()["quota"]
    assert (own["left"], own["total_limit"]) == (4, None)
    assert stage.alice.get("me").json()["competitions"][0]["quota"] == own
    late = stage.nobody.get(f"{stage.base}/leaderboard?set=late").json()
    assert [(row["name"], row["files"]) for row in late["items"]] == [("charlie", 1)]


def test_the_own_team_with_what_is_left_of_today(stage):
    told = stage.bob.get(f"{stage.base}/team").json()
    assert [member["user_name"] for member in told["members"]] == ["alice", "bob"]
    assert told["quota"]["limit"] == 5
    assert (told["quota"]["used"], told["quota"]["left"]) == (1, 4)
    assert told["quota"]["resets_at"].endswith("T00:00:00Z")
    assert told["new_scores"] == {"used": 1, "limit": 10, "left": 9}
    assert (told["best"], told["rank_first"], told["rank_last"]) == (0.8, 1, 1)
    assert told["looks_left"] == 2
    assert stage.stella.get(f"{stage.base}/team").status_code == 404


def test_a_team_as_everybody_may_read_it(stage):
    told = stage.nobody.get(f"{stage.base}/teams/{stage.sent.team.uuid}").json()
    assert (told["name"], told["members"], told["score"]) == ("alice", ["alice", "bob"], 0.8)
    assert [step["score"] for step in told["reached"]] == [0.8]
    silent = stage.contest.teams.get(name="charlie").uuid
    assert stage.nobody.get(f"{stage.base}/teams/{silent}").status_code == 404
    assert stage.charlie.get(f"{stage.base}/teams/{silent}").status_code == 200


def test_me_says_who_calls_and_what_is_left(stage):
    told = stage.bob.get("me").json()
    assert told["user_name"] == "bob"
    (taking,) = told["competitions"]
    assert (taking["slug"], taking["team_name"], taking["quota"]["left"]) == ("contest", "alice", 4)
    assert stage.stella.get("me").json()["competitions"] == []


def test_what_was_read_is_not_sent_again(stage):
    first = stage.nobody.get(f"{stage.base}/leaderboard")
    again = stage.nobody.get(f"{stage.base}/leaderboard", If_None_Match=first["ETag"])
    assert (again.status_code, again.content) == (304, b"")
    factories.scored(stage.contest.teams.get(name="charlie"), 0.9)
    changed = stage.nobody.get(f"{stage.base}/leaderboard", If_None_Match=first["ETag"])
    assert changed.status_code == 200
    head = stage.nobody("head", f"{stage.base}/leaderboard")
    assert (head.status_code, head.content) == (200, b"")
    assert head["ETag"] == changed["ETag"]


def test_deadlines_are_those_of_the_pages(stage):
    Competition.objects.filter(pk=stage.contest.pk).update(
        closes_at=clock.now() - timedelta(seconds=1)
    )
    late = stage.alice.post(f"{stage.base}/submissions", {"file": upload()})
    assert (late.status_code, late.json()["code"]) == (403, "closed")
    assert stage.alice("put", f"{stage.file}/final").json()["code"] == "closed"
    assert stage.alice.post(f"{stage.file}/withdraw").json()["code"] == "closed"
    assert (
        stage.stella.post(f"{stage.base}/join", {"accept_rules": True}).json()["code"] == "closed"
    )
    assert Submission.objects.count() == 1
