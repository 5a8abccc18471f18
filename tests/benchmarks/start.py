"""How long the demo's first start takes: to Ready, and until every seeded file is scored.

    .venv/bin/python tests/benchmarks/start.py

Runs `manage.py demo` on an empty folder, as on a new machine after the installation. The scoring
time is the database's: from the start of the command to the last `finished_at`.
"""

import argparse
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.site import running_site

LAST = """
import time
from leaderboard.submissions.models import Evaluation
found = Evaluation.objects.all()
for _ in range(600):
    if not found.filter(status__in=("queued", "leased")).exists():
        break
    time.sleep(0.1)
last = found.order_by("-finished_at").first().finished_at
states = sorted(set(found.values_list("status", flat=True)))
result = [found.count(), last.timestamp(), states]
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=1)
    rounds = parser.parse_args().rounds
    for _ in range(rounds):
        with tempfile.TemporaryDirectory(prefix="holdout-start-") as folder:
            begun = datetime.now(UTC).timestamp()
            clock = time.monotonic()
            with running_site(Path(folder), command="demo") as site:
                ready = time.monotonic() - clock
                count, last, states = site.python(LAST)
        print(
            f"Ready after {ready:.1f} s; {count} seeded files {', '.join(states)} "
            f"after {last - begun:.1f} s."
        )


if __name__ == "__main__":
    main()
