import numpy as np
import pytest

import dask_tapestry as dt


def test_there_and_back():
    x = np.arange(6.0).reshape(2, 3)
    assert np.array_equal(dt.from_dlpack(x).compute(), x)
    assert np.array_equal(np.from_dlpack(dt.asarray(x) + 1), x + 1)
    assert dt.ones(3).__dlpack_device__() == x.__dlpack_device__()


def test_copies():
    x = np.zeros(3)
    made, shared = dt.from_dlpack(x, copy=True), dt.from_dlpack(x)
    x[:] = 1
    assert made.compute().tolist() == [0, 0, 0]
    assert shared.compute().tolist() == [1, 1, 1]
    ours = dt.ones(3)
    assert dt.from_dlpack(ours) is ours
    assert dt.from_dlpack(ours, copy=True) is not ours


def test_memory_is_shared_where_it_is_asked_for():
    x = np.arange(3.0)
    ours = dt.asarray(x)
    assert np.shares_memory(np.from_dlpack(ours, copy=False), x)
    assert not np.shares_memory(np.from_dlpack(ours), x)
    assert np.from_dlpack(ours + 1, copy=False).tolist() == [1, 2, 3]
    ours.__dlpack__(copy=False, max_version=None)


def test_the_only_device():
    x = dt.ones(3)
    assert x.to_device(x.device) is x
    with pytest.raises(ValueError, match="Device"):
        x.to_device("gpu")
    with pytest.raises(ValueError, match="Device"):
        dt.from_dlpack(np.ones(2), device="gpu")
    with pytest.raises(TypeError, match="stream"):
        x.to_device("cpu", stream=1)


def test_results_on_a_device_are_handed_out_there(device_kernels):
    x = dt.ones(3, device="cuda:1")
    assert x.__dlpack_device__() == (2, 1)
    assert dt.ones(3, device="cuda").__dlpack_device__() == (2, 0)
    assert x.__dlpack__() == "capsule of a device"
