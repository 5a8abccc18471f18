"""The vectorised rules decide as the pure steps do, number by number."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from scoring.release import Epoch, Paired, Sealed, names, rules
from scoring.study.panel import Panel, SealedArrays
from scoring.study.simulate import in_accuracy, settings_for, with_start

N = 1000
TEAMS, FILES, REPETITIONS = 3, 40, 20


def sealed_at(sealed: SealedArrays, place) -> Sealed:
    return Sealed(
        int(sealed.exact_fine[place]), int(sealed.compare_draw[place]), int(sealed.value[place])
    )


def literal(settings, sealed, gains, spreads, training, epochs):
    """The same files through the pure steps; returns released, references and used counts."""
    released = np.zeros((FILES, REPETITIONS, TEAMS), bool)
    references = np.zeros((REPETITIONS, TEAMS), int)
    used = np.zeros((REPETITIONS, TEAMS), int)
    laplace = settings.rule == "thresholdout_laplace"
    for repetition in range(REPETITIONS):
        states = [rules.initial(settings)] * TEAMS
        given = 0
        for file in range(FILES):
            for team in range(TEAMS):
                at = (file, repetition, team)
                epoch = Epoch(given, int(epochs[repetition, given])) if laplace else None
                states[team], outcome = rules.step(
                    settings,
                    states[team],
                    sealed_at(sealed, at),
                    Paired(int(gains[at]), int(spreads[at])),
                    epoch=epoch,
                    training=float(training[at]),
                )
                released[at] = outcome.kind == "released"
                given += released[at]
        references[repetition] = [rules.reference(settings, state) for state in states]
        used[repetition] = [state.used for state in states]
    return released, references, used


class Scripted(Panel):
    """A panel whose threshold noise is read from a list, to be compared with the pure steps."""

    def __init__(self, settings, shape, rng, epochs):
        self.epochs = epochs
        super().__init__(settings, shape, rng)
        if settings.rule == "thresholdout_laplace":
            self.epoch_draw = epochs[:, 0]

    def _laplace_step(self, sealed, training, where, place):
        given = super()._laplace_step(sealed, training, where, place)
        self.epoch_draw = self.epochs[np.arange(REPETITIONS), self.given]
        return given


def variants():
    for rule in names():
        yield settings_for(rule, n=N, c=1.0)
        yield settings_for(rule, n=N, c=1.0, cap=2, budget=3)
    for reference in ("baseline", "training"):
        for rule in ("thresholdout", "thresholdout_laplace"):
            made = settings_for(rule, n=N, c=1.0, cap=4)
            yield replace(made, extra={**made.extra, "reference": reference}).validate()


@pytest.mark.parametrize("release", list(variants()), ids=lambda s: f"{s.rule}-{s.cap}-{s.extra}")
def test_decides_as_the_pure_steps(release):
    settings = release  # not named so above: `settings` is a fixture of pytest-django
    rng = np.random.default_rng(7)
    shape = (FILES, REPETITIONS, TEAMS)
    epochs = np.rint(rng.laplace(0, 8, (REPETITIONS, FILES * TEAMS + 1))).astype(int)
    panel = Scripted(settings, shape[1:], rng, epochs)
    # Scores around the start line and rising, so that files pass and fail the test narrowly.
    scores = 0.5 + rng.normal(0, 0.02, shape) + np.linspace(0, 0.04, FILES)[:, None, None]
    sealed = panel.seal(scores)
    training = scores + rng.normal(0, 0.03, shape)
    gains = rng.integers(-100, 300, shape)
    spreads = rng.integers(1, 150, shape)
    expected, references, used = literal(settings, sealed, gains, spreads, training, epochs)
    found = np.stack(
        [
            panel.step(
                sealed[file],
                gain=gains[file] * panel.fine_size,
                spread=(spreads[file] - 0.5) * panel.fine_size,  # rounded up, as `paired` does
                training=training[file],
            )
            for file in range(FILES)
        ]
    )
    assert (found == expected).all()
    assert (panel.reference == references).all()
    assert (panel.used == used).all()
    assert found.any() == (settings.rule != "sealed")


def test_single_teams_and_groups_give_what_all_together_give():
    settings = settings_for("gate", n=N, c=1.0)
    one, some, every = (Panel(settings, (5, 4), np.random.default_rng(1)) for _ in range(3))
    rng = np.random.default_rng(2)
    for _ in range(10):
        sealed = every.seal(0.5 + rng.normal(0, 0.05, (5, 4)))
        given = every.step(sealed)
        for team in range(4):
            assert (one.step(sealed[:, team], team=team) == given[:, team]).all()
        for group in (np.array([2, 0]), np.array([3, 1])):
            assert (some.step(sealed[:, group], team=group) == given[:, group]).all()
    assert (one.reference == every.reference).all()
    assert (some.used == every.used).all()


@pytest.mark.parametrize("rule", ["gate", "ladder", "exact", "rounded", "thresholdout"])
def test_seals_as_the_release_does_where_there_is_no_noise(rule):
    silent = replace(settings_for(rule, n=N), sigma_compare=Decimal(0), sigma_value=Decimal(0))
    panel = Panel(silent, (1,), np.random.default_rng(1))
    scores = np.random.default_rng(2).uniform(0, 1, 200)
    sealed = panel.seal(scores)
    identity = ("c", 1, "accuracy_score", 1, "digest")
    for place, score in enumerate(scores):
        assert sealed_at(sealed, place) == rules.seal(silent, bytes(32), identity, score)


@pytest.mark.parametrize(
    ("rule", "name", "variance"),
    [
        ("gate", "sigma_value", lambda scale: scale**2),
        ("gate", "sigma_compare", lambda scale: scale**2),
        ("thresholdout_laplace", "sigma_compare", lambda scale: 2 * scale**2),
    ],
)
def test_noise_has_the_variance_of_the_discrete_law(rule, name, variance):
    settings = settings_for(rule, n=N)
    panel = Panel(settings, (1,), np.random.default_rng(3))
    scale = float(Fraction(getattr(settings, name)) / (Fraction(settings.grid) / 20))
    draws = panel._draws((200_000,), scale)
    assert abs(draws.mean()) < 5 * variance(scale) ** 0.5 / 200_000**0.5
    assert draws.var() == pytest.approx(variance(scale), rel=0.02)
    assert (draws == np.rint(draws)).all()


def test_other_metrics_are_measured_in_their_ruler():
    made = settings_for("gate", n=400, c=2.0)
    wide = replace(
        made,
        tau=made.tau * 40,
        sigma_compare=made.sigma_compare * 40,
        sigma_value=made.sigma_value * 40,
        grid=made.grid * 40,
        start=Decimal(80),
        standard_error=1.0,
        greater_is_better=False,
        low=0.0,
        high=None,
    )
    back = in_accuracy(wide, 400)
    assert back.tau == pytest.approx(made.tau)
    assert back.sigma_value == pytest.approx(made.sigma_value)
    assert back.start == Decimal("0.5")
    assert back.standard_error == 0.025


def test_a_copy_goes_its_own_way():
    panel = Panel(settings_for("exact", n=N), (2, 1), np.random.default_rng(1))
    other = panel.copy()
    other.step(other.seal(np.full((2, 1), 0.7)))
    assert (panel.reference == panel.start).all()
    assert (other.reference > panel.start).all()


def test_the_start_line_moves_to_the_grid():
    assert with_start(settings_for("gate", n=N), 0.6001).start == Decimal("0.600")
