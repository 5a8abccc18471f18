"""Warnings about a solution whose labels or split can be guessed from the order of the rows."""

import numpy as np

# A sentence appears by chance once in some fifteen thousand solutions.
STRONG = 4.0
FEWEST_ROWS = 30


def warnings(
    labels: np.ndarray, public: np.ndarray, numbers: np.ndarray | None, names: tuple[str, ...]
) -> tuple[str, ...]:
    """Sentences for the organiser; empty where nothing was found.

    labels: class index or first target of the rows that count, in file order; None for texts.
    public: whether each of them is Public. numbers: the ids where they are whole numbers.
    names: class names, for classes that a part lacks; empty where labels are no classes.
    """
    found = []
    n = len(public)
    if n >= FEWEST_ROWS:
        found += _orders("The split", public, n, numbers)
        if labels is not None:
            found += _orders("The labels", labels, n, numbers)
            if abs(_standardised(labels[public].mean(), labels, public)) > STRONG:
                found.append("The labels of the public and the private rows differ noticeably.")
    if labels is not None and names:
        for part, title in ((public, "public"), (~public, "private")):
            absent = sorted(set(range(len(names))) - set(np.unique(labels[part]).tolist()))
            if absent:
                shown = ", ".join(repr(names[place]) for place in absent[:5])
                found.append(f"The {title} part has no row of class {shown}.")
    return tuple(found)


def _orders(title: str, values: np.ndarray, n: int, numbers: np.ndarray | None) -> list[str]:
    found = []
    if abs(_correlation(values, np.arange(n))) * np.sqrt(n) > STRONG:
        found.append(f"{title} can be guessed from the order of the rows: shuffle the file.")
    elif abs(_run_score(values)) > STRONG:
        found.append(f"{title} can be guessed from the rows next to it: shuffle the file.")
    if numbers is not None and not found:
        ranks = np.argsort(np.argsort(numbers))
        if abs(_correlation(values, ranks)) * np.sqrt(n) > STRONG:
            found.append(f"{title} can be guessed from the ids: give the rows new ones.")
    return found


def _correlation(a: np.ndarray, b: np.ndarray) -> float:
    a, b = a - a.mean(dtype=float), b - b.mean(dtype=float)
    scale = np.sqrt((a * a).sum() * (b * b).sum())
    return float((a * b).sum() / scale) if scale > 0 else 0.0


def _run_score(values: np.ndarray) -> float:
    """How far neighbours are alike more (or less) often than by chance, in standard deviations."""
    n = len(values)
    middle = np.median(values)
    high = values > middle if (values > middle).any() else values >= middle
    ones = int(high.sum())
    zeros = n - ones
    if not ones or not zeros:
        return 0.0
    runs = 1 + int((high[1:] != high[:-1]).sum())
    expected = 2 * ones * zeros / n + 1
    variance = (expected - 1) * (expected - 2) / (n - 1)
    return (runs - expected) / np.sqrt(variance) if variance > 0 else 0.0


def _standardised(mean: float, values: np.ndarray, part: np.ndarray) -> float:
    """The difference of a part's mean from that of all rows, in standard deviations."""
    n, k = len(values), int(part.sum())
    if k in (0, n) or n < 2:
        return 0.0
    spread = values.var(ddof=1) * (1 / k - 1 / n)
    return float((mean - values.mean()) / np.sqrt(spread)) if spread > 0 else 0.0
