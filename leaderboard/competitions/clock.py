"""The one clock: the database's, in UTC; it lives below, where the ledger reads it too."""

from leaderboard.audit.clock import now

__all__ = ["now"]
