"""A progress bar for long studies, shown to a person at a terminal and to nobody else."""

import sys
from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")


def track(items: Iterable[T], *, label: str, total: int | None = None) -> Iterator[T]:
    """Yield the items, drawing a bar on standard error when that is a terminal."""
    if not sys.stderr.isatty():
        yield from items
        return
    from tqdm import tqdm  # lazy: only a person watching a terminal pays for the import

    yield from tqdm(items, desc=label, total=total, leave=False, file=sys.stderr)
