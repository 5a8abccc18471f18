"""No page, header, CSV or fragment holds a score that is nobody's to know yet.

The scores are rare numbers of eight digits; every address that a role can reach is read and
searched for them at every rounding of four digits or more.
"""

import re
from dataclasses import dataclass, field

import numpy as np
import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from leaderboard.accounts import tokens
from leaderboard.competitions.models import Competition
from leaderboard.submissions import closing, finals
from leaderboard.submissions.models import SealedScore, Submission
from scoring import answers, evaluate, reading
from scoring.task import Task
from tests.leaderboard import factories
from tests.test_permissions import TABLE, address

LINK = re.compile(r'(?:href|hx-get|action|src|data-url|data-status)="([^"#]+)')
# Names drawn by chance: four digits of one mean nothing.
UUID = re.compile("[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
DIGITS = range(4, 13)
# Names of bytes and files, whose digits are chance.
DIGEST = re.compile(r"\b[0-9a-f]{32,64}\b")
# What programs may ask for beside the plain address.
API_QUERIES = {
    "api_leaderboard": ("set=public", "set=final", "set=late", "rows=unscored", "page_size=100"),
    "api_submissions": ("show=scored", "show=final", "sort=score", "sort=own", "page_size=100"),
}
ROLES = ("anonymous", "alice", "charlie", "hana", "steffi")
# In units in which the exact scores have digits that appear nowhere by chance.
SCALE = {
    "tau": "200000",
    "sigma_compare": "0",
    "sigma_value": "0",
    "grid": "100000",
    "start": "9000000",
    "standard_error": 90_000.0,
}


@dataclass
class Stage:
    """A competition with two teams and the numbers that must not be seen."""

    contest: Competition
    files: list[Submission]
    public: list[float] = field(default_factory=list)
    private: list[float] = field(default_factory=list)


def stage(rule: str) -> Stage:
    options = SCALE | {"rule": rule} | ({"grid": "0.01", "tau": "0"} if rule == "exact" else {})
    contest = factories.competition(
        "contest",
        task=factories.NUMBERS,
        metric="root_mean_squared_error",
        rule=options,
    )
    rng = np.random.default_rng(5)
    made = Stage(contest, [])
    for name, middle in (("alice", 7_419_358.6), ("alice", 7_283_651.9), ("charlie", 8_137_462.3)):
        team = factories.team(contest, name)
        values = rng.normal(middle, 1_234_567.8, contest.test_rows)
        content = factories.csv(values, factories.NUMBERS)
        made.files.append(factories.scored(team, content).submission)
    solution = contest.solutions.get()
    home = settings.ANSWERS_DIR / solution.folder
    ids = answers.load_ids(home / "ids")
    task = Task.from_dict(contest.task)
    for sent in made.files:
        predictions = reading.read(settings.UPLOADS_DIR / sent.path, task, ids)
        for found, part in ((made.public, "public"), (made.private, "private")):
            part = answers.load_part(home / part, ids)
            found.append(evaluate.evaluate(task, contest.metric, part, predictions))
    kept = sorted(SealedScore.objects.values_list("exact", flat=True))
    assert kept == pytest.approx(sorted(made.public))
    return made


def forms(score: float) -> re.Pattern:
    """Match a number at every rounding of four digits or more, with or without commas."""
    texts = set()
    for digits in DIGITS:
        rounded = float(f"{score:.{digits}g}")
        for text in (f"{rounded:.{digits}g}", repr(rounded), f"{rounded:.0f}", f"{rounded:,.0f}"):
            texts.add(re.escape(text.removesuffix(".0")))
    # Cut off instead of rounded, and the significant digits in any other unit.
    bare = f"{score:.8e}".replace(".", "")
    texts |= {rf"{bare[0]}[.,]?{bare[1:digits]}" for digits in DIGITS}
    return re.compile(rf"(?<![0-9A-Za-z])(?:{'|'.join(sorted(texts))})")


def crawl(stage: Stage, role: str) -> dict[str, str]:
    """Return everything a role can read: address -> headers and body."""
    client, told = Client(), {}
    if role != "anonymous":
        person = factories.user(role, is_staff=role == "steffi")
        client.force_login(person)
        told = {"Authorization": f"Bearer {tokens.make(person, 'crawl')[1]}"}
    waiting = ["/", *(reverse("leaderboard", args=[stage.contest.slug]) + "?set=public",)]
    waiting += [address(name, stage.contest, sent) for name in TABLE for sent in stage.files]
    for name, queries in API_QUERIES.items():
        place = reverse(name, args=[stage.contest.slug])
        waiting += [f"{place}?{query}" for query in queries]
    found: dict[str, str] = {}
    while waiting:
        place = waiting.pop()
        if place in found or not place.startswith("/") or place.startswith("/static/"):
            continue
        # The API knows no session: there a role calls with its token.
        answer = client.get(place, headers=told if place.startswith("/api/") else {})
        body = b"".join(answer.streaming_content) if answer.streaming else answer.content
        for close in getattr(answer, "_resource_closers", ()):
            close()
        text = body.decode("utf-8", "replace")
        # How long a page is says nothing, and is a number of four digits.
        named = {name: value for name, value in answer.items() if name != "Content-Length"}
        headers = "\n".join(f"{name}: {value}" for name, value in named.items())
        # A team may read what it sent, and only that file holds its own numbers.
        whole = DIGEST.sub("", UUID.sub("", f"{headers}\n{text}"))
        own = place.endswith(("/file/", "/file")) or place.startswith("/api/kaggle/submissions/")
        found[place] = headers if own else whole
        base = place.split("?")[0]
        for link in LINK.findall(text):
            link = link.replace("&amp;", "&")
            waiting.append(base + link if link.startswith("?") else link)
    return found


def everything(stage: Stage, roles: tuple[str, ...] = ROLES) -> dict[str, str]:
    """Return what all roles together can read, by role and address."""
    return {f"{role} {place}": text for role in roles for place, text in crawl(stage, role).items()}


def places_with(texts: dict[str, str], scores: list[float]) -> dict[str, list[str]]:
    """Return where any of the scores stands, and how."""
    patterns = [forms(score) for score in scores]
    found = {}
    for place, text in texts.items():
        hits = [match.group() for pattern in patterns for match in pattern.finditer(text)]
        if hits:
            found[place] = hits
    return found


@pytest.mark.django_db
def test_a_gated_competition_shows_neither_exact_public_nor_private_scores():
    made = stage("gate")
    assert Submission.objects.filter(evaluations__release__outcome="released").exists()
    assert not places_with(everything(made), made.public + made.private)
    factories.end(made.contest)
    finals.finalise(made.contest.pk)
    made.contest.refresh_from_db()
    assert made.contest.finals_ready_at
    # The private scores exist now, and still nobody sees one: not the host, not the staff.
    assert not places_with(everything(made), made.public + made.private)
    closing.reveal(made.contest, factories.user("hana"))
    revealed = everything(made, roles=("anonymous",))
    assert places_with(revealed, made.private), "the search finds what is shown"
    assert not places_with(revealed, made.public)


@pytest.mark.django_db
def test_exact_scores_show_the_public_ones_and_no_private_one():
    made = stage("exact")
    texts = everything(made)
    assert any("leaderboard" in place for place in places_with(texts, made.public))
    assert not places_with(texts, made.private)


@pytest.mark.django_db
def test_a_sealed_competition_shows_no_score_before_the_close():
    made = stage("sealed")
    assert not places_with(everything(made), made.public + made.private)


@pytest.mark.parametrize("text", ["7.419e+06", "7419000", "7,419,359", "7419358.6", "0.7419"])
def test_the_search_knows_a_score_in_every_dress(text):
    pattern = forms(7_419_358.6321)
    assert pattern.search(f"<td>{text}</td>") or text == "0.7419"
    assert not pattern.search("<td>7400000</td> 97419358 a7419358")
