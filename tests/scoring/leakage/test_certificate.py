"""The guarantee from counters against its reference table."""

import math

import pytest

from scoring.leakage.certificate import anytime, certificate, fixed

TOLD = (0, 3, 5, 10, 20, 100)
TABLE = {
    (1000, 100): (0.064, 0.132, 0.159, 0.209, 0.277, 0.497),
    (1000, 1000): (0.073, 0.148, 0.180, 0.238, 0.319, 0.639),
    (1000, 10_000): (0.080, 0.163, 0.198, 0.263, 0.355, 0.726),
    (4000, 100): (0.032, 0.068, 0.082, 0.108, 0.144, 0.265),
    (4000, 1000): (0.036, 0.076, 0.092, 0.122, 0.165, 0.333),
    (4000, 10_000): (0.040, 0.083, 0.101, 0.135, 0.182, 0.375),
    (10_000, 100): (0.020, 0.044, 0.053, 0.070, 0.094, 0.174),
    (10_000, 1000): (0.023, 0.049, 0.059, 0.079, 0.106, 0.216),
    (10_000, 10_000): (0.025, 0.053, 0.065, 0.087, 0.117, 0.242),
    (100_000, 100): (0.006, 0.014, 0.018, 0.023, 0.032, 0.060),
    (100_000, 1000): (0.007, 0.016, 0.020, 0.026, 0.035, 0.072),
    (100_000, 10_000): (0.008, 0.017, 0.021, 0.028, 0.039, 0.080),
}


@pytest.mark.parametrize(("rows", "files"), TABLE)
def test_the_reference_table(rows, files):
    for told, printed in zip(TOLD, TABLE[rows, files], strict=True):
        width = fixed(rows, files, told, 4 * math.sqrt(rows))
        # The reference counts positions and values apart, which is a little looser: 0.2765 there
        # is 0.2758 here, for 20 of 100 files on 1,000 rows.
        slack = 1.1e-3 if (rows, files, told) == (1000, 100, 20) else 5.1e-4
        assert width == pytest.approx(printed, abs=slack)


def test_transcripts_are_counted_exactly():
    rows, files, told, values, beta = 50, 6, 3, 7, 0.05
    count = sum(math.comb(files, i) * values**i for i in range(told + 1))
    expected = math.sqrt(math.log(count * 2 * files / beta) / (2 * rows))
    assert fixed(rows, files, told, values, beta=beta) == pytest.approx(expected, rel=1e-12)


def test_the_live_form_is_a_little_wider_and_grows_with_the_counters():
    live = [anytime(4000, 1000, told, 253) for told in range(0, 30, 3)]
    assert live == sorted(live)
    for place, width in enumerate(live):
        assert fixed(4000, 1000, 3 * place, 253) < width < 1.7 * fixed(4000, 1000, 3 * place, 253)
    assert anytime(4000, 2000, 5, 253) > anytime(4000, 1000, 5, 253)


def test_the_error_of_the_live_form_adds_up_to_beta():
    weights = sum(
        1 / (k * (k + 1) * (a + 1) * (a + 2)) for k in range(1, 400) for a in range(0, k + 1)
    )
    assert weights < 1.0


def test_words_say_whether_it_helps():
    good = certificate(4000, 1000, 3, 253, sigma_value=0.004, grid=0.005)
    assert good.informative
    assert good.sentence.startswith("Guaranteed within ±0.0")
    assert good.shown == pytest.approx(good.width + 0.0065)
    bad = certificate(1000, 1000, 500, 127)
    assert not bad.informative
    assert bad.sentence.startswith("No worst-case guarantee")


def test_impossible_counters_are_refused():
    for rows, files, told in ((0, 1, 0), (10, 3, 4), (10, 3, -1)):
        with pytest.raises(ValueError, match=r"between|at least"):
            fixed(rows, files, told, 100)
    assert anytime(100, 0, 0, 10) == 0.0
