"""What release settings will mean for a competition, in numbers that fit into plain words.

Fast enough for a settings page: a fraction of a second, the same answer for the same seed. The
participants are typical ones, not those who will come; the settings page says so.
"""

from dataclasses import asdict, dataclass
from decimal import Decimal

import numpy as np

from scoring.release import preset, resolution, resolution_steps, units
from scoring.release.presets import TYPICAL_DIFFERENCE
from scoring.release.settings import ReleaseSettings
from scoring.study.panel import ALWAYS, Panel

TRIALS = 4_000  # of a single file
CONTESTS = 100
COPIES, COPIES_TRIALS = 500, 100
UNLIKE = float(TYPICAL_DIFFERENCE)  # standard error of two files' difference, in rulers
COPIES_UNLIKE = 0.28  # the same for copies that differ on 2% of the rows
POINTS = (1, 2, 3)


@dataclass(frozen=True)
class Scale:
    """Where typical teams are, in larger-is-better units: start line, ruler, room above the start.

    `room` is the distance of the best baseline, and at least three rulers: teams that come to a
    competition have a reason to.
    """

    start: float
    ruler: float
    room: float

    @classmethod
    def of(cls, settings: ReleaseSettings, standard_error: float, baselines) -> "Scale":
        sign = units.sign(settings)
        start = sign * float(settings.start)
        best = max((sign * float(score) for score in baselines), default=start)
        return cls(start, standard_error, max(best - start, 3 * standard_error))


@dataclass(frozen=True)
class Outlook:
    """The expected course of a competition; amounts in displayed units.

    `points` are (how much better a file is, how often that shows as a new score); `tied` is the
    mean size of the group that cannot be told from the first, `with_score` of those with a score.
    `copies_gain` is the best shown score of many copies of one model over its true one, and
    `copies_exact` the same where every score is shown exactly.
    """

    rule: str
    n_public: int
    points: tuple[tuple[float, float], ...]
    files: int
    new_scores: float
    teams: int
    with_score: float
    tied: float
    resolution: Decimal
    copies: int
    copies_gain: float
    copies_exact: float

    def to_dict(self) -> dict:
        """JSON-able form."""
        return {**asdict(self), "resolution": format(self.resolution, "f")}

    def sentences(self) -> list[str]:
        """The outlook in plain words, one sentence for each number."""
        if self.rule == "sealed":
            return ["No score is shown before the close, so nothing can be learned from the board."]
        gain = f"{_amount(self.copies_gain)} better" if self.copies_gain > 0 else "no more"
        (one, often), *more = self.points
        rest = "".join(f"; {_amount(amount)} better, {_often(share)}" for amount, share in more)
        return [
            f"A file truly {_amount(one)} better than a team's best gets a new score "
            f"{_often(often)}{rest}.",
            f"{self.files} files give a team {self.new_scores:.1f} new scores on average.",
            self._leaders(),
            f"{self.copies} slightly changed copies of one model will show {gain} than it is "
            f"worth; with exact scores, {_amount(max(self.copies_exact, 0))} better.",
        ]

    def _leaders(self) -> str:
        sentence = f"Of {self.teams} teams about {self.with_score:.0f} will have a score"
        if self.with_score < 0.5:
            return f"{sentence}."
        return (
            f"{sentence}, and about {max(self.tied, 1):.0f} of them will be tied for first: "
            f"scores closer than {self.resolution:f} cannot be told apart."
        )


def outlook(
    settings: ReleaseSettings,
    *,
    n_public: int,
    standard_error: float,
    baselines: list[float],
    teams: int = 30,
    files: int = 15,
    seed: int = 1,
) -> Outlook:
    """Foresee a competition of `teams` teams with `files` files each under these settings.

    `standard_error` is the ruler and `baselines` exact scores, all in displayed units.
    """
    scale = Scale.of(settings, standard_error, baselines)
    point = _point(settings, scale)
    rng = np.random.default_rng([seed, 1])
    amounts = [round(count * point, 12) for count in POINTS]
    shares = [_shows(settings, scale, amount, rng) for amount in amounts]
    course = Course(settings, scale, (CONTESTS, teams), np.random.default_rng([seed, 2]))
    for _ in range(files):
        course.send()
    with_score, tied = _leading(settings, course.panel)
    bare = exact_rule(settings, standard_error)
    return Outlook(
        rule=settings.rule,
        n_public=n_public,
        points=tuple(zip(amounts, shares, strict=True)),
        files=files,
        new_scores=round(float(course.panel.used.mean()), 2),
        teams=teams,
        with_score=with_score,
        tied=tied,
        resolution=resolution(settings),
        copies=COPIES,
        copies_gain=_copies(settings, scale, np.random.default_rng([seed, 3])),
        copies_exact=_copies(bare, scale, np.random.default_rng([seed, 3])),
    )


def exact_rule(settings: ReleaseSettings, standard_error: float) -> ReleaseSettings:
    """The same competition with every score shown exactly."""
    return preset(
        "exact",
        se=standard_error,
        greater_is_better=settings.greater_is_better,
        low=settings.low,
        high=settings.high,
        start=settings.start,
    )


def _point(settings: ReleaseSettings, scale: Scale) -> float:
    """What people call a point: 0.01 of a score up to 1, else 1% of the start line, made round."""
    if settings.low is not None and settings.high is not None:
        return 0.01 * max(abs(settings.low), abs(settings.high))
    size = abs(scale.start) or scale.ruler
    place = 10.0 ** np.floor(np.log10(0.01 * size))
    return float(max(digit for digit in (1, 2, 5) if digit * place <= 0.01 * size + 1e-15) * place)


def _shows(settings, scale: Scale, amount: float, rng) -> float:
    """How often a file that is truly better by `amount` than a team's best is a new score."""
    panel = Panel(settings, (TRIALS, 1), rng)
    before = scale.start + scale.room + scale.ruler * rng.standard_normal(panel.shape)
    first = panel.seal(before)
    panel.reference = np.maximum(first.value, panel.start)
    gain = amount + UNLIKE * scale.ruler * rng.standard_normal(panel.shape)
    second = panel.seal(before + gain)
    given = panel.step(second, gain=gain, spread=UNLIKE * scale.ruler)
    if panel.rule in ALWAYS:
        given &= second.value > first.value
    return round(float(given.mean()), 3)


class Course:
    """Typical teams, improving file by file.

    First files are spread from a little below the start line to nine tenths of the room above it;
    later ones change the true score by a normal step that shrinks towards 1.3 times the room. A
    team goes on from a file when the board shows it as better or when its own, blurred validation
    says so.
    """

    FIRST, TOP, STEP, BLUR = (-0.2, 0.9), 1.3, 0.13, 0.15  # in units of the room

    def __init__(self, settings, scale: Scale, shape: tuple[int, int], rng: np.random.Generator):
        self.panel = Panel(settings, shape, rng)
        self.scale, self.rng = scale, rng
        self.true = scale.start + scale.room * rng.uniform(*self.FIRST, shape)
        self.luck = scale.ruler * rng.standard_normal(shape)
        self.own = np.full(shape, scale.start)
        self.sent = 0

    def send(self) -> tuple[np.ndarray, np.ndarray]:
        """Every team sends a file: where a new score is given, and its value in steps."""
        scale, normal, shape = self.scale, self.rng.standard_normal, self.panel.shape
        true, luck, change = self.true, self.luck, np.zeros(shape)
        if self.sent:
            left = scale.start + self.TOP * scale.room - self.true
            shrink = np.sqrt(np.clip(left / (self.TOP * scale.room), 0, 1))
            change = normal(shape) * self.STEP * scale.room * shrink
            fade = 1 - UNLIKE**2 / 2
            true = self.true + change
            luck = fade * luck + (1 - fade**2) ** 0.5 * scale.ruler * normal(shape)
        score = true + luck
        sealed, gain = self.panel.seal(score), score - self.own
        before = self.panel.reference
        spread = (UNLIKE if self.sent else 1.0) * scale.ruler
        given = self.panel.step(sealed, gain=gain, spread=spread)
        keep = given & (sealed.value > before)
        if self.panel.rule not in ALWAYS:
            keep |= ~given & (change + self.BLUR * scale.room * normal(shape) > 0)
        self.true, self.luck = np.where(keep, true, self.true), np.where(keep, luck, self.luck)
        self.own = np.where(given, score, self.own)
        self.sent += 1
        return given, sealed.value


def _leading(settings, panel: Panel) -> tuple[float, float]:
    """Mean number of teams with a score, and of those that cannot be told from the first."""
    seen = panel.reference > panel.start
    top = panel.reference.max(axis=-1, keepdims=True)
    tied = seen & (top - panel.reference < resolution_steps(settings))
    return round(float(seen.sum(axis=-1).mean()), 1), round(float(tied.sum(axis=-1).mean()), 1)


def _copies(settings, scale: Scale, rng) -> float:
    """Best shown score of many copies of one model over its true one, in displayed size."""
    panel = Panel(settings, (COPIES_TRIALS, 1), rng)
    true = scale.start + 1.2 * scale.room
    shape = (COPIES, COPIES_TRIALS, 1)
    unlike = COPIES_UNLIKE * scale.ruler
    scores = true + rng.standard_normal(shape) * unlike
    scores += scale.ruler * rng.standard_normal((COPIES_TRIALS, 1))
    sealed = panel.seal(scores)
    if panel.rule in ALWAYS:
        best = sealed.value.max(axis=0)
        return round(float((panel.shown(best) - true).mean()), 6)
    own = np.full(panel.shape, scale.start)
    for turn in range(COPIES):
        spread = np.where(panel.used > 0, unlike * 2**0.5, scale.ruler)
        given = panel.step(sealed[turn], gain=scores[turn] - own, spread=spread)
        own = np.where(given, scores[turn], own)
    seen = panel.reference > panel.start
    return (
        round(float((panel.shown(panel.reference) - true)[seen].mean()), 6) if seen.any() else 0.0
    )


def _amount(amount: float) -> str:
    return f"{amount:.2g}" if amount < 100 else f"{amount:,.0f}"


def _often(share: float) -> str:
    if share < 0.01:
        return "almost never"
    if share > 0.99:
        return "practically always"
    return f"{share:.0%} of the time"
