"""Which settings are certified: fixed sequence, Bonferroni, or both with half the error each."""

from __future__ import annotations

from collections.abc import Sequence


def fixed_sequence(p_values: Sequence[float], delta: float) -> list[int]:
    """Return the places certified from the first on, until one p-value exceeds delta.

    The order is fixed before the data are seen. No correction is needed, because the test stops.
    """
    certified = []
    for place, p in enumerate(p_values):
        if not p <= delta:
            break
        certified.append(place)
    return certified


def bonferroni(p_values: Sequence[float], delta: float) -> list[int]:
    """Return the places whose p-value is at most delta divided by their number."""
    return [place for place, p in enumerate(p_values) if p <= delta / len(p_values)]


def both(p_values: Sequence[float], delta: float) -> list[int]:
    """Return what either test certifies with delta / 2.

    A fixed sequence certifies nothing when the first setting fails by bad luck, and Bonferroni
    is weak for many settings; together they cost half the error each.
    """
    chosen = {*fixed_sequence(p_values, delta / 2), *bonferroni(p_values, delta / 2)}
    return sorted(chosen)


METHODS = {"fixed_sequence": fixed_sequence, "bonferroni": bonferroni, "both": both}


def share(delta: float, certificates: int) -> float:
    """Return the error each of several certificates may have so that all hold with delta."""
    if certificates < 1:
        raise ValueError("there is at least one certificate")
    return delta / certificates
