"""Holdout's scoring library: bytes, arrays and numbers in, numbers out.

It knows nothing of Django, queues, databases or the clock. Importing it costs nothing: each
public name is fetched from its module when first used, so that a web process which only needs
a Task or an error never loads numpy.
"""

from importlib import import_module
from typing import Any

_HOMES = {
    "HoldoutError": "errors",
    "Problem": "errors",
    "Refused": "errors",
    "BadSolution": "errors",
    "Unscorable": "errors",
    "BadSettings": "errors",
    "Task": "task",
    "prepare": "answers",
    "split": "answers",
    "load_ids": "ids",
    "load_part": "parts",
    "artefact_bytes": "parts",
    "Prepared": "answers",
    "Limits": "reading",
    "Predictions": "reading",
    "read": "reading",
}

__all__ = [
    "BadSettings",
    "BadSolution",
    "HoldoutError",
    "Limits",
    "Predictions",
    "Prepared",
    "Problem",
    "Refused",
    "Task",
    "Unscorable",
    "artefact_bytes",
    "load_ids",
    "load_part",
    "prepare",
    "read",
    "split",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
