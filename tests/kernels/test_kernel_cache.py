import os

from dask_tapestry_kernels.jit import object_cache
from dask_tapestry_kernels.kernel_cache import DIRECTORY, directory, kept_kernels


def test_kernels_are_counted_without_locks_and_what_is_being_written(tmp_path, monkeypatch):
    monkeypatch.setenv(DIRECTORY, str(tmp_path / "kept"))
    assert kept_kernels() == frozenset()
    assert object_cache.write("abc", object_cache.Compiled("kernel", b"code"))
    folder = directory()
    (folder / f"{object_cache.LOCK}a").touch()
    (folder / ".rates").touch()
    (folder / "machine").mkdir()
    assert kept_kernels() == {"abc"}
    assert set(os.listdir(folder)) > {"abc"}


def test_without_a_folder_there_are_none(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv(DIRECTORY, str(tmp_path / "file" / "kept"))
    assert directory() is None
    assert kept_kernels() == frozenset()
