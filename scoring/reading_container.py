"""What kind of file was sent, by its first bytes, and how to get at the table inside it.

Names are never trusted. Archives are unpacked in memory, one file only, with a limit that counts
the bytes that come out and not the sizes that the archive claims.
"""

import os
import re
import zlib
from pathlib import Path

from scoring.errors import Refused
from scoring.reading_problems import quoted, size_text

STEP = 1 << 20
PIECE = 1 << 16
MOST_GZIP_MEMBERS = 4096
USUAL_ENDINGS = (".csv", ".csv.gz", ".gz", ".zip", ".tsv", ".parquet")

SAVE_AS = "In Excel choose File > Save As > 'CSV UTF-8' and upload that."
_FOREIGN = (
    (b"\x93NUMPY", "a NumPy .npy array"),
    (b"\x89HDF", "an HDF5 file"),
    (b"SQLite format 3\0", "an SQLite database"),
    (b"ARROW1", "an Arrow or Feather file"),
    (b"ORC", "an ORC file"),
    (b"%PDF", "a PDF document"),
    (b"\x89PNG", "an image"),
    (b"\xff\xd8\xff", "an image"),
    (b"GIF8", "an image"),
    (b"\x7fELF", "a program"),
    (b"{\\rtf", "a text document (RTF)"),
    *((b"\x80" + bytes([protocol]), "a Python pickle") for protocol in range(2, 6)),
)
_ARCHIVES = (
    (b"7z\xbc\xaf\x27\x1c", "7z"),
    (b"Rar!", "RAR"),
    (b"BZh", "bzip2"),
    (b"\xfd7zXZ\0", "XZ"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"\x04\x22\x4d\x18", "LZ4"),
    (b"MZ", "self-extracting"),
)
HELP = "Upload a CSV or Parquet file, or one CSV file in a .zip or .gz."
_HTML = re.compile(rb"\s*(?:<!--.*?-->\s*)?<(?:!doctype|html|head|body|script)\b", re.I | re.S)


def load(source: bytes | Path, limits) -> bytes:
    """The bytes of a file as sent; raises Refused where there are more than the limit."""
    if isinstance(source, Path):
        with source.open("rb") as stream:
            # Not the bare limit: read() takes memory for all that it is asked for.
            data = stream.read(min(limits.packed, os.fstat(stream.fileno()).st_size) + 1)
    else:
        data = bytes(source)
    if len(data) > limits.packed:
        raise Refused(
            "too_large", f"The file is larger than the limit of {size_text(limits.packed)}."
        )
    return data


def is_packed(start: bytes) -> bool:
    return start.startswith((b"\x1f\x8b", b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08"))


def unpack(data: bytes, name: str, limits) -> tuple[bytes, list[str]]:
    """The table in a file, as bytes of CSV or Parquet, and notices; raises Refused."""
    notices = name_notice(name)
    inner = data
    if data.startswith(b"\x1f\x8b"):
        inner = gunzip(data, limits.unpacked)
    elif is_packed(data):
        # Imported here: few files are archives, and most processes score one file.
        from scoring.reading_zip import listing, unzip

        inner, member, others = unzip(data, limits.unpacked)
        notices.append(f"Read {quoted(member)} from the .zip.")
        if others:
            notices.append(f"Other files in the .zip were ignored: {listing(others)}.")
    if inner is not data and is_packed(inner):
        raise Refused(
            "bad_archive",
            "The archive holds another archive (.zip or .gz). Put the CSV file itself in it.",
        )
    if len(inner) > limits.unpacked:
        raise Refused("too_large", unpacked_sentence(limits.unpacked))
    refuse_foreign(inner, name)
    return inner, notices


def unpacked_sentence(limit: int) -> str:
    return f"Unpacked, the file is larger than the limit of {size_text(limit)}."


def name_notice(name: str) -> list[str]:
    if not name or name.lower().endswith(USUAL_ENDINGS) or "." not in name:
        return []
    return [f"The file is named {quoted(name)}; .csv is usual."]


def refuse_foreign(data: bytes, name: str = "") -> None:
    """Raise Refused where the first bytes are those of something else than a table."""
    if data.startswith(b"\xd0\xcf\x11\xe0"):
        raise Refused("not_csv", f"This is an old Excel workbook (.xls), not a CSV file. {SAVE_AS}")
    told = f", whatever its name ({name[:120]}) says" if name else ""
    for magic, what in _FOREIGN:
        if data.startswith(magic):
            raise Refused("not_csv", f"This is {what}, not a CSV file{told}. {HELP}")
    for magic, what in _ARCHIVES:
        if data.startswith(magic):
            raise Refused(
                "bad_archive", f"This is an archive of the kind {what}, which is not read. {HELP}"
            )
    if len(data) > 262 and data[257:262] == b"ustar":
        raise Refused("bad_archive", f"This is a tar archive, which is not read. {HELP}")
    head = data[:4096].removeprefix(b"\xef\xbb\xbf")
    if head.startswith(b"version https://git-lfs"):
        raise Refused(
            "not_csv",
            "This is a Git LFS pointer, not the file itself. Run 'git lfs pull' and upload the "
            "real file.",
        )
    if _HTML.match(head):
        raise Refused(
            "not_csv",
            "This is a web page (HTML), not a CSV file: perhaps a login or error page was saved "
            "instead of the file.",
        )
    if head.lstrip().startswith(b"<?xml"):
        raise Refused("not_csv", f"This is an XML file, not a CSV file. {HELP}")
    if re.match(rb"\s*(?:\{\s*\"|\[\s*[\[{\"0-9.-])", head):
        raise Refused(
            "not_csv",
            "This is JSON, not a CSV file. Write the table with df.to_csv('submission.csv', "
            "index=False).",
        )


def gunzip(data: bytes, limit: int) -> bytes:
    """All members of a gzip file, one after the other; never more than limit + 1 bytes."""
    parts, size, members, place = [], 0, 0, 0
    view = memoryview(data)
    damaged = Refused(
        "bad_archive", "The .gz file is damaged or incomplete. Make it again and upload it."
    )
    while place < len(data):
        if members and not data[place] and not data[place:].strip(b"\0"):
            break  # tapes and some tools pad the file with zeros
        members += 1
        if members > MOST_GZIP_MEMBERS:
            raise Refused(
                "bad_archive",
                f"The .gz file has more than {MOST_GZIP_MEMBERS} parts. Make it again.",
            )
        stream = zlib.decompressobj(wbits=31)
        try:
            while not stream.eof:
                # In small pieces: zlib copies what it has not used, again for every member.
                given = view[place : place + PIECE]
                if not given:
                    raise damaged
                part = stream.decompress(given, min(STEP, limit + 1 - size))
                # At the end of a member zlib may hold what is left in both.
                left = stream.unused_data if stream.eof else stream.unconsumed_tail
                place += len(given) - len(left)
                parts.append(part)
                size += len(part)
                if size > limit:
                    raise Refused("too_large", unpacked_sentence(limit))
        except zlib.error:
            raise damaged from None
    return b"".join(parts)
