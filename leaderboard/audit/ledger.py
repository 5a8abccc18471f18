"""The chain of entries: append inside the caller's transaction, verify at any time.

digest = SHA-256(tag, seq, previous digest, kind, time, competition, leaf)
leaf   = SHA-256(tag, salt, canonical JSON of the payload)

Only the leaf of a payload is chained. The chain can therefore be published while a competition
runs without telling anything, and a payload can be erased without breaking it.
"""

import hashlib
import json
import secrets
from datetime import UTC, datetime
from decimal import Decimal
from uuid import UUID

from leaderboard.audit.clock import now
from leaderboard.audit.models import LedgerEntry, LedgerHead, LedgerPayload

GENESIS = "0" * 64
ENTRY_TAG = "holdout-ledger-entry-1"
LEAF_TAG = "holdout-ledger-leaf-1"
SALT_BYTES = 32


def append(
    kind: str, competition: UUID | None, body: dict, at: datetime | None = None
) -> LedgerEntry:
    """Append an act to the chain and return its entry.

    Call it last in a transaction: the head of the chain stays locked until the commit (lock order:
    competition, team, head). `at` is the database's present instant where it is left out.
    """
    head, _ = LedgerHead.objects.select_for_update().get_or_create(id=1)
    at = at or now()
    body = plain(body)
    salt = secrets.token_hex(SALT_BYTES)
    leaf = leaf_of(salt, body)
    entry = LedgerEntry(
        seq=head.seq + 1,
        previous=head.digest,
        kind=kind,
        at=at,
        competition=competition,
        leaf=leaf,
    )
    entry.digest = digest_of(entry)
    entry.save(force_insert=True)
    LedgerPayload.objects.create(entry=entry, salt=salt, body=body)
    head.seq, head.digest = entry.seq, entry.digest
    head.save(update_fields=("seq", "digest"))
    return entry


def verify() -> list[str]:
    """Return every fault of the chain in plain words; an empty list when it holds."""
    faults = []
    expected, previous = 1, GENESIS
    for entry in LedgerEntry.objects.select_related("payload").order_by("seq").iterator():
        if entry.seq != expected:
            faults.append(f"Entry {expected} is missing: the next one is {entry.seq}.")
        if entry.previous != previous:
            faults.append(f"Entry {entry.seq} does not follow the entry before it.")
        if entry.digest != digest_of(entry):
            faults.append(f"Entry {entry.seq} was changed: its digest does not match.")
        payload = getattr(entry, "payload", None)
        if payload and leaf_of(payload.salt, payload.body) != entry.leaf:
            faults.append(f"What entry {entry.seq} says was changed: its leaf does not match.")
        expected, previous = entry.seq + 1, entry.digest
    head = LedgerHead.objects.filter(id=1).first() or LedgerHead()
    if (head.seq, head.digest) != (expected - 1, previous):
        faults.append(
            f"The chain ends at entry {expected - 1}, its head at {head.seq}: "
            "entries at the end are missing or were added."
        )
    return faults


def digest_of(entry: LedgerEntry) -> str:
    """Return the digest an entry must have by its other fields."""
    return _sha256(
        ENTRY_TAG,
        str(entry.seq),
        entry.previous,
        entry.kind,
        entry.at.astimezone(UTC).isoformat(timespec="microseconds"),
        str(entry.competition or ""),
        entry.leaf,
    )


def leaf_of(salt: str, body: dict) -> str:
    """Return the salted digest of a payload."""
    text = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return _sha256(LEAF_TAG, salt, text)


def plain(value):
    """Return a payload as both databases give it back: fractions, times and ids become text."""
    if isinstance(value, dict):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat(timespec="microseconds")
    # A JSON column may print a float in another way than it was written.
    if isinstance(value, float | Decimal | UUID):
        return str(value)
    if value is None or isinstance(value, bool | int | str):
        return value
    raise TypeError(f"a ledger payload cannot hold a {type(value).__name__}")


def _sha256(*fields: str) -> str:
    """Digest fields so that no two different lists of them give the same bytes."""
    made = hashlib.sha256()
    for field in fields:
        content = field.encode()
        made.update(len(content).to_bytes(8, "big") + content)
    return made.hexdigest()
