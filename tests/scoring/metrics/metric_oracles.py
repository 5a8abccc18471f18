"""The same scores by scikit-learn, scipy and plain loops; NaN where Holdout refuses to answer."""

import math
import warnings

import numpy as np
import sklearn.metrics as skm
from scipy import special, stats


def columnwise(function):
    """The mean of a one-column function over the columns of (n,) or (n, targets)."""

    def of(rows):
        y, p = rows.y.reshape(rows.n, -1), rows.p.reshape(rows.n, -1)
        return np.mean([function(a, b, rows.weight) for a, b in zip(y.T, p.T, strict=True)])

    return of


def sk(name, **more):
    def of(rows):
        return getattr(skm, name)(rows.y, rows.p, sample_weight=rows.weight, **more)

    return of


def needs(condition, oracle):
    return lambda rows: oracle(rows) if condition(rows) else math.nan


def two_classes(rows):
    return len(np.unique(rows.y)) > 1


def has_positive(rows):
    return (rows.y == 1).any()


def every_class(rows):
    return len(np.unique(rows.y)) == rows.classes


def varies(rows):
    return bool((rows.y != rows.y[:1]).any(axis=0).all())


def both_vary(rows):
    return varies(rows) and bool((rows.p != rows.p[:1]).any(axis=0).all())


def kappa(scheme):
    def of(rows):
        return skm.cohen_kappa_score(
            rows.y,
            rows.p,
            labels=list(range(rows.classes)),
            weights=scheme,
            sample_weight=rows.weight,
        )

    return needs(two_classes, of)


def ratio(name, average, **more):
    oracle = sk(name, average=average, zero_division=0, **more)
    if average == "binary":
        # scikit-learn refuses pos_label among several classes; one against the rest is the same.
        def oracle(rows):
            return getattr(skm, name)(
                rows.y == 1, rows.p == 1, sample_weight=rows.weight, zero_division=0, **more
            )

        return needs(has_positive, oracle)
    return oracle


def log_loss(rows, clip=1e-6):
    p = np.column_stack([1 - rows.p, rows.p]) if rows.p.ndim == 1 else rows.p
    p = np.clip(p, clip, 1 - clip)
    return skm.log_loss(rows.y, y_proba=p, labels=range(p.shape[1]), sample_weight=rows.weight)


def multiclass_brier(rows):
    return skm.brier_score_loss(
        rows.y, rows.p, labels=range(rows.classes), sample_weight=rows.weight, scale_by_half=False
    )


def several_areas(scheme, average):
    """scikit-learn takes no weights for one against one: the mean over pairs is written out."""

    def of(rows):
        if scheme == "ovr":
            return skm.roc_auc_score(
                rows.y, rows.p, multi_class="ovr", average=average, sample_weight=rows.weight
            )
        if rows.weight is None:
            return skm.roc_auc_score(rows.y, rows.p, multi_class="ovo", average=average)
        areas, sizes = [], []
        for a in range(rows.classes):
            for b in range(a + 1, rows.classes):
                keep = np.isin(rows.y, (a, b))
                y, p, weight = rows.y[keep], rows.p[keep], rows.weight[keep]
                pair = [skm.roc_auc_score(y == c, p[:, c], sample_weight=weight) for c in (a, b)]
                areas.append(np.mean(pair))
                sizes.append(weight.sum())
        return np.average(areas, weights=sizes if average == "weighted" else None)

    return needs(every_class, of)


def zero_or_one(rows):
    return bool(np.isin(rows.y, (0, 1)).all())


def smape(rows):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        shares = 2 * np.abs(rows.y - rows.p) / (np.abs(rows.y) + np.abs(rows.p))
    return np.mean(np.average(np.nan_to_num(shares), axis=0, weights=rows.weight))


def huber(rows):
    return np.mean(np.average(special.huber(1.0, rows.y - rows.p), axis=0, weights=rows.weight))


def pearson(a, b, weight):
    if weight is None:
        return stats.pearsonr(a, b).statistic
    table = np.cov(a, b, aweights=weight)
    return table[0, 1] / math.sqrt(table[0, 0] * table[1, 1])


def spearman(a, b, weight):
    if weight is None:
        return stats.spearmanr(a, b).statistic
    copies = np.round(weight * 4).astype(int)  # the cases' weights are quarters
    return stats.spearmanr(np.repeat(a, copies), np.repeat(b, copies)).statistic


def deviance(name, clip=1e-6, **more):
    """Column by column; a prediction of 0 for a label of 0 is free, which scikit-learn refuses."""

    def one(a, b, weight):
        floored = np.maximum(b, np.clip(a, 1e-300, clip))
        return getattr(skm, name)(a, floored, sample_weight=weight, **more)

    return columnwise(one)


def places_of(rows, k, one):
    """Weighted mean over queries of one(found places, number of relevant items)."""
    scores = []
    for label, prediction in zip(rows.y, rows.p, strict=True):
        relevant, seen, places = set(label.split()), set(), []
        for place, item in enumerate(prediction.split()[: k or None], 1):
            if item in relevant and item not in seen:
                places.append(place)
            seen.add(item)
        scores.append(one(places, len(relevant)))
    return np.average(scores, weights=rows.weight)


def map_at_10(places, relevant):
    return sum((m + 1) / place for m, place in enumerate(places)) / min(relevant, 10)


def ndcg_at_10(places, relevant):
    best = sum(1 / math.log2(1 + place) for place in range(1, min(relevant, 10) + 1))
    return sum(1 / math.log2(1 + place) for place in places) / best


def rouge(variant):
    from rouge_score.rouge_scorer import RougeScorer

    scorer = RougeScorer([variant])

    def of(rows):
        pairs = zip(rows.y, rows.p, strict=True)
        return np.average(
            [scorer.score(a, b)[variant].fmeasure for a, b in pairs], weights=rows.weight
        )

    return of


def corpus(metric):
    """sacrebleu's own corpus score, of rows repeated as often as they weigh (in quarters)."""

    def of(rows):
        copies = [1] * rows.n if rows.weight is None else np.round(rows.weight * 4).astype(int)
        y, p = np.repeat(rows.y, copies), np.repeat(rows.p, copies)
        return metric.corpus_score(list(p), [list(y)]).score

    return of


def edits(pieces):
    def distance(a, b):
        last = list(range(len(b) + 1))
        for i, x in enumerate(a, 1):
            now = [i]
            for j, z in enumerate(b, 1):
                now.append(min(last[j] + 1, now[-1] + 1, last[j - 1] + (x != z)))
            last = now
        return last[-1]

    def of(rows):
        pairs = [(pieces(a), pieces(b)) for a, b in zip(rows.y, rows.p, strict=True)]
        weight = np.ones(rows.n) if rows.weight is None else rows.weight
        return weight @ [distance(a, b) for a, b in pairs] / (weight @ [len(a) for a, _ in pairs])

    return of


def exact_match(rows):
    same = [a.strip() == b.strip() for a, b in zip(rows.y, rows.p, strict=True)]
    return np.average(same, weights=rows.weight)


def oracles():
    from sacrebleu.metrics import BLEU, CHRF

    found = {
        "accuracy_score": sk("accuracy_score"),
        "hamming_loss": sk("hamming_loss"),
        "balanced_accuracy_score": sk("balanced_accuracy_score"),
        "matthews_corrcoef": needs(two_classes, sk("matthews_corrcoef")),
        "cohen_kappa_score": kappa(None),
        "linear_weighted_kappa": kappa("linear"),
        "quadratic_weighted_kappa": kappa("quadratic"),
        "top_k_accuracy_score": sk("top_k_accuracy_score", k=2, labels=range(4)),
        "log_loss": log_loss,
        "brier_score_loss": sk("brier_score_loss", pos_label=1),
        "multiclass_brier_score": multiclass_brier,
        "roc_auc_score": needs(two_classes, sk("roc_auc_score")),
        "gini": needs(two_classes, lambda rows: 2 * sk("roc_auc_score")(rows) - 1),
        "roc_auc_ovr": several_areas("ovr", "macro"),
        "roc_auc_ovr_weighted": several_areas("ovr", "weighted"),
        "roc_auc_ovo": several_areas("ovo", "macro"),
        "roc_auc_ovo_weighted": several_areas("ovo", "weighted"),
        "average_precision_score": needs(has_positive, sk("average_precision_score")),
        "mean_columnwise_roc_auc": needs(
            lambda rows: zero_or_one(rows) and varies(rows), sk("roc_auc_score", average="macro")
        ),
        "mean_columnwise_log_loss": needs(
            zero_or_one,
            columnwise(
                lambda a, b, w: skm.log_loss(
                    a, np.clip(b, 1e-6, 1 - 1e-6), sample_weight=w, labels=[0, 1]
                )
            ),
        ),
        "r2_score": needs(varies, sk("r2_score")),
        "explained_variance_score": needs(varies, sk("explained_variance_score")),
        "symmetric_mean_absolute_percentage_error": smape,
        "huber_loss": huber,
        "pearsonr": needs(both_vary, columnwise(pearson)),
        "spearmanr": needs(both_vary, columnwise(spearman)),
        "mean_poisson_deviance": deviance("mean_poisson_deviance"),
        "mean_tweedie_deviance": deviance("mean_tweedie_deviance", power=1.5),
        "map_at_k": lambda rows: places_of(rows, 10, map_at_10),
        "ndcg_at_k": lambda rows: places_of(rows, 10, ndcg_at_10),
        "mrr": lambda rows: places_of(rows, 0, lambda places, _: 1 / places[0] if places else 0),
        "recall_at_k": lambda rows: places_of(rows, 10, lambda f, r: len(f) / min(r, 10)),
        "exact_match": exact_match,
        "rouge1": rouge("rouge1"),
        "rouge2": rouge("rouge2"),
        "rougel": rouge("rougeL"),
        "bleu": corpus(BLEU()),
        "chrf": corpus(CHRF()),
        "character_error_rate": edits(list),
        "word_error_rate": edits(str.split),
    }
    for name in (
        "root_mean_squared_error",
        "mean_squared_error",
        "mean_absolute_error",
        "median_absolute_error",
        "root_mean_squared_log_error",
        "mean_squared_log_error",
        "mean_absolute_percentage_error",
        "mean_pinball_loss",
    ):
        found[name] = sk(name)
    for average in ("binary", "micro", "macro", "weighted"):
        for stem in ("precision", "recall", "f1", "jaccard"):
            name = f"{stem}_score" if average == "binary" else f"{stem}_{average}"
            found[name] = ratio(f"{stem}_score", average)
        name = "fbeta_score" if average == "binary" else f"fbeta_{average}"
        found[name] = ratio("fbeta_score", average, beta=2)
    return found
