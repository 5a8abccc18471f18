"""The metrics: `get(name)`, `names()`, `all_metrics()`. Free of numpy until one is computed."""

from scoring.metrics import descriptors  # noqa: F401  (entering the metrics is its import's effect)
from scoring.metrics.base import Metric, Sensitivity, build, registered

__all__ = ["Metric", "Sensitivity", "all_metrics", "get", "names"]


def get(name: str, **params: object) -> Metric:
    """The metric of this name or alias; parameters in the name ("ndcg@10") or as keywords.

    Raises BadSolution when there is no such metric or parameter.
    """
    return build(name, **params)


def names() -> tuple[str, ...]:
    """Canonical names of all metrics, grouped by family."""
    return registered()


def all_metrics() -> tuple[Metric, ...]:
    """Every metric with its default parameters, in the order of `names()`."""
    return tuple(build(name) for name in registered())
