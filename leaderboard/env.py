"""What the environment says: the only module that reads `os.environ` for the settings."""

import contextlib
import os
import re
import secrets
from itertools import zip_longest
from pathlib import Path
from urllib.parse import urlsplit

import dj_database_url
from django.core.exceptions import ImproperlyConfigured

TRUE, FALSE = {"1", "true", "yes", "on"}, {"0", "false", "no", "off", ""}
DATABASES = frozenset({"postgres", "postgresql", "pgsql", "sqlite"})
BROKERS = frozenset({"redis", "rediss", "unix"})


def text(name: str, default: str = "") -> str:
    """Return the variable, or the default where it is unset or empty."""
    return os.environ.get(name, "") or default


def flag(name: str, default: bool = False) -> bool:
    """Return a yes-or-no variable; anything but 1/0, true/false, yes/no, on/off is refused."""
    value = os.environ.get(name)
    if value is None:
        return default
    if value.strip().lower() in TRUE:
        return True
    if value.strip().lower() in FALSE:
        return False
    raise ImproperlyConfigured(f"{name} must be 1 or 0, not {value!r}.")


def number(name: str, default: int, least: int = 0) -> int:
    """Return a whole-number variable of at least `least`."""
    value = os.environ.get(name, "")
    if not value:
        return default
    if not value.strip().isdecimal() or int(value) < least:
        raise ImproperlyConfigured(
            f"{name} must be a whole number of at least {least}, not {value!r}."
        )
    return int(value)


def words(name: str, default: str = "") -> list[str]:
    """Return a comma-separated variable as a list without empty items."""
    return [word.strip() for word in text(name, default).split(",") if word.strip()]


def site_url(hosts: list[str], https: bool) -> str:
    """Return SITE_URL without a slash at its end, else the first of the allowed hosts."""
    host = next(iter(hosts), "localhost").lstrip(".")
    url = text("SITE_URL", f"http{'s' if https else ''}://{host}").rstrip("/")
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.query or parts.fragment:
        raise ImproperlyConfigured(
            f"SITE_URL must be an address such as https://holdout.example.org, not {url!r}."
        )
    return url


def openid_providers() -> list[dict]:
    """Return the OpenID Connect providers of OIDC_PROVIDERS and OIDC_<ID>_… as allauth wants them.

    Raises ImproperlyConfigured where a provider lacks something or its address is not safe.
    """
    found = []
    for provider in words("OIDC_PROVIDERS"):
        if not re.fullmatch("[a-z0-9]{1,30}", provider):
            raise ImproperlyConfigured(
                f"OIDC_PROVIDERS lists short names of letters a to z and digits, not {provider!r}."
            )
        start = f"OIDC_{provider.upper()}_"
        server, client = text(start + "SERVER"), text(start + "CLIENT_ID")
        if not server or not client:
            raise ImproperlyConfigured(
                f"OIDC_PROVIDERS names {provider}: set {start}SERVER and {start}CLIENT_ID too."
            )
        parts = urlsplit(server)
        if parts.scheme != "https" and parts.hostname not in {"127.0.0.1", "localhost", "::1"}:
            raise ImproperlyConfigured(f"{start}SERVER must begin with https://, not {server!r}.")
        found.append(
            {
                "provider_id": provider,
                "name": text(start + "NAME", provider.capitalize())[:40],
                "client_id": client,
                "secret": text(start + "CLIENT_SECRET"),
                "settings": {"server_url": server.rstrip("/"), "oauth_pkce_enabled": True},
            }
        )
    return found


def take_data_option(arguments: list[str]) -> None:
    """Set HOLDOUT_DATA from `--data DIR` or `--data=DIR` of `manage.py demo` and `up`."""
    if len(arguments) < 2 or arguments[1] not in {"demo", "up"}:
        return
    for argument, following in zip_longest(arguments, arguments[1:], fillvalue=""):
        if argument.startswith("--data="):
            os.environ["HOLDOUT_DATA"] = argument.partition("=")[2]
        elif argument == "--data" and not following.startswith("-"):
            # Where the folder was forgotten the next option is none; the parser says so.
            os.environ["HOLDOUT_DATA"] = following


def data_folder(base: Path) -> Path:
    """Return the folder of state and secrets, made with mode 0700 where it does not exist.

    Raises ImproperlyConfigured where it cannot be made or written.
    """
    folder = Path(text("HOLDOUT_DATA", str(base / ".holdout"))).expanduser().absolute()
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        # A try, not os.access: a read-only mount refuses root too, and access() may not know.
        probe = folder / f".probe-{os.getpid()}"
        probe.touch(mode=0o600)
        probe.unlink()
    except OSError as error:
        raise ImproperlyConfigured(
            f"The data folder {folder} cannot be written ({error.strerror}). "
            "Name another one with --data DIR or the variable HOLDOUT_DATA."
        ) from error
    return folder


def secret_key(folder: Path) -> str:
    """Return SECRET_KEY of the environment, else the one kept in the data folder (mode 0600)."""
    if os.environ.get("SECRET_KEY"):
        return os.environ["SECRET_KEY"]
    path = folder / "secret_key"
    if not path.exists():
        # Written whole under another name, then linked: of two processes that start together one
        # makes the key, and neither reads half of it.
        draft = folder / f".secret_key-{os.getpid()}-{secrets.token_hex(4)}"
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(secrets.token_urlsafe(64))
        with contextlib.suppress(FileExistsError):
            os.link(draft, path)
        draft.unlink()
    return path.read_text(encoding="ascii").strip()


def database(folder: Path) -> dict:
    """Return Django's description of DATABASE_URL, else of SQLite in the data folder."""
    url = text("DATABASE_URL")
    if url:
        found = _database_at(url)
    else:
        path = folder / "holdout.sqlite3"
        # Before SQLite makes it: the folder may be one that others can enter, and the files
        # beside it (-wal, -shm) take their mode from it.
        if not path.exists():
            path.touch(mode=0o600)
        found = {"ENGINE": "django.db.backends.sqlite3", "NAME": path}
    if found["ENGINE"].endswith("sqlite3"):
        found["OPTIONS"] = {
            "timeout": 20,
            # A transaction that will write waits for its turn instead of failing half-way.
            "transaction_mode": "IMMEDIATE",
            # FULL: a score that was told to somebody must survive a power cut.
            "init_command": "PRAGMA journal_mode=WAL;PRAGMA synchronous=FULL;",
        }
        found["CONN_MAX_AGE"] = 60
        # A file: threads and processes of a test share it as they do in earnest.
        found["TEST"] = {"NAME": str(folder / "test.sqlite3")}
    return found


def _database_at(url: str) -> dict:
    if urlsplit(url).scheme not in DATABASES:
        raise ImproperlyConfigured(
            "DATABASE_URL must begin with postgres:// or sqlite://: there is no other choice."
        )
    try:
        return dj_database_url.parse(url, conn_max_age=60, conn_health_checks=True)
    except ValueError as error:
        raise ImproperlyConfigured(f"DATABASE_URL cannot be read ({error}).") from error


def broker_url() -> str:
    """Return REDIS_URL in the form Celery wants: a unix socket is `redis+socket://`."""
    url = text("REDIS_URL", "redis://127.0.0.1:6379/0")
    if urlsplit(url).scheme not in BROKERS:
        raise ImproperlyConfigured(
            "REDIS_URL must begin with redis://, rediss:// or unix://, "
            "such as redis://127.0.0.1:6379/0."
        )
    if urlsplit(url).scheme == "unix":
        return "redis+socket" + url.removeprefix("unix")
    return url
