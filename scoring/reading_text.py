"""From bytes to clean UTF-8, and from the first line to where each column stands."""

import csv
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from scoring.errors import Problem, Refused
from scoring.labels import plain_whole, same_form, trimmed
from scoring.reading_problems import counted, listed, quoted
from scoring.task import Task

DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars"}
LONGEST_HEADER = 65536
MOST_BLANK = 1000
_PIECE = 1 << 20
_INDEX_NAME = re.compile(r"(?:Unnamed: ?\d+(?:[._]\d+)*(?:_level_\d+)?|__index_level_\d+__)?")
_SEP_LINE = re.compile(rb"\"?sep=(.)\"?[,;\t]*[ ]*$", re.I)
_SPACED = re.compile(r"[,;|] +\"")
_UTF16_NOTICE = "The file was UTF-16 (Excel's 'Unicode Text'); it was read all the same."


@dataclass
class Layout:
    """Where things stand in a text file.

    columns: positions of the id and of each value column; width: fields in the header;
    ignored: positions whose content does not matter; blank: positions that must be empty.
    body: offset of the first byte after the header; line: number of the first line after it.
    spaced: a blank stands before the quotation marks.
    """

    delimiter: str
    columns: tuple[int, ...]
    width: int
    ignored: tuple[int, ...] = ()
    blank: tuple[int, ...] = ()
    names: tuple[str, ...] = ()
    body: int = 0
    line: int = 2
    spaced: bool = False
    notices: list[str] = field(default_factory=list)


def _line_at(data: bytes, place: int) -> int:
    """The number of the line that holds this byte, whatever the line ends are."""
    before = data[:place].replace(b"\r\n", b"\n")
    return 1 + before.count(b"\n") + before.count(b"\r")


def clean_text(data: bytes) -> tuple[bytes, list[str]]:
    """The text as UTF-8 without byte-order mark, and notices; raises Refused (encoding)."""
    notices = []
    if data.startswith((b"\xff\xfe\0\0", b"\0\0\xfe\xff")):
        raise Refused("encoding", "The file is UTF-32. Save it as CSV UTF-8.")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        try:
            data = data.decode("utf-16").encode()
        except UnicodeDecodeError:
            raise Refused(
                "encoding",
                "The file is damaged UTF-16: it ends in the middle or holds bytes that "
                "mean nothing. Save it as CSV UTF-8.",
            ) from None
        notices.append(_UTF16_NOTICE)
    data = data.removeprefix(b"\xef\xbb\xbf")
    if b"\0" in data:
        _refuse_nul(data)
    if not data.isascii():
        _check_utf8(data)
    if data.endswith((b"\x1a", b"\x1a\n", b"\x1a\r\n")):
        data = data.rstrip(b"\x1a\r\n")
    return data, notices


def _refuse_nul(data: bytes) -> None:
    head = data[:2000]
    for first, second in ((0, 1), (1, 0)):
        zeros, others = head[first::2].count(0), head[second::2].count(0)
        if zeros * 2 > len(head[first::2]) and others * 20 < zeros:
            raise Refused(
                "encoding",
                "The file looks like UTF-16 without a byte-order mark. Save it as CSV UTF-8.",
            )
    if head.count(0) * 20 > len(head):
        raise Refused(
            "encoding",
            "This is not a text file: much of it is NUL bytes. Upload a CSV or Parquet file, or "
            "one CSV file in a .zip or .gz.",
        )
    line = _line_at(data, data.index(0))
    message = (
        f"Line {line} holds a NUL byte: the file is damaged, or is not a text file. Write it again."
    )
    lines = (line,)
    raise Refused("encoding", message, [Problem("encoding", message, line, lines, data.count(0))])


def _check_utf8(data: bytes) -> None:
    start = 0
    while start < len(data):
        # Pieces, because the text of a whole file takes up to four times its bytes.
        stop = start + _PIECE
        while stop < len(data) and 0x80 <= data[stop] < 0xC0 and stop > start + _PIECE - 4:
            stop -= 1
        try:
            data[start:stop].decode()
        except UnicodeDecodeError as error:
            line = _line_at(data, start + error.start)
            byte = data[start + error.start]
            message = (
                f"Line {line} is not UTF-8 (byte 0x{byte:02X}): the file was saved in an older "
                "encoding such as Latin-1 or Windows-1252. Save it as CSV UTF-8."
            )
            problem = Problem("encoding", message, line, (line,))
            raise Refused("encoding", message, [problem]) from None
        start = stop


def refuse_long_lines(data: bytes | bytearray, limit: int, size: int | None = None) -> None:
    """Raise Refused where a line has more than `limit` bytes that are not the end of it.

    A line that long covers at least one whole window of half the length, so that only windows
    without a line end need a closer look. size: how much of the data counts, None for all.
    """
    size = len(data) if size is None else size
    window = max(limit // 2, 1)
    for start in range(0, size, window):
        stop = min(start + window, size)
        if data.find(b"\n", start, stop) >= 0 or data.find(b"\r", start, stop) >= 0:
            continue
        begin = max(data.rfind(b"\n", 0, start), data.rfind(b"\r", 0, start)) + 1
        ends = [
            end for end in (data.find(b"\n", stop, size), data.find(b"\r", stop, size)) if end >= 0
        ]
        length = (min(ends) if ends else size) - begin
        # The limit is in characters; bytes beyond the first of a character do not count.
        if length > limit and _characters(data, begin, length) > limit:
            line = _line_at(data, begin)
            message = (
                f"Line {line} is longer than {limit} characters. Perhaps a quotation mark is "
                "missing, or a whole array was written into one cell."
            )
            raise Refused("too_large", message, [Problem("too_large", message, line, (line,))])


def _characters(data: bytes, begin: int, length: int) -> int:
    text = data[begin : begin + length]
    return len(text) if text.isascii() else len(text.decode(errors="replace"))


def first_line(data: bytes, start: int = 0) -> tuple[bytes, int]:
    """The line at `start`, at most LONGEST_HEADER + 1 bytes, and where the next begins."""
    # Bounded, or a file without one of the two would be searched to its end.
    stop = start + LONGEST_HEADER + 1
    ends = [
        end for end in (data.find(b"\n", start, stop), data.find(b"\r", start, stop)) if end >= 0
    ]
    end = min(ends, default=min(stop, len(data)))
    after = end + (2 if data[end : end + 2] == b"\r\n" else 1)
    return data[start:end], min(after, len(data))


def split_line(line: str, delimiter: str) -> list[str]:
    try:
        spaced = bool(_SPACED.search(line))
        return next(csv.reader([line], delimiter=delimiter, skipinitialspace=spaced), [])
    except csv.Error:
        return line.split(delimiter)


def choose_delimiter(line: str, wanted: Sequence[str]) -> str:
    """The separator under which the line names most of the wanted columns, then most columns."""
    names = set(map(same_form, wanted))

    def fit(delimiter: str) -> tuple[int, int]:
        fields = split_line(line, delimiter)
        return len(names & set(map(same_form, fields))), len(fields)

    return max(DELIMITERS, key=fit)


def find_layout(data: bytes, task: Task, rows: int, is_id: Callable[[str], bool]) -> Layout:
    """Find the columns of a text file; raises Refused (empty, header, too_large)."""
    expected = f"It needs the header line '{task.header}' and {counted(rows, 'row')}."
    if not data:
        raise Refused("empty", f"The file is empty (0 bytes). {expected}")
    if not data[:LONGEST_HEADER].strip() and not data.strip():
        raise Refused("empty", f"The file has no text. {expected}")
    notices, delimiter, line, start = [], None, 1, 0
    while True:
        raw, after = first_line(data, start)
        mark = _SEP_LINE.match(raw) if line == 1 else None
        if raw.strip() and not mark:
            break
        if mark:
            delimiter = mark[1].decode(errors="replace")
            notices.append("The first line ('sep=…') was skipped.")
            if not data[after:].strip():
                raise Refused("empty", f"The file has nothing but a 'sep=' line. {expected}")
        start, line = after, line + 1
        if line > MOST_BLANK:
            raise Refused(
                "header", f"The first {MOST_BLANK} lines are empty; '{_shown(task)}' was expected."
            )
    if len(raw) > LONGEST_HEADER:
        raise Refused(
            "too_large",
            f"Line {line} is longer than {LONGEST_HEADER} characters; the header "
            f"'{task.header[:200]}' was expected.",
        )
    text = raw.decode()
    if delimiter not in DELIMITERS:
        delimiter = choose_delimiter(text, task.columns)
    _refuse_printed(text, delimiter, task)
    names = split_line(text, delimiter)
    try:
        layout = match_columns(names, task)
    except Refused as refusal:
        raise _explained(refusal, data, text, line, after, delimiter, task, is_id) from None
    if delimiter != "," and not (notices and "sep=" in notices[0]):
        notices.append(f"Fields are separated by {DELIMITERS[delimiter]}; commas are usual.")
    layout.delimiter, layout.body, layout.line = delimiter, after, line + 1
    layout.spaced = bool(_SPACED.search(text))
    layout.notices = notices + layout.notices
    return layout


def _refuse_printed(text: str, delimiter: str, task: Task) -> None:
    if text.lstrip().startswith("|"):
        raise Refused(
            "header",
            "This is a printed (Markdown) table. Write the file with "
            "df.to_csv('submission.csv', index=False).",
        )
    words = [same_form(word.strip('"')) for word in text.split()]
    alone = len(split_line(text, delimiter)) == 1
    if alone and len(words) > 1 and set(words) & set(map(same_form, task.columns)):
        raise Refused(
            "header",
            "Fields are separated by spaces, as in a printed DataFrame. Write the file with "
            "df.to_csv('submission.csv', index=False), in R with write.csv(df, 'submission.csv', "
            "row.names = FALSE).",
        )


def match_columns(names: Sequence[str], task: Task) -> Layout:
    """Match a header's names with the task's columns; raises Refused (header).

    Upper and lower case, blanks around names, a row number before them and empty columns after
    them are forgiven with a notice.
    """
    cleaned = [trimmed(name) for name in names]
    wanted = task.columns
    places: dict[str, int] = {}
    notices = []
    folded = {same_form(name): name for name in wanted}
    taken = {}
    for place, name in enumerate(cleaned):
        target = name if name in wanted else folded.get(same_form(name))
        if target is None:
            continue
        if target in places:
            raise Refused(
                "header",
                f"The header names the column {quoted(target)} twice. Expected: {_shown(task)}",
            )
        places[target], taken[place] = place, target
        if name != target:
            notices.append(f"Column {quoted(name)} was read as {quoted(target)}.")
    rest = [place for place in range(len(cleaned)) if place not in taken]
    missing = [name for name in wanted if name not in places]
    if missing:
        extra = [cleaned[place] for place in rest if cleaned[place]]
        raise Refused("header", _missing_sentence(missing, extra, names, task))
    index = []
    for place in rest:
        if place != len(index) or not _INDEX_NAME.fullmatch(cleaned[place]):
            break
        index.append(place)
    blank = [place for place in rest if place not in index and not cleaned[place]]
    extra = [cleaned[place] for place in rest if place not in index and cleaned[place]]
    parquet_index = [place for place in rest if cleaned[place].startswith("__index_level_")]
    index += [place for place in parquet_index if place not in index]
    extra = [name for name in extra if not name.startswith("__index_level_")]
    if extra:
        raise Refused("header", _extra_sentence(extra, cleaned, task))
    if index:
        notices.append(
            "The first column is pandas' row number and was ignored; next time write "
            "to_csv(..., index=False)."
        )
    columns = tuple(places[name] for name in wanted)
    return Layout(
        ",", columns, len(names), tuple(index), tuple(blank), tuple(cleaned), notices=notices
    )


def _shown(task: Task) -> str:
    return task.header if len(task.header) <= 300 else f"{task.header[:300]}…"


def _line_text(text: str) -> str:
    return text if len(text) <= 120 else f"{text[:119]}…"


def _extra_sentence(extra: list[str], names: list[str], task: Task) -> str:
    twice = [name for name in extra if names.count(name) > 1]
    if twice:
        return f"The header names the column {quoted(twice[0])} twice. Expected: {_shown(task)}"
    count = len(extra)
    shown = listed(map(quoted, extra), count)
    plural = "column" if count == 1 else f"{count} columns"
    return f"Unexpected {plural} {shown}. Expected only: {_shown(task)}"


def _missing_sentence(
    missing: list[str], extra: list[str], names: Sequence[str], task: Task
) -> str:
    plural = "column" if len(missing) == 1 else f"{len(missing)} columns"
    shown = listed(map(quoted, missing), len(missing))
    sentence = (
        f"Missing {plural} {shown}: the header is '{_line_text(','.join(names))}', expected "
        f"'{_shown(task)}'."
    )
    if len(missing) == len(extra) <= 20:
        pairs = ", ".join(
            f"{quoted(written)} should be {quoted(name)}"
            for written, name in _pairs(extra, missing)
        )
        sentence += f" Perhaps {pairs}?"
    if names[0].startswith("# "):
        sentence += " numpy.savetxt writes the '#' unless it is given comments=''."
    return sentence


def _pairs(written: list[str], wanted: list[str]) -> list[tuple[str, str]]:
    """Pair wrong names with the right ones: the most similar first, the rest in order."""
    # Imported here: only files with wrong names need it.
    import difflib

    left, pairs = list(wanted), []
    for name in written:
        near = difflib.get_close_matches(name.casefold(), [one.casefold() for one in left], 1, 0.5)
        match = next((one for one in left if near and one.casefold() == near[0]), left[0])
        left.remove(match)
        pairs.append((name, match))
    return pairs


def _explained(
    refusal: Refused,
    data: bytes,
    text: str,
    line: int,
    after: int,
    delimiter: str,
    task: Task,
    is_id: Callable[[str], bool],
) -> Refused:
    """Say more about a bad header: there is none, or it stands further down."""
    sentence = refusal.sentence
    fields = [trimmed(one) for one in split_line(text, delimiter)]
    place = after
    for below in range(line + 1, line + 12):
        if place >= len(data):
            break
        raw, place = first_line(data, place)
        names = split_line(raw.decode(errors="replace"), delimiter)
        if not set(map(same_form, task.columns)) - set(map(same_form, names)):
            sentence = (
                f"Line {line} is '{_line_text(text)}', but the header '{_shown(task)}' stands on "
                f"line {below}. The header must be the first line: remove what stands above it."
            )
            break
    if "stands on" not in sentence and (is_id(fields[0]) or all(map(plain_whole, fields))):
        sentence = (
            f"The file has no header: line {line} is '{_line_text(text)}'. Write the header "
            f"'{_shown(task)}' above the first row."
        )
    excerpt = ((line, _line_text(text)),)
    return Refused("header", sentence, [Problem("header", sentence, line, (line,), 1, excerpt)])
