"""Reading single cells: numbers, and what to say about a cell that is none."""

import math
import re

from scoring.labels import trimmed

LONGEST_NUMBER = 400
# ASCII digits only, and possessive: a failing match takes linear time whatever it is fed.
_NUMBER = r"[+-]?(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:[eE][+-]?[0-9]++)?"
_ONE = re.compile(_NUMBER)
_MANY = re.compile(rf"(?:{_NUMBER}\n)*+")
_COMMA = re.compile(r"[+-]?[0-9]*+,[0-9]++(?:[eE][+-]?[0-9]++)?")
_GROUPED = re.compile(r"[+-]?[0-9]{1,3}(?:[,. '\u2019\u00a0\u2009\u202f][0-9]{3})+(?:[.,][0-9]+)?")
_MISSING_WORDS = """
    nan -nan +nan none null nil n/a #n/a na #na <na> nat 1.#qnan 1.#ind -1.#ind #value! #div/0!
    #ref! #name? #num! #null! . - -- ? missing undefined
"""
MISSING = frozenset(_MISSING_WORDS.split()) | {""}
_INFINITE = frozenset(
    sign + word for sign in ("", "+", "-") for word in ("inf", "infinity", "1.#inf", "∞")
)
_BRACKETED = re.compile(r"\([0-9.,]++\)")
_ARRAY = re.compile(r"(?:np\.|numpy\.)?(?:\[|\(|array\(|float\d+\(|int\d+\(|tensor\()|tf\.", re.I)


def all_numbers(texts: list[str]) -> list[float] | None:
    """The texts as floats where every one is a plain, finite number; else None."""
    joined = "\n".join(texts) + "\n"
    if _MANY.fullmatch(joined) is None or joined.count("\n") != len(texts):
        return None
    if max(map(len, texts)) > LONGEST_NUMBER:
        return None
    values = list(map(float, texts))
    return values if all(map(math.isfinite, values)) else None


def number(text: str) -> tuple[float | None, str, str]:
    """One cell as (value, "", ""), or (None, code, reason) where it is no finite number.

    A decimal comma answers (value, "comma", ""): whether that is allowed depends on the file.
    """
    text = trimmed(text)
    if len(text) <= LONGEST_NUMBER:
        if _ONE.fullmatch(text):
            value = float(text)
            if math.isfinite(value):
                return value, "", ""
            return None, "value", "is not a finite number"
        if _COMMA.fullmatch(text):
            value = float(text.replace(",", "."))
            if math.isfinite(value):
                return value, "comma", ""
    folded = text.casefold()
    if folded in MISSING:
        return None, "missing", "is missing"
    return None, "value", why_no_number(text, folded)


def why_no_number(text: str, folded: str) -> str:
    """The reason for a page, worded to follow a column's name."""
    if folded in _INFINITE:
        return "is not a finite number"
    if _GROUPED.fullmatch(text):
        return "has thousands separators: write 3700.5"
    if any(sign in text for sign in "\u2212\u2013\u2014\u201c\u201d\u201e\u2018\u2019\u00ab\u00bb"):
        return "has typographic quotation marks or a typographic minus: write plain - and digits"
    if text.startswith(("'", "`")):
        return "starts with an apostrophe (a number kept as text by a spreadsheet program)"
    if text.endswith(("%", "\u2030")):
        return "is a percentage: write 0.57, not 57%"
    if _BRACKETED.fullmatch(text):
        return "stands in brackets: write the bare number, with - where it is negative"
    if _ARRAY.match(text):
        return "is a Python list or array: write the bare number (preds.ravel(), float(p))"
    if text[:1] in "$€£¥" or text[-1:] in "$€£¥":
        return "has a currency sign: write the bare number"
    if any(sign.isdigit() and not sign.isascii() for sign in text):
        return "has digits other than 0 to 9"
    if folded in ("true", "false"):
        return "is true or false: a number is wanted"
    if len(text) > LONGEST_NUMBER:
        return f"is longer than {LONGEST_NUMBER} characters"
    return "is not a number"


COMMA_REASON = "has a decimal comma: write 0.25, not 0,25"
