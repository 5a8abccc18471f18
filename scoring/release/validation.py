"""Every fault of release settings, named at once, with the reason in plain words."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

from scoring.release.catalogue import RULES

MOST_DECIMALS = 12
MOST_DIGITS = 30
LARGEST_STEPS = 1_000_000
FARTHEST_START = 10**12
"""Most steps of the grid in a threshold, and from 0 to the start line: the sealed numbers then fit
64 bits."""

POROUS = Decimal("0.5")
"""Comparison noise from this share of the threshold on lets 1 random file in 44 through,
whatever the threshold."""

LAPLACE_RATIO = 24
REFERENCES = ("best", "baseline", "training")


def problems(settings) -> dict[str, str]:
    """Field -> sentence for each field at fault; empty when the settings can be used."""
    if settings.rule not in RULES:
        return {"rule": f"There is no rule of this name. The rules are: {', '.join(RULES)}."}
    found: dict[str, str] = {}
    for check in (_grid, _range, _standard_error, _counts, _extra):
        found |= check(settings)
    if settings.rule == "sealed":
        return found
    for name in ("tau", "sigma_compare", "sigma_value", "start"):
        reason = _number(getattr(settings, name))
        if reason:
            found[name] = reason
    if "grid" in found:
        return found
    for check in (_threshold, _noise, _start):
        found = check(settings, found) | found
    return found


def _number(value) -> str | None:
    """Why this is not a usable decimal, or None."""
    if not isinstance(value, Decimal):
        return "Write a number."
    if not value.is_finite():
        return "Write a finite number."
    if value and value.adjusted() > MOST_DIGITS:
        return f"This has more than {MOST_DIGITS} digits before the point."
    # The size first: a number too small for `normalize` would come back as 0.
    if value and (
        value.adjusted() < -MOST_DECIMALS or -value.normalize().as_tuple().exponent > MOST_DECIMALS
    ):
        return f"This has more than {MOST_DECIMALS} decimals. Round it."
    return None


def _grid(settings) -> dict[str, str]:
    grid = settings.grid
    reason = _number(grid)
    if reason is None and grid <= 0:
        reason = (
            "The display grid is above 0: without a grid the last digits of a score would show "
            "what the noise hides."
        )
    if reason is None and (grid.normalize().as_tuple().digits not in ((1,), (2,), (5,))):
        reason = "The display grid is 1, 2 or 5 times a power of ten, such as 0.01, 0.005 or 0.002."
    return {"grid": reason} if reason else {}


def _range(settings) -> dict[str, str]:
    found = {}
    for name in ("low", "high"):
        value = getattr(settings, name)
        if value is not None and not _is_float(value):
            found[name] = "Write a finite number, or leave it empty where the metric has no bound."
    bounded = settings.low is not None and settings.high is not None
    if not found and bounded and settings.low >= settings.high:
        found["high"] = "The upper end of the metric's range is above its lower end."
    if not isinstance(settings.greater_is_better, bool):
        found["greater_is_better"] = "Say whether larger scores are better."
    return found


def _is_float(value) -> bool:
    return isinstance(value, float) and math.isfinite(value)


def _standard_error(settings) -> dict[str, str]:
    value = settings.standard_error
    if value is None and settings.rule == "sealed":
        return {}
    if value is None:
        return {"standard_error": "The ruler is missing: the standard error of a baseline's score."}
    if not _is_float(value) or value < 0:
        return {"standard_error": "The standard error is a positive number."}
    if value == 0:
        return {
            "standard_error": (
                "The ruler's score has a standard error of 0, as a constant has under ROC AUC, so "
                "it cannot say how far apart two scores must be. Choose a baseline whose "
                "predictions differ from row to row, or add one."
            )
        }
    return {}


def _counts(settings) -> dict[str, str]:
    found = {}
    cap, looks = settings.cap, settings.looks
    if cap is not None and (not _is_whole(cap) or not 1 <= cap <= 10_000):
        found["cap"] = "A whole number from 1 to 10,000, or no limit."
    if not _is_whole(looks) or not 0 <= looks <= 1_000:
        found["looks"] = "A whole number from 0 to 1,000."
    if settings.rule == "sealed" and not found and looks:
        found["looks"] = "Sealed scores have no looks: nothing is shown before the close."
    return found


def _is_whole(value) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _extra(settings) -> dict[str, str]:
    wanted = RULES[settings.rule].extra
    found = {}
    for name in settings.extra:
        if name not in wanted:
            found[name] = f"The rule {settings.rule} has no setting of this name."
    if "budget" in wanted:
        budget = settings.extra.get("budget")
        if not _is_whole(budget) or not 1 <= budget <= 1_000_000:
            found["budget"] = "New scores of all teams together: a whole number of 1 or more."
    for name, top in (("c", 20), ("floor", 10)):
        if name in wanted:
            value = settings.extra_decimal(name, RULES[settings.rule].defaults[name])
            reason = _number(value)
            if reason is None and not 0 < value <= top:
                reason = f"A number above 0, at most {top}."
            if reason:
                found[name] = reason
    if "reference" in wanted:
        reference = settings.extra.get("reference", "best")
        if reference not in REFERENCES:
            found["reference"] = "The reference is best, baseline or training."
        elif reference != "best" and settings.cap is None and "budget" not in wanted:
            found["cap"] = (
                "With this reference every good file gets a new score, so a limit for each team is "
                "needed."
            )
    return found


def _threshold(settings, found) -> dict[str, str]:
    if "tau" in found:
        return {}
    tau, grid = settings.tau, settings.grid
    if "tau" not in RULES[settings.rule].parameters:
        return {"tau": "This rule has no threshold: write 0."} if tau != 0 else {}
    if tau <= 0:
        return {"tau": "The threshold is above 0: a file must be clearly better to be shown."}
    if tau < grid:
        return {"tau": "The threshold is at least one step of the display grid."}
    if tau > LARGEST_STEPS * grid:
        return {"tau": "The threshold is more than a million steps of the grid. Use a wider grid."}
    if settings.rule == "ladder" and tau % grid:
        return {"tau": "The step of the ladder is a whole number of steps of the display grid."}
    return {}


def _noise(settings, found) -> dict[str, str]:
    made = {}
    rule = RULES[settings.rule]
    for name in ("sigma_compare", "sigma_value"):
        if name in found:
            continue
        value = getattr(settings, name)
        if value < 0:
            made[name] = "Noise is 0 or more."
        elif value and name not in rule.parameters:
            made[name] = "This rule has no such noise: write 0."
    if made or "tau" in found or not {"sigma_compare", "sigma_value"}.isdisjoint(found):
        return made
    if settings.rule == "thresholdout_laplace":
        return _laplace(settings)
    if "sigma_compare" in rule.parameters and settings.sigma_compare > POROUS * settings.tau:
        made["sigma_compare"] = (
            "This much noise in the comparison lets random files through whatever the threshold. "
            "Recommended: an eighth of the threshold; at most half of it."
        )
    if "sigma_value" in rule.parameters and settings.sigma_value > settings.tau > 0:
        made["sigma_value"] = (
            "The noise of a new score is larger than the threshold, so luck would decide the board."
        )
    return made


def _laplace(settings) -> dict[str, str]:
    if settings.sigma_value <= 0:
        return {"sigma_value": "This rule needs noise. Recommended: a 24th of the threshold."}
    if settings.sigma_value * LAPLACE_RATIO > settings.tau:
        return {
            "sigma_value": (
                "The Laplace scale is at most a 24th of the threshold; otherwise one comparison in "
                "five comes out as a difference where there is none."
            )
        }
    if settings.sigma_compare != 4 * settings.sigma_value:
        return {"sigma_compare": "In this rule the comparison has four times the value's scale."}
    return {}


def _start(settings, found) -> dict[str, str]:
    if "start" in found:
        return {}
    steps = Fraction(settings.start) / Fraction(settings.grid)
    if abs(steps) > FARTHEST_START:
        return {"start": "The start line is more than 10^12 steps from 0. Use a wider grid."}
    if steps.denominator != 1:
        return {"start": "The start line lies on the display grid."}
    if not {"low", "high"}.isdisjoint(found):
        return {}
    low, high = settings.low, settings.high
    if (_is_float(low) and settings.start < Decimal(repr(low))) or (
        _is_float(high) and settings.start > Decimal(repr(high))
    ):
        return {"start": "The start line lies inside the metric's range."}
    return {}
