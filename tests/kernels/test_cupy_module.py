import sys
from types import ModuleType, SimpleNamespace

import pytest

from dask_tapestry_kernels.cupy_module import cupy_module, cupy_with_device
from dask_tapestry_kernels.device_error import UnusableDeviceError


class CUDARuntimeError(RuntimeError):
    pass


@pytest.fixture
def driver(monkeypatch):
    """What CuPy says of a driver; `count` is a number of devices, or an error."""
    said = SimpleNamespace(count=1, CUDARuntimeError=CUDARuntimeError)

    def count():
        if isinstance(said.count, Exception):
            raise said.count
        return said.count

    said.getDeviceCount = count
    said.runtimeGetVersion, said.driverGetVersion = lambda: 12090, lambda: 11080
    module = ModuleType("cupy")
    module.cuda = SimpleNamespace(runtime=said)
    monkeypatch.setitem(sys.modules, "cupy", module)
    return said


def test_a_device_that_is_there(driver):
    assert cupy_with_device() is cupy_with_device(0) is cupy_module()


def test_without_cupy(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(UnusableDeviceError, match=r"there is no CuPy .*dask_tapestry\[cuda\]"):
        cupy_module()


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "there is no CUDA device"),
        (CUDARuntimeError("cudaErrorNoDevice: none"), "there is no CUDA device: cudaErrorNoDevice"),
        (
            CUDARuntimeError("cudaErrorInsufficientDriver: too old"),
            r"driver of CUDA is too old, or not there: CuPy needs CUDA 12\.9, it has CUDA 11\.8",
        ),
    ],
)
def test_without_a_driver_or_a_device(driver, count, text):
    driver.count = count
    with pytest.raises(UnusableDeviceError, match=text):
        cupy_with_device()


def test_without_any_driver_no_version_is_invented(driver):
    driver.count, driver.driverGetVersion = CUDARuntimeError("cudaErrorInsufficientDriver"), int
    with pytest.raises(UnusableDeviceError, match="it has none"):
        cupy_with_device()


def test_a_device_of_another_number(driver):
    with pytest.raises(
        UnusableDeviceError, match="no device cuda:1: this process has cuda:0 alone"
    ):
        cupy_with_device(1)
