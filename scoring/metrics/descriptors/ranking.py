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
