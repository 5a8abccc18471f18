"""Metrics of numbers."""

from typing import Any

from scoring.metrics import sensitivity
from scoring.metrics.base import Metric, register, require

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


@register
def msle() -> Metric:
    return _number_metric(
        "mean_squared_log_error",
        "MSLE",
        "MSLE",
        "The mean squared difference of log(1 + x): ratios count, not differences.",
        aliases=("msle",),
        function="squared_log",
        least=0.0,
        sensitivity=sensitivity.SQUARED_LOG,
    )


@register
def median_absolute() -> Metric:
    return _number_metric(
        "median_absolute_error",
        "Median absolute error",
        "MedAE",
        "The distance between prediction and truth that half of the rows stay below; a few large "
        "errors do not matter.",
        aliases=("medae", "median_ae"),
        form="whole",
        function="median_absolute",
    )


@register
def mape() -> Metric:
    return _number_metric(
        "mean_absolute_percentage_error",
        "MAPE",
        "MAPE",
        "The distance between prediction and truth as a share of the truth, averaged (0.1 is ten "
        "per cent). Rows whose truth is near 0 outweigh all others.",
        aliases=("mape",),
        function="absolute_percentage",
        sensitivity=sensitivity.RELATIVE,
    )


@register
def smape() -> Metric:
    return _number_metric(
        "symmetric_mean_absolute_percentage_error",
        "SMAPE",
        "SMAPE",
        "The distance between prediction and truth as a share of the mean size of the two, "
        "averaged; from 0 to 2 (0.1 is ten per cent), and 0 where both are 0.",
        aliases=("smape",),
        high=2.0,
        function="symmetric_percentage",
        sensitivity=sensitivity.TWICE_PER_ROW,
        snippet="import numpy as np\n\n"
        "size = (np.abs(y_true) + np.abs(y_pred)) / 2\n"
        "gap = np.abs(y_true - y_pred)\n"
        "score = np.divide(gap, size, out=np.zeros_like(gap), where=size > 0).mean()",
    )


def _correlation(name: str, title: str, symbol: str, text: str, **more: Any) -> Metric:
    return _number_metric(
        name,
        title,
        symbol,
        text,
        form="whole",
        greater_is_better=True,
        low=-1.0,
        high=1.0,
        perfect=1.0,
        undefined="The labels or the predictions do not vary, so this metric has no value.",
        **more,
    )


@register
def pearson() -> Metric:
    return _correlation(
        "pearsonr",
        "Pearson correlation",
        "r",
        "How well predictions and truth lie on a rising straight line, from -1 to 1; offset and "
        "scale of the predictions do not matter.",
        aliases=("pearson", "pearson_correlation"),
        function="pearson",
        snippet="import numpy as np\n\n"
        "true, predicted = np.c_[y_true].T, np.c_[y_pred].T\n"
        "score = np.mean([np.corrcoef(a, b)[0, 1] for a, b in zip(true, predicted)])",
    )


@register
def spearman() -> Metric:
    return _correlation(
        "spearmanr",
        "Spearman correlation",
        "rho",
        "Correlation of the ranks of predictions and truth, from -1 to 1; only their order "
        "matters. Equal values share their mean rank.",
        aliases=("spearman", "spearman_correlation", "rank_correlation"),
        function="spearman",
        snippet="import numpy as np\nfrom scipy.stats import spearmanr\n\n"
        "true, predicted = np.c_[y_true].T, np.c_[y_pred].T\n"
        "score = np.mean([spearmanr(a, b).statistic for a, b in zip(true, predicted)])",
    )


@register
def pinball(alpha: float = 0.5) -> Metric:
    require(0 < alpha < 1, "alpha of mean_pinball_loss must lie between 0 and 1.")
    return _number_metric(
        "mean_pinball_loss",
        f"Pinball loss, quantile {alpha:g}",
        "Pinball",
        f"For predicting the {alpha:g} quantile: a prediction that is too low costs {alpha:g} of "
        f"the distance, one that is too high {1 - alpha:g} of it.",
        aliases=("pinball", "pinball_loss", "quantile_loss"),
        params={"alpha": alpha},
        function="pinball",
        sensitivity=sensitivity.PINBALL,
        snippet="from sklearn.metrics import mean_pinball_loss\n\n"
        f"score = mean_pinball_loss(y_true, y_pred, alpha={alpha!r})",
    )


@register
def huber(delta: float = 1.0) -> Metric:
    require(delta > 0, "delta of huber_loss must be above 0.")
    return _number_metric(
        "huber_loss",
        "Huber loss",
        "Huber",
        f"Half the squared error up to a distance of {delta:g}, and growing in a straight line "
        "beyond, so that large errors weigh less than under MSE.",
        aliases=("huber",),
        params={"delta": delta},
        function="huber",
        sensitivity=sensitivity.HUBER,
        snippet="import numpy as np\nfrom scipy.special import huber\n\n"
        f"score = np.mean(huber({delta!r}, y_true - y_pred))",
    )


_CLIPPED = (
    "Predictions below {clip:g} count as {clip:g}, or as the truth where that is less, so that "
    "predicting 0 for something that was observed costs much and not infinitely much."
)


@register
def poisson(clip: float = 1e-6) -> Metric:
    require(clip > 0, "clip of mean_poisson_deviance must be above 0.")
    return _number_metric(
        "mean_poisson_deviance",
        "Poisson deviance",
        "Poisson",
        "For counts: how much less likely the predictions make what was observed than perfect "
        "predictions would. " + _CLIPPED.format(clip=clip),
        aliases=("poisson", "poisson_deviance"),
        params={"clip": clip},
        function="poisson_deviance",
        least=0.0,
        snippet="import numpy as np\nfrom sklearn.metrics import mean_poisson_deviance\n\n"
        f"floored = np.maximum(y_pred, np.clip(y_true, 1e-300, {clip!r}))\n"
        "score = mean_poisson_deviance(y_true, floored)",
    )


@register
def tweedie(power: float = 1.5, clip: float = 1e-6) -> Metric:
    require(
        1 < power < 2,
        "power of mean_tweedie_deviance must lie between 1 and 2 (0 would be MSE, 1 the Poisson "
        "deviance).",
    )
    require(clip > 0, "clip of mean_tweedie_deviance must be above 0.")
    return _number_metric(
        "mean_tweedie_deviance",
        f"Tweedie deviance, power {power:g}",
        "Tweedie",
        "For amounts that are often 0, such as claims or rain: how much less likely the "
        "predictions make what was observed than perfect ones would. " + _CLIPPED.format(clip=clip),
        aliases=("tweedie", "tweedie_deviance"),
        params={"power": power, "clip": clip},
        function="tweedie_deviance",
        least=0.0,
        snippet="import numpy as np\nfrom sklearn.metrics import mean_tweedie_deviance\n\n"
        f"floored = np.maximum(y_pred, np.clip(y_true, 1e-300, {clip!r}))\n"
        f"score = mean_tweedie_deviance(y_true, floored, power={power!r})",
    )
