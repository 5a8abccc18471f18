"""The reusable-holdout experiment: choosing features on data that is then asked to judge them.

An analyst has a training and a holdout set, keeps the features that look useful on both, and
reports the accuracy of a vote of the best k of them. Without protection the holdout accuracy
rises with k although nothing is there to be found; answered by Thresholdout it does not.

Protocol (Dwork, Feldman, Hardt, Pitassi, Reingold, Roth, Science 349, 2015): labels are fair
signs; features are standard normal, the informative ones shifted by 6/sqrt(n) towards the label.
A feature's score is its mean product with the label. It is kept when its scores on the training
set and as answered for the holdout both exceed 1/sqrt(n) with the same sign; kept features are
ranked by their training score. Thresholdout answers both the scores and the accuracies, with
tau = 4/sqrt(n) and normal noise of tau/4.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from scoring.study.progress import track

SETS = ("train", "holdout", "fresh")
SHIFT = 6.0  # of an informative feature, in units of 1/sqrt(n)
SWEEP = (0.005, 0.01, 0.02, 0.03, 0.04, 0.06, 0.0894427, 0.15, 0.25)


@dataclass(frozen=True)
class Size:
    """How much data one repetition has and at which numbers of features it is looked at."""

    rows: int  # of the training set, and again of the holdout
    features: int
    fresh: int
    informative: int
    counts: tuple[int, ...]
    repetitions: int

    @property
    def tau(self) -> float:
        return 4 / self.rows**0.5


SIZES = {
    "standard": Size(2_000, 2_000, 10_000, 10, (5, 10, 20, 30, 40, 50, 75, 100, 150, 200), 100),
    "science": Size(10_000, 10_000, 10_000, 20, (10, 50, 100, 200, 300, 400, 500), 20),
    "quick": Size(1_000, 1_000, 4_000, 10, (5, 10, 20, 30, 50, 75, 100), 20),
}


@dataclass(frozen=True)
class Curve:
    """One method on one signal: accuracies of shape (sets, repetitions, counts)."""

    method: str
    tau: float | None
    signal: int
    counts: tuple[int, ...]
    accuracy: np.ndarray = field(repr=False)
    selected: np.ndarray = field(repr=False)  # features kept, per repetition
    above: np.ndarray = field(repr=False)  # feature questions answered from the holdout

    def mean(self, of: str) -> np.ndarray:
        return self.accuracy[SETS.index(of)].mean(axis=0)

    def spread(self, of: str) -> np.ndarray:
        return self.accuracy[SETS.index(of)].std(axis=0, ddof=1)

    def at(self, of: str, count: int) -> tuple[float, float]:
        """Mean and standard deviation over the repetitions at one number of features."""
        place = self.counts.index(count)
        return float(self.mean(of)[place]), float(self.spread(of)[place])

    def rows(self) -> list[dict]:
        """The curve as flat records, one per set and number of features."""
        return [
            {
                "signal": self.signal,
                "method": self.method,
                "tau": self.tau,
                "set": of,
                "features": count,
                "mean": round(float(mean), 6),
                "sd": round(float(spread), 6),
                "repetitions": self.accuracy.shape[1],
            }
            for of in SETS
            for count, mean, spread in zip(self.counts, self.mean(of), self.spread(of), strict=True)
        ]


class LiteralData:
    """Every row and every feature drawn, as one would without thinking; slow and memory-hungry."""

    def __init__(self, size: Size, signal: int, rng: np.random.Generator):
        shift = _shifts(size, signal)
        self._parts = [self._part(rows, shift, rng) for rows in (size.rows, size.rows, size.fresh)]
        self.train, self.holdout = (part.mean(axis=1) for part in self._parts[:2])

    @staticmethod
    def _part(rows: int, shift: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        label = rng.choice(np.array([-1, 1], np.float32), size=rows)
        features = rng.standard_normal((len(shift), rows), dtype=np.float32)
        features += shift[:, None] * label
        return np.multiply(features, label, out=features)

    def columns(self, chosen: np.ndarray) -> list[np.ndarray]:
        return [part[chosen] for part in self._parts]


class ConditionalData:
    """The same law at a fraction of the cost: scores first, rows only where they are looked at.

    Only feature times label is ever used, and that product is normal with variance 1 whatever
    the label. Its mean over n rows is therefore drawn at once, and the rows of a chosen feature
    follow exactly from n normals by moving their mean to the drawn one.
    """

    def __init__(self, size: Size, signal: int, rng: np.random.Generator):
        self._size, self._rng, self._shift = size, rng, _shifts(size, signal)
        noise = rng.standard_normal((2, size.features)) / size.rows**0.5
        self.train, self.holdout = self._shift + noise

    def columns(self, chosen: np.ndarray) -> list[np.ndarray]:
        parts = []
        for score in (self.train[chosen], self.holdout[chosen]):
            part = self._normals(len(chosen), self._size.rows)
            part += (score - part.mean(axis=1))[:, None].astype(np.float32)
            parts.append(part)
        fresh = self._normals(len(chosen), self._size.fresh)
        fresh += self._shift[chosen, None].astype(np.float32)
        return [*parts, fresh]

    def _normals(self, features: int, rows: int) -> np.ndarray:
        return self._rng.standard_normal((features, rows), dtype=np.float32)


def _shifts(size: Size, signal: int) -> np.ndarray:
    shift = np.zeros(size.features, np.float32)
    shift[:signal] = SHIFT / size.rows**0.5
    return shift


def thresholdout(
    train: np.ndarray, holdout: np.ndarray, tau: float, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Answer each question by its training value unless the holdout differs by more than tau.

    Returns the answers and where the holdout was used. The noise of the comparison and of the
    answer is drawn anew for each question: normal, standard deviation tau/4.
    """
    noise = rng.standard_normal((2, *np.shape(train))) * (tau / 4)
    above = np.abs(train - holdout) > tau + noise[0]
    return np.where(above, holdout + noise[1], train), above


def _select(data, size: Size, tau: float | None, rng) -> tuple[np.ndarray, int, int]:
    """The kept features, best first, at most as many as are looked at; all kept; holdout uses."""
    floor, answered, above = size.rows**-0.5, data.holdout, np.zeros(1, bool)
    if tau is not None:
        answered, above = thresholdout(data.train, data.holdout, tau, rng)
    agree = np.sign(data.train) == np.sign(answered)
    kept = np.flatnonzero((np.abs(data.train) > floor) & (np.abs(answered) > floor) & agree)
    order = kept[np.argsort(-np.abs(data.train[kept]), kind="stable")]
    return order[: max(size.counts)], len(kept), int(above.sum())


def _accuracies(parts: list[np.ndarray], signs: np.ndarray, counts: Sequence[int]) -> np.ndarray:
    """Share of rows on which the vote of the first k features is right: (sets, counts)."""
    out = np.empty((len(parts), len(counts)))
    for place, part in enumerate(parts):
        vote, done = np.zeros(part.shape[1], np.float32), 0
        for column, count in enumerate(counts):
            upto = min(count, len(signs))
            vote += signs[done:upto] @ part[done:upto]
            done = upto
            out[place, column] = ((vote > 0).sum() + 0.5 * (vote == 0).sum()) / len(vote)
    return out


def _repetition(size: Size, signal: int, taus, rng, literal: bool) -> list[tuple]:
    data = (LiteralData if literal else ConditionalData)(size, signal, rng)
    picks = [_select(data, size, tau, rng) for tau in taus]
    union = np.unique(np.concatenate([order for order, *_ in picks]))
    parts = data.columns(union)
    found = []
    for tau, (order, kept, above) in zip(taus, picks, strict=True):
        place = np.searchsorted(union, order)
        signs = np.sign(data.train[order]).astype(np.float32)
        accuracy = _accuracies([part[place] for part in parts], signs, size.counts)
        if tau is not None:
            accuracy[1], _ = thresholdout(accuracy[0], accuracy[1], tau, rng)
        found.append((accuracy, kept, above))
    return found


def run(
    size: Size,
    *,
    signal: int = 0,
    taus: Sequence[float | None] = (None, 0.0),
    repetitions: int | None = None,
    seed: int = 1,
    literal: bool = False,
) -> list[Curve]:
    """Run the experiment and return one curve per entry of `taus`.

    `signal` is the number of informative features. In `taus`, None is the naive method, 0 the
    published 4/sqrt(n), any other number itself; every method sees the same data. `literal` draws
    each row of each feature, which has the same law and takes far longer.
    """
    chosen = [size.tau if tau == 0 else tau for tau in taus]
    repetitions = repetitions or size.repetitions
    streams = np.random.SeedSequence([seed, signal]).spawn(repetitions)
    label = f"{signal or 'no'} informative features"
    results = [
        _repetition(size, signal, chosen, np.random.default_rng(stream), literal)
        for stream in track(streams, label=label, total=repetitions)
    ]
    curves = []
    for place, tau in enumerate(chosen):
        accuracy, kept, above = zip(*(result[place] for result in results), strict=True)
        curves.append(
            Curve(
                method="naive" if tau is None else "thresholdout",
                tau=tau,
                signal=signal,
                counts=size.counts,
                accuracy=np.stack(accuracy, axis=1),
                selected=np.array(kept),
                above=np.array(above),
            )
        )
    return curves


@dataclass(frozen=True)
class Criterion:
    """One line of the acceptance test: what must hold, what was found."""

    text: str
    found: float
    low: float
    high: float

    @property
    def holds(self) -> bool:
        return self.low <= self.found <= self.high


def acceptance(naive: Curve, protected: Curve) -> list[Criterion]:
    """Whether curves of the standard size without signal show what the experiment is known for."""

    def mean(curve: Curve, of: str, count: int) -> float:
        return curve.at(of, count)[0]

    overshoot = min(mean(protected, "holdout", count) for count in (10, 20))
    spreads = [protected.at("holdout", count)[1] for count in (20, 30, 40)]
    spread = float(np.sqrt(np.mean(np.square(spreads))))
    return [
        Criterion("naive holdout at 100", mean(naive, "holdout", 100), 0.622, 0.642),
        Criterion("naive fresh at 100", mean(naive, "fresh", 100), 0.494, 0.504),
        Criterion("Thresholdout holdout at 100", mean(protected, "holdout", 100), 0.493, 0.533),
        Criterion("Thresholdout holdout at 10 and 20, least", overshoot, 0.53, 1.0),
        Criterion("Thresholdout spread at 20 to 40", spread, 0.03, 1.0),
    ]
