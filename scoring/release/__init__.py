"""How public scores are released: settings, keyed noise, rules, resolution, presets and words.

Free of numpy: a web process imports it. Integers and fractions only.
"""

from scoring.release.catalogue import describe, get, names
from scoring.release.presets import preset, warnings
from scoring.release.resolution import grid_for, resolution, resolution_steps
from scoring.release.rules import (
    Epoch,
    Outcome,
    Paired,
    Sealed,
    State,
    epoch,
    initial,
    look,
    paired,
    reference,
    seal,
    step,
    used_up,
)
from scoring.release.settings import ReleaseSettings
from scoring.release.units import shown, steps, text
from scoring.release.words import cell, sentence

__all__ = [
    "Epoch",
    "Outcome",
    "Paired",
    "ReleaseSettings",
    "Sealed",
    "State",
    "cell",
    "describe",
    "epoch",
    "get",
    "grid_for",
    "initial",
    "look",
    "names",
    "paired",
    "preset",
    "reference",
    "resolution",
    "resolution_steps",
    "seal",
    "sentence",
    "shown",
    "step",
    "steps",
    "text",
    "used_up",
    "warnings",
]
