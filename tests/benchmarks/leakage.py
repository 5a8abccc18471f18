"""How fast Connect-the-Dots is beside privacy buckets at equal error.

Run from the root of the project: python tests/benchmarks/leakage.py [--check]
With --check the exit code is 1 when a figure is missed.
"""

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from scoring.leakage import buckets, pld
from scoring.leakage.curves import Gaussian, SampledGaussian

SAMPLED = [(SampledGaussian(0.5, 0.2e-4), 10_000)]
DELTA = 1e-8
# Pairs of grids at which the two accountants are about equally far above the true epsilon.
PAIRS = [(0.1, 1e-5), (0.03, 3e-6)]


def timed(function, repeats):
    """Return the answer and the shortest time of several runs, in seconds of processor time."""
    best = float("inf")
    for _ in range(repeats):
        start = time.process_time()
        answer = function()
        best = min(best, time.process_time() - start)
    return answer, best


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    failed = False
    true = pld.estimate(SAMPLED, DELTA, pessimistic=False)
    print(f"sampled Gaussian, 10,000 steps, delta 1e-8; epsilon is {true:.4f}")
    for dots_grid, buckets_grid in PAIRS:
        dots, quick = timed(lambda g=dots_grid: pld.estimate(SAMPLED, DELTA, grid=g), 9)
        old, slow = timed(lambda g=buckets_grid: buckets.epsilon(SAMPLED, DELTA, grid=g), 1)
        ratio = slow / quick
        failed |= ratio < 200 or dots > old * 1.01
        print(
            f"  dots grid {dots_grid:g}: {dots:.4f} in {quick * 1e3:.1f} ms;  buckets grid "
            f"{buckets_grid:g}: {old:.4f} in {slow:.2f} s;  {ratio:,.0f} times as fast"
        )
    events = [(Gaussian(1 / 200), 10_000), (Gaussian(1 / 100), 1_000)]
    low, quick = timed(lambda: pld.estimate(events, 1e-6, pessimistic=False), 9)
    high, more = timed(lambda: pld.estimate(events, 1e-6), 9)
    failed |= quick + more > 0.1
    total = (quick + more) * 1e3
    print(f"statement at 11,000 releases: {low:.4f} .. {high:.4f} in {total:.1f} ms")
    return int(check and failed)


if __name__ == "__main__":
    raise SystemExit(main())
