"""Metrics of texts."""

from typing import Any

from scoring.metrics import sensitivity
from scoring.metrics.base import Metric, register

_MODULE = "scoring.metrics.text"
_NO_TRUTH = "All true texts are empty, so this metric has no value."


def _text(
    name: str, title: str, symbol: str, description: str, snippet: str, **more: Any
) -> Metric:
    settings: dict[str, Any] = {
        "family": "text",
        "kinds": ("text",),
        "form": "mean",
        "greater_is_better": True,
        "low": 0.0,
        "high": 1.0,
        "perfect": 1.0,
    }
    settings.update(more)
    settings["function"] = f"{_MODULE}:{settings['function']}"
    return Metric(
        name=name, title=title, symbol=symbol, description=description, snippet=snippet, **settings
    )


@register
def exact_match() -> Metric:
    return _text(
        "exact_match",
        "Exact match",
        "EM",
        "The share of rows whose text is the true one. Spaces at the ends and how many stand "
        "between words do not matter; capitals and punctuation do.",
        "pairs = zip(y_true, y_pred)\n"
        "score = sum(a.split() == b.split() for a, b in pairs) / len(y_true)",
        aliases=("em",),
        function="exact_match",
        sensitivity=sensitivity.PER_ROW,
    )


@register
def token_f1() -> Metric:
    return _text(
        "token_f1",
        "Token F1",
        "Token F1",
        "F1 of the words that prediction and truth have in common, row by row, averaged; capitals, "
        "punctuation and the words a, an and the are left out first, as for SQuAD.",
        "import re\nimport string\nfrom collections import Counter\n\n\n"
        "def words(text):\n"
        '    text = "".join(c for c in text.lower() if c not in string.punctuation)\n'
        '    return Counter(re.sub(r"\\b(a|an|the)\\b", " ", text).split())\n\n\n'
        "def f1(true, predicted):\n"
        "    if not true or not predicted:\n"
        "        return float(true == predicted)\n"
        "    shared = sum((true & predicted).values())\n"
        "    return 2 * shared / (sum(true.values()) + sum(predicted.values()))\n\n\n"
        "score = sum(f1(words(a), words(b)) for a, b in zip(y_true, y_pred)) / len(y_true)",
        aliases=("squad_f1", "word_f1"),
        function="token_f1",
        sensitivity=sensitivity.PER_ROW,
    )


def _rouge(variant: str, title: str, what: str) -> Metric:
    return _text(
        variant.lower(),
        title,
        title,
        f"F-measure of {what} in common with the true text, row by row, averaged; package "
        "rouge-score, without stemming. Only the letters a to z and digits are read.",
        "from rouge_score.rouge_scorer import RougeScorer\n\n"
        f'scorer = RougeScorer(["{variant}"])\n'
        f'rows = [scorer.score(a, b)["{variant}"].fmeasure for a, b in zip(y_true, y_pred)]\n'
        "score = sum(rows) / len(rows)",
        aliases=(title,),
        function="rouge",
        fixed={"variant": variant},
        sensitivity=sensitivity.PER_ROW,
    )


@register
def rouge_1() -> Metric:
    return _rouge("rouge1", "ROUGE-1", "the words")


@register
def rouge_2() -> Metric:
    return _rouge("rouge2", "ROUGE-2", "the pairs of neighbouring words")


@register
def rouge_l() -> Metric:
    return _rouge("rougeL", "ROUGE-L", "the longest sequence of words")


def _sacrebleu(name: str, title: str, text: str) -> Metric:
    return _text(
        name,
        title,
        title,
        text,
        f"from sacrebleu.metrics import {name.upper()}\n\n"
        f"score = {name.upper()}().corpus_score(list(y_pred), [list(y_true)]).score",
        aliases=(f"corpus_{name}", f"sacrebleu_{name}"),
        form="tally",
        high=100.0,
        perfect=100.0,
        rows="corpus",
        function=name,
    )


@register
def bleu() -> Metric:
    return _sacrebleu(
        "bleu",
        "BLEU",
        "Runs of one to four words in common with the true texts, counted over all rows, with a "
        "penalty for texts that are too short; 0 to 100, package sacrebleu with its defaults.",
    )


@register
def chrf() -> Metric:
    return _sacrebleu(
        "chrf",
        "chrF",
        "F-score of runs of one to six characters in common with the true texts, counted over all "
        "rows; 0 to 100, package sacrebleu with its defaults.",
    )


def _error_rate(name: str, title: str, symbol: str, what: str, pieces: str) -> Metric:
    return _text(
        name,
        title,
        symbol,
        f"How many {what} must be inserted, deleted or replaced to turn the predictions into the "
        f"true texts, over the number of {what} in the true texts; above 1 if the predictions are "
        "much too long.",
        "from rapidfuzz.distance import Levenshtein\n\n"
        f"pairs = [({pieces.format('a')}, {pieces.format('b')}) for a, b in zip(y_true, y_pred)]\n"
        "edits = sum(Levenshtein.distance(a, b) for a, b in pairs)\n"
        "score = edits / sum(len(a) for a, _ in pairs)",
        aliases=(symbol,),
        form="tally",
        greater_is_better=False,
        high=None,
        perfect=0.0,
        rows="corpus",
        function=f"{'character' if symbol == 'CER' else 'word'}_errors",
        undefined=_NO_TRUTH,
    )


@register
def character_errors() -> Metric:
    return _error_rate("character_error_rate", "Character error rate", "CER", "characters", "{}")


@register
def word_errors() -> Metric:
    return _error_rate("word_error_rate", "Word error rate", "WER", "words", "{}.split()")
