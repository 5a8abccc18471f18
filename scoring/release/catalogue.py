"""The rules as an organiser meets them: title, one sentence, plain words and their parameters."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Parameter:
    """A setting: its label, what it means in plain words and the unit it is written in."""

    name: str
    label: str
    meaning: str
    unit: str


@dataclass(frozen=True)
class Rule:
    """A rule: `sentence` says it in one line, `words` to somebody who has never heard of it.

    `parameters` names the settings of its own that it reads, `extra` those of them that live in
    `ReleaseSettings.extra`, with `defaults` where they have one. `noise` is the law of its noise,
    None where it has none; a `paired` rule compares a file with the team's best file, row by row.
    """

    name: str
    title: str
    sentence: str
    words: str
    parameters: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()
    defaults: dict = field(default_factory=dict)
    noise: str | None = "gaussian"
    paired: bool = False

    @property
    def common(self) -> tuple[str, ...]:
        """What every rule reads that shows scores before the close."""
        return ("grid", "start", "standard_error") if self.parameters else ()

    def described(self) -> dict:
        """What a settings page and the documentation print, as plain data."""
        return {
            "name": self.name,
            "title": self.title,
            "sentence": self.sentence,
            "words": self.words,
            "parameters": [
                {"name": p.name, "label": p.label, "meaning": p.meaning, "unit": p.unit}
                for p in (PARAMETERS[name] for name in (*self.parameters, *self.common))
            ],
        }


SCORE = "score"
RULER = "standard errors"
COUNT = "number"
CHOICE = "choice"

PARAMETERS = {
    p.name: p
    for p in (
        Parameter(
            "tau",
            "Threshold τ",
            "A file gets a new score only when it is better than the reference by more than this.",
            SCORE,
        ),
        Parameter(
            "sigma_compare",
            "Noise of the comparison",
            "Blurs the threshold a little, so that nobody can find its exact place.",
            SCORE,
        ),
        Parameter(
            "sigma_value",
            "Noise σ of a new score",
            "What is added to a score before it is shown: about two in three shown scores are "
            "nearer to the exact one than this.",
            SCORE,
        ),
        Parameter(
            "grid",
            "Display grid",
            "Shown scores are multiples of this; it sets the decimals on the board.",
            SCORE,
        ),
        Parameter(
            "start",
            "Start line",
            "Where every team's reference begins: the weakest baseline, or the one marked so.",
            SCORE,
        ),
        Parameter(
            "cap",
            "New scores for each team",
            "When they are used up, files are still accepted, checked and count for the final "
            "ranking.",
            COUNT,
        ),
        Parameter(
            "looks",
            "Looks for each team",
            "A look is a noisy score of any file, for the team alone and never on the board.",
            COUNT,
        ),
        Parameter(
            "standard_error",
            "Ruler SE",
            "Standard error of the strongest baseline's score: how far chance alone moves a score "
            "on these rows.",
            SCORE,
        ),
        Parameter(
            "budget",
            "New scores of all teams together",
            "When this many have been given, no comparison is made any more, for any team.",
            COUNT,
        ),
        Parameter(
            "reference",
            "Reference",
            "What a file is compared with: the team's best new score, the start line, or the "
            "file's own score on rows marked Training, whose labels participants hold.",
            CHOICE,
        ),
        Parameter(
            "c",
            "Threshold c",
            "A file must beat the team's best file by this many standard errors of the difference "
            "between the two.",
            RULER,
        ),
        Parameter(
            "floor",
            "Least standard error of a difference",
            "Two files that differ in a few rows only are treated as if they differed by this "
            "much, which stops climbing by a few rows at a time.",
            RULER,
        ),
    )
}

GATED = ("tau", "sigma_compare", "sigma_value")
LIMITS = ("cap", "looks")

RULES = {
    rule.name: rule
    for rule in (
        Rule(
            "gate",
            "Gate",
            "A new score only when the file is above the team's best by more than τ.",
            "The exact score is compared with the team's best new score, at first with the start "
            "line. If it is higher by more than a slightly blurred threshold, it is shown with a "
            "little noise and becomes the team's best. Otherwise nothing is shown, so a team "
            "learns little from files that are not clearly better.",
            (*GATED, *LIMITS),
        ),
        Rule(
            "gate_paired",
            "Paired gate",
            "A new score only when the file beats the team's best file by more than c standard "
            "errors of their difference.",
            "Two files of one team agree on most rows, so their difference is known better than "
            "either score. The threshold is therefore set by the rows on which the new file and "
            "the team's best file differ, and small honest steps show earlier than with the gate.",
            (*GATED, "c", "floor", *LIMITS),
            extra=("c", "floor"),
            defaults={"c": "1.5", "floor": "0.3"},
            paired=True,
        ),
        Rule(
            "thresholdout",
            "Thresholdout, Gaussian",
            "A noisy score when the file differs from a reference by more than τ, else nothing.",
            "The reusable holdout with Gaussian noise. The reference is the team's best new score, "
            "the start line, or the file's own score on rows marked Training; the last compares "
            "both ways, the others only upwards.",
            (*GATED, "reference", *LIMITS),
            extra=("reference",),
            defaults={"reference": "best"},
        ),
        Rule(
            "thresholdout_laplace",
            "Thresholdout, Laplace",
            "Thresholdout with Laplace noise, a noisy threshold and a budget for all teams.",
            "The reusable holdout as published: the threshold carries noise of its own, drawn "
            "again after each new score and only then, and after a fixed number of new scores "
            "nothing is compared any more.",
            (*GATED, "budget", "reference", *LIMITS),
            extra=("budget", "reference"),
            defaults={"reference": "best"},
            noise="laplace",
        ),
        Rule(
            "ladder",
            "Ladder",
            "A new score only when the file is above the team's best by more than a step, rounded "
            "to whole steps.",
            "The board moves in steps of τ: a file that is not a step better shows nothing, and "
            "what is shown is rounded to a whole step. Without noise unless some is set.",
            (*GATED, *LIMITS),
        ),
        Rule(
            "ladder_paired",
            "Ladder, paired",
            "A new score when the file beats the team's best by more than one standard error of "
            "their difference, but at least a floor.",
            "The ladder without a step to choose: the step is the standard error of the difference "
            "between the new file and the team's best one. The floor is essential: without it, "
            "changing two rows at a time reads the labels.",
            ("sigma_compare", "sigma_value", "floor", *LIMITS),
            extra=("floor",),
            defaults={"floor": "2"},
            paired=True,
        ),
        Rule(
            "rounded",
            "Rounded",
            "Every score is shown, rounded to the display grid.",
            "Rounding stops probing row by row but is no defence against many files.",
            ("looks", "cap"),
            noise=None,
        ),
        Rule(
            "exact",
            "Exact",
            "No protection: every score is shown at once, to the last digit of the grid.",
            "What most boards do. The more files, the less the public score says.",
            ("looks", "cap"),
            noise=None,
        ),
        Rule(
            "sealed",
            "Sealed",
            'A file is answered with "received and valid"; no score is shown before the close.',
            "No feedback, so nothing can be learned from it. All rows count for the final ranking.",
            (),
            noise=None,
        ),
    )
}


def get(name: str) -> Rule:
    """The rule of this name; KeyError otherwise."""
    return RULES[name]


def names() -> tuple[str, ...]:
    """The names of all rules, the recommended first."""
    return tuple(RULES)


def describe(name: str) -> dict:
    """Title, one sentence, plain words and parameters of a rule, as plain data."""
    return RULES[name].described()
