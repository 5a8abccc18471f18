"""A web process never loads what scoring needs, nor the tasks."""

import subprocess
import sys

from tests.site import ROOT

CODE = """
import sys
import leaderboard.wsgi
from django.urls import get_resolver
from leaderboard.submissions import closing, intake, outcomes, ringing

def visit(resolver):
    for pattern in resolver.url_patterns:
        if hasattr(pattern, "url_patterns"):
            visit(pattern)

visit(get_resolver())
ringing.score_next(1)
heavy = {"numpy", "pandas", "pyarrow", "scipy", "sklearn", "leaderboard.submissions.tasks",
         "leaderboard.submissions.grading", "leaderboard.submissions.finals"}
print(sorted(heavy & set(sys.modules)))
"""


def test_a_web_process_loads_nothing_numeric():
    done = subprocess.run(
        [sys.executable, "-c", CODE], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
