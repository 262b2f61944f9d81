import errno
import os
import subprocess
import sys
from pathlib import Path
from threading import Thread

import pytest

from dask_tapestry_kernels.cpu import store
from dask_tapestry_kernels.cpu.store import Compiled

KEPT = Compiled("kernel", bytes(range(256)) * 40)
ROOT = Path(__file__).parents[2]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    path = tmp_path / "kernels"
    monkeypatch.setenv(store.DIRECTORY, str(path))
    return path


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_what_was_written_is_read(folder):
    assert store.read("a") is None
    assert store.write("a", KEPT)
    assert store.read("a") == KEPT
    assert names(folder) == ["a"]
    assert folder.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("length", [0, 1, store.DIGEST - 1, store.DIGEST, 100, -1])
def test_a_torn_file_is_missed_and_made_again(folder, length):
    store.write("a", KEPT)
    whole = (folder / "a").read_bytes()
    (folder / "a").write_bytes(whole[:length])
    assert store.read("a") is None
    assert store.write("a", KEPT)
    assert store.read("a") == KEPT


@pytest.mark.parametrize("place", [0, store.DIGEST, store.DIGEST + 10, -1])
def test_a_changed_byte_is_seen(folder, place):
    store.write("a", KEPT)
    content = bytearray((folder / "a").read_bytes())
    content[place] ^= 1
    (folder / "a").write_bytes(content)
    assert store.read("a") is None


def test_a_foreign_file_or_folder_in_its_place_is_missed(folder):
    store.directory()
    (folder / "a").write_text("somebody's notes, longer than a digest of thirty-two bytes")
    (folder / "b").mkdir()
    assert store.read("a") is None
    assert store.read("b") is None
    assert not store.write("b", KEPT)
    assert names(folder) == ["a", "b"]


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o777, 0o702])
def test_a_directory_that_others_can_write_to_is_refused(folder, mode):
    store.write("a", KEPT)
    folder.chmod(mode)
    assert store.directory() is None
    assert store.read("a") is None
    assert not store.write("b", KEPT)
    folder.chmod(0o755)  # that they can read it does no harm
    assert store.read("a") == KEPT


def test_a_directory_of_somebody_else_is_refused(folder, monkeypatch):
    store.write("a", KEPT)
    monkeypatch.setattr(os, "geteuid", lambda: folder.stat().st_uid + 1)
    assert store.directory() is None
    assert store.read("a") is None


def test_without_users_there_is_no_directory(folder, monkeypatch):
    monkeypatch.delattr(os, "geteuid")
    assert store.directory() is None


def test_where_no_directory_can_be_made_nothing_is_kept(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(store.DIRECTORY, str(tmp_path / "file" / "kernels"))
    assert store.read("a") is None
    assert not store.write("a", KEPT)


def test_a_user_without_a_home_keeps_nothing(monkeypatch):
    def homeless(_path):
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv(store.DIRECTORY, raising=False)
    monkeypatch.setattr(Path, "expanduser", homeless)
    assert store.directory() is None


def test_a_directory_that_cannot_be_written_to_is_read(folder, monkeypatch):
    store.write("a", KEPT)

    def refused(**_options):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(store.tempfile, "mkstemp", refused)  # chmod does not keep root out
    assert not store.write("b", KEPT)
    assert store.read("a") == KEPT
    assert names(folder) == ["a"]


def test_a_full_disk_leaves_nothing_behind(folder, monkeypatch):
    class Full:
        def __init__(self, handle, mode):
            self.handle = handle

        def __enter__(self):
            return self

        def __exit__(self, *_error):
            os.close(self.handle)

        def write(self, content):
            os.write(self.handle, content[:100])
            raise OSError(errno.ENOSPC, "No space left on device")

    store.directory()
    with monkeypatch.context() as patch:
        patch.setattr(store.os, "fdopen", Full)
        assert not store.write("a", KEPT)
    assert names(folder) == []
    assert store.read("a") is None
    assert store.write("a", KEPT)


def test_writers_and_readers_at_once_do_not_meet(folder):
    kernels = [Compiled("kernel", bytes([n]) * 50_000) for n in range(4)]
    wrong = []

    def write(compiled):
        for _ in range(30):
            if not store.write("a", compiled):
                wrong.append("not written")

    def read():
        for _ in range(100):
            if (found := store.read("a")) is not None and found not in kernels:
                wrong.append(found)

    threads = [Thread(target=write, args=(k,)) for k in kernels] + [Thread(target=read)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert store.read("a") in kernels
    assert names(folder) == ["a"]


def test_the_directory_is_the_users_cache_unless_named(tmp_path, monkeypatch):
    monkeypatch.delenv(store.DIRECTORY, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert store.directory() == tmp_path / "dask_tapestry" / "kernels"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert store.directory() == tmp_path / ".cache" / "dask_tapestry" / "kernels"


def test_a_key_follows_the_source_and_what_code_depends_on(monkeypatch):
    key = store.key_of("a")
    assert key != store.key_of("b")
    assert key == store.key_of("a")
    monkeypatch.setattr(store, "_environment", lambda: "another processor")
    assert key != store.key_of("a")


def test_keys_are_the_same_in_every_process():
    program = "from dask_tapestry_kernels.cpu.store import key_of; print(key_of('a'))"
    keys = {
        subprocess.run(
            [sys.executable, "-c", program],
            env=os.environ | {"PYTHONPATH": str(ROOT / "kernels"), "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for seed in "12"
    }
    assert keys == {store.key_of("a")}
