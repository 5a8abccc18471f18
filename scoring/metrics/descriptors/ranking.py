"""Metrics of the order in which predictions put the rows."""

from typing import Any

from scoring.metrics import sensitivity
from scoring.metrics.base import Metric, register

_MODULE = "scoring.metrics.ranking"
_BOTH = "Labels of both classes are needed; one is missing, so this metric has no value."
_EVERY = "Labels of every class are needed; one is missing, so this metric has no value."


def _ranking(name: str, title: str, symbol: str, **more: Any) -> Metric:
    settings: dict[str, Any] = {
        "family": "ranking",
        "kinds": ("probability",),
        "form": "whole",
        "greater_is_better": True,
        "low": 0.0,
        "high": 1.0,
        "perfect": 1.0,
        "undefined": _BOTH,
    }
    settings.update(more)
    settings["function"] = f"{_MODULE}:{settings['function']}"
    return Metric(name=name, title=title, symbol=symbol, **settings)


@register
def roc_auc() -> Metric:
    return _ranking(
        "roc_auc_score",
        "ROC AUC",
        "AUC",
        aliases=("roc_auc", "auc", "auroc"),
        function="roc_auc",
        sensitivity=sensitivity.AUC,
        description="The chance that a row where it happened was given a higher number than a row "
        "where it did not; equal numbers count half. Only the order of the predictions matters: "
        "0.5 is guessing, 1 a perfect order.",
        snippet="from sklearn.metrics import roc_auc_score\n\n"
        "score = roc_auc_score(y_true, y_pred)",
    )


@register
def gini() -> Metric:
    return _ranking(
        "gini",
        "Gini coefficient",
        "Gini",
        aliases=("normalized_gini", "normalised_gini", "gini_coefficient"),
        function="gini",
        low=-1.0,
        sensitivity=sensitivity.GINI,
        description="Twice the ROC AUC minus one: 0 is guessing, 1 a perfect order, -1 the order "
        "upside down.",
        snippet="from sklearn.metrics import roc_auc_score\n\n"
        "score = 2 * roc_auc_score(y_true, y_pred) - 1",
    )


def _several(name: str, title: str, symbol: str, scheme: str, weighted: bool, text: str) -> Metric:
    """ROC AUC of several classes: `scheme` ovr or ovo, averaged plainly or by class sizes."""
    average = "weighted" if weighted else "macro"
    return _ranking(
        name,
        title,
        symbol,
        aliases=(f"auc_{name.removeprefix('roc_auc_')}",),
        kinds=("probabilities",),
        function=f"roc_auc_one_vs_{'rest' if scheme == 'ovr' else 'one'}",
        fixed={"weighted": weighted},
        undefined=_EVERY,
        sensitivity=sensitivity.NONE if weighted or scheme == "ovo" else sensitivity.AUC,
        description=text,
        snippet="from sklearn.metrics import roc_auc_score\n\n"
        f'score = roc_auc_score(y_true, y_pred, multi_class="{scheme}", average="{average}", '
        "labels=classes)",
    )


@register
def one_vs_rest() -> Metric:
    return _several(
        "roc_auc_ovr",
        "ROC AUC, one against the rest",
        "AUC OvR",
        "ovr",
        False,
        "For each class the ROC AUC of its probability, rows of that class against all others; "
        "then the mean over the classes. Every class needs a row.",
    )


@register
def one_vs_rest_weighted() -> Metric:
    return _several(
        "roc_auc_ovr_weighted",
        "ROC AUC, one against the rest, weighted",
        "AUC OvR w",
        "ovr",
        True,
        "For each class the ROC AUC of its probability, rows of that class against all others; "
        "then the mean weighted by the classes' numbers of rows.",
    )


@register
def one_vs_one() -> Metric:
    return _several(
        "roc_auc_ovo",
        "ROC AUC, one against one",
        "AUC OvO",
        "ovo",
        False,
        "For each pair of classes the ROC AUC within the rows of the two, averaged over both ways "
        "round and over the pairs; insensitive to how frequent the classes are.",
    )


@register
def one_vs_one_weighted() -> Metric:
    return _several(
        "roc_auc_ovo_weighted",
        "ROC AUC, one against one, weighted",
        "AUC OvO w",
        "ovo",
        True,
        "For each pair of classes the ROC AUC within the rows of the two, averaged over both ways "
        "round and over the pairs, weighted by their numbers of rows.",
    )


@register
def columnwise() -> Metric:
    return _ranking(
        "mean_columnwise_roc_auc",
        "Mean columnwise ROC AUC",
        "mcAUC",
        aliases=("mcauc", "mean_columnwise_auc"),
        kinds=("number",),
        function="roc_auc_columns",
        least=0.0,
        most=1.0,
        undefined="Every column needs labels 0 and 1, both of them, and no others.",
        sensitivity=sensitivity.NONE,
        description="For several yes-or-no questions: the ROC AUC of each column, averaged over "
        "the columns.",
        snippet="from sklearn.metrics import roc_auc_score\n\n"
        'score = roc_auc_score(y_true, y_pred, average="macro")',
    )


@register
def average_precision() -> Metric:
    return _ranking(
        "average_precision_score",
        "Average precision",
        "AP",
        aliases=("average_precision", "ap", "auprc", "pr_auc"),
        function="average_precision",
        undefined="No row has the positive class, so this metric has no value.",
        description="Going down the list from the highest prediction: the share of positive rows "
        "so far, noted at every positive row and averaged. It looks at the top of the list and "
        "depends on how rare the positive class is.",
        snippet="from sklearn.metrics import average_precision_score\n\n"
        "score = average_precision_score(y_true, y_pred, pos_label=positive)",
    )
