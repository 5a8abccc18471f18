"""Run one command of the scoring library: ``python -m scoring COMMAND ...``.

Exit codes: 0 done, 1 refused (the reason on standard error), 2 wrong usage.
"""

import argparse
import ast
import json
import os
import sys
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from scoring import commands
from scoring.errors import HoldoutError


def summaries() -> dict[str, str]:
    """Return each command with the first line of its docstring, without importing any."""
    found = {}
    for module in iter_modules(commands.__path__):
        if module.name.startswith("_"):
            continue
        source = Path(commands.__path__[0], f"{module.name}.py")
        doc = ast.get_docstring(ast.parse(source.read_text(encoding="utf-8"))) or ""
        found[module.name] = doc.partition("\n")[0]
    return found


def overview(found: dict[str, str]) -> str:
    width = max(map(len, found), default=0)
    lines = [f"  {name:<{width}}  {line}" for name, line in found.items()]
    hint = "'python -m scoring COMMAND --help' explains one command."
    usage = "usage: python -m scoring COMMAND [options]"
    return "\n".join([usage, "", "commands:", *lines, "", hint, ""])


def main(argv: list[str] | None = None) -> int:
    argv = sys.argv[1:] if argv is None else argv
    names = [module.name for module in iter_modules(commands.__path__)]
    if not argv or argv[0] in ("-h", "--help", "help"):
        stream = sys.stdout if argv else sys.stderr
        stream.write(overview(summaries()))
        return 0 if argv else 2
    if argv[0] not in names or argv[0].startswith("_"):
        sys.stderr.write(f"Unknown command {argv[0]!r}.\n\n{overview(summaries())}")
        return 2
    # Metrics are too small to gain from BLAS threads, and on busy cores they lose by them. A
    # command imports numpy, which reads this once, so it comes before.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    command = import_module(f"scoring.commands.{argv[0]}")
    parser = argparse.ArgumentParser(
        prog=f"python -m scoring {argv[0]}",
        description=command.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_arguments(parser)
    args = parser.parse_args(argv[1:])
    try:
        return command.run(args)
    except HoldoutError as error:
        sys.stderr.write(f"{error.sentence}\n")
        if getattr(args, "json", False):
            answer = {"ok": False, "code": error.code, "sentence": error.sentence}
            sys.stdout.write(json.dumps(answer) + "\n")
        return 1
    except FileNotFoundError as error:
        sys.stderr.write(f"There is no file {error.filename}.\n")
        return 2
    except BrokenPipeError:
        # The reader of our output has gone (``| head``); nothing is left to say.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        sys.stderr.write(f"{where}{error.strerror}.\n")
        return 2


if __name__ == "__main__":
    raise SystemExit(main())
