"""What the environment says: the only module that reads `os.environ` for the settings."""

import os
import secrets
from pathlib import Path
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

TRUE, FALSE = {"1", "true", "yes", "on"}, {"0", "false", "no", "off", ""}


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


def data_folder(base: Path) -> Path:
    """Return the folder of state and secrets, made with mode 0700 where it does not exist."""
    folder = Path(text("HOLDOUT_DATA", str(base / ".holdout"))).expanduser().resolve()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def secret_key(folder: Path) -> str:
    """Return SECRET_KEY of the environment, else the one kept in the data folder (mode 0600)."""
    if os.environ.get("SECRET_KEY"):
        return os.environ["SECRET_KEY"]
    path = folder / "secret_key"
    try:
        # O_EXCL: of two processes that start together one makes the key, the other reads it.
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path.read_text(encoding="ascii").strip()
    with os.fdopen(handle, "w", encoding="ascii") as file:
        file.write(secrets.token_urlsafe(64))
    return path.read_text(encoding="ascii").strip()


def broker_url() -> str:
    """Return REDIS_URL in the form Celery wants: a unix socket is `redis+socket://`."""
    url = text("REDIS_URL", "redis://127.0.0.1:6379/0")
    if urlsplit(url).scheme == "unix":
        return "redis+socket" + url.removeprefix("unix")
    return url
