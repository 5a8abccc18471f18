"""The secrets of a competition: its noise key and the salts of its commitments.

They lie in a file of mode 0600 per competition, outside the database: whoever holds the rows alone
can neither redraw the noise nor open a commitment.
"""

import json
import os
import secrets
from pathlib import Path

from django.conf import settings

from leaderboard.competitions import store
from leaderboard.competitions.models import Commitment, Competition, Solution
from scoring import commitments

KEY_BYTES = 32
TAGS = {
    Commitment.Tag.NOISE_KEY: commitments.NOISE_KEY,
    Commitment.Tag.PUBLIC_PART: commitments.PUBLIC_PART,
    Commitment.Tag.PRIVATE_PART: commitments.PRIVATE_PART,
}


def noise_key(competition: Competition) -> bytes:
    """Return the 32-byte key of the competition's noise; only a worker calls this."""
    return bytes.fromhex(_read(competition)["noise_key"])


def salts(solution: Solution) -> dict[str, str]:
    """Return the salts of a solution version's commitments by tag, as 64 hex digits each."""
    return _read(solution.competition)["salts"][str(solution.version)]


def commit(solution: Solution, parts: dict[str, bytes], withheld: str = "") -> None:
    """Make and store the three commitments of a solution version.

    `parts` maps `public_part` and `private_part` to canonical bytes. A private part that the
    organiser keeps is not among them: `withheld` is then the commitment made on their machine.
    The key and the salts are on the disk before the digests are in the database.
    """
    competition = solution.competition
    kept = _read(competition) if _path(competition).exists() else {"salts": {}}
    kept.setdefault("noise_key", secrets.token_hex(KEY_BYTES))
    contents = {Commitment.Tag.NOISE_KEY: bytes.fromhex(kept["noise_key"]), **parts}
    made = {tag: commitments.new_salt() for tag in contents}
    kept["salts"][str(solution.version)] = {str(tag): salt.hex() for tag, salt in made.items()}
    _write(competition, kept)
    digests = {
        tag: commitments.commit(TAGS[tag], str(competition.uuid), made[tag], content)
        for tag, content in contents.items()
    }
    if withheld:
        digests[Commitment.Tag.PRIVATE_PART] = withheld
    Commitment.objects.bulk_create(
        Commitment(solution=solution, tag=tag, digest=digest) for tag, digest in digests.items()
    )


def _path(competition: Competition) -> Path:
    return settings.KEYS_DIR / f"{competition.uuid}.json"


def _read(competition: Competition) -> dict:
    return json.loads(_path(competition).read_text(encoding="ascii"))


def _write(competition: Competition, kept: dict) -> None:
    settings.KEYS_DIR.mkdir(mode=0o700, parents=True, exist_ok=True)
    content = json.dumps(kept, indent=1).encode("ascii")
    stored = store.write(
        settings.KEYS_DIR.parent, settings.KEYS_DIR.name, f"{competition.uuid}.json", [content]
    )
    os.chmod(settings.KEYS_DIR.parent / stored.path, 0o600)
