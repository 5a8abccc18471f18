"""What the files that everybody may download would give away."""

import zlib

import pandas as pd

from leaderboard.competitions.folder import Folder

CHUNK_ROWS = 100_000
# Rows whose answers agree by chance: fewer than this many prove nothing, unless they are all.
BY_CHANCE = 20


def answers_given(folder: Folder) -> list[str]:
    """Return a fault for every data file that holds answers of the test rows.

    A file does where it has the columns of the solution and the same answer for each id it shares
    with it. A training file may number its rows as the test file does; its answers then differ.
    """
    columns = [folder.task.id_column]
    columns += (
        [folder.task.solution_column]
        if folder.task.solution_column
        else (folder.task.value_columns)
    )
    answers = {}
    for row in _rows(folder.solution, columns):
        answers[row[0]] = row[1:]
    faults = []
    for file in folder.files:
        shared, differ = 0, False
        for row in _rows(file.path, columns):
            if row[0] in answers:
                shared += 1
                differ = differ or answers[row[0]] != row[1:]
        if shared >= min(BY_CHANCE, len(answers)) > 0 and not differ:
            faults.append(
                f"The data file '{file.path.name}' holds the answers of {shared:,} test rows, and "
                "everybody can download it."
            )
    return faults


def _rows(path, columns: list[str]):
    """Yield the columns of a CSV file as tuples of text; nothing where it has not all of them."""
    try:
        for chunk in pd.read_csv(
            path, usecols=columns, dtype=str, keep_default_na=False, chunksize=CHUNK_ROWS
        ):
            yield from chunk[columns].itertuples(index=False, name=None)
    except (ValueError, OSError, EOFError, zlib.error):
        # Not such a table; what is wrong with a solution is said elsewhere.
        return
