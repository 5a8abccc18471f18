"""Commitments bind tag, competition, salt and content."""

import hashlib

import pytest

from scoring.commitments import NOISE_KEY, PRIVATE_PART, PUBLIC_PART, commit, new_salt, verify

COMPETITION = "3f0c1d1e-8a0b-4c5e-9d59-0f7c0d6b1a11"
SALT = bytes(range(32))


def test_a_commitment_is_the_hash_of_length_prefixed_parts():
    parts = (b"noise-key", COMPETITION.encode(), SALT, b"content")
    written_out = b"".join(len(part).to_bytes(8, "big") + part for part in parts)
    made = commit(NOISE_KEY, COMPETITION, SALT, b"content")
    assert made == hashlib.sha256(written_out).hexdigest()
    assert verify(made, NOISE_KEY, COMPETITION, SALT, b"content")
    assert verify(made.upper(), NOISE_KEY, COMPETITION, SALT, b"content")


@pytest.mark.parametrize(
    "change",
    [
        {"tag": PUBLIC_PART},
        {"competition": "3f0c1d1e-8a0b-4c5e-9d59-0f7c0d6b1a12"},
        {"salt": bytes(32)},
        {"content": b"Content"},
        {"content": b""},
    ],
)
def test_any_change_is_noticed(change):
    given = {"tag": NOISE_KEY, "competition": COMPETITION, "salt": SALT, "content": b"content"}
    made = commit(**given)
    assert not verify(made, **(given | change))


def test_parts_cannot_run_into_one_another():
    one = commit(PRIVATE_PART, "ab", SALT, b"c")
    assert one != commit(PRIVATE_PART, "a", SALT, b"bc")


def test_salts_are_fresh_and_of_full_length():
    assert len(new_salt()) == 32
    assert new_salt() != new_salt()


def test_what_cannot_be_committed_to():
    with pytest.raises(ValueError, match="32 bytes"):
        commit(NOISE_KEY, COMPETITION, b"short", b"")
    with pytest.raises(ValueError, match="commitment is to"):
        commit("other", COMPETITION, SALT, b"")
    assert not verify("nonsense", NOISE_KEY, COMPETITION, SALT, b"")
