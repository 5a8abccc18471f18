"""The commands of ``python -m scoring``, one module each.

A module offers ``add_arguments(parser)`` and ``run(args) -> int``; the first line of its
docstring is its line in the list of commands.
"""
