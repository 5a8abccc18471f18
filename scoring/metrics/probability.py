"""Metrics of predicted probabilities, per row."""

import numpy as np

from scoring.metrics.rows import Array, Rows


def log_loss(rows: Rows, clip: float) -> Array:
    """Minus the logarithm of the probability given to what happened, clipped to [clip, 1 - clip].

    One column: the probability that y is 1. Several: one column a class; rows are taken as they
    are, without dividing by their sum (the reader refuses a row that does not sum to 1).
    """
    if rows.p.ndim == 1:
        given = np.abs(rows.p - (rows.y == 0))
    else:
        # One position in all cells is found faster than a pair of them.
        given = rows.p.reshape(-1).take(np.arange(0, rows.p.size, rows.p.shape[1]) + rows.y)
    np.clip(given, clip, 1 - clip, out=given)
    np.log(given, out=given)
    return np.negative(given, out=given)


def brier(rows: Rows) -> Array:
    """Squared distance from the outcome: 0 to 1; with a column for each class summed, 0 to 2."""
    if rows.p.ndim == 1:
        return np.square(rows.p - rows.y)
    squares = np.square(rows.p).sum(axis=1)
    return squares - 2 * rows.p[np.arange(rows.n), rows.y] + 1


def log_loss_columns(rows: Rows, clip: float) -> Array:
    """Log loss of each of several columns against labels 0 and 1: (n, columns)."""
    given = np.where(rows.y == 1, rows.p, 1 - rows.p)
    losses = -np.log(np.clip(given, clip, 1 - clip))
    return np.where(np.isin(rows.y, (0, 1)), losses, np.nan)
