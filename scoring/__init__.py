"""Holdout's scoring library: bytes, arrays and numbers in, numbers out.

It knows nothing of Django, queues, databases or the clock. Importing it costs nothing: each
public name is fetched from its module when first used, so that a web process which only needs
a Task or an error never loads numpy. Two functions share the name of their module and are taken
from there: scoring.evaluate.evaluate and scoring.digest.digest.
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
    "Ids": "ids",
    "Part": "parts",
    "Limits": "reading",
    "Predictions": "reading",
    "read": "reading",
    "Metric": "metrics",
    "get": "metrics",
    "all_metrics": "metrics",
    "check": "evaluate",
    "per_row": "evaluate",
    "perfect": "evaluate",
    "standard_error": "intervals",
    "paired_test": "intervals",
    "describe": "checks",
    "ReleaseSettings": "release",
    "preset": "release",
    "seal": "release",
    "step": "release",
    "commit": "commitments",
    "verify": "commitments",
}

__all__ = [
    "BadSettings",
    "BadSolution",
    "HoldoutError",
    "Ids",
    "Limits",
    "Metric",
    "Part",
    "Predictions",
    "Prepared",
    "Problem",
    "Refused",
    "ReleaseSettings",
    "Task",
    "Unscorable",
    "all_metrics",
    "artefact_bytes",
    "check",
    "commit",
    "describe",
    "get",
    "load_ids",
    "load_part",
    "paired_test",
    "per_row",
    "perfect",
    "prepare",
    "preset",
    "read",
    "seal",
    "split",
    "standard_error",
    "step",
    "verify",
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
