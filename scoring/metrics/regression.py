"""Metrics of numbers. Several targets are scored one by one and averaged with equal weight."""

import numpy as np

from scoring.metrics.rows import Array, Rows, mean


def squared(rows: Rows) -> Array:
    return np.square(rows.p - rows.y)


def absolute(rows: Rows) -> Array:
    return np.abs(rows.p - rows.y)


def squared_log(rows: Rows) -> Array:
    return np.square(np.log1p(rows.p) - np.log1p(rows.y))


def _explained(rows: Rows, errors: Array) -> float:
    """1 - mean squared error / variance of the labels; NaN where a label column is constant."""
    spread = mean(np.square(rows.y - mean(rows.y, rows.weight)), rows.weight)
    lost = mean(np.square(errors), rows.weight)
    constant = (rows.y == rows.y[:1]).all(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.mean(np.where(constant, np.nan, 1 - lost / spread)))


def r2(rows: Rows) -> float:
    return _explained(rows, rows.y - rows.p)


def explained_variance(rows: Rows) -> float:
    errors = rows.y - rows.p
    return _explained(rows, errors - mean(errors, rows.weight))
