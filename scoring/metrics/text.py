"""Metrics of texts. What outside packages are needed for is imported when it is used."""

import re
import string
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from scoring.metrics.rows import Array, Rows

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)


def exact_match(rows: Rows) -> Array:
    """Whether the texts are equal, however many spaces stand at the ends and between words."""
    return np.array(
        [y.split() == p.split() for y, p in zip(rows.y, rows.p, strict=True)], dtype=bool
    )


def token_f1(rows: Rows) -> Array:
    """F1 of the words in common, without case, punctuation and English articles (as for SQuAD)."""
    return np.array([_shared(_words(y), _words(p)) for y, p in zip(rows.y, rows.p, strict=True)])


def _words(text: str) -> Counter[str]:
    return Counter(_ARTICLES.sub(" ", text.lower().translate(_NO_PUNCTUATION)).split())


def _shared(truth: Counter[str], given: Counter[str]) -> float:
    if not truth or not given:
        return float(truth == given)
    return 2 * (truth & given).total() / (truth.total() + given.total())


def rouge(rows: Rows, variant: str) -> Array:
    """F-measure of ROUGE-1, -2 or -L for each row, without stemming."""
    # Imported here because it loads nltk, which takes longer than scoring most files.
    from rouge_score.rouge_scorer import RougeScorer

    scorer = RougeScorer([variant])
    pairs = zip(rows.y, rows.p, strict=True)
    return np.array([scorer.score(y, p)[variant].fmeasure for y, p in pairs])


def bleu(rows: Rows) -> tuple[Array, Callable[[Array], Array]]:
    # Imported here so that tasks without texts do not load it.
    from sacrebleu.metrics import BLEU

    return _sacrebleu(BLEU(), rows)


def chrf(rows: Rows) -> tuple[Array, Callable[[Array], Array]]:
    # Imported here so that tasks without texts do not load it.
    from sacrebleu.metrics import CHRF

    return _sacrebleu(CHRF(), rows)


def _sacrebleu(metric: Any, rows: Rows) -> tuple[Array, Callable[[Array], Array]]:
    """Per-row n-gram statistics and the corpus score of their sums, both sacrebleu's own.

    The two methods are not part of its public face, but its own significance tests rest on them;
    the alternative, a corpus score for each resample, takes hours.
    """
    statistics = metric._extract_corpus_statistics(list(rows.p), [list(rows.y)])

    def combine(sums: Array) -> Array:
        return np.apply_along_axis(lambda s: metric._compute_score_from_stats(s).score, -1, sums)

    return np.array(statistics, dtype=float), combine


def character_errors(rows: Rows) -> tuple[Array, Callable[[Array], Array]]:
    return _edits(rows, list)


def word_errors(rows: Rows) -> tuple[Array, Callable[[Array], Array]]:
    return _edits(rows, str.split)


def _edits(
    rows: Rows, pieces: Callable[[str], Sequence[str]]
) -> tuple[Array, Callable[[Array], Array]]:
    """Edits and length of the truth for each row; the score is the ratio of their sums."""
    # Imported here so that tasks without texts do not load it.
    from rapidfuzz.distance import Levenshtein

    statistics = np.empty((rows.n, 2))
    for place, (label, prediction) in enumerate(zip(rows.y, rows.p, strict=True)):
        truth = pieces(label)
        statistics[place] = Levenshtein.distance(truth, pieces(prediction)), len(truth)

    def combine(sums: Array) -> Array:
        lengths = sums[..., 1]
        return np.divide(
            sums[..., 0], lengths, out=np.full(lengths.shape, np.nan), where=lengths > 0
        )

    return statistics, combine
