"""Bands, axes and sparklines: right and up mean better for every metric."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from leaderboard.standings import drawing, slope
from scoring.release import ReleaseSettings


def settings(grid="0.01", up=True):
    return ReleaseSettings(
        "gate", tau="0.05", sigma_compare="0", sigma_value="0", grid=grid, start="0.5",
        greater_is_better=up,
    )  # fmt: skip


@pytest.mark.parametrize("gap", [1, 4, 5, 6, 20])
def test_bands_overlap_exactly_where_values_are_tied(gap):
    scale = drawing.scale([50, 50 + gap], 5, settings())
    low, high = scale.band(50), scale.band(50 + gap)
    # Rounded to a tenth of a unit; at exactly the resolution they touch.
    assert (low.end > high.start + 0.1) == (gap < 5)


def test_a_value_outside_the_scale_is_an_arrow():
    scale = drawing.scale([50, 60], 5, settings())
    assert [scale.band(value).side for value in (40, 55, 70)] == ["left", "", "right"]


def test_better_is_to_the_right_where_lower_is_better():
    # 3.00 and 2.00 as displayed are -300 and -200 inside.
    scale = drawing.scale([-300, -200], 5, settings(up=False))
    assert scale.band(-200).dot > scale.band(-300).dot
    ticks = drawing.ticks(scale)
    assert [tick.label for tick in sorted(ticks, key=lambda tick: tick.x)] == sorted(
        (tick.label for tick in ticks), reverse=True
    )


@pytest.mark.parametrize(
    ("grid", "values", "labels"),
    [
        ("0.001", [872, 918], ["0.88", "0.90"]),
        ("5", [-80, -60], None),
        ("0.01", [-5, 5], ["−0.05", "0.00", "0.05"]),
        ("0.00001", [60857, 75121], ["0.65", "0.70"]),
    ],
)
def test_ticks_are_round_and_few(grid, values, labels):
    ticks = drawing.ticks(drawing.scale(values, 5, settings(grid)))
    assert 1 <= len(ticks) <= drawing.MOST_TICKS + 1
    if labels:
        assert [tick.label for tick in ticks] == labels


def test_one_value_alone_has_a_scale():
    scale = drawing.scale([50], 1, settings())
    assert drawing.LEFT < scale.band(50).dot < drawing.RIGHT
    assert drawing.scale([], 5, settings()) is None
    assert drawing.ticks(None) == []


def test_no_tick_beyond_the_range_of_the_metric():
    bounded = replace(settings(), low=0.0, high=1.0)
    labels = [tick.label for tick in drawing.ticks(drawing.scale([60, 98], 16, bounded))]
    assert labels == ["0.6", "0.8", "1.0"]
    labels = [tick.label for tick in drawing.ticks(drawing.scale([98], 16, bounded))]
    assert labels == ["0.95", "1.00"]


def test_a_sparkline_rises_in_steps_and_stays_in_its_frame():
    opened = datetime(2026, 11, 1, tzinfo=UTC)
    day = timedelta(days=1)
    made = drawing.spark(
        [(opened + day, 55), (opened + 5 * day, 60)], (opened, opened + 10 * day), 50, 60
    )
    assert made.path == "M11.4 13.0H45.0V4.0H87.0"
    assert (made.x, made.y) == (87.0, 4.0)
    assert drawing.spark([], (opened, opened + day), 50, 60) is None


def test_amounts_have_no_sign():
    assert drawing.amount_text(settings(up=False), 5) == "0.05"
    assert drawing.score_text(settings(up=False), -250) == "2.50"
    assert drawing.score_text(settings(), None) == "–"
    assert Decimal("0.05") == Decimal(drawing.amount_text(settings(), 5))


def test_a_rank_band_of_one_place_is_one_number():
    assert slope.span(5, 14) == "5–14"
    assert slope.span(5, 5) == "5"
