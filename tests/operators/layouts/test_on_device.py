import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.layouts.on_device import on_device
from dask_tapestry_kernels.block_format import on_cuda
from tests.cupy_stand_in import transfers

CELLS = np.arange(12.0).reshape(3, 4)


def test_what_is_there_is_not_brought_again():
    host = dt.ones(3).node
    there = on_device(host, on_cuda())
    assert there.format == on_cuda()
    assert on_device(there, on_cuda()) is there
    assert on_device(host, None) is host
    assert on_device(there, None).format is None
    assert on_device(there, on_cuda(1)).format.device == "cuda:1"


def test_what_no_array_there_can_hold_is_refused():
    with pytest.raises(dt.DeviceError, match="no array on cuda can hold cells of <U1"):
        on_device(dt.asarray(["a"]).node, on_cuda())


def test_values_come_and_go(device_kernels):
    x = dt.asarray(CELLS).to_device("cuda")
    y = (x * 2).to_device("cpu") + 1
    assert y.device == "cpu"
    found = y.compute()
    assert type(found) is np.ndarray
    np.testing.assert_array_equal(found, CELLS * 2 + 1)
    assert device_kernels.called == ["map"]
    assert transfers == [("to device", CELLS.nbytes), ("to host", CELLS.nbytes)]


def test_only_what_is_asked_for_is_brought(device_kernels):
    dt.asarray(CELLS).to_device("cuda")[1:2].compute()
    assert transfers[0] == ("to device", CELLS[1:2].nbytes)


def test_a_root_on_a_device_is_an_array_there(device_kernels):
    found = dt.asarray(CELLS).to_device("cuda:1").compute()
    assert found.device.id == 1
    np.testing.assert_array_equal(found.get(), CELLS)
