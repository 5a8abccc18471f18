"""A text as blocks of whole lines, from memory or from a file."""

import os
import threading
from collections.abc import Iterator

import numpy as np

from scoring.reading_limits import Limits
from scoring.reading_text import refuse_long_lines

BLOCK = 1 << 21
# A text and where a block of it begins and ends.
Block = tuple[bytes | bytearray, int, int]


class GiveUp(Exception):
    """The block is not plain; the slow road will tell why, or read it all the same."""


def blocks_of(text: bytes, start: int, length: int = BLOCK) -> Iterator[Block]:
    """Whole lines of the text from `start`, about `length` bytes at a time."""
    size = len(text)
    while start < size:
        stop = min(start + length, size)
        if stop < size:
            stop = text.rfind(b"\n", start, stop) + 1 or text.find(b"\n", stop) + 1 or size
        yield text, start, stop
        start = stop


class FileBlocks:
    """The same of an open file: blocks are numbered, so that threads can read them at once.

    body: where the first line begins. columns: how many there are in a line. numbers: no other
    cells stand in the lines, so that the parser will stop at all that only whole files are
    checked for.
    """

    def __init__(
        self, descriptor: int, body: int, columns: int, limits: Limits, *, numbers: bool
    ) -> None:
        self.descriptor, self.body, self.numbers = descriptor, body, numbers
        self.field = limits.field
        self.size = os.fstat(descriptor).st_size
        # Wide rows in larger blocks: numpy's steps should have tens of thousands of rows.
        self.length = BLOCK * (1 if columns < 6 else 2)
        self._own = threading.local()

    def __len__(self) -> int:
        return -(-(self.size - self.body) // self.length)

    def lines(self, number: int) -> Block:
        """The lines that begin in a block of the file; raises GiveUp, Refused.

        They stand where the same thread will find those of its next block.
        """
        # From the byte before, because a line begins after the end of another.
        start = self.body + number * self.length - 1
        data = getattr(self._own, "data", None)
        if data is None:
            data = self._own.data = bytearray(1 + self.length + self.field)
        count = os.preadv(self.descriptor, [data], start)
        # A file may end without a line end, in the first of these or in the second.
        end = count if start + count == self.size else 0
        low = (data.find(b"\n", 0, count) + 1 or end) if number else 1
        high = data.find(b"\n", self.length, count) + 1 or end
        if not low or not high:
            raise GiveUp
        refuse_long_lines(data, self.field, count)
        if not self.numbers and not _is_plain(data, count):
            raise GiveUp
        return data, low, high


def _is_plain(data: bytearray, count: int) -> bool:
    """Whether the bytes are ASCII without NUL and quotation marks."""
    if data.find(b'"', 0, count) >= 0 or data.find(b"\0", 0, count) >= 0:
        return False
    return np.frombuffer(data, np.uint8, count).max() < 0x80


def without_quotes(text: bytes, start: int, delimiter: str) -> bytes | None:
    """The text without its quotation marks, where all of them stand around whole fields.

    None where one stands elsewhere. A separator or line end between two of them changes the
    number of fields, which the parser notices.
    """
    data = np.frombuffer(text, np.uint8)
    places = np.flatnonzero(data[start:] == 0x22) + start
    if len(places) % 2:
        return None
    around = np.zeros(256, bool)
    around[[*b"\r\n", ord(delimiter)]] = True
    opening, closing = places[0::2], places[1::2] + 1
    inside = closing[closing < len(data)]
    if not around[data[opening - 1]].all() or not around[data[inside]].all():
        return None
    return text[:start] + text[start:].replace(b'"', b"")
