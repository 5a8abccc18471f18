"""The plan of the house: imports run one way, modules and functions stay small."""

import ast
from pathlib import Path

import pytest
from django.core.management import call_command

from tests.site import ROOT

# Each may import itself and what stands before it.
APPS = (
    "accounts",
    "audit",
    "competitions",
    "teams",
    "submissions",
    "standings",
    "hosting",
    "api",
)
# Inside submissions: the numeric half and the web half meet in the models only.
NUMERIC = {"grading", "tasks", "finals"}
FORBIDDEN_NAMES = {"utils", "helpers", "services", "managers", "common"}
FORBIDDEN_IN_SCORING = {"django", "celery", "redis", "leaderboard", "datetime", "sqlite3"}
MODULE_LINES, FUNCTION_LINES = 400, 60


def sources(*places: str) -> list[Path]:
    return [
        path
        for place in places
        for path in sorted((ROOT / place).rglob("*.py"))
        if "migrations" not in path.parts
    ]


def imported(tree: ast.Module) -> list[str]:
    """Return the dotted names that a module imports, wherever in it."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            found += [f"{node.module}.{alias.name}" for alias in node.names]
    return found


def backward(path: Path, text: str) -> list[str]:
    """Return the imports of a module of the site that run against the order."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    if parts[1] not in APPS:
        return []
    place = APPS.index(parts[1])
    return [
        name
        for name in imported(ast.parse(text))
        if name.startswith("leaderboard.")
        and (other := name.split(".")[1]) in APPS
        and APPS.index(other) > place
    ]


@pytest.mark.parametrize("path", sources("leaderboard"), ids=lambda path: str(path.name))
def test_imports_run_one_way(path):
    assert not backward(path, path.read_text(encoding="utf-8"))


def test_a_planted_backward_import_is_found():
    planted = "from leaderboard.standings import table\n"
    assert backward(ROOT / "leaderboard/teams/joining.py", planted)
    assert not backward(ROOT / "leaderboard/hosting/views.py", planted)


@pytest.mark.parametrize("path", sources("scoring"), ids=lambda path: str(path.name))
def test_scoring_knows_neither_the_site_nor_a_clock(path):
    names = {name.split(".")[0] for name in imported(ast.parse(path.read_text(encoding="utf-8")))}
    assert not names & FORBIDDEN_IN_SCORING
    wanted = imported(ast.parse(path.read_text(encoding="utf-8")))
    assert not any(name in {"time.time", "time"} for name in wanted), "scoring reads no clock"


def test_the_web_half_of_submissions_never_imports_the_numeric_half():
    for path in sources("leaderboard"):
        if path.stem in NUMERIC or path.stem == "tasks":
            continue
        for name in imported(ast.parse(path.read_text(encoding="utf-8"))):
            for module in NUMERIC:
                assert f"submissions.{module}" not in name, f"{path}: {name}"


@pytest.mark.parametrize("path", sources("leaderboard", "scoring"), ids=lambda path: path.name)
def test_modules_and_functions_stay_small(path):
    text = path.read_text(encoding="utf-8")
    assert text.count("\n") <= MODULE_LINES
    assert path.stem not in FORBIDDEN_NAMES
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = node.end_lineno - node.lineno + 1
            assert lines <= FUNCTION_LINES, f"{node.name} has {lines} lines"


@pytest.mark.parametrize("path", sources("leaderboard"), ids=lambda path: str(path.name))
def test_imports_stand_at_the_top(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            inner = [n for n in ast.walk(node) if isinstance(n, ast.Import | ast.ImportFrom)]
            assert not inner, f"{node.name} imports inside the function"


def test_the_top_level_holds_only_what_the_plan_names():
    wanted = {
        *("manage.py", "leaderboard", "scoring", "templates", "static", "tests"),
        *("requirements.txt", "docker-compose.yml", "README.md", "CONTRIBUTING.md", "LICENSE"),
        *("Dockerfile", "pyproject.toml", ".ci", ".gitignore"),
    }
    ignored = {".git", ".venv", ".holdout", ".pytest_cache", ".ruff_cache", ".hypothesis"}
    found = {path.name for path in ROOT.iterdir()} - ignored
    assert found - {"__pycache__", "staticfiles"} == wanted


@pytest.mark.django_db
def test_no_migration_is_missing():
    call_command("makemigrations", check=True, dry_run=True, verbosity=0)
