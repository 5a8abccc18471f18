"""A team's own cross-validation score of a file: what it wrote, read and printed.

No rule reads it: neither grading nor releasing nor the standings know that it is there.
"""

import re

from leaderboard.submissions.refusals import Refusal

LENGTH = 30
LARGEST = 1e15
DIGITS = 10
MINUS = "\N{MINUS SIGN}"
# What a browser checks before it sends a form; `parse` decides.
PATTERN = rf"\s*[\-+{MINUS}]?(\d+\.?\d*|\.\d+)([eE][\-+]?\d+)?\s*"


def parse(given: str | float | None) -> float | None:
    """Return an own score out of a form or a request, None where it is left empty.

    Raises Refusal for what is no plain number: a comma could separate thousands or decimals.
    """
    written = "" if given is None else str(given).strip().replace(MINUS, "-")
    if not written:
        return None
    if not re.fullmatch(PATTERN, written, re.ASCII) or len(written) > LENGTH:
        raise Refusal("own_score")
    value = float(written)
    if not abs(value) <= LARGEST:
        raise Refusal("own_score")
    return value


def text(value: float | None) -> str:
    """Print an own score as its team wrote it, up to ten digits and without zeros at the end."""
    return "" if value is None else f"{value:.{DIGITS}g}".replace("-", MINUS)
