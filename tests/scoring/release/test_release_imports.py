"""A web process imports the release rules; the sampler never touches a float."""

import ast
import subprocess
import sys
from pathlib import Path

from scoring.release import noise


def test_the_rules_come_without_numpy():
    code = (
        "import sys, scoring.release, scoring.ranks, scoring.commitments;"
        "print(sorted(m for m in ('numpy', 'pandas', 'pyarrow', 'scipy') if m in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_sampler_has_no_float():
    tree = ast.parse(Path(noise.__file__).read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant):
            assert not isinstance(node.value, float)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id != "float"
        if isinstance(node, ast.Attribute) and getattr(node.value, "id", "") == "math":
            assert node.attr == "floor", "exact on fractions; anything else in math is a float"
        if isinstance(node, ast.Import):
            assert {alias.name for alias in node.names} <= {"hmac", "math"}
