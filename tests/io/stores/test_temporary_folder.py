from pathlib import Path

import dask
import fsspec
import pytest

import dask_tapestry as dt
from dask_tapestry.io.files.process_name import this_process
from dask_tapestry.io.stores.temporary_folder import (
    claim,
    folder_of_run,
    hide,
    lies_in_memory,
    remove,
    remove_left,
    temporary_location,
    temporary_root,
)

ENDED = this_process().rpartition(" ")[0] + " 1"  # a process of this number that began before


def test_the_setting_comes_before_dasks(tmp_path):
    with dask.config.set({"temporary-directory": "/of/dask"}):
        assert temporary_root() == "/of/dask"
        with dt.config(temporary_store=tmp_path):
            assert temporary_root() == str(tmp_path)
    with dask.config.set({"temporary-directory": None}):
        assert Path(temporary_root()).is_dir()


def test_a_root_is_a_place_for_all_processes(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", "/home/one")
    roots = {
        "here": f"{tmp_path}/here",
        "~/s": "/home/one/s",
        "file:///a%20b/": "/a b",
        "s3://b/": "s3://b",
    }
    for given, root in roots.items():
        with dt.config(temporary_store=given):
            assert temporary_root() == root


def test_a_folder_in_memory_is_told(tmp_path):
    if Path("/dev/shm").is_dir():
        assert lies_in_memory("/dev/shm")
    assert not lies_in_memory("/proc/self")


def test_what_ended_processes_have_left_is_removed(tmp_path):
    root = str(tmp_path)
    claim(root, "left", ENDED)
    claim(root, "alive", this_process())
    claim(root, "elsewhere", "another-machine 1 1")
    for users in ("users", "folder", "bytes"):
        (tmp_path / f"tapestry-temporary-{users}").mkdir()
    (tmp_path / "tapestry-temporary-folder" / "owner").mkdir()
    (tmp_path / "tapestry-temporary-bytes" / "owner").write_bytes(b"\xff\xfe")
    remove_left(root)
    names = {path.name.removeprefix("tapestry-temporary-") for path in tmp_path.iterdir()}
    assert names == {"alive", "elsewhere", "users", "folder", "bytes"}


def test_a_folder_goes_with_all_in_it_and_no_other(tmp_path):
    root = str(tmp_path)
    for run in ("one", "other"):
        claim(root, run, this_process())
        Path(folder_of_run(root, run), "value").mkdir()
    hidden = hide(root, "one")
    assert not Path(folder_of_run(root, "one")).exists()
    remove(hidden)
    assert hide(root, "one") is None
    assert [path.name for path in tmp_path.iterdir()] == ["tapestry-temporary-other"]


def test_a_url_has_folders_too():
    root = "memory://scratch"
    claim(root, "run", this_process())
    remove_left(root)
    files = fsspec.filesystem("memory")
    files.pipe("/scratch/tapestry-temporary-run/value/c/0", b"1")
    files.pipe("/scratch/of-others", b"1")
    for _ in range(2):
        remove(hide(root, "run"))
    assert files.find("/scratch") == ["/scratch/of-others"]
    files.rm("/scratch", recursive=True)


@pytest.mark.parametrize("root", ["/scratch", "s3://bucket/some"])
def test_locations_of_two_computes_are_apart(root):
    first, second = (temporary_location(root, run, "value") for run in ("a", "b"))
    assert first != second
    assert str(first) == f"{root}/tapestry-temporary-a/value"
