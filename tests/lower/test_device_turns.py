from threading import Barrier, Thread

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.lower import device_turns
from dask_tapestry.lower.device_turns import DeviceUse, on_a_device
from dask_tapestry_kernels.stopping import StoppedError, stoppable
from tests.cupy_stand_in import ndarray

pytestmark = pytest.mark.usefixtures("device_kernels")


def cupy_array(cells, number=0):
    return ndarray(np.ones(cells), number)


def use(devices=1, blocks=2, number=None, run="run"):
    return DeviceUse(run, number, devices, blocks, 2**30, "add")


def at_once(uses):
    """Begin blocks together; the device of each that has begun when all others wait."""
    inside, begun, release = [], Barrier(len(uses) + 1), Barrier(len(uses) + 1)

    def run(one):
        with device_turns._turn(one) as number:
            inside.append(number)
            begun.wait(20)
            release.wait(20)

    threads = [Thread(target=run, args=(one,), daemon=True) for one in uses]
    for thread in threads:
        thread.start()
    begun.wait(20)
    release.wait(20)
    for thread in threads:
        thread.join(20)
    return sorted(inside, key=str)


def test_two_blocks_have_a_device_at_a_time():
    assert at_once([use(), use()]) == [None, None]
    with device_turns._turn(use()), device_turns._turn(use()):
        third = Thread(target=lambda: at_once([use()]), daemon=True)
        third.start()
        third.join(0.3)
        assert third.is_alive()
    third.join(20)
    assert not third.is_alive()
    assert not device_turns._running


def test_blocks_go_to_the_device_that_has_fewest():
    assert at_once([use(2)] * 4) == [0, 0, 1, 1]
    assert at_once([use(2, number=1)] * 2) == [1, 1]


def test_a_block_takes_the_device_where_most_of_what_it_reads_lies():
    blocks = [cupy_array(1), cupy_array(3, number=1), np.ones(99)]
    assert device_turns._nearest(use(2), blocks) == 1
    assert device_turns._nearest(use(1), blocks) is None
    for near in (1, 1, 0, 1):
        with device_turns._turn(use(2), near) as number:
            assert number == near
    with device_turns._turn(use(2, blocks=1), 1), device_turns._turn(use(2, blocks=1), 1) as number:
        assert number == 0  # it need not wait


def test_blocks_of_another_compute_do_not_wait():
    with device_turns._turn(use(blocks=1)), device_turns._turn(use(blocks=1, run="inner")):
        pass


def test_a_block_that_waits_and_is_not_wanted_ends():
    with (
        device_turns._turn(use(blocks=1)),
        pytest.raises(StoppedError),
        stoppable(lambda: True),
        device_turns._turn(use(blocks=1)),
    ):
        pass


def test_errors_of_the_device_name_what_it_computed():
    text = r"no device cuda:7.*\nwhile a device computed add"
    with pytest.raises(dt.DeviceError, match=text), on_a_device(use(number=7)):
        pass


def test_errors_that_say_so_already_are_left_alone():
    with pytest.raises(dt.DeviceError, match=r"^mine$"), on_a_device(use()):
        raise dt.DeviceError("mine")


def test_the_host_takes_no_turns():
    with on_a_device(None):
        assert not device_turns._running
