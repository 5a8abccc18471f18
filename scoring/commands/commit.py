"""Commit to a private part that stays on your machine until the close.

Splits a solution into what you upload now (private labels left blank) and what you keep: a salt
and the whole solution. It prints the commitment to publish at launch. After the close you upload
the whole solution and the salt; anyone can then check that the labels were fixed all along.

example:
  python -m scoring commit --solution solution.csv --competition UUID --out kept/

writes kept/upload.csv (upload this one) and kept/salt.hex (keep it, with the solution)

exit codes: 0 done; 1 refused, with the reason on standard error; 2 wrong usage
"""

import argparse
import csv
import json
import os
import sys
import tempfile
from pathlib import Path

from scoring.answers import artefact_bytes, prepare
from scoring.commands._task import add_task_arguments, task_from
from scoring.commitments import PRIVATE_PART, commit, new_salt
from scoring.errors import BadSolution
from scoring.solution import label_columns, solution_table


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--competition", required=True, help="the competition's uuid")
    parser.add_argument("--out", required=True, type=Path, help="a new folder for what is written")
    parser.add_argument("--salt", help="64 hex digits, to check a commitment made before")
    add_task_arguments(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(args: argparse.Namespace) -> int:
    task = task_from(args)
    salt = _salt(args.salt)
    with tempfile.TemporaryDirectory() as folder:
        prepared = prepare(task, args.solution, Path(folder))
        made = commit(PRIVATE_PART, args.competition, salt, artefact_bytes(Path(folder, "private")))
    try:
        args.out.mkdir(parents=True, mode=0o700)
    except FileExistsError:
        raise BadSolution(f"The folder {args.out} exists already; name a new one.") from None
    table = solution_table(args.solution)
    names = table.column_names
    hidden = {names.index(name) for name in label_columns(task, names)}
    usage = next(place for place, name in enumerate(names) if name.casefold() == "usage")
    with (args.out / "upload.csv").open("x", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(names)
        for row in zip(*(table[name].to_pylist() for name in names), strict=True):
            if row[usage].strip().casefold() == "private":
                writer.writerow("" if place in hidden else cell for place, cell in enumerate(row))
            else:
                writer.writerow(row)
    secret = os.open(args.out / "salt.hex", os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    with os.fdopen(secret, "w") as stream:
        stream.write(salt.hex() + "\n")
    if args.json:
        answer = {"ok": True, "commitment": made, "private_rows": prepared.n_private}
        sys.stdout.write(json.dumps(answer) + "\n")
    else:
        sys.stdout.write(
            f"Commitment to {prepared.n_private:,} private rows:\n  {made}\n"
            f"Upload {args.out / 'upload.csv'}; keep {args.out / 'salt.hex'} and the solution.\n"
        )
    return 0


def _salt(given: str | None) -> bytes:
    if given is None:
        return new_salt()
    try:
        salt = bytes.fromhex(given)
    except ValueError:
        salt = b""
    if len(salt) != 32:
        raise BadSolution("A salt has 64 hex digits.")
    return salt
