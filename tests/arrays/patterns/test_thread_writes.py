import numpy as np

import dask_tapestry as dt
from dask_tapestry.arrays.patterns.foreach_thread import foreach_thread
from dask_tapestry.arrays.patterns.thread_events import signal, wait


def test_cells_that_are_scattered_leave_what_the_same_threads_write_elsewhere():
    target, at = np.zeros(8, int), dt.asarray([7, 5, 6])

    def body(i):
        (place,) = dt.extract_slice(at, [i], [1])
        dt.subview(target, [i], [1])[...] = i + 1
        dt.subview(target, [place], [1])[...] = 10 * i + 10

    foreach_thread(body, 3).compute()
    assert target.tolist() == [1, 2, 3, 0, 0, 20, 30, 10]


def test_scattered_cells_of_several_turns_and_pieces():
    target, at = np.zeros(8, int), dt.asarray([7, 5, 6, 7, 0])

    def body(i):
        wait(0, when=i == 3)
        signal(0, when=i < 3)
        (place,) = dt.extract_slice(at, [i], [1])
        dt.subview(target, [place], [1])[...] = 10 * i + 10

    foreach_thread(body, 5).compute()
    assert target.tolist() == [50, 0, 0, 0, 0, 20, 30, 40]


def test_no_threads_write_nothing():
    target = np.zeros(3)

    def body(i):
        wait(1)
        dt.subview(target, [i], [1])[...] = 1.0

    foreach_thread(body, 0).compute()
    assert not target.any()
