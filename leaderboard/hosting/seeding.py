"""Fill a site with the demo: real data, sent through the same functions as any upload."""

import csv
import json
import os
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.contrib.auth import get_user_model
from django.db import transaction

from leaderboard.audit import ledger
from leaderboard.competitions import announcing, clock, folder, loading
from leaderboard.competitions.models import Competition
from leaderboard.submissions import closing, intake
from leaderboard.submissions.models import Evaluation, Status
from leaderboard.teams.joining import join, seat
from leaderboard.teams.models import Team

DEMO = Path(__file__).with_name("demo")
HOST, PARTICIPANTS = "hana", ("alice", "bob", "charlie")
# Teams of several: who is with the person the team is called after; they send in turn.
MATES = {
    "gradient-descenders": ("silty-creek", "tidal-bore"),
    "bag-of-trees": ("understory",),
    "runway-three": ("lee-wave", "tray-table"),
    "standby": ("night-bus",),
}
KEPT_AS = "demo-password"
WAIT_SECONDS = 120


@dataclass(frozen=True)
class Chapter:
    """A competition of the demo: its folder, whose entries it gets, and how far it is."""

    folder: str
    entries: str = ""
    without: frozenset[str] = frozenset()
    joined: tuple[str, ...] = ()
    revealed: bool = False


# The finished one first: it is scored and its finals are made while the others load.
CHAPTERS = (
    Chapter("flights-exact", entries="flights", revealed=True),
    Chapter(
        "flights",
        entries="flights",
        # It could only be made with exact scores, so it belongs where they were shown.
        without=frozenset({"the-climber"}),
        joined=PARTICIPANTS,
    ),
    Chapter("penguins-sex", entries="penguins-sex"),
    Chapter("penguins-mass", entries="penguins-mass"),
    Chapter("flights-calibrated"),
)


def seed(say: Callable[[str], None]) -> None:
    """Make what is not there yet; interrupted at any place, a second run goes on from it."""
    _people()
    now = clock.now()
    for chapter in CHAPTERS:
        slug = folder.read(DEMO / chapter.folder, now, DEMO).description["slug"]
        if not Competition.objects.filter(slug=slug).exists():
            sent = _tell(chapter)
            say(f"{slug}: {sent} files sent.")
    for chapter in CHAPTERS:
        if chapter.revealed:
            _reveal(chapter, now)


def password() -> str:
    """Return the password of the demo's people, kept in the data folder (mode 0600)."""
    path = settings.DATA_DIR / KEPT_AS
    if not path.exists():
        handle = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(f"demo-{secrets.token_hex(4)}")
    return path.read_text(encoding="ascii")


def _people() -> None:
    users = get_user_model().objects
    for name in (HOST, *PARTICIPANTS):
        if not users.filter(username=name).exists():
            users.create_user(name, f"{name}@example.org", password())


@transaction.atomic
def _tell(chapter: Chapter) -> int:
    """Load a competition, send its files and tell its news, all or nothing.

    A half-filled one could be closed.
    """
    competition, _ = loading.load(DEMO / chapter.folder, seeded=True, within=DEMO)
    for name in chapter.joined:
        user = get_user_model().objects.get(username=name)
        join(competition, user, competition.opens_at + timedelta(days=10))
    if not chapter.entries:
        return 0
    home = DEMO / chapter.entries
    with (home / "submissions.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["team"] not in chapter.without]
    rows.sort(key=lambda row: float(row["hours_after_start"]))
    for row in rows:
        _send(competition, home / "submissions" / row["file"], row)
    _announce(competition, DEMO / chapter.folder / "announcements.json")
    return len(rows)


def _announce(competition: Competition, path: Path) -> None:
    """Publish the host's announcements of a chapter, where it has any."""
    if not path.exists():
        return
    host = get_user_model().objects.get(username=HOST)
    for news in json.loads(path.read_text(encoding="utf-8")):
        at = competition.opens_at + timedelta(hours=news["hours_after_start"])
        announcing.announce(competition, host, news["title"], news["text"], at=at)


def _send(competition: Competition, path: Path, row: dict[str, str]) -> None:
    at = competition.opens_at + timedelta(hours=float(row["hours_after_start"]))
    team = join(competition, _seeded(row["team"]), at - timedelta(minutes=20))
    if not team.last_number:
        for name in MATES.get(row["team"], ()):
            _seat(team, _seeded(name), at - timedelta(minutes=10))
    people = [member.user for member in team.members.select_related("user").order_by("pk")]
    user = people[team.last_number % len(people)]
    with path.open("rb") as file:
        intake.submit(
            competition=competition,
            team=team,
            user=user,
            file=file,
            original_name=path.name.split("_", 1)[1],
            note=row["model"],
            accepted_at=at,
            seeded=True,
        )


def _seeded(name: str):
    """Return a person of the demo who cannot sign in."""
    user, made = get_user_model().objects.get_or_create(username=name)
    if made:
        user.set_unusable_password()
        user.save(update_fields=("password",))
    return user


def _seat(team: Team, user, at: datetime) -> None:
    """Put a person into a team as an accepted invitation does; the past has no invitation."""
    seat(team, user, at)
    body = {"team": team.uuid, "user": user.pk, "seeded": True}
    ledger.append("joined", team.competition.uuid, body, at)


def _reveal(chapter: Chapter, now) -> None:
    """Wait for the finals of a finished competition and reveal them; done already, do nothing."""
    slug = folder.read(DEMO / chapter.folder, now, DEMO).description["slug"]
    end = time.monotonic() + WAIT_SECONDS
    while time.monotonic() < end:
        competition = Competition.objects.get(slug=slug)
        if competition.finals_ready_at:
            closing.reveal(competition, get_user_model().objects.get(username=HOST))
            return
        time.sleep(0.2)
    left = Evaluation.objects.filter(
        submission__competition=competition, status__in=(Status.QUEUED, Status.LEASED)
    ).count()
    raise TimeoutError(f"{slug} was not scored within {WAIT_SECONDS} s; {left} files are waiting.")
