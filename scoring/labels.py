"""Which class a written label means: exactly, as the same number, or but for upper case."""

import re
from unicodedata import normalize

from scoring.task import Task

_MANY_MARKS = re.compile(r"[^\w\x00-\x7f]{9}")
TRUTH = {"true": "1", "false": "0"}
# Pasted from web pages and office programs; str.strip() knows the spaces but not the others.
INVISIBLE = "\u200b\u200c\u200d\u2060\ufeff\u00ad\u200e\u200f"
_BLANKS = (
    INVISIBLE
    + " \t\r\n\f\v\u00a0\u1680\u2007\u202f\u205f\u3000"
    + "".join(chr(code) for code in range(0x2000, 0x200B))
)


def trimmed(text: str) -> str:
    """The text without blanks and invisible characters at both ends."""
    return text.strip(_BLANKS)


def accented(text: str, form: str) -> str:
    """The text with its accents written in this form: NFC or NFD; as it is where a letter has many.

    Putting the marks of one letter in order takes the square of their number.
    """
    return text if text.isascii() or _MANY_MARKS.search(text) else normalize(form, text)


def same_form(text: str) -> str:
    """The text without blanks around it, in lower case, each accent one character with its letter.

    For comparing names that programs write differently.
    """
    return accented(trimmed(text), "NFC").casefold()


def plain_text(text: str) -> str:
    """The canonical form of a text prediction: one kind of line end, nothing blank around it."""
    return trimmed(text.replace("\r\n", "\n").replace("\r", "\n"))


def plain_whole(text: str) -> str | None:
    """A decimal number that is whole, without point, exponent or leading zeros; else None.

    Works on the digits alone: an id of 19 digits must not pass through a float.
    """
    if not text.isascii() or len(text) > 64:
        return None
    sign = "-" if text.startswith("-") else ""
    body = text[1:] if text[:1] in "+-" else text
    mantissa, mark, power = body.replace("E", "e").partition("e")
    whole, _, fraction = mantissa.partition(".")
    if not (whole + fraction).isdigit():
        return None
    shift = 0
    if mark:
        digits = power[1:] if power[:1] in "+-" else power
        if not digits.isdigit() or len(digits) > 3:
            return None
        shift = int(power)
    fraction = fraction.rstrip("0")
    if shift < 0 or len(fraction) > shift:
        digits = whole + fraction
        cut = len(whole) + shift
        if cut < 0 or digits[max(cut, 0) :].strip("0"):
            return None
        digits = digits[: max(cut, 0)]
    else:
        digits = whole + fraction.ljust(shift, "0")
    digits = digits.lstrip("0") or "0"
    return digits if digits == "0" else sign + digits


class Labels:
    """Finds the class index of a label as written."""

    def __init__(self, task: Task) -> None:
        self.names = task.labels
        self._exact = {name: place for place, name in enumerate(self.names)}
        self._composed = {accented(name, "NFC"): place for place, name in enumerate(self.names)}
        self._numbers: dict[str, int] = {}
        self._folded: dict[str, int | None] = {}
        for place, name in enumerate(self.names):
            whole = plain_whole(name)
            if whole is not None:
                self._numbers.setdefault(whole, place)
            folded = same_form(name)
            self._folded[folded] = None if folded in self._folded else place

    def exact(self, text: str) -> int | None:
        return self._exact.get(text)

    def find(self, text: str) -> tuple[int | None, str]:
        """Class index and how it was found: "", "number", "truth" or "case"; None if unknown."""
        text = trimmed(text)
        place = self._exact.get(text)
        if place is not None:
            return place, ""
        whole = plain_whole(text)
        if whole is not None and whole in self._numbers:
            return self._numbers[whole], "number"
        if not text.isascii():
            place = self._composed.get(accented(text, "NFC"))
            if place is not None:
                return place, ""
        folded = same_form(text)
        place = self._folded.get(folded)
        if place is not None:
            return place, "case"
        place = self._exact.get(TRUTH.get(folded, ""))
        return place, "truth"
