"""The one clock: the database's, in UTC."""

from datetime import UTC, datetime

from django.db import connection


def now() -> datetime:
    """Return the database's present instant (aware, UTC), not the start of the transaction."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SELECT clock_timestamp()")
            return cursor.fetchone()[0].astimezone(UTC)
        cursor.execute("SELECT strftime('%Y-%m-%dT%H:%M:%f', 'now')")
        return datetime.fromisoformat(cursor.fetchone()[0]).replace(tzinfo=UTC)
