import pickle

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.io.targets.memmap_target import MemmapTarget
from dask_tapestry.io.targets.numpy_target import NumpyTarget, numpy_target
from dask_tapestry.io.targets.write_region import WriteRegion

CELLS = np.arange(24.0).reshape(4, 6)


@pytest.mark.parametrize("order", ["C", "F"])
def test_a_numpy_array_of_any_layout(order):
    whole = np.asarray(np.zeros((8, 12)), order=order)
    dt.store(CELLS, whole[::-2, 1::2])
    np.testing.assert_array_equal(whole[::-2, 1::2], CELLS)
    assert not whole[:, ::2].any()
    swapped = np.zeros((4, 6), ">f8")
    dt.store(CELLS, swapped)
    np.testing.assert_array_equal(swapped, CELLS)


def test_memory_of_this_process_does_not_travel():
    target = numpy_target(np.zeros(3))
    with pytest.raises(dt.StoreError, match="no other can write"):
        pickle.dumps(target)
    assert "threaded scheduler" in target.local_only


def test_a_memory_map_travels(tmp_path):
    mapped = np.memmap(tmp_path / "x", "f8", "w+", shape=(4, 6))
    target = numpy_target(mapped)
    assert isinstance(target, MemmapTarget)
    assert target.local_only is None
    pickle.loads(pickle.dumps(target)).write((slice(1, 3), slice(0, 6)), CELLS[1:3])
    np.testing.assert_array_equal(mapped[1:3], CELLS[1:3])
    in_memory = numpy_target(np.memmap(tmp_path / "x", "f8", "c", shape=(4, 6)))
    assert isinstance(in_memory, NumpyTarget)


def test_what_is_read_only_or_masked_is_refused():
    fixed = np.zeros(3)
    fixed.flags.writeable = False
    with pytest.raises(dt.StoreError, match="read only"):
        dt.store(dt.ones(3), fixed)
    with pytest.raises(dt.DTypeError, match="masked"):
        dt.store(dt.ones(3), np.ma.zeros(3))


def test_views_of_one_array_meet_where_they_share_memory():
    a = np.zeros(20)
    whole = WriteRegion.of((slice(None),), (10,), (1,))
    low, high, odd, even = map(numpy_target, (a[:10], a[10:], a[1::2], a[::2]))
    assert not low.meets(whole, high, whole)
    assert low.meets(whole, odd, whole)
    assert low.meets(whole, low, whole)
    assert not low.meets(WriteRegion.of((slice(0),), (10,), (1,)), low, whole)
    assert not odd.meets(whole, even, whole), "they share no cell"
    one = numpy_target(np.zeros(()))
    assert one.meets(WriteRegion.of((), (), ()), one, WriteRegion.of((), (), ()))


@pytest.mark.parametrize("reads_mapped", [False, True])
@pytest.mark.parametrize("writes_mapped", [False, True])
def test_one_file_mapped_twice_is_one_place(tmp_path, reads_mapped, writes_mapped):
    np.save(tmp_path / "x.npy", CELLS)
    first, second = (np.load(tmp_path / "x.npy", mmap_mode="r+") for _ in range(2))
    source = first if reads_mapped else np.asarray(first)
    with dt.config(block_bytes=64):
        dt.store(dt.asarray(source)[::-1], second if writes_mapped else np.asarray(second))
    np.testing.assert_array_equal(second, CELLS[::-1])
