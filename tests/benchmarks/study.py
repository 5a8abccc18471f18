"""X1: 2,000 adaptive submissions in 200 repetitions on 10,000 public rows.

Times the fast probing attack for every rule, the block climber, and the literal loop over the
release rules (on part of the work, scaled). The floor is drawing the random numbers that the
attack needs. Everything runs interleaved, medians over the rounds; ratios are of processor time.

    python tests/benchmarks/study.py [--rounds 5] [--json]
"""

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np

from scoring.release.catalogue import names
from scoring.study import literal
from scoring.study.analysts import Arena, climb, probe
from scoring.study.simulate import settings_for

N, FILES, REPETITIONS = 10_000, 2_000, 200
LITERAL_FILES = 200
GOAL = 0.1  # seconds


def floor() -> None:
    """The draws of the attack: a score and two kinds of noise for each file."""
    rng = np.random.default_rng(1)
    for _ in range(3):
        rng.standard_normal((FILES, REPETITIONS), dtype=np.float32)


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """Seconds by the wall clock, and of the processor: the second holds on a busy machine."""
    begun, spent = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - begun, time.process_time() - spent


def works() -> dict[str, Callable[[], object]]:
    def fast(rule: str) -> Callable[[], object]:
        arena = Arena(settings_for(rule, n=N), N, REPETITIONS)
        return lambda: probe(arena, FILES)

    gate = settings_for("gate", n=N)
    found: dict[str, Callable[[], object]] = {"floor": floor}
    found |= {f"probe {rule}": fast(rule) for rule in names()}
    found["climb gate, blocks of 6%"] = lambda: climb(Arena(gate, N, REPETITIONS), FILES)
    found["literal"] = lambda: literal.probe(gate, N, LITERAL_FILES, 1, np.random.default_rng(1))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    chosen = works()
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in chosen}
    for _ in range(args.rounds):
        for name, work in chosen.items():
            times[name].append(timed(work))
    scale = FILES / LITERAL_FILES * REPETITIONS
    rows = [
        {"what": name}
        | {
            kind: statistics.median(found[place] for found in measured)
            * (scale if name == "literal" else 1)
            for place, kind in enumerate(("wall", "processor"))
        }
        for name, measured in times.items()
    ]
    floor_time, literal_time = rows[0]["processor"], rows[-1]["processor"]
    for row in rows:
        row["over_floor"] = round(row["processor"] / floor_time, 1)
        row["literal_over_it"] = round(literal_time / row["processor"], 1)
    if args.json:
        print(json.dumps({"benchmark": "X1", "goal_seconds": GOAL, "rows": rows}, indent=1))
        return 0
    print(f"X1: {FILES:,} submissions x {REPETITIONS} repetitions, {N:,} rows; goal {GOAL} s")
    print(f"{'':<28}{'wall s':>10}{'processor s':>13}{'/ floor':>10}{'literal /':>12}")
    for row in rows:
        print(
            f"{row['what']:<28}{row['wall']:>10.3f}{row['processor']:>13.3f}"
            f"{row['over_floor']:>10.1f}{row['literal_over_it']:>12.1f}"
        )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
