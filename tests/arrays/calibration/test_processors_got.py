from threading import Event, Thread

import numpy as np
from dask.system import CPU_COUNT

from dask_tapestry.arrays.calibration.processors_got import processors_got


def test_it_is_a_part():
    assert 0 < processors_got() <= 1


def test_beside_other_work_it_is_less():
    ended = Event()

    def work():
        cells = np.ones(2**15)
        while not ended.is_set():
            np.sqrt(cells, out=cells)

    others = [Thread(target=work) for _ in range(3 * CPU_COUNT)]
    for thread in others:
        thread.start()
    try:
        assert processors_got() < 0.6  # a quarter, if all are treated alike
    finally:
        ended.set()
        for thread in others:
            thread.join()
