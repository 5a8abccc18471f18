"""Metrics of class labels."""

from typing import Any

from scoring.metrics import sensitivity
from scoring.metrics.base import Metric, Sensitivity, register, require

_MODULE = "scoring.metrics.classification"
_NO_POSITIVE = "No row has the positive class, so this metric has no value."
_ONE_CLASS = "All labels are of one class, so this metric has no value."


def _label_metric(
    name: str, title: str, symbol: str, description: str, snippet: str, **more: Any
) -> Metric:
    settings: dict[str, Any] = {
        "family": "classification",
        "kinds": ("label",),
        "form": "counts",
        "greater_is_better": True,
        "low": 0.0,
        "high": 1.0,
        "perfect": 1.0,
    }
    settings.update(more)
    settings["function"] = f"{_MODULE}:{settings['function']}"
    return Metric(
        name=name,
        title=title,
        symbol=symbol,
        description=description,
        snippet=snippet,
        **settings,
    )


def _sklearn(function: str, arguments: str = "") -> str:
    return (
        f"from sklearn.metrics import {function}\n\nscore = {function}(y_true, y_pred{arguments})"
    )


@register
def accuracy() -> Metric:
    return _label_metric(
        "accuracy_score",
        "Accuracy",
        "Acc",
        "The share of rows whose predicted class is the true one.",
        _sklearn("accuracy_score"),
        aliases=("accuracy", "acc"),
        form="mean",
        function="correct",
        sensitivity=sensitivity.PER_ROW,
    )


@register
def balanced_accuracy() -> Metric:
    return _label_metric(
        "balanced_accuracy_score",
        "Balanced accuracy",
        "BAcc",
        "The share of each class's rows that were recognised, averaged over the classes, so that "
        "a rare class weighs as much as a common one. Classes without a row are left out.",
        _sklearn("balanced_accuracy_score"),
        aliases=("balanced_accuracy", "bacc"),
        function="balanced_accuracy",
        sensitivity=sensitivity.BALANCED,
    )


@register
def matthews() -> Metric:
    return _label_metric(
        "matthews_corrcoef",
        "Matthews correlation",
        "MCC",
        "Correlation between predicted and true classes: 1 all right, 0 no better than chance, "
        "-1 all wrong (two classes). It uses every cell of the confusion matrix; a file that "
        "predicts one class only scores 0.",
        _sklearn("matthews_corrcoef"),
        aliases=("mcc", "matthews", "matthews_correlation"),
        function="matthews",
        low=-1.0,
        undefined=_ONE_CLASS,
    )


def _kappa(
    name: str, title: str, symbol: str, weights: str | None, power: int, text: str
) -> Metric:
    arguments = ", labels=classes" + (f', weights="{weights}"' if weights else "")
    return _label_metric(
        name,
        title,
        symbol,
        text,
        _sklearn("cohen_kappa_score", arguments),
        aliases={
            0: ("cohen_kappa", "kappa"),
            1: ("linear_kappa", "cohen_kappa_linear"),
            2: ("qwk", "quadratic_kappa", "cohen_kappa_quadratic"),
        }[power],
        function="kappa",
        fixed={"power": power},
        low=-1.0,
        undefined=_ONE_CLASS,
    )


@register
def cohen_kappa() -> Metric:
    return _kappa(
        "cohen_kappa_score",
        "Cohen's kappa",
        "Kappa",
        None,
        0,
        "Agreement with the truth beyond what two raters with the same class shares reach by "
        "chance: 1 full agreement, 0 chance.",
    )


@register
def linear_kappa() -> Metric:
    return _kappa(
        "linear_weighted_kappa",
        "Linear weighted kappa",
        "LWK",
        "linear",
        1,
        "Cohen's kappa for ordered classes: a mistake costs as many steps as it is away from the "
        "truth, in the order in which the task lists its classes.",
    )


@register
def quadratic_kappa() -> Metric:
    return _kappa(
        "quadratic_weighted_kappa",
        "Quadratic weighted kappa",
        "QWK",
        "quadratic",
        2,
        "Cohen's kappa for ordered classes: a mistake costs the square of the steps between it and "
        "the truth, in the order in which the task lists its classes.",
    )


@register
def hamming() -> Metric:
    return _label_metric(
        "hamming_loss",
        "Hamming loss",
        "Hamming",
        "The share of rows whose predicted class is wrong: 1 minus the accuracy.",
        _sklearn("hamming_loss"),
        aliases=("hamming", "error_rate", "zero_one_loss"),
        form="mean",
        function="wrong",
        greater_is_better=False,
        perfect=0.0,
        sensitivity=sensitivity.PER_ROW,
    )


@register
def top_k(k: int = 2) -> Metric:
    require(k >= 1, "k of top_k_accuracy_score must be 1 or more.")
    return _label_metric(
        "top_k_accuracy_score",
        f"Top-{k} accuracy",
        f"Top-{k}",
        f"The share of rows whose true class is among the {k} classes with the highest predicted "
        "probabilities. Of classes with equal probabilities the later one stands first.",
        _sklearn("top_k_accuracy_score", f", k={k}, labels=classes"),
        aliases=("top_k_accuracy", "top_k"),
        kinds=("probabilities",),
        params={"k": k},
        form="mean",
        function="top_k",
        sensitivity=sensitivity.PER_ROW,
    )


_AVERAGES = {
    "binary": "of the positive class",
    "micro": "from hits and misses pooled over all classes",
    "macro": "averaged over the classes, each with equal weight",
    "weighted": "averaged over the classes, each weighted by its number of rows",
}
_MEANINGS = {
    "precision": ("Precision", "Prec", "Of the rows given a class, the share that have it"),
    "recall": ("Recall", "Rec", "Of the rows that have a class, the share given it"),
    "f1": ("F1", "F1", "The harmonic mean of precision and recall"),
    "fbeta": (
        "F-beta",
        "Fβ",
        "Precision and recall in one, recall counting {beta:g} times as much",
    ),
    "jaccard": (
        "Jaccard index",
        "Jaccard",
        "Rows that have a class and were given it, over the rows that have it or were given it",
    ),
}
_BOUNDS: dict[tuple[str, str], Sensitivity] = {
    ("recall", "binary"): sensitivity.RECALL,
    ("f1", "binary"): sensitivity.F1,
    ("jaccard", "binary"): sensitivity.F1,
    ("f1", "macro"): sensitivity.MACRO_F1,
    ("recall", "weighted"): sensitivity.PER_ROW,
}


def _ratio(stem: str, average: str, **params: float) -> Metric:
    """One of precision, recall, F1, F-beta and Jaccard under one kind of averaging."""
    title, symbol, meaning = _MEANINGS[stem]
    sklearn = "fbeta_score" if stem == "fbeta" else f"{stem}_score"
    beta = f", beta={params['beta']}" if params else ""
    pos_label = ", pos_label=positive" if average == "binary" else ""
    if params:
        title = symbol = f"F{params['beta']:g}"
        meaning = meaning.format(**params)
    plain = average == "binary"
    bound = _BOUNDS.get((stem, average), sensitivity.NONE)
    if average == "micro" and stem != "jaccard":
        bound = sensitivity.PER_ROW
    return _label_metric(
        sklearn if plain else f"{stem}_{average}",
        title if plain else f"{title}, {average}",
        symbol if plain else f"{symbol} {average}",
        f"{meaning}, {_AVERAGES[average]}. A ratio without a denominator counts as 0.",
        _sklearn(sklearn, f'{beta}{pos_label}, average="{average}", zero_division=0'),
        aliases=(
            stem if plain else f"{average}_{stem}",
            *((f"{stem}_binary",) if plain else ()),
            f"{sklearn}_{average}",
        ),
        function="fbeta" if stem == "f1" else stem,
        fixed={"average": average},
        params=params,
        binary=plain,
        undefined=_NO_POSITIVE if plain else "There is no row to score.",
        sensitivity=bound,
    )


def _enter_ratios() -> None:
    for stem in ("precision", "recall", "f1", "jaccard"):
        for average in _AVERAGES:
            register(lambda stem=stem, average=average: _ratio(stem, average))
    for average in _AVERAGES:
        register(lambda beta=2.0, average=average: _fbeta(average, beta))


def _fbeta(average: str, beta: float) -> Metric:
    require(beta > 0, "beta of the F-beta score must be above 0.")
    return _ratio("fbeta", average, beta=beta)


_enter_ratios()
