"""The rows that a metric is computed on: labels and predictions side by side."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True, eq=False)
class Rows:
    """Labels `y` and predictions `p` of the same rows, aligned.

    y: class index (n,) for label and probabilities, 0/1 (n,) for probability, float64 (n,) or
    (n, targets) for number, str objects (n,) for text. p: class index (n,), float64 (n,) or (n, c),
    or str objects (n,). weight: float64 (n,), or None where all rows count alike.
    classes: number of classes K; positive: index of the class that counts as positive.
    """

    y: Array
    p: Array
    weight: Array | None = None
    classes: int = 2
    positive: int = 1

    @property
    def n(self) -> int:
        return len(self.y)

    def take(self, index: Array) -> "Rows":
        """The rows at these positions; a position may occur any number of times."""
        weight = None if self.weight is None else self.weight[index]
        return replace(self, y=self.y[index], p=self.p[index], weight=weight)

    def weighted(self, weight: Array) -> "Rows":
        """The same rows with these weights times their own."""
        return replace(self, weight=weight if self.weight is None else self.weight * weight)


def mean(values: Array, weight: Array | None) -> Array:
    """Weighted mean over the first axis, of at least one row and some weight."""
    return values.mean(axis=0) if weight is None else weight @ values / weight.sum()
