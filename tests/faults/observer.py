"""What a fault test looks at and kills: the rows of a site's database and its processes."""

import contextlib
import os
import signal
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

from tests.site import Site

WORKER = "celery --app leaderboard worker"


def rows(site: Site, query: str) -> list[tuple]:
    """Read the site's database from outside, without any of its code."""
    with contextlib.closing(
        sqlite3.connect(f"file:{site.folder}/holdout.sqlite3?mode=ro", uri=True, timeout=20)
    ) as connection:
        return connection.execute(query).fetchall()


def wait_for(condition: Callable[[], object], seconds: float, site: Site, what: str):
    """Wait until a condition holds and return what it gave; fails with the site's logs."""
    end = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < end, f"{what} within {seconds} s\n{site.logs()}"
        time.sleep(0.01)
    return found


def scorers(site: Site) -> list[int]:
    """Process ids of the children in which the site's worker scores."""
    parents = site.children(WORKER)
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            with contextlib.suppress(OSError, IndexError):
                parent = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
                if parent in parents:
                    found.append(int(folder.name))
    return found


def kill(pids: list[int]) -> None:
    """SIGKILL: no handler runs, no file is closed, no message is acknowledged."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def assert_told_once(site: Site, files: int) -> None:
    """Every accepted file has one release, its numbers are sealed once, the ledger holds."""
    assert rows(site, "SELECT COUNT(*) FROM submissions_submission") == [(files,)]
    assert rows(site, "SELECT status, COUNT(*) FROM submissions_evaluation GROUP BY 1") == [
        ("scored", files)
    ]
    assert rows(site, "SELECT COUNT(*) FROM submissions_release") == [(files,)]
    scored = rows(site, "SELECT COUNT(*) FROM audit_ledgerentry WHERE kind = 'scored'")
    assert scored == [(files,)]
    assert "verifies" in site.manage("verify_ledger")
    assert "0 entries differ" in site.manage("rebuild_entries", "--check")
