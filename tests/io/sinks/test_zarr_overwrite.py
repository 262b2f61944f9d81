"""New arrays in the place of what is there, which they may be made of."""

import dask.array as da
import fsspec
import numpy as np
import pytest
import zarr
from distributed import Client
from fsspec.implementations.asyn_wrapper import AsyncFileSystemWrapper

import dask_tapestry as dt

CELLS = np.arange(1.0, 36).reshape(5, 7)


def within(folder, files):
    """A store whose file system begins at a folder of another."""
    inner = fsspec.filesystem("dir", path=str(folder), fs=files)
    return zarr.storage.FsspecStore(AsyncFileSystemWrapper(inner, asynchronous=True), path="x")


PLACES = {
    "a folder": lambda p: p / "x",
    "text": lambda p: f"{p}/x",
    "a slash at its end": lambda p: f"{p}/x/",
    "a way around": lambda p: p / "y" / ".." / "x",
    "a link": lambda p: p / "link",
    "a file URL": lambda p: (p / "x").as_uri(),
    "a relative path": lambda p: "x",
    "a local URL": lambda p: f"local://{p}/x",
    "a store of files": lambda p: zarr.storage.FsspecStore.from_url(f"local://{p}/x"),
    "a folder of files": lambda p: within(p, fsspec.filesystem("file")),
    "a store": lambda p: zarr.storage.LocalStore(p / "x"),
    "a group": lambda p: (zarr.open_group(p, mode="a"), "x"),
}


def place(name, folder):
    """A place as `to_zarr` and `from_zarr` take it."""
    found = PLACES[name](folder)
    return found if isinstance(found, tuple) else (found,)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with an array x and a link to it."""
    dt.to_zarr(dt.asarray(CELLS), tmp_path / "x", chunks=(2, 3))
    (tmp_path / "y").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "x")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.few(6)  # as unlike as so many can be
@pytest.mark.parametrize("source", PLACES)
@pytest.mark.parametrize("target", PLACES)
def test_an_array_is_replaced_by_what_reads_it(folder, source, target):
    x = dt.from_zarr(*place(source, folder))
    dt.to_zarr(x[::-1] * 2, *place(target, folder), overwrite=True)
    np.testing.assert_array_equal(zarr.open_array(folder / "x")[...], CELLS[::-1] * 2)
    assert not list(folder.glob("*tapestry*"))
    assert (folder / "link").is_symlink()


@pytest.mark.parametrize("read", [zarr.open_array, da.from_zarr])
def test_an_array_is_replaced_by_what_reads_it_unseen(folder, read):
    x = dt.from_array(read(folder / "x")) + 1
    dt.to_zarr(x, folder / "x", overwrite=True)
    np.testing.assert_array_equal(zarr.open_array(folder / "x")[...], CELLS + 1)


@pytest.mark.parametrize("scheduler", ["sync", "threads"])
@pytest.mark.parametrize("read", [zarr.open_array, da.from_zarr])
def test_a_store_in_memory_is_replaced_by_what_reads_it(scheduler, read):
    store = zarr.storage.MemoryStore()
    dt.to_zarr(dt.asarray(CELLS), store, chunks=(2, 3))
    x = dt.from_array(read(store))[::-1]
    dt.to_zarr(x, store, overwrite=True, scheduler=scheduler)
    np.testing.assert_array_equal(zarr.open_array(store)[...], CELLS[::-1])


def test_memory_is_replaced_by_what_reads_it_by_another_name():
    url = "memory://replaced/x"
    for number, store in enumerate([url, within("/replaced", fsspec.filesystem("memory"))]):
        dt.to_zarr(dt.asarray(CELLS), url, chunks=(2, 3), overwrite=bool(number))
        dt.to_zarr(dt.from_zarr("memory:///replaced/x")[::-1] * 2, store, overwrite=True)
        np.testing.assert_array_equal(zarr.open_array(url)[...], CELLS[::-1] * 2)


@pytest.mark.parametrize("store", ["a local URL", "a store of files", "a folder of files"])
def test_a_place_where_nothing_is_may_be_replaced(tmp_path, store):
    dt.to_zarr(CELLS, *place(store, tmp_path), overwrite=True)
    np.testing.assert_array_equal(zarr.open_array(tmp_path / "x")[...], CELLS)


@pytest.mark.parametrize("in_memory", [False, True])
def test_what_reads_itself_is_written_once(tmp_path, in_memory):
    store = zarr.storage.MemoryStore() if in_memory else tmp_path / "x"
    dt.to_zarr(CELLS, store, chunks=(2, 3))
    x = dt.to_zarr(
        dt.from_zarr(store) * 2, store, overwrite=True, compute=False, return_stored=True
    )
    np.testing.assert_array_equal(x[:2].compute(), CELLS[:2] * 2)
    np.testing.assert_array_equal(x[2:].compute(), CELLS[2:] * 2)
    dt.to_zarr(-CELLS, store, overwrite=True, chunks=(2, 3))
    np.testing.assert_array_equal(x.compute(), CELLS * -2)


def test_a_group_is_replaced_by_what_reads_an_array_in_it(tmp_path):
    for store in (zarr.storage.MemoryStore(), tmp_path / "g"):
        dt.to_zarr(dt.asarray(CELLS), store, "a/b")
        dt.to_zarr(dt.from_zarr(store)["a/b"] * 2, store, overwrite=True)
        np.testing.assert_array_equal(zarr.open_array(store)[...], CELLS * 2)


def test_what_cannot_be_replaced_by_what_reads_it_is_refused(tmp_path):
    store = zarr.storage.LoggingStore(zarr.storage.LocalStore(tmp_path / "x"))
    dt.to_zarr(dt.asarray(CELLS), tmp_path / "x")
    with pytest.raises(dt.StoreError, match=r"reads .* which it would replace"):
        dt.to_zarr(dt.from_zarr(tmp_path / "x") * 2, store, overwrite=True)
    np.testing.assert_array_equal(zarr.open_array(tmp_path / "x")[...], CELLS)


class Failing:
    """A source that can be read once."""

    shape, dtype = (4, 2), np.dtype("f8")

    def __init__(self):
        self.reads = 0

    def __getitem__(self, key):
        self.reads += 1
        if self.reads > 1:
            raise OSError("the disk is on fire")
        return np.ones((key[0].stop - key[0].start, 2))


def test_what_a_write_was_to_replace_is_kept_if_it_fails(tmp_path):
    dt.to_zarr(dt.asarray(CELLS), tmp_path / "g", "x")
    with dt.config(block_bytes=32), pytest.raises(OSError, match="on fire"):
        dt.to_zarr(dt.from_array(Failing()), tmp_path / "g", "x", chunks=(2, 2), overwrite=True)
    assert list(dt.from_zarr(tmp_path / "g")) == ["x"]
    np.testing.assert_array_equal(dt.from_zarr(tmp_path / "g", "x").compute(), CELLS)
    dt.to_zarr(dt.ones(2), tmp_path / "g", "x", overwrite=True)
    assert [path.name for path in (tmp_path / "g").iterdir() if path.is_dir()] == ["x"]


@pytest.fixture(params=["folder", "memory"])
def stored(request, tmp_path):
    """A place with four cells of 7."""
    store = tmp_path / "x" if request.param == "folder" else zarr.storage.MemoryStore()
    dt.to_zarr(dt.full(4, 7.0), store)
    return store


LATER = {"overwrite": True, "compute": False}


def cells(store):
    return zarr.open_array(store)[...].tolist()


def test_a_sink_replaces_what_one_that_it_follows_has_written(stored):
    first = dt.to_zarr(dt.from_zarr(stored) * 2, stored, **LATER)
    second = dt.to_zarr(dt.from_zarr(stored) * 3, stored, **LATER, after=[first])
    for effect in (second, second, first, second):
        effect.compute()
        assert cells(stored) == [42.0] * 4
    dt.to_zarr(dt.ones(4), stored, overwrite=True)
    second.compute()
    assert cells(stored) == [6.0] * 4


def test_a_sink_replaces_what_its_value_reads_after_another_sink(stored):
    first = dt.to_zarr(dt.from_zarr(stored) * 2, stored, **LATER, return_stored=True)
    second = dt.to_zarr(first * 3, stored, **LATER, return_stored=True)
    third = dt.to_zarr(second + 1, stored, **LATER)
    for _ in range(2):
        third.compute()
        assert cells(stored) == [43.0] * 4


def test_what_is_read_between_two_sinks_is_what_the_first_has_written(stored, tmp_path):
    first = dt.to_zarr(dt.from_zarr(stored) * 2, stored, **LATER, return_stored=True)
    copy = dt.to_zarr(first, tmp_path / "copy", **LATER)
    second = dt.to_zarr(first * 3, stored, **LATER, after=[copy])
    for between in (14.0, 42.0):
        second.compute()
        assert cells(stored) == [42.0] * 4
        assert cells(tmp_path / "copy") == [between] * 4


def test_a_value_that_is_held_is_read_after_the_sink_it_follows(stored):
    first = dt.to_zarr(dt.from_zarr(stored) * 2, stored, **LATER)
    x = dt.from_zarr(stored)
    second = dt.to_zarr(x + x.sum(), stored, **LATER, after=[first])
    for _ in range(2):
        second.compute()
        assert cells(stored) == [70.0] * 4


@pytest.mark.parametrize("in_memory", [False, True])
@pytest.mark.parametrize("overwrite", [False, True])
def test_a_new_array_is_replaced_by_a_sink_that_follows(tmp_path, in_memory, overwrite):
    store = zarr.storage.MemoryStore() if in_memory else tmp_path / "x"
    first = dt.to_zarr(
        dt.full(4, 7.0), store, overwrite=overwrite, compute=False, return_stored=True
    )
    second = dt.to_zarr(first * 2, store, **LATER)
    for _ in range(2):
        second.compute()
        assert cells(store) == [14.0] * 4
    assert not list(tmp_path.glob("*tapestry*"))


def test_a_chain_goes_on_where_it_failed(stored):
    first = dt.to_zarr(dt.from_zarr(stored) * 2, stored, **LATER)
    source = Failing()
    source.reads = 1
    failing = dt.from_zarr(stored) * 3 + dt.from_array(source).sum(axis=1)
    second = dt.to_zarr(failing, stored, **LATER, after=[first])
    with pytest.raises(OSError, match="on fire"):
        second.compute()
    assert cells(stored) in ([7.0] * 4, [14.0] * 4)  # before the first write, or after it
    source.reads = 0
    second.compute()
    assert cells(stored) == [44.0] * 4


def test_a_region_that_was_written_between_two_sinks_is_not_written_again(stored):
    first = dt.to_zarr(dt.from_zarr(stored) * 2, stored, **LATER)
    part = (slice(0, 2),)
    region = dt.to_zarr(dt.full(2, 1.0), stored, region=part, compute=False, after=[first])
    second = dt.to_zarr(dt.from_zarr(stored) * 3, stored, **LATER, after=[region])
    second.compute()
    assert cells(stored) == [3.0, 3.0, 42.0, 42.0]
    with pytest.raises(dt.StoreError, match="replaced by a later write"):
        second.compute()
    assert cells(stored) == [3.0, 3.0, 42.0, 42.0]


def test_a_region_is_written_again_before_a_sink_that_does_not_read_it(stored):
    part = (slice(0, 2),)
    region = dt.to_zarr(dt.full(2, 1.0), stored, region=part, compute=False)
    second = dt.to_zarr(dt.full(4, 5.0), stored, **LATER, after=[region])
    for _ in range(2):
        second.compute()
        assert cells(stored) == [5.0] * 4


def test_what_both_sinks_are_made_of_is_read_by_each(stored):
    x = dt.from_zarr(stored) * 2
    first = dt.to_zarr(x, stored, **LATER)
    second = dt.to_zarr(x * 3, stored, **LATER, after=[first])
    for _ in range(2):
        second.compute()
        assert cells(stored) == [84.0] * 4


def test_a_read_that_cannot_follow_a_sink_is_refused(stored):
    first = dt.to_zarr(dt.from_zarr(stored) * 2, stored, **LATER)
    x = dt.from_array(da.from_zarr(stored)) * 3
    with pytest.raises(dt.StoreError, match="read it with from_zarr"):
        dt.to_zarr(x, stored, **LATER, after=[first])


@pytest.mark.parametrize("reads", [False, True])
def test_tasks_done_again_when_another_sink_has_followed_change_nothing(tmp_path, reads):
    """Dask does a task again whose worker was lost."""
    dt.to_zarr(dt.full(4, 7.0), tmp_path / "x")
    x = dt.from_zarr(tmp_path / "x") if reads else dt.full(4, 7.0)
    first = dt.to_zarr(x * 2, tmp_path / "x", **LATER)
    second = dt.to_zarr(dt.ones(4), tmp_path / "x", **LATER, after=[first])
    box = first.node.type.box
    for effect, value in ((first, 14.0), (second, 1.0), (first, 14.0)):
        sink = effect.node.operator.for_run("a run")
        sink.prepare(effect.node.type, "a run")
        sink.write(box, np.full(4, value))
        sink.finish()
    assert cells(tmp_path / "x") == [1.0] * 4
    assert [path.name for path in tmp_path.iterdir()] == ["x"]


def test_a_new_array_behind_a_url_is_not_written_again_over_what_followed():
    first = dt.to_zarr(dt.full(4, 7.0), "memory://chain", compute=False)
    second = dt.to_zarr(dt.ones(4), "memory://chain", **LATER, after=[first])
    second.compute()
    with pytest.raises(dt.StoreError, match="replaced by a later write"):
        second.compute()
    assert dt.from_zarr("memory://chain").compute().tolist() == [1.0] * 4


@pytest.mark.cluster
def test_sinks_that_follow_one_another_on_a_cluster(tmp_path):
    dt.to_zarr(dt.full(40, 7.0), tmp_path / "x", chunks=(5,))
    first = dt.to_zarr(dt.from_zarr(tmp_path / "x") * 2, tmp_path / "x", **LATER)
    second = dt.to_zarr(dt.from_zarr(tmp_path / "x") * 3, tmp_path / "x", **LATER, after=[first])
    with Client(n_workers=2, threads_per_worker=1, dashboard_address=":0"):
        for _ in range(2):
            second.compute()
            assert cells(tmp_path / "x") == [42.0] * 40
