"""Calls on all processors at once: numpy and pyarrow let other threads run while they compute."""

import os
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any

THREADS = min(4, os.cpu_count() or 1)


def spread(work: Callable[[Any], object], items: Iterable[Any]) -> None:
    """Call work on every item, a few at a time; the first exception ends it and is raised."""
    items = iter(items)
    first, second = next(items, None), next(items, None)
    if first is None:
        return
    if second is None:
        work(first)
        return
    # Imported here: it loads more than scoring a small file needs.
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(THREADS) as pool:
        running = deque([pool.submit(work, first), pool.submit(work, second)])
        try:
            for item in items:
                running.append(pool.submit(work, item))
                if len(running) > 2 * THREADS:
                    running.popleft().result()
            while running:
                running.popleft().result()
        finally:
            for future in running:
                future.cancel()
