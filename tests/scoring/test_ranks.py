"""Places, bands and ties against their definitions, counted the slow way."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.ranks import order, places, rank_band, tied, tied_with_first, too_wide

board = st.lists(st.integers(-20, 20), min_size=1, max_size=30).map(
    lambda values: sorted(values, reverse=True)
)


def test_equal_values_share_a_place():
    assert places([90, 80, 80, 70]) == [1, 2, 2, 4]
    assert places([70, 80, 90, 80]) == [4, 2, 1, 2]
    assert places([5, 5, 5]) == [1, 1, 1]
    assert places([]) == []


def test_of_equal_values_the_earlier_is_listed_first():
    assert order([80, 90, 80, 80], ["c", "d", "a", "b"]) == [1, 2, 3, 0]


@given(board)
def test_a_place_is_one_more_than_those_better(values):
    assert places(values) == [1 + sum(v > mine for v in values) for mine in values]


@given(board, st.integers(1, 15))
def test_a_band_counts_by_pairs(values, resolution):
    n = len(values)
    assert rank_band(values, resolution) == [
        (
            1 + sum(v - mine >= resolution for v in values),
            n - sum(mine - v >= resolution for v in values),
        )
        for mine in values
    ]


@given(board, st.integers(1, 15))
def test_place_lies_in_its_band(values, resolution):
    for place, (first, last) in zip(places(values), rank_band(values, resolution), strict=True):
        assert first <= place <= last


@given(board, st.integers(1, 15), st.data())
def test_ties_are_those_nearer_than_the_resolution(values, resolution, data):
    mine = data.draw(st.integers(0, len(values) - 1))
    expected = [i for i, v in enumerate(values) if abs(v - values[mine]) < resolution]
    assert list(tied(values, mine, resolution)) == expected
    assert tied_with_first(values, resolution) == sum(values[0] - v < resolution for v in values)


def test_an_empty_board():
    assert rank_band([], 1) == []
    assert tied_with_first([], 1) == 0
    assert not too_wide([])


@pytest.mark.parametrize(
    ("bands", "wide"),
    [
        ([(1, 1), (2, 2), (3, 3), (4, 4)], False),
        ([(1, 2), (1, 2), (3, 4), (3, 4)], False),
        ([(1, 3), (1, 3), (1, 4), (3, 4)], True),
        ([(1, 2), (1, 2)], True),
        ([(1, 1)], False),
    ],
)
def test_a_board_whose_median_band_is_over_half_the_field(bands, wide):
    assert too_wide(bands) is wide


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="sorted"):
        rank_band([1, 2], 1)
    with pytest.raises(ValueError, match="one step"):
        tied([2, 1], 0, 0)


def test_a_large_board_is_quick():
    values = sorted((i * 7919 % 50_021 for i in range(50_000)), reverse=True)
    begun = time.perf_counter()
    places(values)
    rank_band(values, 100)
    assert time.perf_counter() - begun < 2
