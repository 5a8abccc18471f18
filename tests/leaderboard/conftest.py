"""What the site's tests share: a flush that may empty the ledger, and threads with real commits."""

import threading
from collections.abc import Callable

import pytest
from django.core.management.commands.flush import Command as Flush
from django.db import connections

from leaderboard.audit import triggers


@pytest.fixture(autouse=True, scope="session")
def _flush_empties_the_ledger():
    """Drop the ledger's triggers around the flush that ends a transactional test."""
    plain = Flush.handle

    def handle(self, **options):
        triggers.remove(options["database"])
        try:
            return plain(self, **options)
        finally:
            triggers.install(options["database"])

    Flush.handle = handle
    yield
    Flush.handle = plain


@pytest.fixture
def together() -> Callable[[Callable, int], list]:
    """Run a call in many threads that start at the same moment; returns results and errors."""

    def run(call: Callable, count: int) -> list:
        barrier, results = threading.Barrier(count), [None] * count

        def one(place: int) -> None:
            try:
                barrier.wait(20)
                results[place] = call(place)
            except Exception as error:
                results[place] = error
            finally:
                connections.close_all()

        threads = [threading.Thread(target=one, args=(place,)) for place in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        return results

    return run
