"""A whole site as an operator runs it: `manage.py up` with its own web, worker, beat and Redis."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


class Site:
    """A running site: its address, its folder, and its command line."""

    def __init__(self, folder: Path, environment: dict[str, str], command: str):
        self.folder = folder
        self.environment = environment
        self.command = command
        self.lines: list[str] = []
        self.url = ""
        self.process: subprocess.Popen | None = None

    def start(self, seconds: float = 90) -> None:
        """Start the site and wait until it says that it is ready."""
        self.url = ""
        self.process = subprocess.Popen(
            [sys.executable, "manage.py", self.command, "--port", "0", "--data", str(self.folder)],
            cwd=ROOT,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        threading.Thread(target=self._read, args=(self.process,), daemon=True).start()
        end = time.monotonic() + seconds
        while not self.url:
            if self.process.poll() is not None or time.monotonic() > end:
                self.stop()
                raise RuntimeError("the site did not start:\n" + "\n".join(self.lines))
            time.sleep(0.02)

    def _read(self, process: subprocess.Popen) -> None:
        # The pipe is closed under the loop when the site has stopped.
        with contextlib.suppress(ValueError):
            for line in process.stdout:
                self.lines.append(line.rstrip())
                if line.startswith("Ready at "):
                    self.url = line.split()[-1]

    def stop(self) -> int:
        """Ask the site to stop as Ctrl-C does, and return its exit code."""
        if self.process is None:
            return 0
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        code = self.process.wait(timeout=60)
        self.process.stdout.close()
        self.process = None
        return code

    def manage(self, *arguments: str, check: bool = True) -> str:
        """Run a command of manage.py on the site's data and return what it printed."""
        done = subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if check and done.returncode:
            raise RuntimeError(f"{arguments} failed:\n{done.stdout}\n{done.stderr}")
        return done.stdout

    def python(self, code: str):
        """Run code in the site's Django and return what it puts into `result` (JSON)."""
        tail = "\nimport json as _json\nprint('RESULT ' + _json.dumps(result, default=str))"
        printed = self.manage("shell", "--no-imports", "-c", code + tail)
        return json.loads(printed.rsplit("RESULT ", 1)[1])

    def children(self, name: str) -> list[int]:
        """Return the process ids of the supervisor's children whose command holds `name`."""
        found = []
        for folder in Path("/proc").iterdir():
            if not folder.name.isdecimal():
                continue
            with contextlib.suppress(OSError, IndexError):
                parent = (folder / "stat").read_text().rsplit(")", 1)[1].split()[1]
                command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
                if int(parent) == self.process.pid and name in command:
                    found.append(int(folder.name))
        return found

    def logs(self) -> str:
        """Return the end of every log, for the message of a failed test."""
        paths = sorted((self.folder / "logs").glob("*.log"))
        return "\n".join(
            f"--- {path.name}\n{path.read_text(errors='replace')[-4000:]}" for path in paths
        )


@contextlib.contextmanager
def running_site(folder: Path, *, command: str = "up", **variables: str) -> Iterator[Site]:
    """Run a site on a folder; `variables` are added to its environment."""
    folder.mkdir(parents=True, exist_ok=True)
    kept = ("PATH", "HOME", "LANG", "TMPDIR", "VIRTUAL_ENV")
    environment = {name: os.environ[name] for name in kept if name in os.environ}
    environment |= {"HOLDOUT_DATA": str(folder), "EMAIL_VERIFICATION": "none", "HTTPS": "0"}
    site = Site(folder, environment | variables, command)
    site.start()
    try:
        yield site
    finally:
        site.stop()
