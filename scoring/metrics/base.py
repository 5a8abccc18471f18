"""What a metric is, and the register of metrics.

Nothing here imports numpy: a web process lists metrics, shows their descriptions and computes
their sensitivities without loading the numeric part. The functions that compute are named by
"module:function" strings and imported when they are first called.

Four ways to compute a score, of which a metric names exactly one (`form`):

``mean``    `rows -> losses or gains per row`, (n,) or (n, targets); the score is their weighted
            mean, passed through `link`, averaged over targets. These have per-row losses.
``counts``  `(counts (..., K, K), positive) -> (...)`: from the confusion matrix, whose rows are the
            truth and whose columns are the predictions.
``tally``   `rows -> (statistics (n, m), combine)`, where `combine` turns weighted sums of the
            statistics (..., m) into scores (...).
``whole``   `rows -> float`, for everything that needs all rows at once.

Each answers NaN where the metric is undefined; `evaluate` turns that into Unscorable with the
sentence in `undefined`.
"""

import importlib
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from types import MappingProxyType
from typing import Any

from scoring.errors import BadSolution

NO_BOUND = "No bound: replacing one row can move this metric by an amount that depends on the rest."


@dataclass(frozen=True)
class Sensitivity:
    """How far the score can move when one row (or query) is replaced.

    Called with the number of rows and whatever facts are known (`smallest_class`, `positives`,
    `classes`, `span`, `low`, `weighted`, ...); answers None when no bound can be stated from them.
    """

    rule: Callable[..., float | None] | None = None
    bound_note: str = NO_BOUND
    params: Mapping[str, Any] = field(default_factory=dict)

    def __call__(self, n: int, **facts: Any) -> float | None:
        if self.rule is None or n < 1 or facts.pop("weighted", False):
            return None
        return self.rule(n, **{**facts, **self.params})


@dataclass(frozen=True)
class Metric:
    """A metric as organisers, participants and the scorer know it.

    `name` names parameters that differ from their defaults ("log_loss(clip=1e-15)", "ndcg_at_k@5"),
    so that `get(metric.name) == metric`: it identifies the metric wherever one is stored.
    `low` and `high` bound the score (None: unbounded); `perfect` is what a perfect file scores.
    `params` are the organiser's to choose, `fixed` is part of the definition; both are passed on.
    `least` and `most` bound what a label or prediction may be (None: any number will do).
    `binary` metrics need a positive class.
    """

    name: str
    title: str
    symbol: str
    family: str
    form: str
    function: str
    kinds: tuple[str, ...]
    greater_is_better: bool
    low: float | None
    high: float | None
    perfect: float
    description: str
    snippet: str
    undefined: str = "There is no row to score."
    aliases: tuple[str, ...] = ()
    params: Mapping[str, Any] = field(default_factory=dict)
    fixed: Mapping[str, Any] = field(default_factory=dict)
    link: str = "identity"
    sensitivity: Sensitivity = field(default_factory=Sensitivity)
    rows: str = "row"
    binary: bool = False
    least: float | None = None
    most: float | None = None
    version: int = 1

    @property
    def per_row(self) -> str | None:
        """The "module:function" of per-row losses or gains; None where the score is no mean."""
        return self.function if self.form == "mean" else None

    @property
    def compute(self) -> Callable[..., Any]:
        """The numeric function with its parameters bound, imported now."""
        module, _, attribute = self.function.partition(":")
        function = getattr(importlib.import_module(module), attribute)
        return partial(function, **self.fixed, **self.params)

    def better(self, a: float, b: float) -> bool:
        """Whether score `a` is strictly better than score `b`."""
        return a > b if self.greater_is_better else a < b

    def __hash__(self) -> int:
        return hash((self.name, self.version))


Factory = Callable[..., Metric]
_factories: dict[str, tuple[Factory, Mapping[str, Any]]] = {}
_aliases: dict[str, str] = {}


def register(factory: Factory) -> Factory:
    """Enter a metric: `factory(**params)` builds it, its defaults give the standard form."""
    standard = factory()
    defaults = MappingProxyType(dict(standard.params))
    for name in (standard.name, *standard.aliases):
        key = normal(name)
        if key in _aliases:
            raise ValueError(f"two metrics answer to {name!r}")
        _aliases[key] = standard.name
    _factories[standard.name] = (factory, defaults)
    return factory


def normal(name: str) -> str:
    """The form in which names are compared: small letters, underscores, no spaces."""
    return name.strip().lower().replace("-", "_").replace(" ", "_")


def build(name: str, **params: Any) -> Metric:
    """The metric called `name` (or an alias), with parameters in the name or as keywords.

    Raises BadSolution with the sentence to show when there is no such metric or parameter.
    """
    base, given = _split(name)
    params = {**given, **params}
    average = params.pop("average", None)
    if average is not None:
        base = f"{base}_{average}"
    key = _aliases.get(normal(base)) or _aliases.get(normal(f"{base}_at_k"))
    if key is None:
        # Imported here: only a name that is wrong needs it.
        import difflib

        near = difflib.get_close_matches(normal(base), _aliases, n=1)
        hint = f" Is {near[0]} meant?" if near else ""
        raise BadSolution(f"There is no metric called {name!r}.{hint}")
    factory, defaults = _factories[key]
    for parameter in params:
        if parameter not in defaults:
            known = ", ".join(defaults) or "none"
            raise BadSolution(f"{key} has no parameter {parameter!r} (it has: {known}).")
    typed = {p: _typed(key, p, value, defaults[p]) for p, value in params.items()}
    metric = factory(**typed)
    changed = {p: v for p, v in metric.params.items() if v != defaults[p]}
    sensitivity = replace(metric.sensitivity, params=dict(metric.params))
    return replace(metric, name=_spelled(key, changed), sensitivity=sensitivity)


def registered() -> tuple[str, ...]:
    """Canonical names, in the order in which they were entered."""
    return tuple(_factories)


def _split(name: str) -> tuple[str, dict[str, str]]:
    """Name and parameters: ("ndcg", {"k": "10"}) of "ndcg@10", {"beta": "2"} of "f(beta=2)"."""
    base, at, k = name.strip().partition("@")
    if at:
        return base, {"k": k}
    base, opened, inside = base.partition("(")
    if not opened:
        return base, {}
    pairs = (pair.partition("=") for pair in inside.rstrip(")").split(",") if pair.strip())
    return base, {key.strip(): value.strip() for key, _, value in pairs}


def _spelled(name: str, changed: Mapping[str, Any]) -> str:
    if not changed:
        return name
    if set(changed) == {"k"}:
        return f"{name}@{changed['k']}"
    return f"{name}({','.join(f'{p}={v!r}' for p, v in changed.items())})"


def _typed(metric: str, parameter: str, value: Any, default: Any) -> Any:
    """`value` as the type of the default; a number that is not finite is refused."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    whole = isinstance(default, int)
    if not math.isfinite(number) or (whole and number != int(number)):
        wanted = "a whole number" if whole else "a number"
        raise BadSolution(f"{parameter} of {metric} must be {wanted}, not {value!r}.")
    return int(number) if whole else number


def require(condition: bool, sentence: str) -> None:
    """Refuse a parameter's value with a sentence."""
    if not condition:
        raise BadSolution(sentence)
