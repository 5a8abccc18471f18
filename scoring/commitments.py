"""Commitments to what is opened later: SHA-256 over a tag, the competition, a salt and the content.

Published at launch, they bind the organiser without saying anything: the salt keeps a guess at the
content from being tried. Three are made for a competition, and their salts are revealed with it.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets

NOISE_KEY = "noise-key"
PUBLIC_PART = "public-part"
PRIVATE_PART = "private-part"
TAGS = (NOISE_KEY, PUBLIC_PART, PRIVATE_PART)

SALT_BYTES = 32


def new_salt() -> bytes:
    """A fresh salt from the system's generator."""
    return secrets.token_bytes(SALT_BYTES)


def commit(tag: str, competition: str, salt: bytes, content: bytes) -> str:
    """The commitment as 64 hex digits.

    `tag` is one of TAGS, `competition` its uuid as text, `content` the canonical bytes. Each of
    the four is hashed after its length in 8 bytes, big-endian, so no two inputs read alike; this
    is all that somebody needs to check one with another program.
    """
    if tag not in TAGS:
        raise ValueError(f"a commitment is to one of {', '.join(TAGS)}")
    if len(salt) != SALT_BYTES:
        raise ValueError(f"a salt has {SALT_BYTES} bytes")
    hashed = hashlib.sha256()
    for part in (tag.encode(), str(competition).encode(), salt, content):
        hashed.update(len(part).to_bytes(8, "big"))
        hashed.update(part)
    return hashed.hexdigest()


def verify(commitment: str, tag: str, competition: str, salt: bytes, content: bytes) -> bool:
    """Whether this content and salt are what was committed to."""
    made = commit(tag, competition, salt, content)
    return hmac.compare_digest(made.encode(), commitment.lower().encode())
