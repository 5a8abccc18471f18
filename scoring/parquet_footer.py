"""Looking at a Parquet file before trusting a decoder with it.

The footer's claims about sizes cost nothing to write, so every page header of the wanted columns
is read as well: what it says about its page is what a decoder will allocate. The format is
Thrift's compact protocol, described with Parquet's own at github.com/apache/parquet-format.
"""

from dataclasses import dataclass
from typing import Any

LONGEST_FOOTER = 1 << 19
MOST_COLUMNS = 2000
MOST_PAGES = 200_000
# Writers begin a new page after about a megabyte; decoders copy a page several times.
LARGEST_PAGE = 24 << 20
_DEEPEST = 12
_TRUE, _FALSE, _BYTE, _I16, _I32, _I64, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = range(1, 13)


class BadParquet(Exception):
    """The file is not what a plain table written as Parquet looks like."""


class _Compact:
    """Reads values of Thrift's compact protocol from bytes."""

    def __init__(self, data: bytes | memoryview, place: int, end: int) -> None:
        self.data, self.place, self.end = data, place, end

    def byte(self) -> int:
        if self.place >= self.end:
            raise BadParquet("it ends early")
        self.place += 1
        return self.data[self.place - 1]

    def varint(self) -> int:
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7
            if shift > 63:
                raise BadParquet("a number is too long")

    def zigzag(self) -> int:
        value = self.varint()
        return (value >> 1) ^ -(value & 1)

    def skip(self, count: int) -> int:
        start = self.place
        if count < 0 or start + count > self.end:
            raise BadParquet("it ends early")
        self.place += count
        return start

    def value(self, kind: int, depth: int) -> Any:
        if kind in (_TRUE, _FALSE):
            return kind == _TRUE
        if kind == _BYTE:
            return self.byte()
        if kind in (_I16, _I32, _I64):
            return self.zigzag()
        if kind == _DOUBLE:
            self.skip(8)
            return None
        if kind == _BINARY:
            size = self.varint()
            start = self.skip(size)
            return bytes(self.data[start : start + size])
        if depth > _DEEPEST:
            raise BadParquet("it is nested too deeply")
        if kind in (_LIST, _SET):
            return self.sequence(depth + 1)
        if kind == _STRUCT:
            return self.struct(depth + 1)
        raise BadParquet("it holds something unknown")

    def sequence(self, depth: int) -> list:
        head = self.byte()
        size, kind = head >> 4, head & 15
        if size == 15:
            size = self.varint()
        if size > self.end - self.place:
            raise BadParquet("a list is longer than the file")
        if kind in (_TRUE, _FALSE):
            return [self.byte() == 1 for _ in range(size)]
        return [self.value(kind, depth) for _ in range(size)]

    def struct(self, depth: int = 0) -> dict[int, Any]:
        found: dict[int, Any] = {}
        number = 0
        while True:
            head = self.byte()
            if head == 0:
                return found
            number = number + (head >> 4) if head >> 4 else self.zigzag()
            found[number] = self.value(head & 15, depth)


@dataclass(frozen=True)
class Footer:
    """What a file holds: names of its flat columns, number of rows, and its column chunks."""

    names: tuple[str, ...]
    rows: int
    chunks: tuple[tuple[dict[int, Any], ...], ...]


def read_footer(data: bytes) -> Footer:
    """Parse the footer; raises BadParquet where the file is damaged, nested or too large."""
    if len(data) < 12 or not data.endswith(b"PAR1"):
        raise BadParquet("it is damaged or incomplete")
    size = int.from_bytes(data[-8:-4], "little")
    if size > LONGEST_FOOTER:
        raise BadParquet("its description is too long")
    start = len(data) - 8 - size
    if start < 4:
        raise BadParquet("it is damaged or incomplete")
    try:
        meta = _Compact(data, start, len(data) - 8).struct()
        schema = meta[2]
        columns = schema[1:]
        if len(columns) > MOST_COLUMNS:
            raise BadParquet(f"it has {len(columns)} columns")
        if schema[0].get(5) != len(columns) or any(
            one.get(5) or one.get(3) not in (0, 1) for one in columns
        ):
            raise BadParquet("a column is nested; only plain columns are read")
        names = tuple(one[4].decode() for one in columns)
        chunks = tuple(tuple(chunk[3] for chunk in group[1]) for group in meta[4])
        rows = sum(group[3] for group in meta[4])
        if rows != meta[3] or any(len(group) != len(names) for group in chunks):
            raise BadParquet("its description contradicts itself")
    except (KeyError, TypeError, IndexError, AttributeError, UnicodeDecodeError):
        raise BadParquet("its description is damaged") from None
    return Footer(names, rows, chunks)


def check_pages(data: bytes, footer: Footer, columns: tuple[int, ...], limit: int) -> None:
    """Add up what the pages of these columns unpack to; raises BadParquet or OverflowError.

    OverflowError means that it is more than `limit` bytes.
    """
    total = pages = 0
    for group in footer.chunks:
        for column in columns:
            try:
                for size in _pages(data, group[column]):
                    total += size
                    pages += 1
                    if total > limit or size > LARGEST_PAGE or pages > MOST_PAGES:
                        raise OverflowError
            except (KeyError, TypeError, AttributeError):
                raise BadParquet("a page is damaged") from None


def _pages(data: bytes, chunk: dict[int, Any]):
    place = min(offset for offset in (chunk[9], chunk.get(11)) if offset)
    end = place + chunk[7]
    if not 4 <= place <= end <= len(data):
        raise BadParquet("a page lies outside the file")
    values = 0
    while place < end and values < chunk[5]:
        reader = _Compact(data, place, end)
        header = reader.struct()
        unpacked, packed = header[2], header[3]
        if unpacked < 0 or packed < 0 or reader.place + packed > end:
            raise BadParquet("a page is damaged")
        place = reader.place + packed
        described = header.get(5) or header.get(8)
        if described:
            values += described[1]
        yield unpacked
    if values != chunk[5]:
        raise BadParquet("a page is missing")
