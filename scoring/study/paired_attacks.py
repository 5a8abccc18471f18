"""The attacks of the paired gate's study: each plays against one board and answers its gain.

A gain is the exact public score of the attacker's last file minus what the model that the attacker
began with is worth on new rows: the height on the board that was not earned. One attacker runs all
accounts and learns from all of them.
"""

import numpy as np

from scoring.study.paired_worlds import Account, File, Rule, World


def random_files(world: World, rule: Rule, accounts: int, each: int) -> list[tuple]:
    """Send files of no value; returns (vector, shown value) of the released ones."""
    shown = []
    for _ in range(accounts):
        account = Account(world, rule)
        for _ in range(each):
            file = world.file(world.random())
            value = account.send(file)
            if value is not None:
                shown.append((file.vector, value))
    return shown


def majority(world: World, rule: Rule, accounts: int, each: int) -> float:
    """Boosting: the majority vote of the random files that were released."""
    shown = random_files(world, rule, accounts, each)
    if not shown:
        return 0.0
    vote = np.sum([vector for vector, _ in shown], axis=0)
    return gain_of(world, np.where(vote == 0, shown[0][0], np.sign(vote)))


def regression(world: World, rule: Rule, accounts: int, each: int) -> float:
    """The released values of random files, solved for the labels."""
    return gain_of(world, solve(world, rule, random_files(world, rule, accounts, each)))


def block_climb(world: World, rule: Rule, accounts: int, each: int, share: float) -> float:
    """Turn over a random block, keep what is released; the best file goes on to the next account.

    It starts from the baseline's own file, which the attacker is taken to know. Here the gain is
    over what the last file itself is worth: under F1, saying yes more often is worth something.
    """
    best = world.baseline
    for _ in range(accounts):
        account = Account(world, rule)
        if best is not world.baseline:
            account.send(best)
        best = _climb(world, account, best, each, share)[0]
    return best.score - world.population(best.vector)


def block_pool(world: World, rule: Rule, accounts: int, each: int, share: float) -> float:
    """Every account climbs from the baseline anew; all released values are solved together."""
    shown = []
    for _ in range(accounts):
        shown += _climb(world, Account(world, rule), world.baseline, each, share)[1]
    return gain_of(world, solve(world, rule, shown))


def _climb(world: World, account: Account, base: File, each: int, share: float):
    shown = []
    for _ in range(each):
        if account.used >= account.rule.cap:
            break
        file = world.file(world.changed(base.vector, share))
        value = account.send(file)
        if value is not None:
            shown.append((file.vector, value))
            base = file
    return base, shown


def small_steps(
    world: World, rule: Rule, accounts: int, each: int, fresh: bool, amplitude=None
) -> float:
    """Spoil an honest model and repair it in the smallest steps that are released.

    Every account spoils it in its own random way, and starts over in another way at each step where
    `fresh`. All released values are solved for the labels.
    """
    shown = []
    for _ in range(accounts):
        account, pattern = Account(world, rule), world.pattern()
        for height in np.linspace(0, 1, each):
            if account.used >= rule.cap:
                break
            if fresh:
                pattern = world.pattern()
            file = world.file(world.rung(height, pattern, amplitude))
            value = account.send(file)
            if value is not None:
                shown.append((file.vector, value))
    return gain_of(world, solve(world, rule, shown))


def lucky(world: World, rule: Rule, accounts: int, each: int) -> float:
    """Send variants of one honest model until one shows a lucky value: best shown minus worth."""
    best = -np.inf
    for _ in range(accounts):
        account = Account(world, rule)
        for _ in range(each):
            value = account.send(world.file(world.changed(world.model, 1 / world.n)))
            best = best if value is None else max(best, value)
    return max(best - world.worth, 0.0) if np.isfinite(best) else 0.0


def solve(world: World, rule: Rule, shown: list[tuple]) -> np.ndarray:
    """The file of the labels' posterior means, given shown values that are linear in the labels."""
    mean, variance = (np.broadcast_to(part, world.n) for part in world.prior)
    if not shown:
        return world.final(mean)
    designs = [world.design(vector) for vector, _ in shown]
    weights = np.array([design for design, _ in designs], np.float32)
    values = np.array([v - a for (_, v), (_, a) in zip(shown, designs, strict=True)])
    error = (rule.value_noise * world.se) ** 2 + world.grid**2 / 12
    scaled = weights * np.sqrt(variance, dtype=np.float32)
    rest = values - weights @ mean
    if len(shown) <= world.n:
        inner = (scaled @ scaled.T).astype(float)
        inner[np.diag_indices_from(inner)] += error
        found = scaled.T @ np.linalg.solve(inner, rest)
    else:
        inner = (scaled.T @ scaled).astype(float) / error
        inner[np.diag_indices_from(inner)] += 1
        found = np.linalg.solve(inner, scaled.T @ rest / error)
    return world.final(mean + np.sqrt(variance) * found)


def gain_of(world: World, vector: np.ndarray) -> float:
    """How far a file's exact public score is above what the attacker's model is worth."""
    return world.measure(vector)[0] - world.worth
