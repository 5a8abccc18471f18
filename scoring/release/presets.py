"""Settings proposed by who takes part, and what an organiser should hear about them."""

from __future__ import annotations

from dataclasses import replace
from decimal import ROUND_HALF_EVEN, Decimal

from scoring.release.resolution import grid_for, ruler
from scoring.release.settings import ReleaseSettings
from scoring.release.units import FINE, amount_text, clamp, exact, shown, steps

PRESET_RULE = "gate"
"""The rule of the presets Course and Open. `gate_paired` takes its place once its study is passed
and the metric has per-row losses or DeLong's variance."""

NAMES = ("course", "open", "sealed", "exact", "custom")
TITLES = {
    "course": ("Course", "People I know, one account each."),
    "open": ("Open", "Anyone."),
    "sealed": ("Sealed", "Few cases, prizes. All rows count for the final ranking."),
    "exact": ("Exact", "No protection: every score exactly."),
    "custom": ("Custom", "Any rule and any value."),
}

COURSE_C = Decimal("1.5")
OPEN_C = ((300, Decimal("2.5")), (1_000, Decimal(3)), (10_000, Decimal(4)))
OPEN_C_ABOVE = Decimal("4.5")

COURSE_LOOKS = 3
DAILY = 5
CAP = {"gate": 10, "gate_paired": 25}
VALUE_NOISE = {"gate": Decimal(1) / 2, "gate_paired": Decimal(1) / 4}
COMPARE_NOISE = Decimal(1) / 8
TYPICAL_DIFFERENCE = Decimal("0.6")
"""Standard error of the difference of two files of one team, in ruler units: files that differ on
6% of the rows of an accuracy task have 0.57."""

EXACT_DIGITS = 3
"""Exact scores are shown to this many digits below the ruler's first: more say nothing."""

HALF_SPLIT_BELOW = 5_000


def threshold_factor(name: str, expected_submissions: int | None = None) -> Decimal:
    """The threshold in standard errors: Course, or Open by the number of submissions expected."""
    if name == "course":
        return COURSE_C
    if expected_submissions is None:
        expected_submissions = 10_000
    for most, factor in OPEN_C:
        if expected_submissions <= most:
            return factor
    return OPEN_C_ABOVE


def preset(
    name: str,
    *,
    se: float | None,
    greater_is_better: bool,
    low: float | None,
    high: float | None,
    start: float | Decimal,
    n_public: int | None = None,
    expected_submissions: int | None = None,
    metric=None,
    rule: str | None = None,
) -> ReleaseSettings:
    """The settings of a preset for a ruler `se`, a start line and a range in displayed units.

    Custom starts from Open; without `expected_submissions` Open expects 10,000. `metric` and
    `n_public` (public rows) give the ruler its floor where the metric is an average over rows.
    `rule` overrides the presets' rule. Raises BadSettings where the ruler is 0 or missing.
    """
    if name not in NAMES:
        raise ValueError(f"there is no preset {name}")
    if se:
        se = ruler(se, metric, n_public)
    facts = {
        "greater_is_better": greater_is_better,
        "low": low,
        "high": high,
        "standard_error": se,
    }
    if name in ("sealed", "exact"):
        return _unprotected(name, facts, start)
    rule = rule or PRESET_RULE
    draft = ReleaseSettings(rule, 1, 0, 0, 1, 0, extra=_extra(rule, COURSE_C), **facts)
    if se is None or not se > 0:
        draft.validate()
    error = Decimal(repr(float(se)))
    factor = threshold_factor(name, expected_submissions)
    grid = grid_for(se)
    width = factor * error * (TYPICAL_DIFFERENCE if rule == "gate_paired" else 1)
    fine = grid / FINE
    tau = ((width / fine).to_integral_value(ROUND_HALF_EVEN) * fine).normalize()
    return ReleaseSettings(
        rule,
        tau=Decimal(format(tau, "f")),
        sigma_compare=_short(tau * COMPARE_NOISE),
        sigma_value=_short(error * VALUE_NOISE[rule]),
        grid=grid,
        start=on_grid(draft, grid, start),
        cap=CAP[rule],
        looks=COURSE_LOOKS if name == "course" else 0,
        extra=_extra(rule, factor),
        **facts,
    ).validate()


def _extra(rule: str, factor: Decimal) -> dict:
    return {"c": format(factor, "f"), "floor": "0.3"} if rule == "gate_paired" else {}


def _unprotected(name: str, facts: dict, start) -> ReleaseSettings:
    se = facts["standard_error"]
    grid = Decimal("0.000001")
    if se:
        place = Decimal(repr(float(se))).adjusted() - EXACT_DIGITS
        grid = grid_for(se) if name == "sealed" else Decimal(format(Decimal(1).scaleb(place), "f"))
    draft = ReleaseSettings(name, 0, 0, 0, grid, 0, cap=None, **facts)
    return replace(draft, start=on_grid(draft, grid, start)).validate()


def on_grid(settings, grid: Decimal, amount: float | Decimal) -> Decimal:
    """A displayed amount on the nearest step of a grid, inside the metric's range."""
    made = replace(settings, grid=grid)
    return shown(made, clamp(made, steps(made, amount)))


def _short(amount: Decimal, digits: int = 3) -> Decimal:
    """Round to three significant digits: a noise scale needs no more."""
    place = Decimal(1).scaleb(amount.adjusted() - digits + 1)
    return Decimal(format(amount.quantize(place).normalize(), "f"))


def half_split(n_rows: int) -> bool:
    """Whether half of the rows should be public: below 5,000 rows neither part can spare any."""
    return n_rows < HALF_SPLIT_BELOW


def warnings(
    settings,
    baselines,
    n_public: int | None = None,
    *,
    metric=None,
    facts=None,
    best_plausible=None,
) -> list[str]:
    """What to tell the organiser before publishing; an empty list when all is well.

    `baselines` are exact scores in displayed units. With `metric` and `n_public` a missing bound is
    told by the metric's sensitivity (`facts`: what is known beside it, such as `span`), else by its
    range. `best_plausible` is the best score anyone
    may reach; left out, the better end of the metric's range, where it has one.
    """
    if settings.rule in ("sealed", "exact"):
        return _unprotected_warnings(settings)
    made = []
    if not _bounded(settings, metric, n_public, facts or {}):
        made.append(
            "This metric has no bound, so one row can move the score by any amount. There is no "
            "worst-case guarantee; clip the values, or take a threshold one step higher."
        )
    if baselines and settings.tau:
        made += _start_warnings(settings, baselines, best_plausible)
    if exact(settings.grid) > exact(settings.standard_error):
        made.append("The display grid is wider than the ruler: differences that count are hidden.")
    if settings.tau and 4 * settings.sigma_compare > settings.tau:
        made.append(
            "Noise in the comparison above a quarter of the threshold lets more random files "
            "through. An eighth is recommended."
        )
    if settings.rule == "ladder_paired" and settings.extra_decimal("floor", "2") < 2:
        made.append(
            "With a floor below 2 standard errors this rule can be climbed by changing few rows at "
            "a time."
        )
    return made


def _bounded(settings, metric, n_public, facts) -> bool:
    if metric is not None and n_public:
        known = {"classes": 2, "smallest_class": n_public, "positives": n_public, **facts}
        return metric.sensitivity(n_public, **known) is not None
    return settings.low is not None and settings.high is not None


def _unprotected_warnings(settings) -> list[str]:
    if settings.rule == "sealed":
        return []
    return [
        "Exact scores protect nothing: they need a public set far larger than the number of "
        "submissions. Say so to the participants."
    ]


def _start_warnings(settings, baselines, best_plausible) -> list[str]:
    better = max if settings.greater_is_better else min
    top = exact(better(baselines))
    start, tau = exact(settings.start), exact(settings.tau)
    made = []
    if abs(top - start) < 2 * tau or (top > start) != settings.greater_is_better:
        made.append(
            "A team at the level of the best baseline may see no score: the start line "
            f"({amount_text(settings, settings.start)}) lies within 2 thresholds of it. "
            "Take a weaker baseline as start line, or a lower threshold."
        )
    if best_plausible is None:
        best_plausible = settings.high if settings.greater_is_better else settings.low
    if best_plausible is not None and 4 * tau > abs(exact(best_plausible) - start):
        made.append(
            "The public set is too small for this many submissions: the threshold is more than a "
            "quarter of the way from the start line to the best score that is plausible. Use more "
            "public rows, expect fewer submissions, or choose the preset Sealed."
        )
    return made
