"""Metrics of numbers."""

from typing import Any

from scoring.metrics import sensitivity
from scoring.metrics.base import Metric, register

_MODULE = "scoring.metrics.regression"
_CONSTANT = "The labels do not vary, so this metric has no value."
_TARGETS = " With several targets, the mean of the scores of each."


def _number_metric(name: str, title: str, symbol: str, description: str, **more: Any) -> Metric:
    settings: dict[str, Any] = {
        "family": "regression",
        "kinds": ("number",),
        "form": "mean",
        "greater_is_better": False,
        "low": 0.0,
        "high": None,
        "perfect": 0.0,
        "snippet": f"from sklearn.metrics import {name}\n\nscore = {name}(y_true, y_pred)",
    }
    settings.update(more)
    settings["function"] = f"{_MODULE}:{settings['function']}"
    return Metric(
        name=name, title=title, symbol=symbol, description=description + _TARGETS, **settings
    )


@register
def rmse() -> Metric:
    return _number_metric(
        "root_mean_squared_error",
        "RMSE",
        "RMSE",
        "The square root of the mean squared error, in the units of what is predicted. Large "
        "errors weigh heavily.",
        aliases=("rmse", "mcrmse", "mean_columnwise_rmse"),
        function="squared",
        link="root",
        sensitivity=sensitivity.ROOT,
    )


@register
def mse() -> Metric:
    return _number_metric(
        "mean_squared_error",
        "MSE",
        "MSE",
        "The mean of the squared errors.",
        aliases=("mse", "mean_columnwise_mse"),
        function="squared",
        sensitivity=sensitivity.SQUARED,
    )


@register
def mae() -> Metric:
    return _number_metric(
        "mean_absolute_error",
        "MAE",
        "MAE",
        "The mean distance between prediction and truth, in the units of what is predicted.",
        aliases=("mae", "mcmae", "mean_columnwise_mae"),
        function="absolute",
        sensitivity=sensitivity.ABSOLUTE,
    )


@register
def rmsle() -> Metric:
    return _number_metric(
        "root_mean_squared_log_error",
        "RMSLE",
        "RMSLE",
        "RMSE of log(1 + x): ratios count, not differences, and too low costs more than too high.",
        aliases=("rmsle", "mcrmsle", "mean_columnwise_rmsle"),
        function="squared_log",
        link="root",
        least=0.0,
        sensitivity=sensitivity.ROOT_LOG,
    )


@register
def r2() -> Metric:
    return _number_metric(
        "r2_score",
        "R²",
        "R²",
        "The share of the labels' variance that the predictions explain: 1 perfect, 0 as good as "
        "the mean of the labels, below 0 worse.",
        aliases=("r2", "r_squared", "mean_columnwise_r2"),
        form="whole",
        function="r2",
        greater_is_better=True,
        low=None,
        high=1.0,
        perfect=1.0,
        undefined=_CONSTANT,
    )


@register
def explained_variance() -> Metric:
    return _number_metric(
        "explained_variance_score",
        "Explained variance",
        "EV",
        "Like R², but a constant offset of all predictions costs nothing.",
        aliases=("explained_variance", "ev"),
        form="whole",
        function="explained_variance",
        greater_is_better=True,
        low=None,
        high=1.0,
        perfect=1.0,
        undefined=_CONSTANT,
    )
