"""Reading Parquet, once its footer and page headers have been found harmless."""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from scoring.errors import Problem, Refused
from scoring.ids import Ids
from scoring.parquet_footer import BadParquet, check_pages, read_footer
from scoring.reading_blocks import GiveUp
from scoring.reading_fast import Filler
from scoring.reading_limits import Limits
from scoring.reading_problems import quoted, size_text
from scoring.reading_slow import CHUNK, Chunk, SlowReader
from scoring.reading_text import match_columns
from scoring.task import Task

BATCH = 65536
WHOLE = r"^-?[0-9]{1,18}$"


def read_parquet(data: bytes, task: Task, ids: Ids, limits: Limits) -> tuple[np.ndarray, list[str]]:
    """Predictions and notices of a Parquet file; raises Refused."""
    try:
        footer = read_footer(data)
        layout = match_columns(footer.names, task)
        if footer.rows > 2 * ids.count + BATCH:
            message = f"The file has {footer.rows} rows; {ids.count} expected."
            raise Refused("rows", message, [Problem("rows", message, count=footer.rows)])
        columns = tuple(sorted(layout.columns))
        check_pages(data, footer, columns, limits.unpacked)
    except BadParquet as error:
        raise _damaged(str(error)) from None
    except OverflowError:
        raise Refused(
            "too_large",
            f"Unpacked, the Parquet file is larger than the limit of {size_text(limits.unpacked)}.",
        ) from None
    names = [footer.names[place] for place in layout.columns]
    if footer.rows == 0:
        raise Refused("rows", f"The file has a header but no rows; {ids.count} expected.")
    try:
        # Without its dictionary a short text repeated a million times is a million texts.
        file = pq.ParquetFile(pa.BufferReader(data), read_dictionary=list(footer.names))
        _refuse_types(file, names)
        try:
            filler = Filler(task, ids)
            for columns in _batches(file, names, limits):
                filler.add(_typed(columns, filler))
            return filler.finish(), layout.notices + filler.notices()
        except GiveUp:
            pass
        layout.columns, layout.width = tuple(range(len(names))), len(names)
        layout.names, layout.blank = tuple(names), ()
        reader = SlowReader(task, ids, layout, "row")
        reader.read(_rows(file, names, limits), lambda: footer.rows)
        return reader.values, layout.notices + reader.notices
    except (pa.ArrowException, OSError, ValueError, UnicodeDecodeError):
        raise _damaged("it is damaged or incomplete") from None


def parquet_texts(data: bytes) -> pa.Table:
    """All columns of an organiser's Parquet file as text; raises Refused."""
    try:
        read_footer(data)
        table = pq.ParquetFile(pa.BufferReader(data)).read()
        return pa.table(
            {
                name: pc.fill_null(table[name].cast(pa.string()), "")
                for name in table.column_names
                if not name.startswith("__index_level_")
            }
        )
    except BadParquet as error:
        raise _damaged(str(error)) from None
    except (pa.ArrowException, OSError, ValueError):
        raise _damaged("it is damaged or incomplete") from None


def _damaged(why: str) -> Refused:
    return Refused(
        "not_csv",
        f"This is a Parquet file, but {why}. Write it again with "
        "df.to_parquet('submission.parquet', index=False), or upload a CSV file.",
    )


def _refuse_types(file: pq.ParquetFile, names: list[str]) -> None:
    schema = file.schema_arrow
    for name in names:
        kind = schema.field(name).type
        if pa.types.is_dictionary(kind):
            kind = kind.value_type
        if not (
            pa.types.is_integer(kind)
            or pa.types.is_floating(kind)
            or pa.types.is_boolean(kind)
            or pa.types.is_decimal(kind)
            or pa.types.is_null(kind)
            or pa.types.is_string(kind)
            or pa.types.is_large_string(kind)
        ):
            raise Refused(
                "header",
                f"The column {quoted(name)} of the Parquet file has the type {str(kind)[:60]}; "
                "numbers or texts are read.",
            )


def _batches(file: pq.ParquetFile, names: list[str], limits: Limits) -> Iterator[list[pa.Array]]:
    """Blocks of the wanted columns; raises Refused where their texts would fill the memory."""
    size = 0
    for batch in file.iter_batches(BATCH, columns=names, use_threads=False):
        columns = [batch.column(batch.schema.get_field_index(name)) for name in names]
        for column in columns:
            if not pa.types.is_dictionary(column.type):
                continue
            lengths = pc.fill_null(pc.binary_length(column.dictionary), 0)
            longest = pc.max(lengths).as_py() or 0
            if longest > limits.field:
                raise Refused("too_large", f"A field is longer than {limits.field} characters.")
            size += pc.sum(lengths.take(column.indices)).as_py() or 0
        if size > limits.unpacked:
            raise Refused(
                "too_large",
                f"Unpacked, the file is larger than the limit of {size_text(limits.unpacked)}.",
            )
        yield columns


def _typed(columns: list[pa.Array], filler: Filler) -> list[pa.Array]:
    """The columns in the types the filler wants; raises GiveUp where that is not obvious."""
    typed = []
    for column, wanted in zip(columns, filler.column_types(), strict=True):
        kind = column.type
        if column.null_count:
            raise GiveUp
        if pa.types.is_dictionary(wanted):
            typed.append(_encoded(column))
        elif pa.types.is_string(wanted):
            if not pa.types.is_dictionary(kind):
                raise GiveUp
            typed.append(column.cast(wanted))
        elif pa.types.is_dictionary(kind) and pa.types.is_integer(wanted):
            typed.append(_whole(column))
        elif pa.types.is_integer(kind) or (
            pa.types.is_floating(kind) and pa.types.is_floating(wanted)
        ):
            typed.append(_cast(column, wanted))
        else:
            raise GiveUp
    return typed


def _cast(column: pa.Array, wanted: pa.DataType) -> pa.Array:
    try:
        return column.cast(wanted, safe=pa.types.is_integer(wanted))
    except pa.ArrowInvalid:  # a whole number beyond 64 bits with a sign
        raise GiveUp from None


def _whole(column: pa.DictionaryArray) -> pa.Array:
    """Texts of whole numbers as such; raises GiveUp where one is written another way."""
    texts = column.dictionary
    if not pc.all(pc.match_substring_regex(texts, WHOLE)).as_py():
        raise GiveUp
    return texts.cast(pa.int64()).take(column.indices)


def _encoded(column: pa.Array) -> pa.DictionaryArray:
    if not pa.types.is_dictionary(column.type):
        if not pa.types.is_integer(column.type):
            raise GiveUp
        column = column.dictionary_encode()
    return pa.DictionaryArray.from_arrays(
        column.indices.cast(pa.int32()), column.dictionary.cast(pa.string())
    )


def _rows(file: pq.ParquetFile, names: list[str], limits: Limits) -> Iterator[Chunk]:
    row = 1
    for columns in _batches(file, names, limits):
        for start in range(0, len(columns[0]), CHUNK):
            cells = [_written(column.slice(start, CHUNK)) for column in columns]
            rows = [list(cell) for cell in zip(*cells, strict=True)]
            yield rows, list(range(row, row + len(rows)))
            row += len(rows)


def _written(column: pa.Array) -> list[str]:
    """Cells as they would be written in a CSV file."""
    return ["" if cell is None else str(cell) for cell in column.to_pylist()]
