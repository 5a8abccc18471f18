"""The tests marked `db` once more, on a real PostgreSQL."""

import os
import subprocess
import sys

import pytest

from tests.site import ROOT


@pytest.mark.skipif("DATABASE_URL" in os.environ, reason="this run is on another database already")
def test_the_tests_marked_db_pass_on_postgresql(postgresql_url):
    """Run them in a pytest of their own: settings name one database a process."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-m", "db", "-q", "-p", "no:cacheprovider", "-n", "0"],
        cwd=ROOT,
        env=os.environ | {"DATABASE_URL": postgresql_url},
        capture_output=True,
        text=True,
        check=False,
    )
    print(done.stdout[-3000:])
    assert done.returncode == 0, done.stdout[-12_000:] + done.stderr[-2_000:]
    assert " passed" in done.stdout
