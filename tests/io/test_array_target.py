import pickle
from threading import Lock, get_ident

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.io.array_target import ArrayTarget, array_target, object_target
from dask_tapestry.io.memmap_source import MappedTarget
from dask_tapestry.io.window import Window

CELLS = np.arange(24.0).reshape(4, 6)


class Recorded:
    """An object that is written to, and tells how."""

    def __init__(self, shape, dtype="f8", chunks=None):
        self.data = np.zeros(shape, dtype)
        self.shape, self.dtype, self.chunks = self.data.shape, self.data.dtype, chunks
        self.keys, self.inside, self.most = [], set(), 0

    def __setitem__(self, key, value):
        self.inside.add(get_ident())
        self.most = max(self.most, len(self.inside))
        self.keys.append(key)
        self.data[key] = value
        self.inside.discard(get_ident())

    def __getitem__(self, key):
        return self.data[key]


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
    target = array_target(np.zeros(3))
    with pytest.raises(dt.StoreError, match="no other can write"):
        pickle.dumps(target)
    assert "threaded scheduler" in target.local_only


def test_a_memory_map_travels(tmp_path):
    mapped = np.memmap(tmp_path / "x", "f8", "w+", shape=(4, 6))
    target = array_target(mapped)
    assert isinstance(target, MappedTarget)
    assert target.local_only is None
    pickle.loads(pickle.dumps(target)).write((slice(1, 3), slice(0, 6)), CELLS[1:3])
    np.testing.assert_array_equal(mapped[1:3], CELLS[1:3])
    in_memory = array_target(np.memmap(tmp_path / "x", "f8", "c", shape=(4, 6)))
    assert isinstance(in_memory, ArrayTarget)


def test_what_is_read_only_or_masked_is_refused():
    fixed = np.zeros(3)
    fixed.flags.writeable = False
    with pytest.raises(dt.StoreError, match="read only"):
        dt.store(dt.ones(3), fixed)
    with pytest.raises(dt.DTypeError, match="masked"):
        dt.store(dt.ones(3), np.ma.zeros(3))


def test_views_of_one_array_meet_where_they_share_memory():
    a = np.zeros(20)
    whole = Window.of((slice(None),), (10,), (1,))
    low, high, odd, even = map(array_target, (a[:10], a[10:], a[1::2], a[::2]))
    assert not low.meets(whole, high, whole)
    assert low.meets(whole, odd, whole)
    assert low.meets(whole, low, whole)
    assert not low.meets(Window.of((slice(0),), (10,), (1,)), low, whole)
    assert not odd.meets(whole, even, whole), "they share no cell"
    one = array_target(np.zeros(()))
    assert one.meets(Window.of((), (), ()), one, Window.of((), (), ()))


@pytest.mark.parametrize("lock", [True, Lock()])
def test_one_task_at_a_time_writes_to_an_object(lock):
    target = Recorded((40, 6))
    cells = np.arange(240.0).reshape(40, 6)
    with dt.config(block_bytes=48):
        dt.store(cells, target, lock=lock, num_workers=8)
    assert (target.most, len(target.keys) > 4) == (1, True)
    np.testing.assert_array_equal(target.data, cells)


def test_without_a_lock():
    target = Recorded((4, 6))
    assert object_target(target, False).lock is None
    dt.store(CELLS, target, lock=False)
    np.testing.assert_array_equal(target.data, CELLS)


def test_chunks_of_an_object_are_written_whole():
    target = Recorded((10, 6), chunks=(3, 4))
    cells = np.arange(60.0).reshape(10, 6)
    with dt.config(block_bytes=8):
        (x,) = dt.store(cells, target, return_stored=True)
    assert len(target.keys) == 8
    assert all(s.start % 3 == 0 and c.start % 4 == 0 for s, c in target.keys)
    np.testing.assert_array_equal(x.compute(), cells)


def test_an_object_that_can_be_written_to_only():
    class Sink:
        shape, dtype, sums = (4, 6), np.dtype("f8"), []

        def __setitem__(self, key, value):
            self.sums.append(value.sum())

    dt.store(CELLS, Sink())
    assert sum(Sink.sums) == CELLS.sum()
    with pytest.raises(dt.StoreError, match="cannot be read"):
        dt.store(CELLS, Sink(), return_stored=True)


@pytest.mark.parametrize("target", [{}, "x", [0, 0], 3, None])
def test_what_is_no_target(target):
    with pytest.raises(dt.DTypeError, match="is no target"):
        dt.store([CELLS], [target])


def test_what_reads_an_object_is_read_before_it_is_written():
    target = Recorded((4, 6))
    target[:] = CELLS
    with dt.config(block_bytes=64):
        dt.store(dt.from_array(target)[::-1], target)
    np.testing.assert_array_equal(target.data, CELLS[::-1])


@pytest.mark.parametrize("reads_mapped", [False, True])
@pytest.mark.parametrize("writes_mapped", [False, True])
def test_one_file_mapped_twice_is_one_place(tmp_path, reads_mapped, writes_mapped):
    np.save(tmp_path / "x.npy", CELLS)
    first, second = (np.load(tmp_path / "x.npy", mmap_mode="r+") for _ in range(2))
    source = first if reads_mapped else np.asarray(first)
    with dt.config(block_bytes=64):
        dt.store(dt.asarray(source)[::-1], second if writes_mapped else np.asarray(second))
    np.testing.assert_array_equal(second, CELLS[::-1])
