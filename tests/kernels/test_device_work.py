import sys
from threading import Thread

import pytest

from dask_tapestry_kernels.device_error import UnusableDeviceError
from dask_tapestry_kernels.device_work import at_work
from tests.cupy_stand_in import CUDARuntimeError, OutOfMemoryError, pools, synchronized

pytestmark = pytest.mark.usefixtures("device_kernels")


def cupy():
    return sys.modules["cupy"]


def streams(times):
    found = []
    for _ in range(times):
        with at_work():
            found.append(cupy().cuda.get_current_stream())
    return found


def test_a_thread_has_one_stream_and_waits_for_it():
    first, again = streams(2)
    assert first is again
    assert synchronized == [first, first]
    others = []
    thread = Thread(target=lambda: others.extend(streams(1)))
    thread.start()
    thread.join()
    assert others[0] is not first


def test_each_device_has_its_own_stream():
    (first,) = streams(1)
    with at_work(1):
        assert cupy().cuda.Device().id == 1
        assert cupy().cuda.get_current_stream() is not first
    assert cupy().cuda.Device().id == 0


def test_memory_has_a_limit_that_all_threads_share():
    with at_work(None, 1000):
        kept = cupy().empty(100)
        with pytest.raises(OutOfMemoryError, match=r"allocating 400 bytes .*limit set to: 1,000"):
            cupy().empty(50)
    del kept
    with at_work(None, 1000):
        kept = cupy().empty(125)
    with at_work(None, 1200):  # another plan has more
        cupy().empty(25)
    (pool,) = pools
    assert (pool.most[0], pool.used[0]) == (1200, 1000)
    del kept


def test_arrays_of_the_user_take_no_memory_of_blocks():
    cupy().empty(1000)
    assert not pools


def test_an_error_is_the_one_that_was_raised_first(monkeypatch):
    (stream,) = streams(1)

    def fails():
        raise CUDARuntimeError("cudaErrorIllegalAddress")

    monkeypatch.setattr(stream, "synchronize", fails)
    with pytest.raises(KeyError), at_work():
        raise KeyError
    with pytest.raises(CUDARuntimeError, match="IllegalAddress"), at_work():
        pass


def test_a_device_that_is_not_there_is_told_with_those_that_are():
    text = "no device cuda:2: this process has cuda:0 to"
    with pytest.raises(UnusableDeviceError, match=text), at_work(2):
        pass
