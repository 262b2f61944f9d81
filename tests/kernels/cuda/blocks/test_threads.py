import numpy as np
import pytest

from dask_tapestry_kernels.cuda import KERNELS
from dask_tapestry_kernels.cuda.jit import runtime
from dask_tapestry_kernels.device_error import KernelDeviceError
from dask_tapestry_kernels.output_blocks import OutputAxis, OutputShape
from tests.kernels.cuda.fake_cupy import FakeCupy

F8 = np.dtype("f8")


class Function:
    """A function of a user whose body says what it does on a device."""

    def __init__(self, made):
        self.function, self.thread_body, self.made, self.ids = self, self, made, (0,)

    def on_device(self, kernels, gpu, *blocks):
        assert set(kernels) == set(KERNELS)
        assert gpu is kernels
        return self.made


@pytest.fixture(autouse=True)
def cupy(monkeypatch):
    return FakeCupy().install(monkeypatch)


def test_the_cells_that_are_wanted_are_kept():
    made = runtime.runtime().empty((4, 3), F8)
    told = {"shape": (4, 3), "keep": (slice(1, 3), slice(0, 3)), "dtype": F8}
    kept = KERNELS["threads"](None, function=Function(made), **told)
    assert kept.ctypes.data == made[1:].ctypes.data
    assert kept.shape == (2, 3)


def test_another_dtype_than_was_declared_is_the_hosts_to_refuse():
    made = runtime.runtime().empty((4,), np.dtype("f4"))
    told = {"shape": (4,), "keep": (slice(4),), "dtype": F8}
    with pytest.raises(KernelDeviceError, match="kernel threads: float32"):
        KERNELS["threads"](None, function=Function(made), **told)


SIDES = (OutputAxis(0, 2), OutputAxis(None, 3))


def test_results_that_are_outputs_are_kept():
    made = [runtime.runtime().empty(shape, F8) for shape in ((4,), (8, 3))]
    pairs = OutputShape("pairs", F8, SIDES)
    told = {"points": (4,), "outputs": (pairs,), "numbers": (1,), "returned": 2}
    found = KERNELS["threadoutputs"](None, function=Function(made), **told)
    assert found.shape == (4,)
    assert found["pairs"] is made[1]


@pytest.mark.parametrize(("shape", "returned"), [((8, 2), 1), ((8, 3), 2)])
def test_other_results_than_were_declared_are_the_hosts_to_refuse(shape, returned):
    made = [runtime.runtime().empty(shape, F8)]
    pairs = OutputShape("pairs", F8, SIDES)
    told = {"points": (4,), "outputs": (pairs,), "numbers": (0,), "returned": returned}
    with pytest.raises(KernelDeviceError, match=r"kernel threads: float64 of .* for pairs"):
        KERNELS["threadoutputs"](None, function=Function(made), **told)
