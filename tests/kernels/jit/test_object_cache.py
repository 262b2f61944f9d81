import errno
import os
import subprocess
import sys
from pathlib import Path
from threading import Thread
from time import sleep

import pytest

from dask_tapestry_kernels.jit import object_cache
from dask_tapestry_kernels.jit.object_cache import Compiled

KEPT = Compiled("kernel", bytes(range(256)) * 40)
ROOT = Path(__file__).parents[3]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    path = tmp_path / "kernels"
    monkeypatch.setenv(object_cache.DIRECTORY, str(path))
    return path


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_what_was_written_is_read(folder):
    assert object_cache.read("a") is None
    assert object_cache.write("a", KEPT)
    assert object_cache.read("a") == KEPT
    assert names(folder) == ["a"]
    assert folder.stat().st_mode & 0o777 == 0o700


def test_that_nothing_is_kept_is_known_without_the_directory(folder):
    assert not object_cache.may_be_kept("a")
    assert not folder.exists()
    object_cache.write("a", KEPT)
    assert object_cache.may_be_kept("a")
    assert not object_cache.may_be_kept("b")


@pytest.mark.parametrize("length", [0, 1, object_cache.DIGEST - 1, object_cache.DIGEST, 100, -1])
def test_a_torn_file_is_missed_and_made_again(folder, length):
    object_cache.write("a", KEPT)
    whole = (folder / "a").read_bytes()
    (folder / "a").write_bytes(whole[:length])
    assert object_cache.read("a") is None
    assert object_cache.write("a", KEPT)
    assert object_cache.read("a") == KEPT


@pytest.mark.parametrize("place", [0, object_cache.DIGEST, object_cache.DIGEST + 10, -1])
def test_a_changed_byte_is_seen(folder, place):
    object_cache.write("a", KEPT)
    content = bytearray((folder / "a").read_bytes())
    content[place] ^= 1
    (folder / "a").write_bytes(content)
    assert object_cache.read("a") is None


def test_a_foreign_file_or_folder_in_its_place_is_missed(folder):
    object_cache.directory()
    (folder / "a").write_text("somebody's notes, longer than a digest of thirty-two bytes")
    (folder / "b").mkdir()
    assert object_cache.read("a") is None
    assert object_cache.read("b") is None
    assert not object_cache.write("b", KEPT)
    assert names(folder) == ["a", "b"]


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o777, 0o702])
def test_a_directory_that_others_can_write_to_is_refused(folder, mode):
    object_cache.write("a", KEPT)
    folder.chmod(mode)
    assert object_cache.directory() is None
    assert object_cache.read("a") is None
    assert not object_cache.write("b", KEPT)
    folder.chmod(0o755)  # that they can read it does no harm
    assert object_cache.read("a") == KEPT


def test_a_directory_of_somebody_else_is_refused(folder, monkeypatch):
    object_cache.write("a", KEPT)
    monkeypatch.setattr(os, "geteuid", lambda: folder.stat().st_uid + 1)
    assert object_cache.directory() is None
    assert object_cache.read("a") is None


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives folders away")
@pytest.mark.parametrize("which", ["it", "one above"])
def test_code_of_somebody_else_is_not_loaded(folder, caplog, which):
    object_cache.write("a", KEPT)
    os.chown(folder if which == "it" else folder.parent, 12345, 12345)
    try:
        assert object_cache.read("a") is None
        assert object_cache.read("a") is None
        assert not object_cache.write("b", KEPT)
        assert object_cache.directory() is None
        with object_cache.alone("a") as waited:
            assert not waited
    finally:
        os.chown(folder.parent, 0, 0)
    (said,) = caplog.messages
    assert (
        f"none are loaded from it: {'it belongs to user 12345' if which == 'it' else folder.parent}"
        in said
    )


def test_a_link_is_followed_before_the_folder_is_looked_at(tmp_path, monkeypatch):
    """What a link leads to must be the user's, and is what is read though the link changes."""
    real, other, link = tmp_path / "real", tmp_path / "other", tmp_path / "link"
    for path in (real, other):
        path.mkdir(mode=0o700)
    other.chmod(0o777)
    link.symlink_to(real)
    monkeypatch.setenv(object_cache.DIRECTORY, str(link))
    assert object_cache.directory() == real
    link.unlink()
    link.symlink_to(other)
    assert object_cache.directory() is None


@pytest.mark.parametrize("mode", ["auto", "wait"])
def test_computes_go_on_where_the_folder_is_open_to_others(tmp_path, mode):
    """Each process compiles for itself; nothing is read from the folder, and nothing written."""
    folder = tmp_path / "kernels"
    folder.mkdir()
    folder.chmod(0o777)
    program = (
        "import numpy as np, dask_tapestry as dt\n"
        "from dask_tapestry_kernels.jit import object_cache\n"
        "assert object_cache.read('a') is object_cache.read('b') is None\n"
        "x = np.linspace(0, 1, 200_000)\n"
        "y = dt.asarray(x)\n"
        "for _ in range(2):\n"
        "    assert ((y * 3 + y) * y - 2).compute(scheduler='sync').tobytes() == "
        "((x * 3 + x) * x - 2).tobytes()\n"
    )
    path = os.pathsep.join([str(ROOT), str(ROOT / "kernels")])
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={
            **os.environ, object_cache.DIRECTORY: str(folder), "PYTHONPATH": path,
            "DASK_TAPESTRY_KERNELS": mode,
        },
        capture_output=True, text=True, timeout=100,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("others may write to it (mode 777)") == 1
    assert not list(folder.iterdir())


def test_without_users_there_is_no_directory(folder, monkeypatch):
    monkeypatch.delattr(os, "geteuid")
    assert object_cache.directory() is None


def test_where_no_directory_can_be_made_nothing_is_kept(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(object_cache.DIRECTORY, str(tmp_path / "file" / "kernels"))
    assert object_cache.read("a") is None
    assert not object_cache.write("a", KEPT)


def test_a_user_without_a_home_keeps_nothing(monkeypatch):
    def homeless(_path):
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv(object_cache.DIRECTORY, raising=False)
    monkeypatch.setattr(Path, "expanduser", homeless)
    assert object_cache.directory() is None


def test_a_directory_that_cannot_be_written_to_is_read(folder, monkeypatch):
    object_cache.write("a", KEPT)

    def refused(**_options):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(object_cache.tempfile, "mkstemp", refused)  # chmod does not keep root out
    assert not object_cache.write("b", KEPT)
    assert object_cache.read("a") == KEPT
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

    object_cache.directory()
    with monkeypatch.context() as patch:
        patch.setattr(object_cache.os, "fdopen", Full)
        assert not object_cache.write("a", KEPT)
    assert names(folder) == []
    assert object_cache.read("a") is None
    assert object_cache.write("a", KEPT)


def test_writers_and_readers_at_once_do_not_meet(folder):
    kernels = [Compiled("kernel", bytes([n]) * 50_000) for n in range(4)]
    wrong = []

    def write(compiled):
        for _ in range(30):
            if not object_cache.write("a", compiled):
                wrong.append("not written")

    def read():
        for _ in range(100):
            if (found := object_cache.read("a")) is not None and found not in kernels:
                wrong.append(found)

    threads = [Thread(target=write, args=(k,)) for k in kernels] + [Thread(target=read)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert object_cache.read("a") in kernels
    assert names(folder) == ["a"]


def test_the_directory_is_the_users_cache_unless_named(tmp_path, monkeypatch):
    monkeypatch.delenv(object_cache.DIRECTORY, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert object_cache.directory() == tmp_path / "dask_tapestry" / "kernels"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert object_cache.directory() == tmp_path / ".cache" / "dask_tapestry" / "kernels"


def test_a_name_is_of_all_parts():
    names = [object_cache.name_of(*parts) for parts in (("a", "b"), ("a", "c"), ("b", "a"))]
    assert len(set(names)) == 3
    assert object_cache.name_of("a", "b") == names[0]


def test_one_at_a_time_compiles_a_kernel(folder):
    inside, most = [], []

    def work():
        with object_cache.alone("abc"):
            inside.append(1)
            most.append(len(inside))
            sleep(0.02)
            inside.pop()

    threads = [Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1, 1, 1, 1]
