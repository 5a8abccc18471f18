"""Redis that is away, comes back, forgets, or hangs: uploads are taken, files are scored."""

import os
import signal
import time

import pytest
import redis

from tests.faults.client import Client
from tests.faults.observer import assert_told_once, rows, wait_for
from tests.faults.test_workers import QUICK, contest
from tests.leaderboard import factories
from tests.servers import redis_server

pytestmark = pytest.mark.faults


@pytest.fixture
def server():
    with redis_server() as running:
        yield running


@pytest.fixture
def site(own_site, server):
    return own_site(REDIS_URL=server.url, **QUICK)


def scored(site) -> int:
    return rows(site, "SELECT COUNT(*) FROM submissions_evaluation WHERE status = 'scored'")[0][0]


def send(client: Client, seed: int) -> float:
    """Send a file and return how long the answer took."""
    content = factories.csv(factories.predictions(0.7, 400, seed))
    begun = time.monotonic()
    status, _ = client.send("small", content)
    assert status == 201
    return time.monotonic() - begun


def test_uploads_are_taken_quickly_without_redis_and_scored_when_it_is_back(site, server):
    contest(site, "small", 400, "alice")
    alice = Client(site.url).sign_in("alice")
    send(alice, 0)
    wait_for(lambda: scored(site) == 1, 20, site, "the first file was not scored")

    server.stop()
    took = [send(alice, seed) for seed in range(1, 5)]
    assert max(took) < 2, took
    assert scored(site) == 1

    server.start()
    wait_for(lambda: scored(site) == 5, 40, site, "the files were not scored afterwards")
    # The threads' old connections are dead; the bell must be heard again all the same.
    for seed in range(5, 13):
        send(alice, seed)
    wait_for(lambda: scored(site) == 13, 20, site, "the bell is not heard any more")
    assert_told_once(site, 13)


def test_a_redis_that_hangs_does_not_hang_the_upload(site, server):
    contest(site, "small", 400, "alice")
    alice = Client(site.url).sign_in("alice")
    send(alice, 0)
    os.kill(server.process.pid, signal.SIGSTOP)
    try:
        assert send(alice, 1) < 2
    finally:
        os.kill(server.process.pid, signal.SIGCONT)
    wait_for(lambda: scored(site) == 2, 40, site, "the files were not scored afterwards")
    assert_told_once(site, 2)


def test_a_redis_that_forgot_everything_costs_a_moment(site, server):
    contest(site, "small", 400, "alice", "bob")
    clients = [Client(site.url).sign_in(name) for name in ("alice", "bob")]
    connection = redis.Redis.from_url(server.url)
    try:
        for seed in range(6):
            send(clients[seed % 2], seed)
            connection.flushall()
    finally:
        connection.close()
    wait_for(lambda: scored(site) == 6, 40, site, "the files were not scored")
    assert_told_once(site, 6)
