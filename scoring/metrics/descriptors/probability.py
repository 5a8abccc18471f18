"""Metrics of predicted probabilities."""

import math
from decimal import Decimal

from scoring.metrics import sensitivity
from scoring.metrics.base import Metric, register, require

_MODULE = "scoring.metrics.probability"


def _range(clip: float) -> str:
    """The probabilities that a clip leaves: 0.01 to 0.99."""
    low = Decimal(str(clip))
    return f"{low:f} to {1 - low:f}"


@register
def log_loss(clip: float = 1e-6) -> Metric:
    # Canonical predictions have 6 significant digits, so the nearest probability below 1 that a
    # file can express is 0.999999: a finer clip would treat one side of the range more harshly
    # than the other (0.9999999 becomes 1 and would cost 36 where it is wrong, not 16).
    require(0 < clip < 0.5, "clip of log_loss must lie above 0 and below 0.5.")
    return Metric(
        name="log_loss",
        title="Log loss",
        symbol="LogLoss",
        family="probability",
        aliases=("logloss", "cross_entropy", "neg_log_loss", "multiclass_log_loss"),
        kinds=("probability", "probabilities"),
        form="mean",
        function=f"{_MODULE}:log_loss",
        params={"clip": clip},
        greater_is_better=False,
        low=-math.log1p(-clip),
        high=-math.log(clip),
        perfect=-math.log1p(-clip),
        sensitivity=sensitivity.LOG_LOSS,
        description="Minus the natural logarithm of the probability given to what happened, "
        f"averaged over the rows. Probabilities are first clipped to {_range(clip)}, so "
        f"that one confident mistake costs {-math.log(clip):.1f} and not infinity.",
        snippet="import numpy as np\n\n"
        f"clipped = np.clip(y_pred, {clip!r}, 1 - {clip!r})\n"
        "if clipped.ndim == 1:\n"
        "    given = np.where(np.asarray(y_true) == positive, clipped, 1 - clipped)\n"
        "else:\n"
        "    given = clipped[np.arange(len(clipped)), [list(classes).index(y) for y in y_true]]\n"
        "score = -np.log(given).mean()",
    )


@register
def brier() -> Metric:
    return Metric(
        name="brier_score_loss",
        title="Brier score",
        symbol="Brier",
        family="probability",
        aliases=("brier", "brier_score"),
        kinds=("probability",),
        form="mean",
        function=f"{_MODULE}:brier",
        greater_is_better=False,
        low=0.0,
        high=1.0,
        perfect=0.0,
        sensitivity=sensitivity.PER_ROW,
        description="The squared distance between the predicted probability and what happened "
        "(1 or 0), averaged over the rows.",
        snippet="from sklearn.metrics import brier_score_loss\n\n"
        "score = brier_score_loss(y_true, y_pred, pos_label=positive)",
    )


@register
def multiclass_brier() -> Metric:
    return Metric(
        name="multiclass_brier_score",
        title="Brier score, several classes",
        symbol="Brier",
        family="probability",
        aliases=("brier_multiclass",),
        kinds=("probabilities",),
        form="mean",
        function=f"{_MODULE}:brier",
        greater_is_better=False,
        low=0.0,
        high=2.0,
        perfect=0.0,
        sensitivity=sensitivity.TWICE_PER_ROW,
        description="The squared distances between the predicted probabilities of all classes and "
        "what happened, summed over the classes and averaged over the rows; from 0 to 2.",
        snippet="from sklearn.metrics import brier_score_loss\n\n"
        "score = brier_score_loss(y_true, y_pred, labels=classes, scale_by_half=False)",
    )


@register
def columnwise_log_loss(clip: float = 1e-6) -> Metric:
    require(0 < clip < 0.5, "clip of mean_columnwise_log_loss must lie above 0 and below 0.5.")
    return Metric(
        name="mean_columnwise_log_loss",
        title="Mean columnwise log loss",
        symbol="mcLogLoss",
        family="probability",
        aliases=("mclogloss", "multilabel_log_loss"),
        kinds=("number",),
        form="mean",
        function=f"{_MODULE}:log_loss_columns",
        params={"clip": clip},
        least=0.0,
        most=1.0,
        greater_is_better=False,
        low=-math.log1p(-clip),
        high=-math.log(clip),
        perfect=-math.log1p(-clip),
        undefined="The labels of this metric must all be 0 or 1.",
        sensitivity=sensitivity.LOG_LOSS,
        description="For several yes-or-no questions: the log loss of each column, averaged over "
        f"the columns. Probabilities are first clipped to {_range(clip)}.",
        snippet="import numpy as np\n\n"
        f"clipped = np.clip(y_pred, {clip!r}, 1 - {clip!r})\n"
        "score = -np.log(np.where(np.asarray(y_true) == 1, clipped, 1 - clipped)).mean()",
    )
