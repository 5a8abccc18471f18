"""Rows to hold metrics to their laws: random and degenerate, for every kind of task."""

from functools import cache

import numpy as np

from scoring.canonical import round_in_place
from scoring.metrics.rows import Rows

CLASSES = ("ant", "bee", "cat", "dog")
WORDS = ["a", "the", "red", "green", "owl", "fox", "sat", "ran", "on", "mat,", "Bye.", "42", "été"]


def rng_of(*key):
    return np.random.default_rng(list(key))


def weights(rng, n):
    return rng.choice([0.25, 0.5, 1.0, 2.0, 3.5], size=n)


def label_cases():
    for seed in range(2):
        rng = rng_of(1, seed)
        for k in (2, 4):
            n = int(rng.integers(20, 200))
            y, p = rng.integers(0, k, n), rng.integers(0, k, n)
            p = np.where(rng.random(n) < 0.6, y, p)
            yield f"random {k} classes {seed}", labels(y, p, k)
            yield f"weighted {k} classes {seed}", labels(y, p, k, weights(rng, n))
    y = np.array([0, 1, 1, 2, 3, 0])
    yield "constant prediction", labels(y, np.zeros(6, int), 4)
    yield "class never predicted", labels(y, np.array([0, 1, 1, 2, 2, 1]), 4)
    yield "class absent from labels", labels(np.array([0, 1, 1, 0]), np.array([0, 1, 3, 2]), 4)
    yield "all wrong", labels(np.array([0, 1, 0, 1]), np.array([1, 0, 1, 0]), 2)
    yield "one class, right", labels(np.ones(5, int), np.ones(5, int), 2)
    yield "one class, mixed", labels(np.ones(5, int), np.array([0, 1, 1, 0, 1]), 2)
    yield "no positive", labels(np.zeros(5, int), np.array([0, 1, 1, 0, 1]), 2)
    yield "one row", labels(np.array([1]), np.array([1]), 2)


def labels(y, p, k, weight=None):
    return Rows(y.astype(np.int32), p.astype(np.int32), weight, classes=k)


def probability_cases():
    for seed in range(2):
        rng = rng_of(2, seed)
        n = int(rng.integers(20, 300))
        y = (rng.random(n) < rng.choice([0.1, 0.5, 0.8])).astype(np.int32)
        y[:2] = 0, 1
        p = round_in_place(np.clip(0.3 * y + 0.7 * rng.random(n), 0, 1))
        yield f"random {seed}", Rows(y, p)
        yield f"ties {seed}", Rows(y, np.round(p, 1))
        yield f"weighted {seed}", Rows(y, p, weights(rng, n))
        yield f"weighted ties {seed}", Rows(y, np.round(p, 1), weights(rng, n))
        yield f"hard {seed}", Rows(y, np.round(p))
    y = np.array([0, 1, 1, 0, 1], np.int32)
    yield "constant", Rows(y, np.full(5, 0.25))
    yield "extreme", Rows(y, np.array([1e-300, 1.0, 1e-12, 0.999999, 0.0]))
    yield "upside down", Rows(y, 1.0 - y)
    yield "only positives", Rows(np.ones(4, np.int32), np.array([0.1, 0.4, 0.4, 1.0]))
    yield "only negatives", Rows(np.zeros(4, np.int32), np.array([0.1, 0.4, 0.4, 1.0]))
    yield "one row", Rows(np.ones(1, np.int32), np.array([0.7]))


def probabilities_cases():
    for seed in range(3):
        rng = rng_of(3, seed)
        n, k = int(rng.integers(30, 150)), 4
        y = rng.integers(0, k, n).astype(np.int32)
        y[:k] = np.arange(k)
        p = rng.dirichlet(np.ones(k), n) + 0.2 * np.eye(k)[y]
        p /= p.sum(1, keepdims=True)
        coarse = np.eye(k)[p.argmax(1)] * 0.25 + 0.75 / k
        yield f"random {seed}", Rows(y, p, classes=k)
        yield f"weighted {seed}", Rows(y, p, weights(rng, n), classes=k)
        yield f"ties {seed}", Rows(y, coarse, classes=k)
        yield f"hard {seed}", Rows(y, np.eye(k)[p.argmax(1)], classes=k)
    y = np.array([0, 1, 2, 3, 1, 0], np.int32)
    yield "constant", Rows(y, np.full((6, 4), 0.25), classes=4)
    yield "class missing", Rows(np.minimum(y, 2), np.full((6, 4), 0.25), classes=4)
    yield "one row", Rows(y[:1], np.array([[0.7, 0.1, 0.1, 0.1]]), classes=4)


def number_cases():
    for seed in range(2):
        rng = rng_of(4, seed)
        n = int(rng.integers(20, 200))
        y = rng.gamma(2.0, 10.0, n)
        p = np.abs(y + rng.normal(0, 5, n))
        yield f"random {seed}", Rows(y, p)
        yield f"ties {seed}", Rows(np.round(y, -1), np.round(p, -1))
        yield f"weighted {seed}", Rows(y, p, weights(rng, n))
        yield f"weighted ties {seed}", Rows(np.round(y, -1), np.round(p, -1), weights(rng, n))
        yield f"offset {seed}", Rows(y + 1e6, p + 1e6)
        more = np.column_stack([y, rng.permutation(y), 100 * y])
        yield f"targets {seed}", Rows(more, more + rng.random(more.shape))
        yield f"weighted targets {seed}", Rows(more, more * 0.9, weights(rng, n))
    y = np.array([0.0, 1.0, 2.0, 5.0])
    yield "constant prediction", Rows(y, np.full(4, 2.0))
    yield "constant label", Rows(np.full(4, 2.0), y)
    yield "constant column", Rows(np.column_stack([y, np.ones(4)]), np.column_stack([y, y]))
    yield "zeros", Rows(np.array([0.0, 0.0, 3.0]), np.array([0.0, 2.0, 3.5]))
    yield "large", Rows(y * 1e9, y[::-1] * 1e9)
    yield "small", Rows(y * 1e-9, (y + 1) * 1e-9)
    yield "one row", Rows(np.array([3.0]), np.array([4.0]))


def columns_cases():
    """Several questions, each answered by a probability."""
    for seed in range(3):
        rng = rng_of(5, seed)
        y = (rng.random((60, 3)) < 0.4).astype(float)
        p = round_in_place(np.clip(0.2 * y + 0.8 * rng.random(y.shape), 0, 1))
        yield f"random {seed}", Rows(y, p)
        yield f"weighted {seed}", Rows(y, p, weights(rng, 60))
        yield f"ties {seed}", Rows(y, np.round(p, 1))
    yield "other labels", Rows(y + 0.5, p)
    yield "one class in a column", Rows(y * [1, 1, 0], p)


def sentence(rng, least=1):
    return " ".join(rng.choice(WORDS, size=rng.integers(least, 9)))


def text_cases():
    for seed in range(3):
        rng = rng_of(6, seed)
        y = [sentence(rng) for _ in range(25)]
        p = [t if rng.random() < 0.3 else f"{t} {sentence(rng)}"[rng.integers(0, 9) :] for t in y]
        yield f"random {seed}", texts(y, p)
        yield f"weighted {seed}", texts(y, p, weights(rng, 25))
    yield "empty prediction", texts(["red fox", "hen"], ["", "hen"])
    yield "nothing shared", texts(["red fox", "hen"], ["owl", "log"])
    yield "one row", texts(["The red fox sat on the mat."], ["red fox sat on a mat"])


def list_cases():
    items = np.array([f"i{number}" for number in range(30)])
    for seed in range(3):
        rng = rng_of(7, seed)
        y = [" ".join(rng.choice(items, rng.integers(1, 15), replace=False)) for _ in range(30)]
        p = [" ".join(rng.choice(items, rng.integers(0, 25))) for _ in range(30)]
        yield f"random {seed}", texts(y, p)
        yield f"weighted {seed}", texts(y, p, weights(rng, 30))
    yield "nothing found", texts(["i1 i2"], ["i3 i4 i5"])
    yield "no prediction", texts(["i1 i2", "i3"], ["", "i3"])
    yield "item twice", texts(["i1 i2"], ["i1 i1 i1 i2"])


def texts(y, p, weight=None):
    return Rows(np.array(y, dtype=object), np.array(p, dtype=object), weight)


@cache
def cases(metric):
    """(name, rows) for a metric, by what it takes."""
    if metric.family == "retrieval":
        return tuple(list_cases())
    if metric.most == 1.0:
        return tuple(columns_cases())
    makers = {
        "label": label_cases,
        "probability": probability_cases,
        "probabilities": probabilities_cases,
        "number": number_cases,
        "text": text_cases,
    }
    return tuple(case for kind in metric.kinds for case in makers[kind]())


def perfect_predictions(kind, y, classes):
    """Predictions that say of every row what is true."""
    if kind == "probabilities":
        return np.eye(classes)[y]
    return y.astype(float) if kind == "probability" else y.copy()
