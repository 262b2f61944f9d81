import sys
from functools import partial
from threading import Thread

import numpy as np
import pytest

from dask_tapestry_kernels import device_transfers
from dask_tapestry_kernels.device_transfers import to_device, to_host
from dask_tapestry_kernels.device_work import at_work
from tests.cupy_stand_in import pinned, transfers

RNG = np.random.default_rng(0)


@pytest.fixture(autouse=True)
def small_buffers(device_kernels, monkeypatch):
    monkeypatch.setattr(device_transfers, "BUFFER", 1024)
    monkeypatch.setattr(device_transfers, "LEAST_STAGED", 1)
    monkeypatch.setattr(device_transfers, "_ways", {})


CELLS = {
    "as large as a buffer": RNG.normal(size=128),
    "one more": RNG.normal(size=129),
    "many buffers": RNG.normal(size=(100, 77)),
    "transposed": RNG.normal(size=(40, 60)).T,
    "every third": RNG.normal(size=3000)[::3],
    "complex": RNG.normal(size=(50, 60)) + 1j,
    "bytes": RNG.integers(0, 256, 5000).astype("u1"),
    "flags": RNG.integers(0, 2, 5000).astype(bool),
    "other byte order": RNG.normal(size=1000).astype(">f8"),
    "halves": RNG.normal(size=999).astype("f2"),
    "none": np.empty((0, 3)),
    "one": np.asarray(3.5),
}


@pytest.mark.parametrize("name", CELLS)
def test_cells_are_the_same_there_and_back(name):
    given = CELLS[name]
    with at_work():
        there = to_device(given)
        assert type(there).__module__ == "cupy"
        assert (there.shape, there.dtype) == (given.shape, given.dtype.newbyteorder("="))
        back = to_host(there)
    assert type(back) is np.ndarray
    np.testing.assert_array_equal(back, given)
    assert max((size for _, size in transfers), default=0) <= 1024


def test_what_was_given_may_be_changed_at_once():
    given = RNG.normal(size=5000)
    wanted = given.copy()
    with at_work():
        there = to_device(given)
        given[:] = 0
        assert to_host(there).tobytes() == wanted.tobytes()


def test_views_on_a_device_come_in_their_order():
    given = RNG.normal(size=(60, 50))
    there = to_device(given)
    np.testing.assert_array_equal(to_host(there[::2, 3:40]), given[::2, 3:40])


def test_a_few_buffers_are_pinned_however_much_crosses():
    before = len(pinned)
    for size in (1000, 20_000):
        for _ in range(3):
            to_host(to_device(RNG.normal(size=size)))
    assert len(pinned) == before + 4  # two for each direction


def test_threads_that_cross_at_once_get_their_own_cells():
    given = [RNG.normal(size=20_000) for _ in range(6)]
    found = {}

    def cross(number):
        with at_work():
            for _ in range(5):
                found[number] = to_host(to_device(given[number]))

    threads = [Thread(target=partial(cross, number)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [found[number].tobytes() for number in range(6)] == [one.tobytes() for one in given]


def test_cells_of_another_device_come_from_there():
    cupy = sys.modules["cupy"]
    with cupy.cuda.Device(1):
        there = to_device(CELLS["many buffers"])
    assert there.device.id == 1
    np.testing.assert_array_equal(to_host(there), CELLS["many buffers"])


def test_few_cells_cross_at_once(monkeypatch):
    monkeypatch.setattr(device_transfers, "LEAST_STAGED", 2**20)
    there = to_device(CELLS["many buffers"])
    assert transfers == [("to device", 61_600)]
    assert to_host(there).tobytes() == CELLS["many buffers"].tobytes()
