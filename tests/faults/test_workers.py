"""Workers that die while they score: nothing is lost, nothing is told twice."""

import random
import time

import pytest

from tests.faults.client import Client
from tests.faults.observer import WORKER, assert_told_once, kill, rows, scorers, wait_for
from tests.leaderboard import factories

pytestmark = pytest.mark.faults
# Short limits in their right order: a dead worker's file is taken again after three seconds.
QUICK = {
    "SCORING_HARD_LIMIT": "3",
    "SCORING_LEASE": "4",
    "VISIBILITY_TIMEOUT": "8",
    "SWEEP_EVERY": "1",
}
BIG_ROWS = 200_000


def contest(site, slug: str, rows: int, *people: str) -> None:
    """Make a competition and its people in the site's own database."""
    teams = "".join(f"factories.team(c, {name!r})\n" for name in people)
    site.python(
        "from tests.leaderboard import factories\n"
        f"c = factories.competition({slug!r}, rows={rows}, daily_limit=100)\n"
        f"{teams}result = c.pk"
    )


def test_a_worker_killed_in_the_middle_of_scoring_loses_nothing_and_releases_once(own_site):
    site = own_site(**QUICK)
    contest(site, "big", BIG_ROWS, "alice")
    alice = Client(site.url).sign_in("alice")
    # Quoted fields take the slow road, so that there is a middle to kill in.
    values = factories.predictions(0.8, BIG_ROWS)
    lines = [f'"{row}","{("no", "yes")[value]}"' for row, value in enumerate(values, 1)]
    content = "\n".join(['"id","label"', *lines]).encode()
    status, answer = alice.send("big", content)
    assert (status, answer["number"]) == (201, 1)

    leased = "SELECT token FROM submissions_evaluation WHERE status = 'leased'"
    wait_for(lambda: rows(site, leased), 20, site, "the file was not taken")
    kill(scorers(site))
    assert rows(site, "SELECT COUNT(*) FROM submissions_release") == [(0,)]

    def scored():
        return rows(site, "SELECT attempts FROM submissions_evaluation WHERE status = 'scored'")

    assert wait_for(scored, 40, site, "the file was not scored again") == [(2,)]
    assert_told_once(site, 1)
    assert "New score" in alice.get(answer["location"])


def test_workers_killed_again_and_again_lose_nothing(own_site):
    site = own_site(**QUICK)
    people = [f"person{number}" for number in range(4)]
    contest(site, "small", 2000, *people)
    draw = random.Random(5)
    clients = [Client(site.url).sign_in(name) for name in people]
    sent = 0
    # Within one lease, so that no file can lose all of its three attempts.
    end = time.monotonic() + 3
    while time.monotonic() < end:
        for client in clients:
            content = factories.csv(factories.predictions(0.6 + sent / 1000, 2000, sent))
            assert client.send("small", content)[0] == 201
            sent += 1
        kill(draw.sample(scorers(site), 1))
    # At last the worker itself with all of its children: the supervisor starts it again.
    kill([*site.children(WORKER), *scorers(site)])

    def done():
        unfinished = "SELECT 1 FROM submissions_evaluation WHERE status IN ('queued', 'leased')"
        return not rows(site, unfinished)

    wait_for(done, 60, site, "files are left")
    assert sent >= 8
    assert_told_once(site, sent)


def test_a_file_that_never_ends_is_put_aside_and_the_next_one_is_scored(own_site):
    site = own_site(
        SCORING_HARD_LIMIT="1", SCORING_LEASE="2", VISIBILITY_TIMEOUT="5", SWEEP_EVERY="1"
    )
    # Two million quoted rows take the slow road for longer than a second anywhere.
    contest(site, "endless", 2_000_000, "alice")
    alice = Client(site.url).sign_in("alice")
    begins = "\n".join(['"id","label"', *(f'"{row}","yes"' for row in range(1, 1_000_001))])
    assert alice.send("endless", begins.encode())[0] == 201
    assert alice.send("endless", b"id,label\n")[0] == 201

    def states():
        query = "SELECT status, attempts FROM submissions_evaluation ORDER BY submission_id"
        found = rows(site, query)
        return found if found[1][0] == "rejected" else None

    found = wait_for(states, 40, site, "the second file was not reached")
    assert found[0] == ("needs_attention", 3)
    assert "verifies" in site.manage("verify_ledger")
    assert "failed on our side" in alice.get("/c/endless/submissions/").lower()
