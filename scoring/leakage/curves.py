"""Hockey-stick curves: what one release can tell, for every x = e^eps at once.

For a pair of output laws P and Q (two neighbouring public sets) the curve is
h(x) = sup over events A of P(A) - x Q(A), so that delta(eps) = h(e^eps). It starts at
h(0) = 1, is convex, and never lies below max(1 - x, 0).

Near x = 0 the curve is 1 - x up to a very small rest, and the accountants need second
differences of that rest. So a curve is given by two functions of eps >= 0: `above`, which
is h itself, and `below`, the curve of (Q, P), with h(x) - (1 - x) = x * below(log 1/x).
Both keep their relative accuracy far into the tails.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

ROOT_HALF = math.sqrt(0.5)
# Beyond this loss e^eps leaves double precision; a release that strong is split by `pieces`.
LARGEST_LOSS = 600.0
LARGEST_MU = 20.0


def _upper_normal(t: np.ndarray) -> np.ndarray:
    """P(Z > t) with full relative accuracy; math.erfc because numpy has none."""
    erfc = math.erfc
    return 0.5 * np.array([erfc(v * ROOT_HALF) for v in t.tolist()])


def _gaussian(mu: float, eps: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """delta(eps) and Q(loss > eps) of N(mu, 1) against N(0, 1); eps may be infinite."""
    ratio = eps / mu
    upper = _upper_normal(ratio - mu / 2)
    rest = _upper_normal(ratio + mu / 2)
    # e^eps overflows only where the tail it multiplies has long been zero.
    scaled = np.exp(np.minimum(eps, 700.0)) * rest
    return np.maximum(upper - scaled, 0.0), rest


@dataclass(frozen=True)
class Gaussian:
    """Gaussian noise; mu is the sensitivity divided by the noise's standard deviation."""

    mu: float

    @property
    def spread(self) -> float:
        """Standard deviation of the privacy loss."""
        return self.mu

    @property
    def corner(self) -> float | None:
        """The loss at which the curve bends, if it does."""
        return None

    def with_corner_on(self, grid: float) -> Gaussian:
        """Return the same mechanism: there is no corner to move."""
        return self

    def reverse(self) -> Gaussian:
        """Return the curve of (Q, P), which is the same."""
        return self

    def above(self, eps: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return delta and Q(loss > eps) at every eps >= 0."""
        return _gaussian(self.mu, eps)

    def below(self, eps: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the same for (Q, P)."""
        return _gaussian(self.mu, eps)

    def renyi(self, orders: np.ndarray) -> np.ndarray:
        """Return the Renyi divergence at every order > 1."""
        return orders * self.mu**2 / 2

    def pieces(self) -> tuple[Gaussian, int]:
        """Split a very strong release into equal weaker ones that compose to it exactly."""
        if self.mu <= LARGEST_MU:
            return self, 1
        count = math.ceil((self.mu / LARGEST_MU) ** 2)
        return Gaussian(self.mu / math.sqrt(count)), count


class _Symmetric:
    """A curve with losses in [-eps0, eps0] that is its own reverse and bends at the ends."""

    eps0: float

    @property
    def spread(self) -> float:
        """Standard deviation of the privacy loss, up to a constant near one."""
        return min(self.eps0, 1.0)

    @property
    def corner(self) -> float | None:
        """The loss at which the curve bends."""
        return self.eps0

    def with_corner_on(self, grid: float):
        """Return the strongest mechanism not above this one whose corner is a grid point."""
        steps = math.floor(self.eps0 / grid * (1 + 1e-12) + 1e-9)
        return replace(self, eps0=steps * grid) if steps else None

    def reverse(self):
        """Return the curve of (Q, P), which is the same."""
        return self

    def below(self, eps: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the same as `above`."""
        return self.above(eps)

    def pieces(self):
        """Nothing to split."""
        return self, 1


@dataclass(frozen=True)
class Laplace(_Symmetric):
    """Laplace noise; eps0 is the sensitivity divided by the scale."""

    eps0: float

    def above(self, eps: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return delta and Q(loss > eps) at every eps >= 0."""
        inside = eps < self.eps0
        room = np.where(inside, self.eps0 - eps, 0.0)
        rest = np.where(inside, 0.5 * np.exp(-(self.eps0 + np.where(inside, eps, 0.0)) / 2), 0.0)
        return -np.expm1(-room / 2), rest

    def renyi(self, orders: np.ndarray) -> np.ndarray:
        """Return the Renyi divergence at every order > 1 (Mironov 2017, table II)."""
        first = np.log(orders / (2 * orders - 1)) + (orders - 1) * self.eps0
        second = np.log((orders - 1) / (2 * orders - 1)) - orders * self.eps0
        return np.logaddexp(first, second) / (orders - 1)


@dataclass(frozen=True)
class Pure(_Symmetric):
    """Anything that is (eps0, 0)-private: randomised response is the worst such mechanism."""

    eps0: float

    def above(self, eps: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return delta and Q(loss > eps) at every eps >= 0."""
        inside = eps < self.eps0
        odds = 1.0 / (1.0 + math.exp(-self.eps0))
        room = np.where(inside, self.eps0 - eps, 0.0)
        return -np.expm1(-room) * odds, np.where(inside, 1.0 - odds, 0.0)

    def renyi(self, orders: np.ndarray) -> np.ndarray:
        """Return the Renyi divergence of randomised response at every order > 1."""
        log_p = -math.log1p(math.exp(-self.eps0))
        log_q = log_p - self.eps0
        first = orders * log_p + (1 - orders) * log_q
        second = orders * log_q + (1 - orders) * log_p
        return np.logaddexp(first, second) / (orders - 1)


@dataclass(frozen=True)
class SampledGaussian:
    """Gaussian noise on a Poisson sample, one row removed or (remove=False) added.

    sigma is the noise multiplier, rate the sampling probability. The curve bends at
    log(1 - rate) when a row is removed and at -log(1 - rate) when it is added.
    """

    sigma: float
    rate: float
    remove: bool = True

    @property
    def spread(self) -> float:
        """Standard deviation of the privacy loss, to first order in the rate."""
        return min(self.rate * math.sqrt(math.expm1(min(self.sigma**-2, 500.0))), 1 / self.sigma)

    @property
    def corner(self) -> float | None:
        """The size of the loss at which the curve bends."""
        return -math.log1p(-self.rate)

    def with_corner_on(self, grid: float) -> SampledGaussian | None:
        """Return the mechanism with the largest rate not above this one that fits the grid.

        A smaller rate never leaks more: mixing the output with fresh noise turns one into
        the other.
        """
        steps = math.floor(self.corner / grid * (1 + 1e-12) + 1e-9)
        return replace(self, rate=-math.expm1(-steps * grid)) if steps else None

    def reverse(self) -> SampledGaussian:
        """Return the curve of (Q, P): added instead of removed."""
        return replace(self, remove=not self.remove)

    def above(self, eps: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return delta and Q(loss > eps) at every eps >= 0."""
        return self._removed(eps) if self.remove else self._added(eps)

    def below(self, eps: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the same for (Q, P)."""
        return self._added(eps) if self.remove else self._removed(eps)

    def _removed(self, eps: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        inner = np.log1p(np.expm1(eps) / self.rate)
        delta, rest = _gaussian(1 / self.sigma, inner)
        return self.rate * delta, rest

    def _added(self, eps: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        weight = 1.0 + np.expm1(-eps) / self.rate
        # Past the corner the weight is negative and the curve is zero.
        inside = weight > 0.0
        inner = np.where(inside, -np.log(np.where(inside, weight, 1.0)), np.inf)
        delta, rest = _gaussian(1 / self.sigma, inner)
        first = np.where(inside, delta + rest / np.where(inside, weight, 1.0), 0.0)
        # 1 - x (1 - rate) = x * rate * weight, without the cancellation.
        lead = np.exp(np.minimum(eps, 700.0)) * self.rate * np.where(inside, weight, 0.0)
        return lead * delta, (1 - self.rate) * first + self.rate * rest

    def renyi(self, orders: np.ndarray) -> np.ndarray:
        """Return the Renyi divergence at every order > 1, by quadrature.

        The integrand is analytic, so the trapezoid rule on a fixed grid is exact to rounding;
        removing a row is the worse direction (Mironov, Talwar and Zhang 2019).
        """
        largest = float(orders.max())
        z = np.linspace(
            -12 * self.sigma, largest + 12 * self.sigma, _quadrature_points(self, largest)
        )
        tilt = np.logaddexp(
            math.log1p(-self.rate), math.log(self.rate) + (2 * z - 1) / (2 * self.sigma**2)
        )
        step = math.log((z[1] - z[0]) / (self.sigma * math.sqrt(2 * math.pi)))
        base = -((z / self.sigma) ** 2) / 2 + step
        out = np.empty_like(orders)
        for place, order in enumerate(orders):
            exponent = base + order * tilt
            top = exponent.max()
            out[place] = (top + math.log(np.exp(exponent - top).sum())) / (order - 1)
        return np.maximum(out, 0.0)

    def pieces(self) -> tuple[SampledGaussian, int]:
        """Nothing to split."""
        return self, 1


Curve = Gaussian | Laplace | Pure | SampledGaussian


def _quadrature_points(curve: SampledGaussian, largest: float) -> int:
    """Twenty points per standard deviation, within reason."""
    return int(min(max(2000, 20 * (largest + 24 * curve.sigma) / curve.sigma), 200_000))


def reach(curve: Curve, tail: float, *, forward: bool = True) -> float:
    """Return a loss beyond which the curve is at most `tail`, within a few per cent.

    Infinite losses do not occur in these mechanisms; the answer is capped at LARGEST_LOSS,
    and whoever uses it must account for what lies beyond.
    """
    side = curve.above if forward else curve.below
    low, high = 0.0, LARGEST_LOSS
    for _ in range(4):
        points = np.geomspace(1e-9, high, 48) if low == 0.0 else np.linspace(low, high, 12)
        small = side(points)[0] <= tail
        if not small.any():
            return high
        first = int(np.argmax(small))
        high = float(points[first])
        low = float(points[first - 1]) if first else 0.0
        if low == 0.0 or high - low < 0.02 * high:
            break
    return high


def gaussian_delta(mu: float, eps: float) -> float:
    """Return the exact delta at eps of Gaussian releases that compose to mu.

    mu is the root of the sum of squares of sensitivity / sigma (Dong, Roth and Su 2022).
    """
    if mu == 0.0:
        return 0.0
    return max(_closed_delta(mu, eps), 0.0)


def gaussian_epsilon(mu: float, delta: float) -> float:
    """Return the exact eps at delta of Gaussian releases that compose to mu."""
    if mu == 0.0 or _closed_delta(mu, 0.0) <= delta:
        return 0.0
    low, high = 0.0, mu * mu / 2 + mu * 40.0
    while high - low > 1e-13 * max(1.0, high):
        middle = (low + high) / 2
        if _closed_delta(mu, middle) > delta:
            low = middle
        else:
            high = middle
        if middle in (low, high) and math.nextafter(low, high) >= high:
            break
    return high


def _closed_delta(mu: float, eps: float) -> float:
    """The closed form in plain floats, with the second term in logarithms where e^eps is large."""
    upper = 0.5 * math.erfc((eps / mu - mu / 2) * ROOT_HALF)
    return upper - math.exp(eps + _log_upper_normal(eps / mu + mu / 2))


def _log_upper_normal(t: float) -> float:
    """log P(Z > t) for t >= 0, by the asymptotic series where erfc would underflow."""
    if t < 30.0:
        return math.log(0.5 * math.erfc(t * ROOT_HALF))
    inverse = 1.0 / (t * t)
    series = 1.0 - inverse * (1.0 - 3.0 * inverse * (1.0 - 5.0 * inverse * (1.0 - 7.0 * inverse)))
    return -t * t / 2 - math.log(t * math.sqrt(2 * math.pi)) + math.log(series)
