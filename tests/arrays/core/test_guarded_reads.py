import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.core.guarded_reads import guarded

CELLS = np.arange(12).reshape(3, 4)


class Source:
    """Cells that may be read while a lock is held alone."""

    shape, dtype, chunks = CELLS.shape, CELLS.dtype, (2, 2)

    def __init__(self, lock):
        self.lock = lock

    def __getitem__(self, key):
        assert self.lock.held
        return CELLS[key]


class Lock:
    held = False

    def __enter__(self):
        assert not self.held
        self.held = True

    def __exit__(self, *error):
        self.held = False


def test_reads_hold_the_lock():
    lock = Lock()
    x = dt.from_array(Source(lock), lock=lock)
    np.testing.assert_array_equal(x.compute(), CELLS)
    assert not lock.held


def test_without_a_lock_the_source_is_read_as_it_is():
    source = Source(Lock())
    assert guarded(source, False, None) is source
    assert guarded(CELLS, True, None) is CELLS


def test_true_makes_a_lock():
    class Plain:
        shape, dtype = CELLS.shape, CELLS.dtype

        def __getitem__(self, key):
            return CELLS[key]

    x = dt.from_array(Plain(), lock=True)
    np.testing.assert_array_equal(x[1:].compute(), CELLS[1:])


@pytest.mark.parametrize("box", [np.s_[:], np.s_[1:, ::2]])
def test_a_function_reads(box):
    x = dt.from_array(CELLS, chunks=2, getitem=lambda cells, key: cells[key] + 1)
    np.testing.assert_array_equal(x[box].compute(), CELLS[box] + 1)
