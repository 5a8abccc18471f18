"""The study of the paired gate: its boards decide as the rules do, its attackers can count."""

import json
from dataclasses import replace

import numpy as np
import pytest

from scoring.__main__ import main
from scoring.release import Paired, ReleaseSettings, Sealed, State, step
from scoring.release.rules import FINE, UNIT
from scoring.study import paired, paired_attacks
from scoring.study.paired_honest import honest
from scoring.study.paired_worlds import (
    F1,
    Account,
    Accuracy,
    Auc,
    HonestAccuracy,
    LogLoss,
    auc_parts,
    delong_spread,
    gate,
    gate_paired,
    passes,
)

N = 400
SE = 0.025  # 0.5 / sqrt(N)


def world_of(kind, seed=1, n=N):
    return kind(n, np.random.default_rng(seed))


@pytest.mark.parametrize("rule", ["gate", "gate_paired"])
@pytest.mark.parametrize("c", [1.5, 3.0])
def test_the_fast_decision_is_that_of_the_rule(rule, c):
    """Random integer cases through the literal step, the same cases as floats through `passes`."""
    settings = ReleaseSettings(
        rule,
        tau=round(c * SE, 9),
        sigma_compare=round(c * SE / 8, 9),
        sigma_value="0.005",
        grid="0.01",
        start="0.5",
        cap=None,
        standard_error=SE,
        extra={"c": str(c), "floor": "0.3"} if rule == "gate_paired" else {},
    ).validate()
    fast = gate(c) if rule == "gate" else gate_paired(c)
    fine = 0.01 / FINE
    rng = np.random.default_rng(3)
    seen = set()
    for _ in range(3000):
        score, best = int(rng.integers(900, 1500)), int(rng.integers(45, 70))
        gain, spread = int(rng.integers(-50, 260)), int(rng.integers(0, 90))
        z = int(rng.integers(-250, 250)) / 100
        unit = UNIT / 8 if rule == "gate_paired" else c * SE / 8 / fine
        draw = round(z * unit)
        literal = step(settings, State(best, 0), Sealed(score, draw, best), Paired(gain, spread))[1]
        found = passes(fast, SE, score * fine, best * 0.01, gain * fine, spread * fine, draw / unit)
        near = min(
            abs(score * fine - best * 0.01 - c * SE * (1 + draw / unit / 8)),
            abs(gain * fine - c * max(spread * fine, 0.3 * SE) * (1 + draw / unit / 8)),
        )
        if near > 1e-9:  # on the edge itself a float may fall either way
            assert (literal.kind == "released") == bool(found)
            seen.add(bool(found))
    assert seen == {True, False}


def test_a_board_plays_a_whole_season_as_the_rule_does():
    """A climb through Account, and the same draws through the literal rule."""
    world, rule = world_of(Accuracy), gate_paired(1.5)
    settings = ReleaseSettings(
        "gate_paired", "0.0225", "0.0028125", "0.00625", "0.01", "0.5",
        cap=25, standard_error=SE, extra={"c": "1.5", "floor": "0.3"},
    )  # fmt: skip
    account, state, base = Account(world, rule), State(), world.baseline
    fine, released = 0.01 / FINE, 0
    for _ in range(300):
        file = world.file(world.changed(base.vector, 0.06))
        file.noise = (round(file.noise[0] * UNIT / 8) / (UNIT / 8), file.noise[1])
        gain, spread = world.compare(file, account.file)
        value = account.send(file)
        shown = round((file.score + SE / 4 * file.noise[1]) / world.grid)
        numbers = Sealed(round(file.score / fine), round(file.noise[0] * UNIT / 8), shown)
        against = Paired(round(gain / fine), round(spread / fine))
        state, outcome = step(settings, state, numbers, against)
        assert (value is not None) == (outcome.kind == "released")
        if value is not None:
            assert round(value / world.grid) == outcome.value
            base, released = file, released + 1
    assert released == state.used > 3


def test_an_account_stops_at_its_cap():
    world, rule = world_of(HonestAccuracy), replace(gate(1.5), cap=1)
    account = Account(world, rule)
    assert account.send(world.file(world.rung(0.6, world.pattern(), None))) is not None
    assert account.send(world.file(world.model)) is None


@pytest.mark.parametrize("kind", [Accuracy, HonestAccuracy, LogLoss, Auc])
def test_scores_are_linear_in_the_labels(kind):
    """What the attacker is taken to know: score = offset + weights . labels."""
    world = world_of(kind)
    labels = world.truth if hasattr(world, "truth") else world.labels
    vector = world.rung(0.4, world.pattern(), {LogLoss: (1, 2.0), Auc: 1.0}.get(kind))
    weights, offset = world.design(vector)
    assert offset + weights @ labels == pytest.approx(world.measure(vector)[0], abs=1e-6)


def test_population_values_are_those_of_new_rows():
    world = world_of(LogLoss, n=40_000)
    assert world.measure(world.model)[0] == pytest.approx(world.worth, abs=4 * world.se)
    world = world_of(HonestAccuracy, n=40_000)
    assert world.measure(world.model)[0] == pytest.approx(0.75, abs=4 * world.se)
    world = world_of(Auc, n=4000)
    assert world.measure(world.model)[0] == pytest.approx(world.worth, abs=4 * world.se)


def test_with_enough_exact_values_the_labels_are_read():
    world = world_of(Accuracy, n=60)
    rule = replace(gate(1), value_noise=1e-3)
    world.grid = 1e-9
    vectors = [world.random() for _ in range(80)]
    shown = [(v, world.measure(v)[0]) for v in vectors]
    found = paired_attacks.solve(world, rule, shown)
    assert world.measure(found)[0] == 1.0
    few = paired_attacks.solve(world, rule, shown[:30])
    assert 0.6 < world.measure(few)[0] < 1.0


def test_delong_agrees_with_a_bootstrap_of_pairs():
    rng = np.random.default_rng(5)
    labels = rng.random(1500) < 0.4
    one = labels + rng.normal(size=1500)
    two = one + rng.normal(0, 0.4, 1500)
    a, b = auc_parts(one, labels), auc_parts(two, labels)
    spread = delong_spread(a[0] - b[0], a[1] - b[1])
    boot = []
    for _ in range(300):
        rows = rng.integers(0, 1500, 1500)
        boot.append(
            auc_parts(one[rows], labels[rows])[0].mean()
            - auc_parts(two[rows], labels[rows])[0].mean()
        )
    assert spread == pytest.approx(np.std(boot), rel=0.15)


def test_ties_count_a_half_in_the_auc():
    labels = np.array([True, True, False, False])
    parts = auc_parts(np.array([1.0, 0.0, 1.0, 0.0]), labels)
    assert parts[0].mean() == pytest.approx(0.5)
    assert auc_parts(np.zeros(4), labels)[0].mean() == 0.5


def test_the_bootstrap_spread_of_f1_is_that_of_resampled_rows():
    world = world_of(F1, n=1000)
    new = world.file(world.changed(world.model, 0.2))
    _, spread = world.compare(new, world.baseline)
    rng = np.random.default_rng(2)

    def f1(said, rows):
        labels = world.labels[rows]
        return 2 * (said[rows] @ labels) / (labels.sum() + said[rows].sum())

    boot = []
    for _ in range(400):
        rows = rng.integers(0, 1000, 1000)
        boot.append(f1(new.vector, rows) - f1(world.model, rows))
    assert spread == pytest.approx(np.std(boot), rel=0.2)


def test_honest_teams_do_better_without_a_gate():
    seasons = [honest(1000, rule, np.random.default_rng(1)) for rule in (None, gate(3))]
    assert seasons[0][0] > seasons[1][0]
    assert seasons[0][2] == 25
    assert 0 < seasons[1][2] <= 10


def test_small_blocks_climb_the_paired_gate_and_not_the_gate():
    """The finding of the study, at its smallest: one account, blocks of 2%, c = 1.5."""
    runs = {
        rule.name: [
            paired_attacks.block_climb(world_of(Accuracy, seed, 1000), rule, 1, 400, 0.02)
            for seed in range(4)
        ]
        for rule in (gate(1.5), gate_paired(1.5))
    }
    assert np.mean(runs["gate_paired"]) > np.mean(runs["gate"]) + 0.03


def test_the_study_runs_and_repeats():
    few = [a for a in paired.ATTACKS if a.name in ("lucky draws", "majority vote")]
    options = {
        "sizes": (1000,), "thresholds": (2.0,), "accounts": (1, 3), "repetitions": (2, 2),
        "seasons": 2, "chosen": few,
    }  # fmt: skip
    first, second = paired.run(**options), paired.run(**options)
    assert [c.mean("gate") for c in first[0]] == [c.mean("gate") for c in second[0]]
    assert set(paired.verdict(*first)) == {2.0}
    assert len(first[0]) == 4


def test_the_command_prints_tables_and_records(capsys):
    options = ["study_paired", "--rows", "1000", "--thresholds", "2", "--accounts", "1"]
    options += ["--attacks", "lucky", "--repetitions", "2", "2", "--seasons", "2"]
    assert main(options) == 0
    assert "lucky draws" in capsys.readouterr().out
    assert main([*options, "--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert made["attacks"][0]["rows"] == 1000
    assert set(made["passes"]) == {"2.0"}
