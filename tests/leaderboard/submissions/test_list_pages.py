"""My submissions as pages: list, notes, looks, choice, withdrawal, poll, CSV, plot, late files."""

import csv
import io
import re
from datetime import timedelta
from html import unescape

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from leaderboard.competitions import clock
from leaderboard.competitions.models import Competition
from leaderboard.submissions import closing, finals, looks
from leaderboard.submissions.models import (
    Evaluation,
    FinalChoice,
    FinalStanding,
    LateScore,
    Look,
    Submission,
    Withdrawal,
)
from tests.leaderboard import factories
from tests.leaderboard.submissions.test_listing import many

pytestmark = pytest.mark.db
HTMX = {"HX-Request": "true"}


@pytest.fixture
def contest():
    return factories.competition("c", daily_limit=100)


@pytest.fixture
def team(contest):
    return factories.team(contest, "alice", "bob")


@pytest.fixture
def alice(client, team):
    client.force_login(factories.user("alice"))
    return client


def at(name: str, *arguments) -> str:
    return reverse(name, args=("c", *arguments))


def text_of(client, name: str, *arguments, query: str = "", **options) -> str:
    return unescape(client.get(at(name, *arguments) + query, **options).content.decode())


# ---- the list ----


def test_search_filter_order_and_page_have_addresses_and_work_without_scripts(alice, team):
    for place in range(25):
        factories.upload(
            team, b"nothing", name=f"file{place}.csv", note=("even", "odd one")[place % 2]
        )
    text = text_of(alice, "submissions", query="?q=ODD+file&sort=oldest&show=waiting")
    shown = [int(part.split('"')[0]) for part in text.split('<tr id="file-')[1:]]
    assert shown == list(range(2, 25, 2))
    assert 'value="ODD file"' in text
    assert '<option value="oldest" selected>' in text
    assert '<option value="waiting" selected>Waiting or being scored, 12' in text
    assert 'href="?page=2"' in text_of(alice, "submissions")
    assert "page=2" not in text, "twelve files are one page"
    nothing = text_of(alice, "submissions", query="?q=<script>")
    assert "No file with “<script>” in its name, note or number." in nothing


def test_a_search_is_text(alice, team):
    factories.upload(team)
    raw = alice.get(at("submissions") + "?q=<script>alert(1)</script>").content
    assert b"<script>alert" not in raw


def test_a_thousand_files_take_as_many_queries_as_ten(alice, team):
    for _ in range(10):
        factories.upload(team, b"nothing", own_score=0.5)
    factories.score(team)
    counts = []
    for more in (0, 1000):
        many(team, more)
        taken = []
        for page in ("submissions", "submissions_final", "submissions_csv"):
            with CaptureQueriesContext(connection) as asked:
                alice.get(at(page))
            taken.append(len(asked))
        counts.append(taken)
    assert counts[0] == counts[1]
    assert max(counts[0]) <= 32


def test_stages_and_times_stand_in_the_details(alice, team):
    evaluation = factories.scored(team)
    Evaluation.objects.filter(pk=evaluation.pk).update(
        timings={"reading": 12.4, "checking": 3, "scoring": 1500},
        queued_at=clock.now() - timedelta(seconds=9),
        started_at=clock.now() - timedelta(seconds=8),
        finished_at=clock.now() - timedelta(seconds=4),
    )
    text = text_of(alice, "submissions")
    more = text[text.index('<div id="more-1"') :].split("</dl>")[0]
    for title, spent in (
        ("Waited", "1.0 s"),
        ("Reading", "12 ms"),
        ("Checking", "3 ms"),
        ("Scoring", "1.5 s"),
        ("In all", "5.0 s"),
    ):
        assert re.search(rf'<dt>{title}</dt><dd class="num">{spent}</dd>', more), (title, more)


# ---- notes and own scores ----


def write(client, sent, **fields):
    headers = fields.pop("headers", {})
    return client.post(at("submission_note", sent.uuid), fields, headers=headers)


def test_a_note_is_written_on_a_page_without_scripts(alice, team):
    sent = factories.upload(team, note="old", own_score=0.5)
    page = text_of(alice, "submission_note", sent.uuid, query="?back=%3Fshow%3Dscored")
    assert 'value="old"' in page
    assert 'value="0.5"' in page
    assert 'name="back" value="?show=scored"' in page
    answer = write(alice, sent, note="new\n<b>note</b>", own_score="0.75", back="?show=scored")
    assert (answer.status_code, answer["Location"]) == (303, at("submissions") + "?show=scored")
    sent.refresh_from_db()
    assert (sent.note, sent.own_score) == ("new <b>note</b>", 0.75)
    assert b"<b>note" not in alice.get(at("submissions")).content
    # Opened from the file's own page, it leads back there.
    assert 'name="back" value=""' in text_of(alice, "submission_note", sent.uuid)
    answer = write(alice, sent, note="", own_score="", back="")
    assert answer["Location"] == at("submission", sent.uuid)
    sent.refresh_from_db()
    assert (sent.note, sent.own_score) == ("", None)


def test_what_is_no_number_is_said_and_nothing_is_lost(alice, team):
    sent = factories.upload(team, note="old", own_score=0.5)
    for headers in ({}, HTMX):
        answer = write(alice, sent, note="a longer thought", own_score="0,7", headers=headers)
        text = unescape(answer.content.decode())
        assert answer.status_code == 422
        assert "Your own score is not a number." in text
        assert 'aria-invalid="true"' in text
        assert 'value="a longer thought"' in text
        assert 'value="0,7"' in text
        sent.refresh_from_db()
        assert (sent.note, sent.own_score) == ("old", 0.5)


def test_a_note_is_written_in_its_row_with_htmx(alice, team):
    sent = factories.upload(team, note="old")
    form = text_of(alice, "submission_note", sent.uuid, headers=HTMX)
    assert form.startswith('<form class="note-form" id="note-1"')
    assert "<html" not in form
    fields = {"note": "new", "own_score": "0.7", "back": "?page=2"}
    saved = write(alice, sent, headers=HTMX, **fields).content.decode()
    assert "?back=%3Fpage%3D2" in saved, "the list's page is kept"
    assert saved.startswith('<div class="xs muted" id="note-1">')
    assert "autofocus" in saved, "the focus stays in the row"
    assert (
        '<template><td class="num r" data-l="own score" id="own-1" hx-swap-oob="true">0.7' in saved
    )
    assert 'id="plot"' in saved
    assert 'id="said" hx-swap-oob="innerHTML">The note of submission 1 is saved.' in saved
    read = text_of(alice, "submission_note", sent.uuid, query="?read=1", headers=HTMX)
    assert "<form" not in read


def test_a_team_mate_may_note_and_nobody_else(contest, team):
    factories.team(contest, "charlie")
    sent = factories.upload(team)
    for name, status in (("bob", 303), ("charlie", 404), ("hana", 404), ("stella", 404)):
        client = Client()
        client.force_login(factories.user(name))
        assert write(client, sent, note=name, own_score="").status_code == status
    sent.refresh_from_db()
    assert sent.note == "bob"


def test_a_note_may_be_written_after_the_close_too(alice, contest, team):
    sent = factories.upload(team)
    factories.end(contest)
    assert write(alice, sent, note="after", own_score="1").status_code == 303
    assert Submission.objects.get().note == "after"


# ---- final choices ----


def test_the_page_of_final_files_takes_several_at_once(alice, team):
    files = [factories.scored(team, 0.6, seed=seed).submission for seed in range(3)]
    factories.scored(team, b"bad")
    text = text_of(alice, "submissions_final")
    assert "0 of 2 chosen." in text
    assert "now number 1 and number 3." in text or "now number 3 and number 2." in text
    assert text.count('name="final"') == 3, "a rejected file cannot be final"

    def post(final, had=()):
        uuids = {"final": [file.uuid for file in final], "had": [file.uuid for file in had]}
        return alice.post(at("submissions_final"), uuids)

    assert post(files[:2])["Location"] == at("submissions")
    text = text_of(alice, "submissions_final")
    assert "2 of 2 chosen." in text
    assert text.count(" checked>") == 2
    answer = post(files, had=files[:2])
    assert answer.status_code == 422
    text = answer.content.decode()
    assert "That makes 3 final files, and your team may have 2. Untick 1 more." in text
    assert text.count(" checked>") == 3, "what was ticked stays ticked"
    assert FinalChoice.objects.count() == 2
    assert post(files[2:], had=files[:2]).status_code == 303
    assert FinalChoice.objects.get().submission == files[2]


def test_a_foreign_or_made_up_file_is_not_found(alice, contest, team):
    rival = factories.scored(factories.team(contest, "charlie")).submission
    for wrong in (str(rival.uuid), "nonsense", ""):
        assert alice.post(at("submissions_final"), {"final": [wrong]}).status_code == 404
    assert not FinalChoice.objects.exists()


def test_a_full_choice_is_said_and_closes_the_other_boxes(alice, team):
    files = [factories.scored(team, 0.6, seed=seed).submission for seed in range(3)]
    for file in files[:2]:
        closing.choose(team, file, factories.user("bob"))
    text = text_of(alice, "submissions")
    assert "2 of 2 chosen for final." in text
    assert "To choose another, take one back first." in text
    assert text.count("disabled title=") == 1


def test_after_the_close_the_page_only_tells(alice, contest, team):
    factories.scored(team)
    factories.end(contest)
    text = text_of(alice, "submissions_final")
    assert "The choice is frozen since the close" in text
    assert 'type="checkbox"' not in text


# ---- withdrawing ----


def test_withdrawing_asks_first_and_keeps_the_record(alice, team):
    sent = factories.scored(team, note="mine").submission
    closing.choose(team, sent, factories.user("alice"))
    text = text_of(alice, "submission_withdraw", sent.uuid, query="?back=%3Fpage%3D2")
    for words in ("Withdraw submission 1?", "that choice ends", "stays in your list", "mine"):
        assert words in text
    assert not Withdrawal.objects.exists()
    answer = alice.post(at("submission_withdraw", sent.uuid), {"back": "?page=2"})
    assert answer["Location"] == at("submissions") + "?page=2"
    assert Withdrawal.objects.get().submission == sent
    text = text_of(alice, "submissions")
    assert '<tr id="file-1">' in text
    assert "Withdrawn</span>" in text
    assert "withdrawn already" in text_of(alice, "submission_withdraw", sent.uuid)


def test_nothing_is_withdrawn_after_the_close(alice, contest, team):
    sent = factories.scored(team).submission
    factories.end(contest)
    assert "Files can be withdrawn while" in text_of(alice, "submission_withdraw", sent.uuid)
    alice.post(at("submission_withdraw", sent.uuid))
    assert not Withdrawal.objects.exists()


# ---- looks ----


def test_looks_are_there_only_where_the_settings_give_them(alice, team):
    factories.scored(team)
    text = text_of(alice, "submissions")
    assert "looks left" not in text
    assert "Spend a look" not in text


def test_a_look_is_asked_for_waits_and_is_shown(client):
    contest = factories.competition("c", rule={"looks": 2})
    team = factories.team(contest, "alice")
    client.force_login(factories.user("alice"))
    sent = factories.scored(team).submission
    text = text_of(client, "submissions")
    assert "2 of 2</b> looks left" in text
    assert "Spend a look on file 1" in text
    answer = client.post(at("submission_look", sent.uuid), {"back": "?"})
    assert answer["Location"] == at("submissions")
    assert looks.left(team, contest) == 1
    text = text_of(client, "submissions")
    assert "look: being drawn" in text
    assert "Spend a look on" not in text
    assert 'hx-trigger="every 1s"' in text, "the list waits for the number"
    Look.objects.update(value=77, drawn_at=clock.now())
    poll = client.get(re.search(r'id="waiting" hx-get="([^"]+)"', text)[1])
    assert poll.status_code == 286
    assert "look 0.77" in poll.content.decode()


def test_a_refused_look_says_why(alice, team):
    sent = factories.scored(team).submission
    alice.post(at("submission_look", sent.uuid), {"back": "?"})
    assert not Look.objects.exists()
    assert 'class="note bad' in text_of(alice, "submissions")


# ---- live status ----


def polled(client, text: str):
    found = re.search(r'id="waiting" hx-get="([^"]+)"', text)
    return client.get(found[1], headers=HTMX) if found else None


def test_several_files_are_followed_by_one_poll(alice, team):
    factories.scored(team, 0.6)
    sent = [factories.upload(team, share) for share in (0.9, 0.61)]
    text = text_of(alice, "submissions")
    assert 'hx-trigger="every 500ms"' in text
    assert text.count('hx-trigger="every') == 1
    assert polled(alice, text).status_code == 204
    Evaluation.objects.filter(submission=sent[0]).update(status="leased", stage="checking")
    answer = polled(alice, text)
    assert answer.status_code == 200
    part = unescape(answer.content.decode())
    assert 'id="outcome-2" hx-swap-oob="true"' in part
    assert "Checking</span>" in part
    assert 'id="outcome-3"' not in part
    assert 'id="outcome-1"' not in part
    assert polled(alice, part).status_code == 204
    Evaluation.objects.filter(submission=sent[0]).update(status="queued", stage="")
    factories.score(team)
    answer = polled(alice, part)
    assert answer.status_code == 286
    part = unescape(answer.content.decode())
    assert "Submission 2: New score 0.90." in part
    assert "Submission 3: No new score." in part
    for name in (
        "outcome-2",
        "outcome-3",
        "score-2",
        "choose-2",
        "more-3",
        "sums",
    ):
        assert f'id="{name}" hx-swap-oob="true"' in part, name
    # The defaults moved: the row that lost its mark comes along, and the scale of all bands.
    assert 'id="choose-1"' in part
    assert "Submission 1" not in part.split('id="said"')[1]
    assert 'id="choice" role="status" hx-swap-oob="true"' in part
    assert 'id="plot" aria-labelledby="plot-h" hx-swap-oob="true"' in part
    assert 'id="band-1" hx-swap-oob="true"' in part
    assert 'hx-trigger="every' not in part
    assert 'hx-trigger="every' not in text_of(alice, "submissions")


def test_after_ten_seconds_the_list_asks_once_a_second(alice, team):
    factories.upload(team)
    text = text_of(alice, "submissions")
    Evaluation.objects.update(queued_at=clock.now() - timedelta(seconds=11))
    answer = polled(alice, text)
    assert answer.status_code == 200
    assert 'hx-trigger="every 1s"' in answer.content.decode()


@pytest.mark.parametrize("seen", ["", "x", "1.", "1.a,2.b,99999999999.c", "1." + "x" * 5000])
def test_a_poll_with_nonsense_is_answered(alice, team, seen):
    factories.upload(team)
    answer = alice.get(at("submissions_status"), {"seen": seen, "page": "-1"})
    assert answer.status_code in (200, 204, 286)


def test_a_poll_names_no_file_of_another_team(alice, contest, team):
    rival = factories.team(contest, "charlie")
    factories.upload(rival, name="secret.csv")
    factories.upload(team)
    answer = alice.get(at("submissions_status"), {"seen": "1.x,2.x"})
    assert b"secret.csv" not in answer.content
    assert str(rival.submissions.get().uuid).encode() not in answer.content


def test_who_signed_out_meanwhile_is_told_and_no_longer_asks(client, contest):
    answer = client.get(at("submissions_status") + "?seen=1.x", headers=HTMX)
    assert answer.status_code == 286
    assert "You are signed out." in answer.content.decode()


# ---- CSV ----


def sheet(client) -> list[dict]:
    answer = client.get(at("submissions_csv"))
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    assert answer["Content-Disposition"] == 'attachment; filename="c-my-submissions.csv"'
    assert "no-store" in answer["Cache-Control"]
    return list(csv.DictReader(io.StringIO(answer.content.decode("utf-8"), newline="")))


def test_the_csv_has_every_own_file_and_no_other(alice, contest, team):
    factories.scored(factories.team(contest, "charlie"), name="theirs.csv")
    factories.scored(team, 0.8, name="Größe.csv", note="=1+1", own_score=-0.5)
    factories.scored(team, b"bad", note='quote " and, comma')
    closing.choose(team, team.submissions.get(number=1), factories.user("alice"))
    first, second = sheet(alice)
    assert (first["file"], first["note"], first["own_score"]) == ("Größe.csv", "'=1+1", "-0.5")
    assert (first["score"], first["final"], first["outcome"]) == ("0.80", "chosen", "New score")
    assert first["reading_ms"]
    assert (second["number"], second["score"], second["final"]) == ("2", "", "")
    assert second["note"] == 'quote " and, comma'
    assert "It did not count." in second["remarks"]


@pytest.mark.parametrize("sign", list("=+-@\uff1d\uff0b\uff0d\uff20"))
def test_no_text_of_the_csv_is_a_formula(alice, team, sign):
    factories.upload(team, name=f"{sign}cmd.csv", note=f"{sign}HYPERLINK(1)")
    row = sheet(alice)[0]
    assert row["note"] == f"'{sign}HYPERLINK(1)"
    assert row["file"] == f"'{sign}cmd.csv"


# ---- after the reveal, and late files ----


def test_the_private_score_is_the_one_the_final_page_publishes(alice, contest, team):
    for share in (0.8, 0.7):
        factories.scored(team, share)
    factories.end(contest)
    finals.finalise(contest.pk)
    assert "private 0" not in text_of(alice, "submissions")
    assert all(row["private_score"] == "" for row in sheet(alice))
    contest.refresh_from_db()
    closing.reveal(contest, factories.user("hana"))
    board = text_of(alice, "leaderboard")
    standing = FinalStanding.objects.get(team=team)
    text = text_of(alice, "submissions")
    shown = re.findall(r"private ([0-9.]+)</span>", text)
    assert len(shown) == 1, "the other final file's score is published nowhere"
    assert shown[0] in board
    assert text.index(f'id="score-{standing.submission.number}"') < text.index("private 0")
    rows = {row["number"]: row["private_score"] for row in sheet(alice)}
    assert rows == {str(standing.submission.number): str(standing.score)} | {
        number: "" for number in rows if number != str(standing.submission.number)
    }


def test_a_disqualified_team_has_no_published_score(alice, contest, team):
    factories.scored(team, 0.8)
    factories.end(contest)
    finals.finalise(contest.pk)
    contest.refresh_from_db()
    closing.reveal(contest, factories.user("hana"))
    team.disqualified_at = clock.now()
    team.save()
    assert "private 0" not in text_of(alice, "submissions")


def test_late_files_have_a_list_of_their_own(alice, contest, team):
    factories.scored(team, 0.8)
    late = factories.scored(team, 0.7, name="late.csv")
    Competition.objects.filter(pk=contest.pk).update(late_files=True)
    Submission.objects.filter(pk=late.submission_id).update(late=True)
    Evaluation.objects.filter(pk=late.pk).update(late=True)
    LateScore.objects.create(evaluation=late, score=0.6875)
    text = text_of(alice, "submissions")
    assert "late.csv" not in text
    assert "In the competition, 1</a>" in text
    assert 'href="/c/c/submissions/?set=late">Late, 1</a>' in text
    text = text_of(alice, "submissions", query="?set=late")
    assert "late.csv" in text
    assert "Sent after the results were revealed." in text
    assert "Private score</th>" in text
    assert "0.6875" in text or "0.688" in text
    assert 'type="checkbox"' not in text
    assert [row["late_score"] for row in sheet(alice)] == ["", "0.6875"]


# ---- the plot ----


def test_the_plot_begins_with_what_to_do(alice, team):
    factories.scored(team)
    assert "Write your own score beside a file" in text_of(alice, "submissions")


def test_the_plot_has_points_rings_a_title_and_a_table(alice, team):
    factories.scored(team, 0.6, own_score=0.62)
    factories.scored(team, 0.8, own_score=0.79)
    factories.scored(team, 0.81, own_score=0.85)
    factories.scored(team, 0.9)
    text = text_of(alice, "submissions")
    panel = text[text.index('id="plot"') :].split("</section>")[0]
    assert panel.count('<circle class="d"') == 4, "two points, drawn wide and narrow"
    assert panel.count('<circle class="ring"') == 2
    assert 'role="img" aria-labelledby="plot-wide-t"' in panel
    assert "2 files have both numbers. From 6 on" in panel
    assert "File 2: own score 0.79, shown score 0.80" in panel
    assert "Your own score, better to the right" in panel
    assert re.search(r'<td class="num r">0.62</td><td class="num r">0.60</td>', panel)
    assert "style=" not in panel


def test_a_sealed_competition_has_no_plot(client):
    team = factories.team(factories.competition("c", rule={"rule": "sealed"}), "alice")
    client.force_login(factories.user("alice"))
    factories.scored(team, own_score=0.8)
    assert "nothing to compare your own scores with" in text_of(client, "submissions")


def test_the_page_of_a_file_leads_to_its_note_and_shows_the_own_score_to_the_team(alice, team):
    sent = factories.scored(team, own_score=0.8125).submission
    text = text_of(alice, "submission", sent.uuid)
    assert at("submission_note", sent.uuid) in text
    assert "0.8125" in text
    host = Client()
    host.force_login(factories.user("hana"))
    text = text_of(host, "submission", sent.uuid)
    assert "0.8125" not in text
    assert at("submission_note", sent.uuid) not in text
