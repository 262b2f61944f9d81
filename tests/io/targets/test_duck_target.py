from threading import Lock, get_ident

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.io.targets.duck_target import duck_target

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
    assert duck_target(target, False).lock is None
    dt.store(CELLS, target, lock=False)
    np.testing.assert_array_equal(target.data, CELLS)


def test_chunks_of_an_object_are_written_whole():
    target = Recorded((10, 6), chunks=(3, 4))
    cells = np.arange(60.0).reshape(10, 6)
    with dt.config(block_bytes=8):
        x = dt.store(cells, target, return_stored=True)
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
    with pytest.raises(dt.DTypeError, match="is not a target"):
        dt.store([CELLS], [target])


def test_what_reads_an_object_is_read_before_it_is_written():
    target = Recorded((4, 6))
    target[:] = CELLS
    with dt.config(block_bytes=64):
        dt.store(dt.from_array(target)[::-1], target)
    np.testing.assert_array_equal(target.data, CELLS[::-1])
