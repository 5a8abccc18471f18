"""Time the leaderboard with many teams, against the least a page with a database can take.

    python -m tests.benchmarks.leaderboard [--teams 10000] [--repeat 30]

Uses a database of its own in a temporary folder, or the one of DATABASE_URL (which must be empty).
"""

import argparse
import os
import random
import statistics
import tempfile
import time
from datetime import timedelta

import django
from django.db import connection

PRINTED = "{:<44} {:>9.2f} ms {:>9.2f} ms"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--teams", type=int, default=10_000)
    parser.add_argument("--repeat", type=int, default=30)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"HOLDOUT_DATA": folder, "HTTPS": "0", "STATIC_FROM_SOURCE": "1"}
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")
        django.setup()
        _fill(asked.teams)
        _measure(asked.teams, asked.repeat)
        connection.close()


def _fill(count: int) -> None:
    # Models exist only after setup.
    from django.core.management import call_command

    from leaderboard.competitions.models import Competition
    from leaderboard.submissions.models import Entry
    from leaderboard.teams.models import Team
    from tests.leaderboard import factories

    call_command("migrate", verbosity=0)
    call_command("createcachetable")
    contest = factories.competition(slug="bench", rule={"grid": "0.001", "tau": "0.01"})
    factories.team(contest, "own")
    now, rng = contest.opens_at, random.Random(1)
    Team.objects.bulk_create(
        [
            Team(competition=contest, name=f"team {number}", created_at=now)
            for number in range(count - 1)
        ],
        batch_size=1000,
    )
    Entry.objects.bulk_create(
        [
            Entry(
                competition=contest,
                team=team,
                value=round(rng.betavariate(8, 3) * 450) + 500 if rng.random() < 0.9 else None,
                reached_at=now + timedelta(seconds=rng.randrange(800_000)),
                submissions=rng.randrange(1, 60),
                used=3,
                last_accepted_at=now + timedelta(seconds=rng.randrange(800_000)),
            )
            for team in Team.objects.filter(competition=contest)
        ],
        batch_size=1000,
    )
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    assert Competition.objects.count() == 1


def _measure(teams: int, repeat: int) -> None:
    from django.test import Client

    from leaderboard.competitions.access import Viewer
    from leaderboard.competitions.models import Competition
    from leaderboard.standings.table import board
    from leaderboard.submissions.models import Entry
    from leaderboard.teams.models import Member

    contest = Competition.objects.get()
    member = Member.objects.get()
    stranger, own = Client(HTTP_HOST="localhost"), Client(HTTP_HOST="localhost")
    own.force_login(member.user)
    part = {"HX-Request": "true"}
    address = "/c/bench/leaderboard/"
    viewer = Viewer(user_id=member.user_id, participant=True, team_id=member.team_id)
    hiding = Competition.objects.get()
    hiding.board_names = "pseudonyms"
    page = f"/c/bench/teams/{Entry.objects.filter(value__isnull=False).first().team.uuid}/"
    had = {"If-None-Match": stranger.get("/c/bench/leaderboard.json")["ETag"]}
    known = part | {"If-None-Match": stranger.get(address, headers=part)["ETag"]}

    def select_one():
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
            cursor.fetchone()

    cases = [
        ("SELECT 1", select_one),
        ("rules tab, whole page (for comparison)", lambda: stranger.get("/c/bench/rules/")),
        ("board(), page 1", lambda: board(contest)),
        ("board(), page 1, own team", lambda: board(contest, viewer)),
        ("board(), page 300", lambda: board(contest, page=300)),
        ("board(), search", lambda: board(contest, query="team 99")),
        ("board(), search by pseudonyms", lambda: board(hiding, query="K7")),
        ("leaderboard, whole page", lambda: stranger.get(address)),
        ("leaderboard, whole page, own team", lambda: own.get(address)),
        ("refresh of the table", lambda: stranger.get(address, headers=part)),
        ("refresh, not changed (304)", lambda: stranger.get(address, headers=known)),
        ("CSV of all teams", lambda: stranger.get("/c/bench/leaderboard.csv")),
        ("JSON of all teams", lambda: stranger.get("/c/bench/leaderboard.json")),
        ("JSON, not changed (304)", lambda: stranger.get("/c/bench/leaderboard.json", headers=had)),
        ("page of a team", lambda: stranger.get(page)),
        ("comparison of teams", lambda: stranger.get("/c/bench/leaderboard/compare/")),
        ("feed", lambda: stranger.get("/c/bench/feed.atom")),
    ]
    print(f"{teams} teams, {connection.vendor}, median of {repeat}: wall, processor")
    for name, act in cases:
        act()
        print(PRINTED.format(name, *_medians(act, repeat)))


def _medians(act, repeat: int) -> tuple[float, float]:
    """Time on the wall and of the processor; on a busy machine only the second means much."""
    walls, own = [], []
    for _ in range(repeat):
        wall, processor = time.perf_counter(), time.process_time()
        act()
        own.append(1000 * (time.process_time() - processor))
        walls.append(1000 * (time.perf_counter() - wall))
    return statistics.median(walls), statistics.median(own)


if __name__ == "__main__":
    main()
