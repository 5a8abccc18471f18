"""The older accountant by Renyi divergences, for comparison (Mironov 2017)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scoring.leakage.curves import Curve

ORDERS = np.concatenate(
    [1 + np.arange(1, 100) / 10, np.arange(11, 64), 2.0 ** np.arange(6, 11), [1.01, 1.03, 1.05]]
)


def epsilon(
    events: Sequence[tuple[Curve, int]], delta: float, orders: np.ndarray = ORDERS
) -> float:
    """Return eps at delta by adding Renyi divergences and converting at the best order.

    The conversion is that of Canonne, Kamath and Steinke (2020), proposition 12.
    """
    if not events:
        return 0.0
    total = sum(count * curve.renyi(orders) for curve, count in events)
    rest = np.log1p(-1 / orders) - (np.log(delta) + np.log(orders)) / (orders - 1)
    return max(float(np.min(total + rest)), 0.0)
