"""Own scores against shown ones: the numbers of the drawing and what it says in words."""

from datetime import timedelta

import pytest
from scipy.stats import spearmanr

from leaderboard.competitions import clock
from leaderboard.submissions import plotting
from leaderboard.submissions.models import Release
from tests.leaderboard import factories


def point(number, own, units):
    return plotting.Point(number, own, units, f"{units / 100:.2f}")


def plot(points, greater=True):
    return plotting.Plot(len(points), points, [], "0.05", greater, False)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ([1, 2, 3, 4], [2, 4, 6, 9]),
        ([1, 2, 3, 4], [4, 3, 2, 1]),
        ([1, 1, 2, 3, 3, 5], [9, 1, 4, 4, 2, 7]),
        ([0.5, 0.1, 0.9, 0.9], [1, 2, 2, 8]),
    ],
)
def test_the_rank_correlation_is_spearmans(one, other):
    assert plotting.correlation(one, other) == pytest.approx(spearmanr(one, other).statistic)


def test_a_number_that_never_changes_has_no_correlation():
    assert plotting.correlation([1, 1, 1], [1, 2, 3]) is None
    points = [point(number, 0.5, number) for number in range(6)]
    assert "nothing to compare" in plot(points).words


@pytest.mark.parametrize(
    ("own", "words"),
    [
        ([1, 2, 3, 4, 5, 6], "rise together closely (rank correlation 1.00)"),
        ([2, 1, 3, 6, 5, 4], "mostly rise together (rank correlation 0.71)"),
        ([6, 1, 2, 4, 3, 5], "have little to do with each other (rank correlation 0.09)"),
        ([6, 5, 4, 3, 2, 1], "run against each other: look at how your own score is computed"),
    ],
)
def test_words_only_for_enough_points(own, words):
    points = [point(number, value, number) for number, value in enumerate(own)]
    assert words in plot(points).words
    assert "5 files have both numbers. From 6 on" in plot(points[:5]).words
    assert "1 file has both numbers." in plot(points[:1]).words


def test_where_lower_is_better_both_numbers_are_turned():
    points = [point(number, 10 - number, number) for number in range(6)]
    assert "rise together closely" in plot(points, greater=False).words


@pytest.mark.parametrize(
    ("low", "high", "most", "labels"),
    [
        (0.61, 0.74, 5, ["0.65", "0.70"]),
        (0, 100, 5, ["0", "20", "40", "60", "80", "100"]),
        (-2.5, 2.5, 5, ["\N{MINUS SIGN}2", "\N{MINUS SIGN}1", "0", "1", "2"]),
        (0.00012, 0.00018, 3, ["0.00012", "0.00014", "0.00016", "0.00018"]),
        (1200, 5200, 4, ["2,000", "3,000", "4,000", "5,000"]),
    ],
)
def test_ticks_are_round(low, high, most, labels):
    assert [label for _, label in plotting.ticks(low, high, most)] == labels


def inside(drawn: plotting.Drawing) -> bool:
    xs = [dot.x for dot in drawn.dots] + [x for x, _ in drawn.rings]
    ys = [y for dot in drawn.dots for y in (dot.high, dot.y, dot.low)]
    fits = drawn.left <= min(xs) <= max(xs) <= drawn.right
    return fits and drawn.top <= min(ys) <= max(ys) <= drawn.bottom


@pytest.mark.db
def test_points_lie_inside_and_better_is_right_and_up():
    contest = factories.competition()
    team = factories.team(contest, "alice")
    for share, own in ((0.6, -1e9), (0.8, 3.5), (0.9, 1e12), (0.905, 7.0)):
        factories.scored(team, share, own_score=own)
    made = plotting.plot(team, contest, clock.now())
    assert [point.number for point in made.points] == [3, 2, 1]
    assert made.unshown == [(4, 7.0)]
    for drawn in (made.wide, made.narrow):
        assert inside(drawn)
        third, second, first = drawn.dots
        assert first.x < second.x < third.x
        assert first.y > second.y > third.y
        assert all(tick.at <= drawn.right for tick in drawn.across)
        assert drawn.across
        assert drawn.up


@pytest.mark.db
@pytest.mark.parametrize(
    "owns",
    [("5e-324", "1e-323"), ("1e-300", "2e-300"), ("1e15", "999999999999999.9"), ("0", "1e-9")],
)
def test_own_scores_that_are_next_to_equal_are_drawn(owns):
    contest = factories.competition()
    team = factories.team(contest, "alice")
    for share, own in zip((0.8, 0.9), owns, strict=True):
        factories.scored(team, share, own_score=own)
    made = plotting.plot(team, contest, clock.now())
    assert inside(made.wide)
    assert made.wide.across
    assert all(len(tick.label) < 22 for tick in made.wide.across)


@pytest.mark.db
def test_lower_is_better_is_turned_round():
    rule = {"start": "9", "low": 0.0, "high": None, "tau": "0.05"}
    contest = factories.competition(
        task=factories.NUMBERS, metric="root_mean_squared_error", rule=rule
    )
    team = factories.team(contest, "alice")
    for share, own in ((0.5, 0.7), (0.9, 0.3)):
        factories.scored(team, share, own_score=own)
    made = plotting.plot(team, contest, clock.now())
    assert not made.greater
    better, worse = made.wide.dots
    assert better.x > worse.x
    assert better.y < worse.y
    assert inside(made.wide)
    assert made.wide.equal


@pytest.mark.db
def test_one_point_equal_scores_and_many_points_are_drawn():
    contest = factories.competition()
    team = factories.team(contest, "alice")
    factories.scored(team, 0.8, own_score=0.0)
    assert inside(plotting.plot(team, contest, clock.now()).wide)
    for seed in range(2, 5):
        factories.scored(team, 0.8, seed=seed, own_score=0.0)
    Release.objects.update(outcome="released", value=80)
    made = plotting.plot(team, contest, clock.now() + timedelta(seconds=1))
    assert len(made.wide.dots) == 4
    assert inside(made.wide)
