"""Counting values gives the places and rank bands that the full list gives."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.standings.ladder import Ladder
from scoring import ranks


def ladder(values, resolution):
    return Ladder([(value, values.count(value)) for value in set(values)], resolution)


@given(
    st.lists(st.integers(-60, 60), min_size=1, max_size=60),
    st.integers(1, 30),
)
def test_agrees_with_the_full_list(values, resolution):
    values = sorted(values, reverse=True)
    made = ladder(values, resolution)
    assert [made.place(value) for value in values] == ranks.places(values)
    assert [made.band(value) for value in values] == ranks.rank_band(values, resolution)
    assert made.tied_with_first == ranks.tied_with_first(values, resolution)
    assert (made.total, made.best) == (len(values), values[0])


@pytest.mark.parametrize(
    ("value", "place", "band"),
    [(90, 1, (1, 2)), (88, 2, (1, 3)), (85, 3, (2, 5)), (83, 4, (3, 5)), (70, 6, (6, 6))],
)
def test_bands_by_pairs(value, place, band):
    made = ladder([90, 88, 85, 83, 83, 70], 5)
    assert made.place(value) == place
    assert made.band(value) == band


def test_exactly_the_resolution_apart_is_not_tied():
    made = ladder([90, 85], 5)
    assert not made.tied(90, 85)
    assert made.tied(90, 86)
    assert made.tied_with_first == 1


def test_an_empty_board():
    made = Ladder([], 5)
    assert (made.total, made.best, made.tied_with_first) == (0, None, 0)
    assert not made.tied(None, 3)
