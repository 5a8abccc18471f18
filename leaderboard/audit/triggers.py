"""Triggers that refuse to change the ledger, made after every migration.

A migration cannot hold them: `flush` would take them for granted, and a table that a later
migration rebuilds (SQLite alters by copying) loses its triggers without a word.
"""

from django.db import connections

# An entry stays for ever. Of a payload nothing is edited, but it may be erased with a person.
FORBIDDEN = {
    "audit_ledgerentry": ("UPDATE", "DELETE"),
    "audit_ledgerpayload": ("UPDATE",),
}
MESSAGE = "the ledger is append-only"


def install(using: str = "default") -> None:
    """Make the triggers where they do not exist."""
    _execute(using, *_removals(using), *_creations(using))


def remove(using: str = "default") -> None:
    """Drop the triggers; only the test suite's flush may ask for it."""
    _execute(using, *_removals(using))


def names(using: str = "default") -> set[str]:
    """Return the names of the ledger's triggers that exist."""
    query = {
        "sqlite": "SELECT name FROM sqlite_master WHERE type = 'trigger'",
        "postgresql": "SELECT tgname FROM pg_trigger WHERE NOT tgisinternal",
    }[connections[using].vendor]
    with connections[using].cursor() as cursor:
        cursor.execute(query)
        return {row[0] for row in cursor.fetchall()} & set(expected(using))


def expected(using: str = "default") -> list[str]:
    """Return the names of the triggers that should exist."""
    return [f"{table}_{act.lower()}" for table, act in _acts(using)]


def restore(sender, using: str, **details) -> None:
    """Answer post_migrate: make the triggers again."""
    install(using)


def _acts(using: str) -> list[tuple[str, str]]:
    made = [(table, act) for table, acts in FORBIDDEN.items() for act in acts]
    if connections[using].vendor == "postgresql":
        # TRUNCATE passes by row triggers.
        made.append(("audit_ledgerentry", "TRUNCATE"))
    return made


def _creations(using: str) -> list[str]:
    if connections[using].vendor == "sqlite":
        return [
            f"CREATE TRIGGER {table}_{act.lower()} BEFORE {act} ON {table} "
            f"BEGIN SELECT RAISE(ABORT, '{MESSAGE}'); END"
            for table, act in _acts(using)
        ]
    function = (
        "CREATE OR REPLACE FUNCTION audit_refuse() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN RAISE EXCEPTION '{MESSAGE}'; END $$"
    )
    return [function] + [
        f"CREATE TRIGGER {table}_{act.lower()} BEFORE {act} ON {table} "
        f"FOR EACH {'STATEMENT' if act == 'TRUNCATE' else 'ROW'} EXECUTE FUNCTION audit_refuse()"
        for table, act in _acts(using)
    ]


def _removals(using: str) -> list[str]:
    suffix = "" if connections[using].vendor == "sqlite" else " ON {table}"
    return [
        f"DROP TRIGGER IF EXISTS {table}_{act.lower()}{suffix.format(table=table)}"
        for table, act in _acts(using)
    ]


def _execute(using: str, *statements: str) -> None:
    with connections[using].cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)
