"""Tables as CSV: plain numbers, and texts that a spreadsheet shows instead of computing them."""

import csv
import io
from collections.abc import Iterable

# A cell that begins with one of these is a formula to a spreadsheet, full-width forms included.
FORMULA = tuple("=+-@\t\r\n＝＋－＠")


def safe(text: str) -> str:
    """A text that a spreadsheet shows as it is instead of computing it."""
    return "'" + text if text.startswith(FORMULA) else text


def text_of(rows: Iterable[Iterable]) -> str:
    """Rows as CSV with a header of their own; None is an empty cell."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\r\n").writerows(rows)
    return out.getvalue()
