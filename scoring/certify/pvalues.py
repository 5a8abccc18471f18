"""P-values for "the mean loss of this setting exceeds the tolerance".

All are valid for independent losses in [0, 1]: when the true mean is at least the tolerance, the
p-value is at most u with probability at most u (Angelopoulos, Bates, Candes, Jordan and Lei,
"Learn then Test", 2021; Bates et al. 2021 for the Hoeffding-Bentkus form).
"""

from __future__ import annotations

import math

# log(n!) - Stirling's formula, for n = 0 ... 15 (n = 0 is not used).
_SMALL = [0.0] + [
    math.log(math.factorial(n)) - (n + 0.5) * math.log(n) + n - 0.5 * math.log(2 * math.pi)
    for n in range(1, 16)
]


def _stirling_error(n: int) -> float:
    """log(n!) minus Stirling's formula."""
    if n < 16:
        return _SMALL[n]
    square = 1.0 / (n * n)
    tail = 1 / 1260 - square * (1 / 1680 - square / 1188)
    return (1 / 12 - square * (1 / 360 - square * tail)) / n


def _deviance(x: float, mean: float) -> float:
    """x log(x / mean) + mean - x, without cancellation where x is near the mean."""
    if abs(x - mean) < 0.1 * (x + mean):
        v = (x - mean) / (x + mean)
        total, term, j = (x - mean) * v, 2 * x * v, 1
        while True:
            term *= v * v
            new = total + term / (2 * j + 1)
            if new == total:
                return new
            total, j = new, j + 1
    return x * math.log(x / mean) + mean - x


def binomial_pmf(k: int, n: int, p: float) -> float:
    """Return P(Bin(n, p) = k) by Loader's saddle-point form, accurate to about 1e-14 relative."""
    if k < 0 or k > n:
        return 0.0
    if k == 0:
        return math.exp(n * math.log1p(-p))
    if k == n:
        return math.exp(n * math.log(p))
    exponent = _stirling_error(n) - _stirling_error(k) - _stirling_error(n - k)
    exponent -= _deviance(k, n * p) + _deviance(n - k, n * (1 - p))
    return math.exp(exponent) * math.sqrt(n / (2 * math.pi * k * (n - k)))


def binomial_cdf(k: int, n: int, p: float) -> float:
    """Return P(Bin(n, p) <= k), summed outwards from k on the lighter side; 0 < p < 1."""
    if k < 0:
        return 0.0
    if k >= n:
        return 1.0
    odds = p / (1 - p)
    upper = k > n * p
    term = total = binomial_pmf(k + 1 if upper else k, n, p)
    i = k + 1 if upper else k
    while term > total * 1e-18:
        if upper:
            term *= (n - i) / (i + 1) * odds
            i += 1
        else:
            term *= i / ((n - i + 1) * odds)
            i -= 1
        total += term
    return 1.0 - total if upper else total


def _check(total: float, m: int, tolerance: float) -> None:
    if m < 1 or not 0 < tolerance < 1:
        raise ValueError("a test needs at least one loss and a tolerance between 0 and 1")
    if not 0 <= total <= m:
        raise ValueError("losses lie between 0 and 1")


def binomial(errors: int, m: int, tolerance: float) -> float:
    """Return the exact p-value for m losses of 0 or 1 with this many ones."""
    _check(errors, m, tolerance)
    if errors != int(errors):
        raise ValueError("the exact test takes a whole number of errors")
    return binomial_cdf(int(errors), m, tolerance)


def hoeffding_bentkus(total: float, m: int, tolerance: float) -> float:
    """Return the Hoeffding-Bentkus p-value for m losses in [0, 1] that add up to `total`.

    Taking the sum, not the mean, keeps a whole number whole: m * (15 / m) can exceed 15.
    """
    _check(total, m, tolerance)
    mean = min(total / m, tolerance)
    divergence = (1 - mean) * math.log1p((tolerance - mean) / (1 - tolerance))
    if mean > 0:
        divergence += mean * math.log(mean / tolerance)
    hoeffding = math.exp(-m * max(divergence, 0.0))
    bentkus = math.e * binomial_cdf(math.ceil(total), m, tolerance)
    return min(hoeffding, bentkus)


def p_value(losses, tolerance: float) -> float:
    """Return the p-value of one setting: the exact binomial for 0/1 losses, else the other.

    losses: a sequence or one-dimensional array of numbers in [0, 1]; others raise ValueError.
    """
    values = losses.tolist() if hasattr(losses, "tolist") else list(losses)
    if any(not 0 <= value <= 1 for value in values):
        raise ValueError("losses lie between 0 and 1")
    total = math.fsum(values)
    if all(value in (0, 1) for value in values):
        return binomial(int(total), len(values), tolerance)
    return hoeffding_bentkus(total, len(values), tolerance)
