"""How sure a score is: standard errors, tests and differences between two files.

ROC AUC without weights has DeLong's closed formula. Everything else is resampled: rows are drawn
with replacement and all files of a comparison are scored on the same draws. Metrics that are
means or follow from counts are never recomputed from rows: their sums are resampled at once.
The random generator is passed in.
"""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from scoring.errors import Unscorable
from scoring.evaluate import columns, linked, rows_of, score
from scoring.metrics import Metric, get
from scoring.metrics.ranking import placements
from scoring.metrics.rows import Array, Rows, mean

_AREAS = {"roc_auc_score": 1.0, "gini": 2.0}
_CHUNK = 4_000_000
_MANY = 20_000
_BAYESIAN_DRAWS = 200


def standard_error(
    task: Any,
    metric: Metric | str,
    part: Any,
    predictions: Any,
    *,
    resamples: int = 1000,
    rng: np.random.Generator,
) -> float:
    """Standard deviation of the score over samples of rows like this part, in displayed units.

    DeLong for ROC AUC and Gini; else the bootstrap with `resamples` draws, and from 20,000 rows on
    the value that it tends to where the score is a mean. May be 0 (a constant file under ROC AUC):
    refusing that is for the caller. Raises Unscorable where the metric has no value.
    """
    metric = get(metric) if isinstance(metric, str) else metric
    rows = rows_of(task, part, predictions)
    score(metric, rows)
    if _has_delong(metric, rows):
        return _AREAS[metric.name] * math.sqrt(delong_covariance(rows)[0, 0])
    if metric.form == "mean" and rows.n >= _MANY:
        return float(influence(metric, rows).std() / math.sqrt(rows.n))
    return float(np.std(_resampled(metric, [rows], resamples, rng), ddof=1))


def paired_difference(
    task: Any, metric: Metric | str, part: Any, reference: Any, new: Any, rng: np.random.Generator
) -> tuple[float, float]:
    """How much better `new` scores than `reference`, and the standard deviation of that.

    In displayed units, larger is better. From per-row losses where the score is a mean, by DeLong
    for ROC AUC, else by a paired Bayesian bootstrap (Rubin 1981: exponential row weights).
    """
    metric = get(metric) if isinstance(metric, str) else metric
    pair = [rows_of(task, part, file) for file in (reference, new)]
    sign = 1.0 if metric.greater_is_better else -1.0
    old, fresh = (score(metric, rows) for rows in pair)
    difference = sign * (fresh - old)
    if _has_delong(metric, pair[0]):
        return difference, _AREAS[metric.name] * _delong_spread(*pair)
    if metric.form == "mean":
        pulls = influence(metric, pair[1]) - influence(metric, pair[0])
        return difference, float(pulls.std(ddof=min(1, len(pulls) - 1)) / math.sqrt(len(pulls)))
    drawn = _resampled(metric, pair, _BAYESIAN_DRAWS, rng, bayesian=True)
    return difference, float(np.std(drawn[:, 1] - drawn[:, 0], ddof=1))


def paired_test(
    task: Any,
    metric: Metric | str,
    part: Any,
    a: Any,
    b: Any,
    *,
    rng: np.random.Generator,
    resamples: int = 2000,
) -> float:
    """Two-sided p-value of "these two files are equally good", tested on the same rows.

    DeLong's normal test for ROC AUC; else the share of paired bootstrap draws on the other side of
    zero, doubled; never below 2/(resamples + 1).
    """
    metric = get(metric) if isinstance(metric, str) else metric
    pair = [rows_of(task, part, file) for file in (a, b)]
    first, second = (score(metric, rows) for rows in pair)
    if np.array_equal(pair[0].p, pair[1].p):
        return 1.0
    if _has_delong(metric, pair[0]):
        spread = _AREAS[metric.name] * _delong_spread(*pair)
        gap = abs(first - second)
        return math.erfc(gap / spread / math.sqrt(2)) if spread > 0 else float(gap == 0)
    drawn = _resampled(metric, pair, resamples, rng)
    gaps = drawn[:, 1] - drawn[:, 0]
    one_side = (1 + min((gaps <= 0).sum(), (gaps >= 0).sum())) / (len(gaps) + 1)
    return float(min(1.0, 2 * one_side))


def delong_covariance(*files: Rows) -> Array:
    """Covariance (files, files) of the ROC AUCs of several files on the same rows.

    Source: DeLong, DeLong and Clarke-Pearson 1988, with placements found by sorting (Sun and Xu
    2014). Needs two rows of either class.
    """
    above, below = zip(*(placements(rows) for rows in files), strict=True)
    return np.atleast_2d(np.cov(above)) / len(above[0]) + np.atleast_2d(np.cov(below)) / len(
        below[0]
    )


def influence(metric: Metric, rows: Rows) -> Array:
    """How much each row pulls on a score that is a mean: (n,), in displayed units.

    Its standard deviation over the square root of n is the standard error (delta method, which
    carries the root of RMSE and the weights of rows).
    """
    values = columns(metric.compute(rows))
    centre = mean(values, rows.weight)
    pulls = values - centre
    if metric.link == "root":
        pulls = np.divide(pulls, 2 * np.sqrt(centre), out=np.zeros_like(pulls), where=centre > 0)
    pulls = pulls.mean(axis=1)
    return pulls if rows.weight is None else pulls * rows.weight / rows.weight.mean()


def _has_delong(metric: Metric, rows: Rows) -> bool:
    if metric.name not in _AREAS or rows.weight is not None:
        return False
    positives = int((rows.y > 0).sum())
    return 2 <= positives <= rows.n - 2


def _delong_spread(first: Rows, second: Rows) -> float:
    """Standard deviation of the difference of two ROC AUCs on the same rows."""
    (a, c), (_, b) = delong_covariance(first, second)
    return math.sqrt(max(a + b - 2 * c, 0.0))


def _resampled(
    metric: Metric, files: list[Rows], draws: int, rng: np.random.Generator, bayesian: bool = False
) -> Array:
    """Scores (draws, files) on resampled rows, without the draws on which one is undefined."""
    with np.errstate(all="ignore"):
        if metric.form == "counts" and files[0].weight is None:
            scores = _from_cells(metric, files, draws, rng, bayesian)
        elif metric.form in ("mean", "tally"):
            scores = _from_sums(metric, files, draws, rng, bayesian)
        else:
            scores = _one_by_one(metric, files, draws, rng, bayesian)
    defined = np.isfinite(scores).all(axis=1)
    if defined.sum() < max(2, draws // 2):
        raise Unscorable(f"Too few rows to tell how sure {metric.title} is.")
    return scores[defined]


def _row_weights(n: int, draws: int, rng: np.random.Generator, bayesian: bool) -> Iterator[Array]:
    """Random weights of rows in chunks (some, n): how often each is drawn, or exponential."""
    step = max(1, _CHUNK // n)
    for start in range(0, draws, step):
        size = min(step, draws - start)
        if bayesian:
            yield rng.standard_exponential((size, n))
            continue
        drawn = rng.integers(0, n, size=(size, n), dtype=np.int64)
        drawn += np.arange(size)[:, None] * n
        yield np.bincount(drawn.ravel(), minlength=size * n).reshape(size, n).astype(float)


def _from_sums(
    metric: Metric, files: list[Rows], draws: int, rng: np.random.Generator, bayesian: bool
) -> Array:
    """Resample the sums of per-row statistics: one matrix product for all draws."""
    own = np.ones(files[0].n) if files[0].weight is None else files[0].weight
    if metric.form == "mean":
        statistics = [np.column_stack([columns(metric.compute(rows)), own]) for rows in files]
        for table in statistics:
            table[:, :-1] *= own[:, None]

        def combine(sums: Array) -> Array:
            return linked(metric, sums[:, :-1] / sums[:, -1:])

        combines = [combine] * len(files)
    else:
        tables, combines = zip(*(metric.compute(rows) for rows in files), strict=True)
        statistics = [table * own[:, None] for table in tables]
    chunks = []
    for weights in _row_weights(len(own), draws, rng, bayesian):
        scores = [
            combine(weights @ table) for table, combine in zip(statistics, combines, strict=True)
        ]
        chunks.append(np.column_stack(scores))
    return np.concatenate(chunks)


def _from_cells(
    metric: Metric, files: list[Rows], draws: int, rng: np.random.Generator, bayesian: bool
) -> Array:
    """Resample the counts of (truth, prediction, ...) cells, without going back to the rows."""
    k, n = files[0].classes, files[0].n
    cell = files[0].y.astype(np.int64)
    for rows in files:
        cell = cell * k + rows.p
    cells, sizes = np.unique(cell, return_counts=True)
    if bayesian:
        counts = rng.standard_gamma(sizes, size=(draws, len(sizes)))
    else:
        counts = rng.multinomial(n, sizes / n, size=draws).astype(float)
    truth = cells // k ** len(files)
    scores = []
    for place, rows in enumerate(files):
        predicted = cells // k ** (len(files) - 1 - place) % k
        matrix = np.zeros((len(cells), k * k))
        matrix[np.arange(len(cells)), truth * k + predicted] = 1.0
        scores.append(metric.compute((counts @ matrix).reshape(draws, k, k), rows.positive))
    return np.column_stack(scores)


def _one_by_one(
    metric: Metric, files: list[Rows], draws: int, rng: np.random.Generator, bayesian: bool
) -> Array:
    """Score every draw from its rows; an undefined draw is NaN.

    From _MANY rows on, as many are drawn and the scatter is scaled to all of them (the m out of n
    bootstrap of Bickel, Götze and van Zwet 1997), so that the time does not grow with the file.
    """
    n, drawn_rows = files[0].n, min(files[0].n, _MANY)
    scores = np.empty((draws, len(files)))
    for draw in range(draws):
        if bayesian and drawn_rows == n:
            weight = rng.standard_exponential(n)
            drawn = [rows.weighted(weight) for rows in files]
        else:
            index = rng.integers(0, n, size=drawn_rows)
            drawn = [rows.take(index) for rows in files]
        scores[draw] = [_score_or_nan(metric, rows) for rows in drawn]
    if drawn_rows == n:
        return scores
    centre = np.array([score(metric, rows) for rows in files])
    return centre + (scores - centre) * math.sqrt(drawn_rows / n)


def _score_or_nan(metric: Metric, rows: Rows) -> float:
    try:
        return score(metric, rows)
    except Unscorable:
        return math.nan
