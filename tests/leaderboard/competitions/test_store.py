"""Files are there whole or not at all, and below their root."""

import hashlib
import os
import time

import pytest

from leaderboard.competitions import store


def files(root) -> list[str]:
    return sorted(str(path.relative_to(root)) for path in root.rglob("*") if path.is_file())


def test_a_file_is_stored_whole(tmp_path):
    stored = store.write(tmp_path, "a/b", "c.csv", [b"one", b"", b"two"])
    assert (stored.path, stored.size) == ("a/b/c.csv", 6)
    assert stored.sha256 == hashlib.sha256(b"onetwo").hexdigest()
    with store.open_file(tmp_path, stored.path) as file:
        assert file.read() == b"onetwo"
    assert files(tmp_path) == ["a/b/c.csv"]
    assert os.stat(tmp_path / "a/b/c.csv").st_mode & 0o777 == 0o600


def test_too_many_bytes_leave_nothing(tmp_path):
    taken = []

    def chunks():
        for place in range(10):
            taken.append(place)
            yield b"12345"

    with pytest.raises(store.TooLarge):
        store.write(tmp_path, "a", "b", chunks(), limit=12)
    assert files(tmp_path) == []
    assert taken == [0, 1, 2]
    assert store.write(tmp_path, "a", "b", [b"x" * 12], limit=12).size == 12


def test_an_upload_that_breaks_off_leaves_nothing(tmp_path):
    def chunks():
        yield b"half"
        raise ConnectionResetError

    with pytest.raises(ConnectionResetError):
        store.write(tmp_path, "a", "b", chunks())
    assert files(tmp_path) == []


def test_a_full_disk_leaves_nothing(tmp_path, monkeypatch):
    def full(handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        store.write(tmp_path, "a", "b", [b"x"])
    assert files(tmp_path) == []


def test_bytes_are_flushed_before_the_name_and_the_name_after(tmp_path, monkeypatch):
    acts = []
    fsync, rename = os.fsync, os.rename
    monkeypatch.setattr(os, "fsync", lambda handle: (acts.append("flush"), fsync(handle)))
    monkeypatch.setattr(os, "rename", lambda *names: (acts.append("rename"), rename(*names)))
    store.write(tmp_path, "a", "b", [b"x"])
    assert acts == ["flush", "rename", "flush"]


@pytest.mark.parametrize(
    "path",
    ["../a", "a/../b", "/etc/passwd", "a//b", "", "a/", ".a", "a/.incoming", "a\\b", "a\nb", "a\0"],
)
def test_no_path_leaves_the_root(tmp_path, path):
    with pytest.raises(ValueError):
        store.inside(tmp_path, path)


def test_a_link_does_not_lead_out(tmp_path):
    (tmp_path / "root").mkdir()
    (tmp_path / "secret").write_text("x")
    (tmp_path / "root" / "link").symlink_to(tmp_path / "secret")
    with pytest.raises(ValueError, match="below its root"):
        store.open_file(tmp_path / "root", "link")


def test_what_a_dead_process_left_half_written_is_swept(tmp_path):
    folder = tmp_path / store.INCOMING
    folder.mkdir()
    (folder / "half").write_bytes(b"x")
    assert store.sweep_abandoned(tmp_path, time.time()) == 0
    assert store.sweep_abandoned(tmp_path, time.time() + 2 * store.ABANDONED_AFTER) == 1
    assert files(tmp_path) == []
