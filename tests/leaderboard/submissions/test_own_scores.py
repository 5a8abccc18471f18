"""A team's own score: what is read, what is refused, and that nothing that decides looks at it."""

import ast
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from leaderboard.submissions import finals, own_scores
from leaderboard.submissions.models import (
    Entry,
    FinalStanding,
    Release,
    SealedScore,
    Submission,
)
from leaderboard.submissions.refusals import Refusal
from tests.leaderboard import factories
from tests.site import ROOT

# Who may name the field: its own module, what takes it in, and what shows it to its team.
MAY_NAME = {
    "leaderboard/submissions/models.py",
    "leaderboard/submissions/own_scores.py",
    "leaderboard/submissions/notes.py",
    "leaderboard/submissions/intake.py",
    "leaderboard/submissions/refusals.py",
    "leaderboard/submissions/listing.py",
    "leaderboard/submissions/plotting.py",
    "leaderboard/submissions/export.py",
    "leaderboard/submissions/checking.py",
    "leaderboard/submissions/check_views.py",
    "leaderboard/submissions/views.py",
    "leaderboard/submissions/list_views.py",
}


@pytest.mark.parametrize(
    ("given", "value"),
    [
        ("0.812", 0.812),
        (" .5 ", 0.5),
        ("-1.25e-3", -0.00125),
        ("\N{MINUS SIGN}3", -3.0),
        ("+2.", 2.0),
        (0.75, 0.75),
        (12, 12.0),
        ("", None),
        ("   ", None),
        (None, None),
    ],
)
def test_what_is_a_number(given, value):
    assert own_scores.parse(given) == value


@pytest.mark.parametrize(
    "given",
    ["0,812", "1 000", "nan", "inf", "-Infinity", "0x10", "1_000", "\N{ARABIC-INDIC DIGIT THREE}",
     "about 0.8", "1e16", "9" * 31, "=1+1", float("nan"), float("inf"), "1\n2"],
)  # fmt: skip
def test_what_is_none(given):
    with pytest.raises(Refusal) as refused:
        own_scores.parse(given)
    assert refused.value.status == 400
    assert "such as 0.812" in refused.value.sentence


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.812, "0.812"),
        (0.1 + 0.2, "0.3"),
        (-3.5, "\N{MINUS SIGN}3.5"),
        (2.0, "2"),
        (None, ""),
        (1234567.25, "1234567.25"),
    ],
)
def test_how_it_is_printed(value, text):
    assert own_scores.text(value) == text


@pytest.mark.db
def test_the_upload_form_takes_one_and_says_what_is_wrong_with_another(client):
    team = factories.team(factories.competition("c"), "alice")
    client.force_login(factories.user("alice"))
    address = reverse("submit", args=("c",))
    assert 'name="own_score"' in client.get(address).content.decode()

    def send(own_score):
        content = factories.csv(factories.predictions())
        file = factories.io.BytesIO(content)
        file.name = "file.csv"
        return client.post(address, {"file": file, "own_score": own_score})

    answer = send("0,8")
    assert answer.status_code == 400
    text = answer.content.decode()
    assert "Your own score is not a number." in text
    assert 'value="0,8"' in text
    assert not Submission.objects.exists()
    assert send("0.81").status_code == 303
    assert send("").status_code == 303
    kept = Submission.objects.filter(team=team).order_by("number")
    assert list(kept.values_list("own_score", flat=True)) == [0.81, None]


def told(contest) -> dict:
    """Everything that deciding wrote, but for what names the competition and its keys."""
    return {
        "releases": list(
            Release.objects.filter(evaluation__submission__competition=contest)
            .order_by("evaluation__submission__number")
            .values_list("outcome", "value", "previous", "repeated")
        ),
        "entries": list(
            Entry.objects.filter(competition=contest).values_list(
                "value", "reference", "used", "submissions"
            )
        ),
        "exact": list(
            SealedScore.objects.filter(solution__competition=contest)
            .order_by("pk")
            .values_list("exact", "exact_fine")
        ),
        "standings": list(
            FinalStanding.objects.filter(run__competition=contest).values_list(
                "place", "score", "public_place", "public_value", "files", "submission__number"
            )
        ),
        "board": Client()
        .get(reverse("leaderboard_csv", args=(contest.slug,)) + "?set=public")
        .content.split(b"\r\n")[1]
        # Without its two times and the team's id.
        .rsplit(b",", 3)[0],
    }


@pytest.mark.db
def test_no_outcome_entry_board_or_final_depends_on_it():
    found = []
    for slug, own in (("with", [0.99, -1e9, 0.01]), ("without", [None, None, None])):
        contest = factories.competition(slug)
        team = factories.team(contest, "alice", name="Team")
        for share, score in zip((0.7, 0.9, 0.8), own, strict=True):
            factories.scored(team, share, own_score=score)
        factories.end(contest)
        finals.finalise(contest.pk)
        found.append(told(contest))
    assert found[0]["releases"]
    assert found[0]["standings"]
    assert found[0] == found[1]


def named(path: Path) -> bool:
    """Whether a module's code names the field: as attribute, keyword, text or variable."""
    return any(
        "own_score" in str(value)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        for value in (
            getattr(node, "attr", ""),
            getattr(node, "arg", ""),
            getattr(node, "id", ""),
            getattr(node, "value", "") if isinstance(node, ast.Constant) else "",
        )
    )


def test_nothing_that_decides_names_it():
    for path in sorted((ROOT / "leaderboard").rglob("*.py")) + sorted(
        (ROOT / "scoring").rglob("*.py")
    ):
        place = path.relative_to(ROOT).as_posix()
        if "migrations" in path.parts or place.startswith("leaderboard/api/"):
            continue
        assert place in MAY_NAME or not named(path), place
    assert named(ROOT / "leaderboard/submissions/intake.py"), "the search finds what is there"
