from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Lock

import pytest

from dask_tapestry.lower import blocks_one_by_one as module
from dask_tapestry.lower.blocks_one_by_one import one_by_one
from dask_tapestry_kernels.stopping import StoppedError, stoppable

THREADS, TIMES = 4, 50


def most_together(names):
    """How many threads were inside at a time, each under one of the names."""
    counting, inside, most = Lock(), 0, 0

    def many_times(name):
        nonlocal inside, most
        for _ in range(TIMES):
            with one_by_one(name):
                with counting:
                    inside += 1
                    most = max(most, inside)
                with counting:
                    inside -= 1

    with ThreadPoolExecutor(len(names)) as pool:
        list(pool.map(many_times, names))
    return most


def test_one_is_inside_at_a_time():
    assert most_together(["one"] * THREADS) == 1
    assert not module._turns


@pytest.mark.parametrize("names", [["", ""], ["one", "other"]])
def test_others_do_not_wait(names):
    """All are inside together, or the barrier breaks."""
    meeting = Barrier(len(names))

    def inside(name):
        with one_by_one(name):
            meeting.wait(60)

    with ThreadPoolExecutor(len(names)) as pool:
        list(pool.map(inside, names))


def test_who_waits_stops_if_it_is_not_wanted():
    def waits():
        with stoppable(lambda: True), one_by_one("one"):
            raise AssertionError("it was another's turn")

    with one_by_one("one"), ThreadPoolExecutor(1) as pool, pytest.raises(StoppedError):
        pool.submit(waits).result(60)
    assert not module._turns


def test_an_error_ends_a_turn():
    with pytest.raises(ValueError, match="mine"), one_by_one("one"):
        raise ValueError("mine")
    with one_by_one("one"):
        assert module._turns["one"].users == 1
