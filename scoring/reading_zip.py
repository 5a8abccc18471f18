"""The one table inside a .zip, and what else a .zip may turn out to be."""

import io
import stat
import zipfile
import zlib
from pathlib import PurePosixPath

from scoring.errors import Refused
from scoring.reading_container import HELP, SAVE_AS, STEP, unpacked_sentence
from scoring.reading_problems import quoted

MOST_MEMBERS = 1000
TABLE_ENDINGS = (".csv", ".tsv", ".txt", ".parquet")


def unzip(data: bytes, limit: int) -> tuple[bytes, str, list[str]]:
    """The one table in a .zip, the member's name, and the names of what else is in it."""
    damaged = Refused(
        "bad_archive", "The .zip file is damaged or incomplete. Make it again and upload it."
    )
    # Counted before zipfile makes an object of each entry; the count it states may be false.
    if data.count(b"PK\x01\x02") > MOST_MEMBERS:
        raise Refused("bad_archive", "The .zip holds too many files. Put one .csv file in it.")
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
        entries = [entry for entry in archive.infolist() if not entry.filename.endswith("/")]
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OverflowError, EOFError):
        raise damaged from None
    member, others = _choose(entries)
    _check_entry(member)
    parts, size = [], 0
    try:
        with archive.open(member) as stream:
            while part := stream.read(min(STEP, limit + 1 - size)):
                parts.append(part)
                size += len(part)
                if size > limit:
                    raise Refused("too_large", unpacked_sentence(limit))
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, OSError):
        raise damaged from None
    except (NotImplementedError, RuntimeError):
        raise Refused(
            "bad_archive", "The .zip was packed in an unusual way. Make it again, or use .gz."
        ) from None
    return b"".join(parts), _base(member.filename), others


def _base(filename: str) -> str:
    return PurePosixPath(filename.replace("\\", "/")).name or filename


def listing(names: list[str]) -> str:
    shown = ", ".join(quoted(name) for name in names[:5])
    return shown if len(names) <= 5 else f"{shown} and {len(names) - 5} more"


def _choose(entries: list[zipfile.ZipInfo]) -> tuple[zipfile.ZipInfo, list[str]]:
    """The entry that is the table: the only file, or the only one with a table's ending."""
    _refuse_documents({entry.filename for entry in entries})
    real = [
        entry
        for entry in entries
        if not entry.filename.startswith("__MACOSX/") and not _base(entry.filename).startswith(".")
    ]
    tables = [entry for entry in real if entry.filename.lower().endswith(TABLE_ENDINGS)]
    named = [entry for entry in tables if not entry.filename.lower().endswith(".txt")]
    for choice in (named, tables, real):
        packed = choice is real and choice and choice[0].filename.lower().endswith((".zip", ".gz"))
        if len(choice) == 1 and not packed:
            others = [_base(entry.filename) for entry in real if entry is not choice[0]]
            return choice[0], others
        if len(choice) > 1 and choice is not real:
            found = listing([_base(entry.filename) for entry in choice])
            raise Refused(
                "bad_archive",
                f"The .zip holds {len(choice)} tables ({found}). Put one .csv file in it.",
            )
    found = listing([_base(entry.filename) for entry in real]) if real else "nothing"
    raise Refused(
        "bad_archive", f"The .zip holds no CSV file (found: {found}). Put one .csv file in it."
    )


def _refuse_documents(names: set[str]) -> None:
    """Office documents are .zip files inside; raise Refused for them by what they hold."""
    if any(name.startswith("xl/") for name in names):
        raise Refused(
            "not_csv",
            "This is an Excel workbook (.xlsx), not a CSV file, even if it is named .csv. "
            + SAVE_AS,
        )
    if any(name.startswith("Index/") or name.endswith(".iwa") for name in names) or (
        "Index.zip" in names
    ):
        raise Refused(
            "not_csv",
            "This is an Apple Numbers document, not a CSV file. In Numbers choose File > Export "
            "To > CSV and upload that.",
        )
    if "content.xml" in names or ("mimetype" in names and "META-INF/manifest.xml" in names):
        raise Refused(
            "not_csv",
            "This is an OpenDocument spreadsheet (.ods), not a CSV file. Save it as CSV (UTF-8) "
            "and upload that.",
        )
    if any(name.startswith("word/") for name in names):
        raise Refused("not_csv", f"This is a Word document, not a CSV file. {HELP}")
    if names and all(name.endswith(".npy") for name in names):
        raise Refused("not_csv", f"This is a NumPy .npz archive, not a CSV file. {HELP}")


def _check_entry(entry: zipfile.ZipInfo) -> None:
    if entry.flag_bits & 0x1:
        raise Refused(
            "bad_archive", "The .zip is protected by a password. Make it again without one."
        )
    if stat.S_ISLNK(entry.external_attr >> 16):
        raise Refused(
            "bad_archive",
            f"{quoted(_base(entry.filename))} in the .zip is a link, not a file. Put the file "
            "itself in it.",
        )
    # Other methods can ask for gigabytes of memory in their first bytes.
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise Refused(
            "bad_archive", "The .zip was packed in an unusual way. Make it again, or use .gz."
        )
