"""Records: what they mean, how they are kept, and what is refused before anything changes."""

import json
from decimal import Decimal

import pytest

from scoring.leakage import records
from scoring.leakage.records import Account, UnknownRecord, from_dict, from_release
from scoring.leakage.statement import NoBound, events, state
from scoring.release.settings import ReleaseSettings

EVERY_KIND = [
    records.GaussianComparison(100, 0.008, 0.00025),
    records.GaussianValue(10, 0.004, 0.00025),
    records.Look(3, 0.016, None),
    records.LaplaceEpoch(4, 0.02, 0.04, 0.00025),
    records.LaplaceValue(4, 0.01, 0.00025),
    records.PairedComparison(7),
    records.Rounded(5, 0.001),
    records.Exact(9),
    records.Sealed(11),
]

# The written form of every kind. It must never change: old competitions are priced from it.
WRITTEN = [
    {"format": 1, "kind": "gaussian_comparison", "count": 100, "sigma": 0.008,
     "sensitivity": 0.00025},
    {"format": 1, "kind": "gaussian_value", "count": 10, "sigma": 0.004, "sensitivity": 0.00025},
    {"format": 1, "kind": "look", "count": 3, "sigma": 0.016, "sensitivity": None},
    {"format": 1, "kind": "laplace_epoch", "count": 4, "threshold_scale": 0.02,
     "query_scale": 0.04, "sensitivity": 0.00025},
    {"format": 1, "kind": "laplace_value", "count": 4, "scale": 0.01, "sensitivity": 0.00025},
    {"format": 1, "kind": "paired_comparison", "count": 7},
    {"format": 1, "kind": "rounded", "count": 5, "step": 0.001},
    {"format": 1, "kind": "exact", "count": 9},
    {"format": 1, "kind": "sealed", "count": 11},
]  # fmt: skip


def release(rule, **changed):
    given = {
        "rule": rule,
        "tau": "0.024",
        "sigma_compare": "0.003",
        "sigma_value": "0.004",
        "grid": "0.005",
        "start": "0.625",
        "standard_error": 0.008,
        "low": 0,
        "high": 1,
    }
    return ReleaseSettings(**(given | changed))


def test_every_kind_keeps_its_written_form():
    assert [record.to_dict() for record in EVERY_KIND] == WRITTEN
    assert [from_dict(json.loads(json.dumps(item))) for item in WRITTEN] == EVERY_KIND
    assert {record.kind for record in EVERY_KIND} == set(records.KINDS)


@pytest.mark.parametrize(
    "data",
    [
        {"format": 1, "kind": "shaky", "count": 1},
        {"format": 2, "kind": "exact", "count": 1},
        {"kind": "exact", "count": 1},
        {"format": 1, "kind": "exact"},
        {"format": 1, "kind": "exact", "count": 1, "more": 2},
        {"format": 1, "kind": "exact", "count": -1},
        {"format": 1, "kind": "exact", "count": True},
        {"format": 1, "kind": "rounded", "count": 1, "step": 0},
        {"format": 1, "kind": "look", "count": 1, "sigma": float("nan"), "sensitivity": 1},
        {"format": 1, "kind": ["exact"], "count": 1},
    ],
)
def test_anything_unknown_is_refused_and_changes_nothing(data):
    account = Account().charged([EVERY_KIND[0]])
    with pytest.raises(UnknownRecord):
        Account.from_dicts([WRITTEN[0], data])
    with pytest.raises(UnknownRecord):
        account.charged([EVERY_KIND[1], data])
    assert account.records == (EVERY_KIND[0],)


def test_equal_records_are_counted_together_and_versions_stay_apart():
    account = Account().charged(EVERY_KIND).charged([records.GaussianValue(5, 0.004, 0.00025)])
    account = account.charged([records.GaussianValue(2, 0.006, 0.00025)])
    values = [r for r in account.records if isinstance(r, records.GaussianValue)]
    assert [(r.count, r.sigma) for r in values] == [(15, 0.004), (2, 0.006)]
    assert Account.from_dicts(account.to_dicts()) == account


def test_the_gate_costs_its_comparisons_and_its_values():
    made = from_release(release("gate"), sensitivity=1 / 4000, comparisons=900, values=40, looks=6)
    assert made == (
        records.GaussianComparison(900, 0.003, 0.00025),
        records.GaussianValue(40, 0.004, 0.00025),
        records.Look(6, 0.008, 0.00025),
    )
    assert sum(count for _, count in events(made)) == 946


def test_the_sensitivity_is_that_of_the_score_on_the_fine_grid():
    # 1/3000 is 1.33 fine steps of 0.00025, so two neighbouring scores can be two steps apart.
    (record, *_) = from_release(release("gate"), sensitivity=1 / 3000, comparisons=1, values=0)
    assert record.sensitivity == 0.0005
    whole = from_release(release("gate"), sensitivity=0.001, comparisons=1, values=0)
    assert whole[0].sensitivity == 0.001


@pytest.mark.parametrize(
    ("rule", "kinds"),
    [
        ("gate", ["gaussian_comparison", "gaussian_value"]),
        ("thresholdout", ["gaussian_comparison", "gaussian_value"]),
        ("ladder", ["gaussian_comparison", "gaussian_value"]),
        ("gate_paired", ["paired_comparison", "gaussian_value"]),
        ("ladder_paired", ["paired_comparison", "gaussian_value"]),
        ("thresholdout_laplace", ["laplace_epoch", "laplace_value"]),
        ("rounded", ["rounded"]),
        ("exact", ["exact"]),
        ("sealed", ["sealed"]),
    ],
)
def test_every_rule_has_its_records(rule, kinds):
    made = from_release(release(rule), sensitivity=0.001, comparisons=50, values=4)
    assert [record.kind for record in made] == kinds


def test_rules_without_noise_are_recorded_as_such():
    bare = release("ladder", sigma_compare=Decimal(0), sigma_value=Decimal(0))
    made = from_release(bare, sensitivity=0.001, comparisons=50, values=4)
    assert [record.kind for record in made] == ["exact", "rounded"]
    with pytest.raises(UnknownRecord):
        from_release(release("shaky"), sensitivity=0.001, comparisons=1, values=0)


def test_the_open_laplace_epoch_is_counted():
    settings = release("thresholdout_laplace", sigma_compare="0.016", extra={"budget": 5})

    def epochs(comparisons, values):
        made = from_release(settings, sensitivity=0.001, comparisons=comparisons, values=values)
        return {record.kind: record.count for record in made}

    assert epochs(30, 2) == {"laplace_epoch": 3, "laplace_value": 2}
    assert epochs(30, 0) == {"laplace_epoch": 1}
    assert epochs(30, 5) == {"laplace_epoch": 5, "laplace_value": 5}
    made = from_release(settings, sensitivity=0.001, comparisons=30, values=5)
    # Scale s for values, 2 s for the threshold, 4 s for a query: an epoch costs sensitivity / s.
    assert events(made)[0][0].eps0 == pytest.approx(0.001 / 0.004)


@pytest.mark.parametrize(
    "record",
    [
        records.Exact(1),
        records.Rounded(1, 0.01),
        records.PairedComparison(1),
        records.GaussianValue(1, 0.1, None),
        records.LaplaceEpoch(1, 0.1, 0.1, None),
    ],
)
def test_no_epsilon_is_stated_where_there_is_no_bound(record):
    with pytest.raises(NoBound) as refused:
        state([records.GaussianValue(1, 0.1, 0.001), record], 1e-6)
    assert refused.value.sentence.endswith(".")


def test_sealed_files_cost_nothing():
    stated = state([records.Sealed(1000)], 1e-6)
    assert (stated.low, stated.high, stated.releases) == (0.0, 0.0, 0)
    counted_but_empty = state([records.Exact(0)], 1e-6)
    assert counted_but_empty.high == 0.0


# release-rules, Gaussian Thresholdout: n, sigma in standard errors, comparisons, values, exact.
GATE = [
    (1000, 1, 100, 20, 3.233),
    (1000, 4, 1000, 100, 2.375),
    (4000, 1, 1000, 100, 5.159),
    (4000, 1, 10_000, 1000, 20.647),
    (10_000, 4, 10_000, 1000, 2.375),
]


@pytest.mark.parametrize(("n", "times", "comparisons", "values", "eps"), GATE)
def test_the_reference_costs_of_the_gate(n, times, comparisons, values, eps):
    sigma = times * 0.5 / n**0.5
    made = [
        records.GaussianComparison(comparisons, sigma, 1 / n),
        records.GaussianValue(values, sigma, 1 / n),
    ]
    stated = state(made, 1e-6)
    assert stated.exact == pytest.approx(eps, abs=6e-4)
    assert stated.low <= stated.exact <= stated.high
    assert stated.high <= 1.01 * stated.low
    assert stated.rdp > stated.high
    assert "1,100" in stated.sentence or stated.releases != 1100


def test_a_statement_refuses_an_impossible_delta():
    with pytest.raises(ValueError, match="delta"):
        state(EVERY_KIND[:1], 0.0)
