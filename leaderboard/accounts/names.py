"""Which names are allowed, and when two of them would be taken for one another.

User and team names may hold the letters of any one script. What a reader could mistake for another
name has the same `skeleton` (Unicode Technical Standard 39, with letters folded first), and a
skeleton may be there once.
"""

import re
import unicodedata

from confusable_homoglyphs import categories, confusables
from django.core.exceptions import ValidationError
from django.db import models

# Names that could pass for the site, its people or a mark on the board.
RESERVED = frozenset(
    {"admin", "administrator", "anonymous", "baseline", "everyone", "holdout", "host", "mod"}
    | {"moderator", "nobody", "official", "organiser", "organizer", "owner", "root", "staff"}
    | {"superuser", "support", "system"}
)
# What the account of somebody who left is called.
RESERVED_START = "deleted-"
SIGNS_OF_USERS, SIGNS_OF_TEAMS = "-_", " -_."
# Scripts that are written together (the augmented sets of UTS 39).
WRITTEN_TOGETHER = (
    frozenset({"HAN", "HIRAGANA", "KATAKANA"}),
    frozenset({"HAN", "HANGUL"}),
    frozenset({"HAN", "BOPOMOFO"}),
)
# Letters that no single script owns: the long vowel of the Japanese syllabaries.
SHARED_LETTERS = frozenset("ー")
# Letters and marks by their category that nothing shows.
UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
# Marks over one letter: accents of all scripts, and the vowel signs that some scripts stack.
MOST_ACCENTS, MOST_MARKS = 2, 4
LONGEST_SKELETON = 300
# Stands in no name.
TWIN = "#"
LEFT_TO_RIGHT = "\u200e"


def clean(text: str) -> str:
    """Return a name as it is kept: compatible forms made one, no space around or doubled."""
    return " ".join(unicodedata.normalize("NFKC", text).split())


def skeleton(text: str) -> str:
    """Return what a name looks like: equal for two names that a reader could mix up."""
    found = unicodedata.normalize("NFD", clean(text).casefold())
    for _ in range(4):
        mapped = "".join(_LOOKS_LIKE.get(sign, sign) for sign in found)
        # A dot over i and j is there already.
        mapped = re.sub("([ij])\u0307+", r"\1", mapped)
        mapped = unicodedata.normalize("NFD", mapped.casefold())
        if mapped == found:
            break
        found = mapped
    # A capital I looks like a small l, and is an i; two v make a w; lines join to one.
    found = found.replace("i", "l").replace("vv", "w")
    return re.sub(r"([-_ .])\1+", r"\1", found)[:LONGEST_SKELETON]


def fault(text: str, least: int, most: int, signs: str = SIGNS_OF_TEAMS) -> str | None:
    """Return the sentence that says why a name is refused, or None for a good one.

    `least` and `most` count signs of the cleaned name; `signs` are allowed beside letters and
    digits. Whether the name is taken is another question: compare skeletons.
    """
    name = clean(text)
    if len(name) < least:
        return f"A name has at least {least} characters."
    if len(name) > most:
        return f"A name has at most {most} characters; this one has {len(name)}."
    return (
        _strange_sign(name, signs)
        or _wrong_edge(name)
        or _too_many_marks(name)
        or _mixed_scripts(name)
        or _latin_in_disguise(name)
        or _reserved(name)
    )


def check_user_name(text: str) -> None:
    """Refuse a user name (Django's form of a validator)."""
    problem = fault(text, 2, 30, SIGNS_OF_USERS)
    if problem:
        raise ValidationError(problem, code="invalid")


VALIDATORS = [check_user_name]


class SkeletonField(models.CharField):
    """The skeleton of another field, made whenever a row is saved.

    By the field and not by those who save: one that forgets would let twins in.
    """

    def __init__(self, *args, of: str = "", **kwargs):
        self.of = of
        kwargs.setdefault("editable", False)
        super().__init__(*args, **kwargs)

    def deconstruct(self):
        name, path, args, kwargs = super().deconstruct()
        return name, path, args, kwargs | {"of": self.of}

    def pre_save(self, model_instance, add):
        """Return the skeleton, set on the row too."""
        made = skeleton(getattr(model_instance, self.of))
        # A twin from before the rule has its number behind it and keeps it.
        if (getattr(model_instance, self.attname) or "").startswith(made + TWIN):
            return getattr(model_instance, self.attname)
        setattr(model_instance, self.attname, made)
        return made


def _strange_sign(name: str, signs: str) -> str | None:
    for sign in name:
        letter = unicodedata.category(sign)[0] in "LM" and not UNSEEN.match(sign)
        if not letter and sign not in signs and sign not in "0123456789":
            allowed = {" ": "spaces", "-": "-", "_": "_", ".": "."}
            words = [allowed[one] for one in signs]
            return (
                f"A name holds letters of one script, digits, {', '.join(words[:-1])} "
                f"and {words[-1]} only, not {_shown(sign)}."
            )
    return None


def _wrong_edge(name: str) -> str | None:
    if unicodedata.category(name[0])[0] != "L" and not name[0].isascii():
        return "A name starts with a letter or a digit."
    if not name[0].isalnum():
        return "A name starts with a letter or a digit."
    # A name that ends in a sign reads as the name without it at the end of a sentence.
    if name[-1] in SIGNS_OF_TEAMS:
        return "A name ends with a letter or a digit."
    if not any(unicodedata.category(sign)[0] == "L" for sign in name):
        return "A name holds at least one letter."
    return None


def _too_many_marks(name: str) -> str | None:
    accents = marks = 0
    for sign in unicodedata.normalize("NFD", name):
        if unicodedata.category(sign)[0] != "M":
            accents = marks = 0
            continue
        marks += 1
        accents += categories.alias(sign) in ("INHERITED", "COMMON")
        if accents > MOST_ACCENTS or marks > MOST_MARKS:
            return f"A letter carries at most {MOST_ACCENTS} accents."
    return None


def _scripts(name: str) -> set[str]:
    return {
        categories.alias(sign)
        for sign in name
        if unicodedata.category(sign)[0] == "L" and sign not in SHARED_LETTERS
    }


def _mixed_scripts(name: str) -> str | None:
    found = _scripts(name)
    if len(found) > 1 and not any(found <= together for together in WRITTEN_TOGETHER):
        words = sorted(script.replace("_", " ").title() for script in found)
        return f"A name holds letters of one script only; this one mixes {' and '.join(words)}."
    if found & {"COMMON", "INHERITED", "UNKNOWN", "Unknown"}:
        strange = next(sign for sign in name if categories.alias(sign) in found)
        return f"A name holds letters of a script, not {_shown(strange)}."
    return None


def _latin_in_disguise(name: str) -> str | None:
    """Refuse what is written in another script and looks Latin throughout."""
    if _scripts(name) <= {"LATIN"}:
        return None
    shapes = [_LOOKS_LIKE.get(sign, sign) for sign in unicodedata.normalize("NFD", name)]
    if all(shape.isascii() for shape in shapes):
        return "This name looks like one in Latin letters. Write it in Latin letters or add to it."
    return None


def _reserved(name: str) -> str | None:
    seen = skeleton(name)
    if seen in _RESERVED_SKELETONS or seen.startswith(skeleton(RESERVED_START)):
        return "This name is reserved. Choose another one."
    return None


def _shown(sign: str) -> str:
    """Return a sign so that one sees which it is, even where nothing shows it."""
    if sign == " ":
        return "a space"
    code = f"U+{ord(sign):04X}"
    return f"“{sign}” ({code})" if sign.isprintable() and sign.strip() else code


def _looks_like() -> dict[str, str]:
    """Return the table of UTS 39, each sign to the one it is taken for.

    The library's table has every pair both ways and marks of direction around some: the sign with
    several partners is the one that they are taken for, of a lone pair the first in order.
    """
    partners = {
        sign.strip(LEFT_TO_RIGHT): [one["c"].strip(LEFT_TO_RIGHT) for one in others]
        for sign, others in confusables.confusables_data.items()
    }
    found = {}
    for sign, others in partners.items():
        if len(sign) != 1 or len(others) != 1:
            continue
        other = others[0]
        mutual = len(other) == 1 and len(partners.get(other, ())) == 1
        if not mutual or other < sign:
            found[sign] = other
    return found


_LOOKS_LIKE = _looks_like()
_RESERVED_SKELETONS = frozenset(skeleton(name) for name in RESERVED)
