import os

from dask_tapestry.io.files import durable_files


def test_files_come_before_the_folders_that_list_them(tmp_path, monkeypatch):
    root = tmp_path / "store"
    (root / "c").mkdir(parents=True)
    (root / "c" / "0").write_bytes(b"cells")
    (root / "zarr.json").write_bytes(b"{}")
    flushed = []
    monkeypatch.setattr(os, "fsync", lambda fd: flushed.append(os.readlink(f"/proc/self/fd/{fd}")))
    durable_files.sync(root)
    names = [os.path.relpath(path, tmp_path) for path in flushed]
    assert names == ["store/c/0", "store/c", "store/zarr.json", "store", "."]
    flushed.clear()
    durable_files.sync(root / "zarr.json")
    assert [os.path.relpath(path, tmp_path) for path in flushed] == ["store/zarr.json", "store"]


def test_what_has_vanished_is_left_out(tmp_path):
    durable_files.sync(tmp_path / "nothing")
