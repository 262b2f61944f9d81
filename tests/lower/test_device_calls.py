import sys

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry_kernels.device_error import UnusableDeviceError
from tests.comparisons import same_bits
from tests.cupy_stand_in import transfers

CELLS = np.arange(12.0).reshape(3, 4)


def test_what_a_device_lacks_is_computed_on_the_host(device_kernels):
    device_kernels.names = {"map"}
    x = dt.asarray(CELLS).to_device("cuda")
    found = (dt.cumsum(x + 1, axis=0) * 2).compute()
    np.testing.assert_array_equal(found.get(), np.cumsum(CELLS + 1, axis=0) * 2)
    assert set(device_kernels.called) == {"map"}
    assert [way for way, _ in transfers[:3]] == ["to device", "to host", "to device"]


def test_cells_that_a_kernel_refuses_are_computed_on_the_host(device_kernels):
    device_kernels.refused = (np.dtype("f4"),)
    x = dt.asarray(CELLS.astype("f4")).to_device("cuda")
    np.testing.assert_array_equal((x + 1).compute().get(), CELLS.astype("f4") + 1)
    assert not device_kernels.called


def test_cells_that_no_device_holds_come_to_the_host(device_kernels):
    x = dt.asarray(CELLS).to_device("cuda")
    y = x.astype("g")
    assert y.device == "cpu"
    np.testing.assert_array_equal(y.compute(), CELLS.astype("g"), strict=True)


def test_other_errors_say_where_they_come_from(device_kernels):
    x = dt.asarray([1, 2]).to_device("cuda")
    with pytest.raises(ValueError, match=r"Integers to negative integer powers.*\nwhile computing"):
        (x ** dt.asarray([-1, -1])).compute()


def test_without_cupy_an_error_names_the_operator(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(dt.DeviceError, match="there is no CuPy"):
        (dt.asarray(CELLS).to_device("cuda") + 1).compute()


def test_a_device_that_loads_no_kernel_is_not_the_hosts_work(device_kernels, monkeypatch):
    def fails(out, *blocks, **arguments):
        raise UnusableDeviceError("there is no ptxas")

    x = dt.asarray(CELLS).to_device("cuda")
    monkeypatch.setattr(type(device_kernels), "__getitem__", lambda table, name: fails)
    with pytest.raises(dt.DeviceError, match="there is no ptxas\nwhile computing elementwise"):
        (x + 1).compute()


@pytest.mark.parametrize("name", ["var", "argmin"])
def test_states_of_several_fields_are_made_on_the_device_and_merged_on_the_host(
    device_kernels, name
):
    cells = np.random.default_rng(0).normal(size=4_000_000)
    x, memory = dt.asarray(cells), {"memory": "1 GiB", "gpu_memory": "24 MiB"}
    expected = getattr(x * 2, name)().compute()
    folded = getattr(x.to_device("cuda") * 2, name)()
    with dt.config(resources=dt.Resources(workers=4, threads=1, gpus=1, local=True, **memory)):
        assert len(folded.plan().core.steps) == 2  # blocks, then their states
        transfers.clear()
        found = folded.compute()
    assert same_bits(found.get(), expected)
    assert [way for way, _ in transfers].count("to host") == 1  # of the value, for the test
    assert device_kernels.called.count("reduce") > 1
