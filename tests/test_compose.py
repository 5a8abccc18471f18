"""docker-compose.yml without an engine: read the file, start each service's command for real."""

import contextlib
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import time
import urllib.request

import pytest
import yaml

from tests.site import ROOT

GIVEN = {"SECRET_KEY": "compose-" + "x" * 50, "DB_PASSWORD": "only-for-this-test"}
VARIABLE = re.compile(r"\$\{(\w+)(?::([-?])([^}]*))?\}")


def fill(text: str, given: dict[str, str]) -> str:
    """Put variables in as compose does: ${NAME:-default}, ${NAME:?message}."""

    def value(match: re.Match) -> str:
        name, kind, rest = match.groups()
        if given.get(name):
            return given[name]
        assert kind == "-", f"{name} must be given: {rest}"
        return rest

    return VARIABLE.sub(value, text)


@pytest.fixture(scope="module")
def compose() -> dict:
    return yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))


@pytest.fixture
def environment(compose, postgresql_url, redis_url, tmp_path) -> dict[str, str]:
    """What the services get, with the addresses of the test's own servers."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    named = compose["services"]["web"]["environment"]
    filled = {name: fill(str(value), GIVEN | {"HTTPS": "0"}) for name, value in named.items()}
    local = {
        "DATABASE_URL": postgresql_url,
        "REDIS_URL": redis_url,
        "HOLDOUT_DATA": str(tmp_path / "data"),
        # The image has collected its static files; this checkout has not.
        "STATIC_FROM_SOURCE": "1",
    }
    assert set(local) - {"STATIC_FROM_SOURCE"} <= set(filled)
    return kept | filled | local


def started(command: list[str], environment: dict[str, str]) -> subprocess.Popen:
    return subprocess.Popen(
        command,
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def stopped(process: subprocess.Popen) -> str:
    """Stop a service as compose does (TERM), and return what it printed."""
    process.terminate()
    try:
        printed, _ = process.communicate(timeout=20)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        printed, _ = process.communicate()
        raise AssertionError("the service did not stop on TERM:\n" + printed) from None
    return printed


def ours(command: list[str]) -> list[str]:
    return [sys.executable if part == "python" else part for part in command]


def test_the_file_has_the_services_and_their_order(compose):
    services = compose["services"]
    assert set(services) == {"db", "redis", "migrate", "web", "worker", "beat"}
    for name in ("web", "worker", "beat", "migrate"):
        assert services[name]["image"] == "holdout"
        assert "migrate" in services[name]["depends_on"] or name == "migrate"
    assert "noeviction" in services["redis"]["command"]
    # The port is not open to the world before there is a proxy.
    assert services["web"]["ports"] == ["127.0.0.1:8000:8000"]
    for volume in ("db", "redis", "data"):
        assert volume in compose["volumes"]


def test_secrets_have_no_default(compose):
    text = (ROOT / "docker-compose.yml").read_text(encoding="utf-8")
    for name in GIVEN:
        assert f"${{{name}:?" in text
        assert f"${{{name}:-" not in text


def test_the_image_holds_what_the_commands_need():
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    copied = {
        part
        for line in text.splitlines()
        if line.startswith("COPY")
        for part in shlex.split(line)[1:-1]
    }
    assert {"manage.py", "requirements.txt", "scoring", "leaderboard", "templates"} <= copied
    for name in copied:
        assert (ROOT / name).exists(), name
    assert "USER holdout" in text


def test_each_service_of_ours_starts_on_real_servers(compose, environment):
    services = compose["services"]
    migrate = ours(services["migrate"]["command"])
    migrate[-1] = migrate[-1].replace("python ", shlex.quote(sys.executable) + " ")
    subprocess.run(migrate, cwd=ROOT, env=environment, check=True, capture_output=True)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    web = [
        part.replace("0.0.0.0:8000", f"127.0.0.1:{port}")
        for part in ours(services["web"]["command"])
    ]
    assert f"--bind=127.0.0.1:{port}" in web
    running = {
        "web": started(web, environment),
        "worker": started(ours(services["worker"]["command"]), environment),
        "beat": started(ours(services["beat"]["command"]), environment),
    }
    try:
        end = time.monotonic() + 40
        answer = None
        while answer is None and time.monotonic() < end:
            with contextlib.suppress(OSError):
                answer = urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=5)
            time.sleep(0.1)
        assert answer is not None, "the web service did not answer"
        with answer:
            assert answer.status == 200
        # The first sweep that beat sends and the worker runs takes a few seconds.
        time.sleep(max(0.0, 14 - (40 - (end - time.monotonic()))))
        for name, process in running.items():
            assert process.poll() is None, f"{name} ended: {process.communicate()[0]}"
    finally:
        printed = {name: stopped(process) for name, process in running.items()}
    assert "Sending due task sweep" in printed["beat"]
    assert "submissions.sweep" in printed["worker"]
    for name, text in printed.items():
        assert "Traceback" not in text, f"{name}:\n{text}"
