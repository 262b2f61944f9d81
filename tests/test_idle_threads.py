"""Idle threads help those that compute blocks."""

import os
import threading

import pytest

from dask_tapestry.idle_threads import busy_thread, by_idle_threads, waiting_thread


def threads_of(calls, together=1):
    """The threads that have made so many calls, none of which ends before two are under way."""
    found, meet = [], threading.Barrier(2)

    def call():
        found.append(threading.get_ident())
        meet.wait(60)

    by_idle_threads([call] * calls, together)
    return found


def alone(calls=6):
    found = []

    def call():
        found.append(threading.get_ident())
        threading.Event().wait(0.01)

    by_idle_threads([call] * calls)
    return set(found) == {threading.get_ident()}


def test_an_idle_thread_helps():
    with busy_thread(2):
        assert len(set(threads_of(8))) == 2
        assert len(threads_of(8, together=2)) == 8


def test_no_thread_helps_where_none_is_known_or_idle():
    assert alone()
    with busy_thread(1):
        assert alone()
    with busy_thread(2), busy_thread(2):
        assert alone()
        with waiting_thread():
            assert len(set(threads_of(4))) == 2
        assert alone()
    with busy_thread(8):
        assert alone(1)


def test_no_more_threads_help_than_there_are():
    running, most, lock = [0], [0], threading.Lock()

    def call():
        with lock:
            running[0] += 1
            most[0] = max(most[0], running[0])
        threading.Event().wait(0.001)
        with lock:
            running[0] -= 1

    with busy_thread(3):
        by_idle_threads([call] * 60)
    assert most[0] <= 3


def test_a_helper_leaves_once_all_threads_are_busy():
    """A second block begins in the first call of a helper, which makes no other one."""
    own, first, began = threading.get_ident(), threading.Event(), threading.Event()
    made = []

    def call():
        made.append(threading.get_ident())
        if threading.get_ident() == own:
            assert first.wait(60)
        elif not began.is_set():
            other.__enter__()
            began.set()
            first.set()

    other = busy_thread(2)
    with busy_thread(2):
        try:
            by_idle_threads([call] * 20)
        finally:
            other.__exit__(None, None, None)
    assert len(made) == 20
    assert sum(one != own for one in made) == 1


@pytest.mark.parametrize("threads", [1, 4])
def test_the_first_call_that_fails_says_so(threads):
    def fail(number):
        raise ValueError(str(number))

    calls = [lambda: None, *[lambda n=n: fail(n) for n in range(1, 9)]]
    with busy_thread(threads):
        for _ in range(20):
            with pytest.raises(ValueError, match=r"^1$"):
                by_idle_threads(calls)


@pytest.mark.parametrize("threads", [1, 4])
def test_calls_that_failed_are_mended_by_the_thread_that_wants_them(threads):
    mended = {}

    def mend(number, error):
        mended[number] = threading.get_ident(), str(error)

    def fail():
        raise ValueError("no")

    with busy_thread(threads):
        by_idle_threads([fail, lambda: None] * 10, mend=mend)
    assert mended == dict.fromkeys(range(0, 20, 2), (threading.get_ident(), "no"))


def test_an_interrupt_ends_it_wherever_it_comes():
    own, meet = threading.get_ident(), threading.Barrier(2)

    def call():
        meet.wait(60)
        if threading.get_ident() != own:
            raise KeyboardInterrupt

    with busy_thread(2):
        with pytest.raises(KeyboardInterrupt):
            by_idle_threads([call] * 2)
        assert len(set(threads_of(8))) == 2


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system forks no processes")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_child_has_none_of_the_blocks_that_ran():
    with busy_thread(2), busy_thread(2):
        child = os.fork()
        if not child:
            with busy_thread(2):
                os._exit(0 if len(set(threads_of(8))) == 2 else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
