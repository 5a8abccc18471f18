"""How long from the POST of a file until its outcome stands in the database (E1).

    python -m tests.benchmarks.released [--files 100] [--rows 10000]

Starts a whole site on a temporary folder, sends files one after the other over HTTP, and looks at
the site's database every millisecond. Prints p50 and p95 of the answer to the POST and of the
release, and the parts of the road between them.
"""

import argparse
import contextlib
import sqlite3
import statistics
import tempfile
import time
from datetime import datetime
from pathlib import Path

from tests.faults.client import Client
from tests.site import Site, running_site

SETUP = """
from tests.leaderboard import factories
contest = factories.competition("contest", rows={rows}, daily_limit=10_000,
    task=factories.PROBABILITY, metric="roc_auc_score")
factories.team(contest, "alice")
result = 1
"""
NEWEST = """
SELECT e.status, s.accepted_at, e.started_at, e.finished_at, e.timings
FROM submissions_evaluation e JOIN submissions_submission s ON s.id = e.submission_id
WHERE s.number = ?
"""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=100)
    parser.add_argument("--rows", type=int, default=10_000)
    arguments = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as folder,
        running_site(Path(folder)) as site,
        contextlib.closing(
            sqlite3.connect(f"file:{folder}/holdout.sqlite3?mode=ro", uri=True)
        ) as db,
    ):
        site.python(SETUP.format(rows=arguments.rows))
        taken = [row for row in _send(site, db, arguments) if row]
    for name in taken[0]:
        values = sorted(row[name] for row in taken)
        middle, late = statistics.median(values), values[int(0.95 * (len(values) - 1))]
        print(f"{name:>22}  p50 {middle:7.1f} ms  p95 {late:7.1f} ms")


def _send(site: Site, db: sqlite3.Connection, arguments) -> list[dict[str, float]]:
    alice = Client(site.url).sign_in("alice")
    taken = []
    for number in range(1, arguments.files + 6):
        lines = [
            f"{row},{(row * 7919 + number * 104729) % 9973 / 9973:.6f}"
            for row in range(1, arguments.rows + 1)
        ]
        post = alice.prepared("contest", "\n".join(["id,label", *lines]).encode())
        begun = time.time()
        status, _ = post()
        answered = time.time()
        assert status == 201, status
        while (row := db.execute(NEWEST, (number,)).fetchone())[0] != "scored":
            assert row[0] in ("queued", "leased"), row
            time.sleep(0.001)
        released = time.time()
        accepted, started, finished = (_seconds(text) for text in row[1:4])
        taken.append(
            {
                "POST to answer": 1000 * (answered - begun),
                "POST to accepted": 1000 * (accepted - begun),
                "accepted to claimed": 1000 * (started - accepted),
                "claimed to finished": 1000 * (finished - started),
                "finished to visible": 1000 * (released - finished),
                "POST to released": 1000 * (released - begun),
            }
        )
    # The first files warm every process up.
    return taken[5:]


def _seconds(text: str) -> float:
    return datetime.fromisoformat(f"{text}+00:00").timestamp()


if __name__ == "__main__":
    main()
