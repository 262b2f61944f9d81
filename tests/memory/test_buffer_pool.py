import os
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from types import SimpleNamespace
from weakref import finalize, ref

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.memory import buffer_pool as module
from dask_tapestry.memory import process_memory
from dask_tapestry.memory.buffer_pool import POOL, BufferPool, owned
from dask_tapestry.memory.fresh_memory import fresh_memory
from dask_tapestry.memory.tuning import ALIGNED_BYTES, SMALLEST_POOLED_BYTES

CELLS = SMALLEST_POOLED_BYTES // 8
FLOAT = np.dtype("f8")


@pytest.fixture
def memory():
    return BufferPool()


def whole(array):
    """Return the memory that `array` was lent."""
    lease = array.base
    while isinstance(lease, np.ndarray):
        lease = lease.base
    return lease._whole


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", ["f8", "u1", "M8[s]", "U3", "c16", "f4,i2"])
def test_an_array_of_a_shape_and_dtype(memory, dtype, order):
    found = memory.array((2, CELLS, 4), np.dtype(dtype), order)
    assert (found.shape, found.dtype) == ((2, CELLS, 4), np.dtype(dtype))
    assert found.flags.c_contiguous == (order == "C")
    assert found.flags.f_contiguous == (order == "F")
    assert found.flags.writeable
    assert found.ctypes.data % ALIGNED_BYTES == 0
    found[...] = np.zeros((), dtype)


@pytest.mark.parametrize("shape", [(), (3,), (0, CELLS), (CELLS - 1,)])
def test_small_arrays_are_left_to_numpy(memory, shape):
    assert memory.array(shape, FLOAT) is None


def test_arrays_of_objects_are_left_to_numpy(memory):
    assert memory.array((CELLS,), np.dtype("O")) is None


def test_two_arrays_are_apart(memory):
    first, second = (memory.array((CELLS,), FLOAT) for _ in range(2))
    assert not np.shares_memory(first, second)


def test_memory_is_used_again_when_the_last_view_is_gone(memory):
    first = memory.array((CELLS,), FLOAT)
    place, view = first.ctypes.data, first[5:]
    del first
    assert memory.kept_bytes == 0
    other = memory.array((CELLS,), FLOAT)
    assert other.ctypes.data != place
    view[:] = 1
    del view
    assert memory.kept_bytes > 0
    assert memory.array((CELLS,), FLOAT).ctypes.data == place


def test_memory_much_too_large_is_not_taken(memory):
    """Where what was let go is taken again by the allocator, only its size tells."""
    large = memory.array((100 * CELLS,), FLOAT)
    assert len(whole(large)) > 100 * SMALLEST_POOLED_BYTES
    del large
    assert len(whole(memory.array((CELLS,), FLOAT))) == SMALLEST_POOLED_BYTES + ALIGNED_BYTES


def test_keeping_raises_no_peak(memory):
    """What is kept goes when what is asked for would come on top of it."""
    first = memory.array((100 * CELLS,), FLOAT)
    del first
    kept = memory.kept_bytes
    second = memory.array((60 * CELLS,), FLOAT)
    assert memory.kept_bytes == 0 < kept
    del second
    assert 0 < memory.kept_bytes < kept


def test_only_so_much_is_kept(memory):
    with dt.config(kept_memory=3 * SMALLEST_POOLED_BYTES):
        lent = [memory.array((CELLS,), FLOAT) for _ in range(5)]
        lent.clear()
        assert 0 < memory.kept_bytes <= 3 * SMALLEST_POOLED_BYTES
    with dt.config(kept_memory=0):
        assert memory.kept_bytes == 0


def test_what_may_not_be_kept_goes_at_once(memory):
    """Not when the next array is asked for, which may be another job's."""
    with dt.config(kept_memory=0):
        lent = memory.array((CELLS,), FLOAT)
        gone = ref(whole(lent))
        del lent
        assert gone() is None


def test_what_returns_while_the_pool_is_in_use_goes_when_it_is_not(memory):
    with dt.config(kept_memory=0):
        lent = memory.array((CELLS,), FLOAT)
        gone = ref(whole(lent))
        with memory._lock:
            del lent  # as a garbage collection may, in the thread that has the lock
            assert gone() is not None
        assert memory.kept_bytes == 0
        assert gone() is None


def test_the_thread_that_cleans_is_woken(memory, monkeypatch):
    monkeypatch.setattr(module, "IDLE_SECONDS", 0.0)
    for _ in range(3):  # it waits again each time
        lent, cleaned = memory.array((CELLS,), FLOAT), Event()
        finalize(whole(lent), cleaned.set)
        del lent
        assert cleaned.wait(60)


def test_a_worker_keeps_a_tenth_of_its_memory(memory, monkeypatch):
    monkeypatch.setattr(process_memory, "_statm", lambda: (0, 0))
    worker = SimpleNamespace(
        memory_manager=SimpleNamespace(memory_limit=30 * SMALLEST_POOLED_BYTES)
    )
    with monkeypatch.context() as patch:
        module = SimpleNamespace(get_worker=lambda: worker)
        patch.setitem(sys.modules, "distributed.worker", module)
        lent = [memory.array((CELLS,), FLOAT) for _ in range(5)]
    lent.clear()  # in a thread that knows no worker
    assert 0 < memory.kept_bytes <= 3 * SMALLEST_POOLED_BYTES


def test_a_worker_that_is_nearly_full_lets_go_of_what_is_returned(memory, monkeypatch):
    limit = 1000 * SMALLEST_POOLED_BYTES
    memory._memory = limit
    lent = [memory.array((CELLS,), FLOAT) for _ in range(2)]
    monkeypatch.setattr(process_memory, "_statm", lambda: (limit, limit // 2))
    del lent[1]
    assert memory.kept_bytes > 0
    monkeypatch.setattr(process_memory, "_statm", lambda: (limit, limit))
    lent.clear()
    assert memory.kept_bytes == 0


def test_what_is_idle_goes_to_the_system(memory):
    memory.array((CELLS,), FLOAT)
    memory.clean(seconds=60.0)
    assert memory.kept_bytes > 0
    memory.clean()
    assert memory.kept_bytes == 0


def test_many_threads_take_and_return(memory):
    def work(number):
        for _ in range(50):
            mine = memory.array((CELLS,), FLOAT)
            mine[:] = number
            assert (mine == number).all()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    assert memory.kept_bytes > 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_forked_process_begins_without(memory):
    array = POOL.array((CELLS,), FLOAT)
    child = os.fork()
    if not child:
        del array
        os._exit(int(POOL.kept_bytes != 0 or POOL.array((CELLS,), FLOAT) is None))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_what_is_owned_keeps_nothing_else_alive(memory):
    whole = memory.array((CELLS,), FLOAT)
    assert owned(whole) is whole
    assert owned(whole[1:]) is not whole[1:]
    assert not np.shares_memory(owned(whole[1:]), whole)
    fixed = np.arange(3.0)
    fixed.flags.writeable = False
    assert owned(fixed).flags.writeable


def test_views_of_all_cells_are_owned_in_any_order_of_axes(memory):
    for whole in (np.zeros((4, 5, 6)), memory.array((40, 50, 60), FLOAT)):
        turned = np.moveaxis(whole, 0, 2)
        assert owned(turned) is turned
        assert not np.shares_memory(owned(whole[::-1]), whole)
    doubled = np.lib.stride_tricks.as_strided(np.zeros(8), (2, 2, 2), (8, 8, 40))
    assert owned(doubled) is not doubled


def test_results_never_change_after_they_are_made():
    """Blocks that are kept do not change when the next ones are computed."""
    x = dt.asarray(np.arange(4.0 * CELLS)).rechunk(CELLS)
    first = (x * 2 + 1).persist(scheduler="sync")
    value = np.asarray(first).copy()
    total = (x - x.mean()).std().persist(scheduler="sync")
    np.testing.assert_array_equal(first.compute(), value)
    assert total.compute() > 0
    np.testing.assert_array_equal(value, np.arange(4.0 * CELLS) * 2 + 1)


def test_a_result_that_is_gone_makes_room_for_the_next():
    x = dt.asarray(np.arange(4.0 * CELLS))
    first = (x * 2).compute()
    place, view = first.ctypes.data, first[::7]
    del first
    second = (x * 2).compute()
    assert second.ctypes.data != place
    np.testing.assert_array_equal(view, np.arange(0, 4.0 * CELLS, 7) * 2)
    del view
    third = (x * 3).compute()
    assert third.ctypes.data == place
    np.testing.assert_array_equal(second, np.arange(4.0 * CELLS) * 2)


def test_room_is_found_for_any_array(memory):
    assert memory.empty((3,), FLOAT).shape == (3,)
    lent = memory.empty((2, CELLS), FLOAT)
    assert lent.base is not None
    assert lent.shape == (2, CELLS)


def test_what_is_kept_goes_before_more_is_taken(memory, monkeypatch):
    size, seen = 64 * CELLS, []
    first = memory.empty((size,), FLOAT)
    del first
    assert memory.kept_bytes
    monkeypatch.setattr(
        module, "fresh_memory", lambda size: seen.append(memory._size()) or fresh_memory(size)
    )
    memory.empty((2 * size,), FLOAT)
    assert seen == [0]
