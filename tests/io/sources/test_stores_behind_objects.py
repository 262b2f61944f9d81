from functools import partial

import dask
import dask.array as da
import h5py
import numpy as np
import pytest
import xarray
import zarr

import dask_tapestry as dt
from dask_tapestry.io.sources import stores_behind_objects
from dask_tapestry.io.sources.hdf5_source import Hdf5Source
from dask_tapestry.io.sources.numpy_source import NumpySource
from dask_tapestry.io.sources.stores_behind_objects import sources_behind
from dask_tapestry.io.sources.zarr_source import ZarrSource

CELLS = np.arange(12.0)


class Wrapped:
    """An array-like that holds another one somewhere."""

    __slots__ = ("inner", "shape")
    dtype = np.dtype("f8")

    def __init__(self, inner, shape):
        self.inner, self.shape = inner, shape

    def __getitem__(self, key):
        return np.ones(self.shape)[key]


@pytest.fixture
def array(tmp_path):
    return zarr.create_array(tmp_path / "x", data=CELLS, chunks=(4,))


def found(x, kind):
    """Sources of a kind that an array reads through."""
    return [s for s in sources_behind(x.node.operator).sources if isinstance(s, kind)]


def wrappings(array):
    """Arrays that read another array, each in a way of its own."""

    def read(key=None):
        return array[...]

    return {
        "slots": dt.from_array(Wrapped(array, (12,))),
        "a list": dt.from_array(Wrapped([1, {"a": (array,)}], (12,))),
        "a function": dt.from_array(Wrapped(read, (12,))),
        "a part of a function": dt.from_array(Wrapped(partial(np.asarray, array), (12,))),
        "a method": dt.from_array(Wrapped(Wrapped(array, (12,)).__getitem__, (12,))),
        "dask.array": dt.from_array(da.from_array(array) + 1),
        "dask.array, inlined": dt.from_array(da.from_array(array, inline_array=True)[::2]),
        "delayed": dt.from_delayed(dask.delayed(np.sum)(array), (), "f8"),
        "our own": dt.from_array((dt.from_array(array).rechunk(5) + 1).to_dask_array()[1:]),
    }


WAYS = list(wrappings(CELLS))


@pytest.mark.parametrize("way", WAYS)
def test_a_zarr_array_is_seen(array, way):
    (source, *_) = found(wrappings(array)[way], ZarrSource)
    assert source.location.key == str(array.store.root)


@pytest.mark.parametrize("way", [way for way in WAYS if not way.startswith("dask.array")])
def test_an_array_in_memory_is_seen(way):
    assert any(
        np.may_share_memory(s.data, CELLS) for s in found(wrappings(CELLS)[way], NumpySource)
    )


def test_a_dataset_is_seen(tmp_path):
    with h5py.File(tmp_path / "x.h5", "w") as file:
        data = file.create_dataset("a", data=CELLS)
        assert found(dt.from_array(Wrapped(data, (12,))), Hdf5Source)[0].dataset == "/a"


def test_what_xarray_reads_lazily_is_seen(array, tmp_path):
    xarray.Dataset({"a": ("i", CELLS)}).to_zarr(tmp_path / "d", consolidated=False)
    with xarray.open_zarr(tmp_path / "d", chunks=None, consolidated=False) as data:
        (source, *_) = found(dt.from_array(data["a"]), ZarrSource)
    assert source.location.key == str(tmp_path / "d" / "a")


def test_what_holds_itself_comes_to_an_end():
    inner = []
    inner.append(inner)
    assert len(sources_behind(dt.from_array(Wrapped(inner, (12,))).node.operator).sources) == 1


def test_arrays_of_objects_are_found_too():
    x = dt.from_array(Wrapped(np.array([None]), (12,)))
    assert found(x, NumpySource)


def test_what_holds_too_much_counts_as_read(monkeypatch):
    """Where the search ends early, a value is computed before its place is written to."""
    monkeypatch.setattr(stores_behind_objects, "MOST_SEARCHED_OBJECTS", 20)
    store = zarr.storage.MemoryStore()
    stored = zarr.create_array(store, data=np.arange(12.0), chunks=(3,))
    d = da.concatenate([da.zeros(12, chunks=1), da.from_array(stored, chunks=3)])
    x = dt.from_dask_array(d)[12:][::-1]
    assert not sources_behind(dt.from_dask_array(d).node.operator).complete
    with dt.config(block_bytes=24):
        dt.store(x, stored, scheduler="sync")
    assert stored[...].tolist() == list(np.arange(12.0)[::-1])
