"""A draft of release settings: from a preset, from what a host typed, and what it would mean."""

from dataclasses import dataclass, field, replace
from decimal import Decimal

from leaderboard.competitions import telling
from leaderboard.competitions.models import Baseline, Competition, ReleaseSettings
from scoring import metrics, release
from scoring.errors import BadSettings
from scoring.release.presets import NAMES, TITLES, threshold_factor

PRESETS = NAMES
DEFAULT_EXTRA = {"budget": "100", "reference": "best", "c": "1.5", "floor": "0.3"}
# "training" needs rows marked Training in the solution, which a competition here does not have.
REFERENCES = (("best", "The team's best new score"), ("baseline", "The start line"))
# What is written as text on the form; the rest is chosen.
NUMBERS = ("tau", "sigma_compare", "sigma_value", "cap", "looks", "c", "floor", "budget")


@dataclass(frozen=True)
class Draft:
    """Settings as a form holds them: texts, which may be nonsense, and the faults found in them."""

    preset: str
    rule: str
    texts: dict[str, str]
    start: int | None
    problems: dict[str, str] = field(default_factory=dict)
    settings: release.ReleaseSettings | None = None

    @property
    def uses(self) -> frozenset[str]:
        """The names of the settings that the rule reads."""
        return frozenset(release.get(self.rule).parameters)

    @property
    def told(self) -> telling.Told | None:
        if self.settings is None or self.problems:
            return None
        return telling.draft(self.settings, self.preset)


def in_force(competition: Competition, row: ReleaseSettings) -> Draft:
    """Return the settings in force as a draft."""
    return _written(competition, row.preset, release.ReleaseSettings.from_dict(row.values))


def of_preset(competition: Competition, current: release.ReleaseSettings, preset: str) -> Draft:
    """Return what a preset recommends here, on the grid and with the ruler fixed at the launch."""
    return _written(competition, preset, recommended(competition, current, preset))


def recommended(
    competition: Competition, current: release.ReleaseSettings, preset: str
) -> release.ReleaseSettings:
    """Return a preset's settings for this competition; Custom recommends what Open does."""
    made = release.preset(
        preset,
        se=current.standard_error,
        greater_is_better=current.greater_is_better,
        low=current.low,
        high=current.high,
        start=current.start,
        expected_submissions=competition.expected_submissions,
        metric=metrics.get(competition.metric),
    )
    return replace(made, grid=current.grid, start=current.start)


def read(
    competition: Competition, current: release.ReleaseSettings, sent, baselines: list[Baseline]
) -> Draft:
    """Return what a host typed, with the reason beside every field that cannot be used.

    `sent` is a QueryDict; what it does not name is taken from the settings in force, so that no
    field can be set that the form does not have.
    """
    rule = sent.get("rule", current.rule)
    preset = sent.get("preset", "custom")
    problems = {}
    if rule not in release.names():
        rule, problems["rule"] = current.rule, "There is no rule of this name."
    if preset not in PRESETS:
        preset, problems["preset"] = "custom", "There is no preset of this name."
    texts = {name: sent.get(name, "").strip()[:40] for name in NUMBERS}
    texts["reference"] = sent.get("reference", "best")
    start = next((b for b in baselines if str(b.pk) == sent.get("start")), None)
    if sent.get("start") and start is None and sent.get("start") != "kept":
        problems["start"] = "Choose one of the baselines as start line."
    made = _parsed(current, rule, texts, start)
    try:
        made.validate()
    except BadSettings as refusal:
        problems = {**refusal.problems, **problems}
    draft = Draft(preset, rule, texts, start.pk if start else None, problems, made)
    return draft if problems else replace(draft, preset=named(competition, current, draft))


def named(competition: Competition, current: release.ReleaseSettings, draft: Draft) -> str:
    """Return the preset that these settings are; Custom where a value differs from it."""
    if draft.preset == "custom":
        return "custom"
    ideal = replace(recommended(competition, current, draft.preset), start=draft.settings.start)
    return draft.preset if ideal.to_dict() == draft.settings.to_dict() else "custom"


def _parsed(
    current: release.ReleaseSettings, rule: str, texts: dict[str, str], start: Baseline | None
) -> release.ReleaseSettings:
    """Build settings from texts; what the rule does not read is set to what it needs to be."""
    described = release.get(rule)
    uses = set(described.parameters)
    extra = {name: texts[name] for name in described.extra}
    if "budget" in extra and extra["budget"].isdecimal():
        extra["budget"] = int(extra["budget"])
    return release.ReleaseSettings(
        rule,
        tau=texts["tau"] if "tau" in uses else "0",
        sigma_compare=texts["sigma_compare"] if "sigma_compare" in uses else "0",
        sigma_value=texts["sigma_value"] if "sigma_value" in uses else "0",
        grid=current.grid,
        start=release.shown(current, start.value) if start else current.start,
        cap=texts["cap"] if "cap" in uses else None,
        looks=(texts["looks"] or 0) if "looks" in uses else 0,
        standard_error=current.standard_error,
        greater_is_better=current.greater_is_better,
        low=current.low,
        high=current.high,
        extra=extra,
    )


def _written(competition: Competition, preset: str, settings: release.ReleaseSettings) -> Draft:
    texts = {
        "tau": telling.plain(settings.tau),
        "sigma_compare": telling.plain(settings.sigma_compare),
        "sigma_value": telling.plain(settings.sigma_value),
        "cap": "" if settings.cap is None else str(settings.cap),
        "looks": str(settings.looks),
    } | {name: str(settings.extra.get(name, value)) for name, value in DEFAULT_EXTRA.items()}
    steps = release.steps(settings, settings.start)
    start = next((b.pk for b in marks(competition) if b.value == steps), None)
    return Draft(preset, settings.rule, texts, start, settings=settings)


def marks(competition: Competition) -> list[Baseline]:
    """Return the baselines, the weakest first."""
    return list(competition.baselines.order_by("value", "pk"))


@dataclass(frozen=True)
class Advice:
    """One preset as the page offers it: its line, and three plain answers."""

    name: str
    title: str
    line: str
    notice: str
    cheat: str
    small: str


def advice(competition: Competition, current: release.ReleaseSettings) -> list[Advice]:
    """Return the presets with what a team will notice, what a cheat gains, whether tau is small."""
    found = []
    for name in PRESETS:
        settings = recommended(competition, current, name)
        title, line = TITLES[name]
        found.append(
            Advice(
                name,
                title,
                f"{line} {_line(name, competition)}".strip(),
                _notice(name, settings),
                CHEAT[name],
                _small(competition, settings) if name in ("course", "open") else SMALL[name],
            )
        )
    return found


CHEAT = {
    "course": (
        "Little with one account each. Many accounts in one hand gain, so use it for people you "
        "know."
    ),
    "open": (
        "Little with a hundred accounts. A thousand accounts gain under any rule; the private set "
        "decides."
    ),
    "sealed": "Nothing: there is no feedback.",
    "exact": (
        "A shown score far above the true one, without a model, by combining many files. Say so "
        "to the participants."
    ),
    "custom": "It depends on the values below.",
}
SMALL = {
    "sealed": "Made for small sets: no public row is spent.",
    "exact": "Exact scores need a public set far larger than the number of submissions.",
    "custom": "Warned below where the threshold is too wide for these rows.",
}


def _line(name: str, competition: Competition) -> str:
    if name in ("course", "open"):
        factor = threshold_factor(name, competition.expected_submissions)
        return f"Threshold {factor} SE."
    return ""


def _notice(name: str, settings: release.ReleaseSettings) -> str:
    if name == "sealed":
        return "“Received and valid” and the checks; no score and no public order before the close."
    if name == "exact":
        return "Every score at once, to the last digit of the display grid."
    if name == "custom":
        return "What the values below say."
    often = "most honest steps show" if name == "course" else "most files get none"
    return (
        f"A new score once a file is clearly better, here by about {telling.plain(settings.tau)}; "
        f"{often}. Up to {settings.cap} new scores."
    )


def _small(competition: Competition, settings: release.ReleaseSettings) -> str:
    warned = warnings(competition, settings)
    return " ".join(warned) if warned else f"No. {share(competition, settings)}".strip()


def share(competition: Competition, settings: release.ReleaseSettings) -> str:
    """Say how the threshold compares with the way from the start line to the best baseline."""
    way = gap(competition, settings)
    if not way or not settings.tau:
        return ""
    part = 100 * settings.tau / way
    return f"τ is {part:.0f}% of the way from the start line to the best baseline."


def gap(competition: Competition, settings: release.ReleaseSettings) -> Decimal:
    """Return how far the best baseline lies above the start line, in displayed units."""
    found = marks(competition)
    if not found:
        return Decimal(0)
    return (found[-1].value - release.steps(settings, settings.start)) * settings.grid


def warnings(competition: Competition, settings: release.ReleaseSettings) -> list[str]:
    """Return what a host should hear about settings that can be used."""
    scores = [float(release.shown(settings, mark.value)) for mark in marks(competition)]
    solution = competition.solutions.order_by("-version").first()
    return release.warnings(settings, scores, solution.n_public if solution else None)
