import os
import threading

import pytest

from dask_tapestry.thread_map import side_by_side


def test_results_come_in_the_order_of_the_calls():
    assert side_by_side([lambda n=n: n * n for n in range(50)], threads=4) == [
        n * n for n in range(50)
    ]
    assert side_by_side([], threads=4) == []


def test_calls_are_made_by_several_threads():
    meet = threading.Barrier(2)

    def call():
        meet.wait(timeout=60)
        return threading.get_ident()

    assert len(set(side_by_side([call, call], threads=2))) == 2


def test_one_thread_is_the_callers():
    own = threading.get_ident()
    assert side_by_side([threading.get_ident] * 5, threads=1) == [own] * 5


def test_an_error_ends_it():
    made = []

    def fail():
        made.append(1)
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        side_by_side([fail, *[lambda: made.append(2)] * 100], threads=1)
    assert made == [1]


def test_calls_may_make_calls():
    """More of them at a time than there are helpers, which would wait for each other for ever."""

    def outer(number):
        return sum(side_by_side([lambda n=n: n + number for n in range(8)], threads=4))

    found = side_by_side([lambda n=n: outer(n) for n in range(40)], threads=16)
    assert found == [28 + 8 * n for n in range(40)]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system forks no processes")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_child_has_helpers_of_its_own():
    side_by_side([lambda: 1] * 4, threads=4)
    child = os.fork()
    if not child:
        os._exit(0 if side_by_side([lambda: 2] * 8, threads=4) == [2] * 8 else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_an_error_has_the_others_stopped():
    stopped = threading.Event()

    def fails():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        side_by_side([fails, lambda: stopped.wait(60)], 2, stopped.set)
    assert stopped.is_set()
