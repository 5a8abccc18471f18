"""The release rules as pure steps over integers: (settings, state, sealed numbers) -> outcome.

Nothing here reads a clock, a database or a generator. A file's numbers are sealed once, at the
first reading of its predictions, and stored; every later decision about those predictions, by
whichever team, compares the same three integers with that team's own state.

A released value can lie below the reference, because it carries noise of its own. It is shown as it
was sealed, and the reference stays: the reference is the best released value above the start line,
or None while there is none. The board shows a team's best released value.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from scoring.release import noise
from scoring.release.catalogue import RULES
from scoring.release.units import (
    FINE,
    clamp,
    exact,
    fine_step,
    in_fine,
    score_in_fine,
    steps,
    to_steps,
)

UNIT = 1024
"""The relative noise of the paired gate is drawn in this many parts of the threshold."""


@dataclass(frozen=True)
class Sealed:
    """What is known of predictions and shown to nobody; larger is better in all three.

    `exact_fine` is the exact score in fine steps, `compare_draw` the noise of the comparison (fine
    steps; for gate_paired in 1/1024 of the threshold), `value` what would be shown, in steps.
    """

    exact_fine: int
    compare_draw: int
    value: int


@dataclass(frozen=True)
class State:
    """A team's state: reference in steps (None: still the start line), new scores used."""

    reference: int | None = None
    used: int = 0


@dataclass(frozen=True)
class Epoch:
    """thresholdout_laplace, the whole competition: new scores given so far, the threshold's noise.

    The number is the count of released scores of all teams, so the noise changes after each of
    them and at no other time. `draw` is in fine steps.
    """

    number: int
    draw: int


@dataclass(frozen=True)
class Paired:
    """New file against the file that set the team's reference, both in fine steps.

    `gain` is the mean advantage of the new file, `spread` the standard error of that mean. Before
    the first new score the other file is the start line's baseline.
    """

    gain: int
    spread: int


@dataclass(frozen=True)
class Outcome:
    """`kind` is released, no_change, used_up or received; `value` (steps) for released only."""

    kind: str
    value: int | None = None


RELEASED = "released"
NO_CHANGE = Outcome("no_change")
USED_UP = Outcome("used_up")
RECEIVED = Outcome("received")


def seal(settings, key: bytes, identity: tuple, score: float) -> Sealed:
    """Seal the three numbers of predictions: the same key, identity and score give the same ones.

    `identity` is (competition, solution version, metric, metric version, digest of the canonical
    predictions on the public rows); with the reference `training` the digest covers the rows marked
    Training too, or one frozen draw could be found by varying them. `score` is the exact score in
    displayed units. Only the noise scales, grid and range of the settings are used: no team.
    """
    fine = score_in_fine(settings, score)
    stride = 1
    if settings.rule == "ladder":
        stride = int(settings.tau / settings.grid)
    shift = _draw(settings, key, identity, "value", in_fine(settings, settings.sigma_value))
    value = clamp(settings, to_steps(fine + shift, stride))
    return Sealed(fine, _draw(settings, key, identity, "compare", _compare_scale(settings)), value)


def look(settings, key: bytes, identity: tuple, score: float) -> int:
    """The noisy score of a private look, in steps: discrete Gaussian noise of one SE, clamped.

    A second look at the same predictions gives the same number; its noise is drawn apart from that
    of the comparison and of the new score.
    """
    scale = in_fine(settings, settings.standard_error)
    shift = noise.draw(key, _fields(identity, "look"), "gaussian", scale)
    return clamp(settings, to_steps(score_in_fine(settings, score) + shift))


def paired(settings, gain: float, spread: float) -> Paired:
    """Round a mean advantage and its standard error to fine steps.

    Both are in displayed units, but `gain` is positive where the new file is better, whichever way
    the metric points; for a root of a mean, both are those of the mean divided by twice the score.
    The spread is rounded up, never to 0 where there is one.
    """
    unit = fine_step(settings)
    return Paired(round(Fraction(gain) / unit), math.ceil(Fraction(spread) / unit))


def epoch(settings, key: bytes, identity: tuple, number: int) -> Epoch:
    """The competition-wide state of thresholdout_laplace after `number` released scores.

    Only the first four fields of the identity are used: the threshold belongs to no file. Like the
    sealed numbers it is drawn once and kept, so that new settings do not change it before its time.
    """
    scale = 2 * in_fine(settings, settings.sigma_value)
    fields = (*identity[:4], "threshold", number)
    return Epoch(number, noise.draw(key, fields, "laplace", scale))


def initial(settings) -> State:
    """The state of a team that has no new score: its reference is the start line."""
    return State()


def reference(settings, state: State) -> int:
    """The reference in steps: the best released value, or the start line before there is one."""
    if state.reference is None:
        return steps(settings, settings.start)
    return state.reference


def step(
    settings,
    state: State,
    sealed: Sealed | None,
    paired: Paired | None = None,
    *,
    epoch: Epoch | None = None,
    training: float | None = None,
) -> tuple[State, Outcome]:
    """Judge sealed predictions against a team's state.

    `paired` is needed by gate_paired and ladder_paired, `epoch` by thresholdout_laplace, `training`
    (the file's score on the rows marked Training, displayed units) with that reference. Reference
    and used count never fall. When the new scores are used up the answer is a constant: nothing of
    the file is looked at.
    """
    if settings.rule == "sealed":
        return state, RECEIVED
    if used_up(settings, state, epoch):
        return state, USED_UP
    if not TESTS[settings.rule](settings, state, sealed, paired, epoch, training):
        return state, NO_CHANGE
    best = reference(settings, state)
    kept = sealed.value if sealed.value > best else state.reference
    return State(kept, state.used + 1), Outcome(RELEASED, sealed.value)


def used_up(settings, state: State, epoch: Epoch | None = None) -> bool:
    """Whether a team's new scores, or the competition's, are used up: a matter of counts alone."""
    if settings.cap is not None and state.used >= settings.cap:
        return True
    return settings.rule == "thresholdout_laplace" and epoch.number >= settings.extra["budget"]


def _gate(settings, state, sealed, paired, epoch, training) -> bool:
    blurred = sealed.exact_fine - sealed.compare_draw
    return blurred > FINE * reference(settings, state) + threshold(settings)


def _thresholdout(settings, state, sealed, paired, epoch, training) -> bool:
    bound = threshold(settings) + sealed.compare_draw + (epoch.draw if epoch else 0)
    chosen = settings.extra.get("reference", "best")
    if chosen == "training":
        return abs(score_in_fine(settings, training) - sealed.exact_fine) > bound
    best = steps(settings, settings.start) if chosen == "baseline" else reference(settings, state)
    return sealed.exact_fine - FINE * best > bound


def _gate_paired(settings, state, sealed, paired, epoch, training) -> bool:
    spread = max(Fraction(paired.spread), floor(settings))
    bound = exact(settings.extra_decimal("c", RULES["gate_paired"].defaults["c"])) * spread
    return paired.gain * UNIT > bound * (UNIT + sealed.compare_draw)


def _ladder_paired(settings, state, sealed, paired, epoch, training) -> bool:
    bound = max(Fraction(paired.spread), floor(settings)) + sealed.compare_draw
    return sealed.exact_fine - FINE * reference(settings, state) > bound


def _always(settings, state, sealed, paired, epoch, training) -> bool:
    return True


TESTS = {
    "gate": _gate,
    "gate_paired": _gate_paired,
    "thresholdout": _thresholdout,
    "thresholdout_laplace": _thresholdout,
    "ladder": _gate,
    "ladder_paired": _ladder_paired,
    "rounded": _always,
    "exact": _always,
}


def threshold(settings) -> int:
    """The threshold in whole fine steps.

    An integer is above a fraction exactly when it is above the integer below it, so rounding down
    changes no comparison.
    """
    return math.floor(in_fine(settings, settings.tau))


def floor(settings) -> Fraction:
    """Least standard error of a difference, in fine steps."""
    share = settings.extra_decimal("floor", RULES[settings.rule].defaults["floor"])
    return exact(share) * in_fine(settings, settings.standard_error)


def _compare_scale(settings) -> Fraction:
    if settings.rule == "gate_paired":
        return UNIT * exact(settings.sigma_compare) / exact(settings.tau)
    return in_fine(settings, settings.sigma_compare)


def _draw(settings, key: bytes, identity: tuple, purpose: str, scale: Fraction) -> int:
    """A draw for the internal sign; the laws are symmetric, so the sign of the metric is free."""
    kind = RULES[settings.rule].noise
    if kind is None:
        return 0
    return noise.draw(key, _fields(identity, purpose), kind, scale)


def _fields(identity: tuple, purpose: str) -> tuple:
    competition, solution, metric, metric_version, digest = identity
    return (competition, solution, metric, metric_version, purpose, digest)
