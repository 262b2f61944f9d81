import sys

import numpy as np
import pytest

from dask_tapestry.cells import CellBuilder
from dask_tapestry_kernels.cuda import KERNELS
from dask_tapestry_kernels.cuda.jit import runtime
from dask_tapestry_kernels.cuda.jit.program import CudaProgram
from dask_tapestry_kernels.device_error import KernelDeviceError
from dask_tapestry_kernels.jit.object_cache import Compiled
from tests.kernels.cuda.fake_cupy import FakeCupy

F8 = np.dtype("f8")


@pytest.fixture
def cupy(monkeypatch):
    asked = []

    def cubin_of(program, sm):
        asked.append((program.what, sm))
        return Compiled("symbol", b"cubin")

    monkeypatch.setattr(runtime, "cubin_of", cubin_of)
    fake = FakeCupy().install(monkeypatch)
    fake.asked = asked
    return fake


def test_a_program_is_loaded_once_and_launched_on_addresses_and_numbers(cupy):
    gpu = runtime.runtime()
    x = gpu.empty((5, 3), F8)
    for _ in range(2):
        gpu.launch(CudaProgram("source", "what", 64), 7, [np.int64(15), x, np.float32(2)])
    assert cupy.asked == [("what", 90)]
    assert cupy.loaded == [b"cubin"]
    symbol, grid, block, arguments = cupy.launches[1]
    assert (symbol, grid, block) == ("symbol", (7,), (64,))
    assert arguments == (15, x.ctypes.data, 2)
    assert [type(a) for a in arguments] == [np.int64, np.uint64, np.float32]


def test_each_device_loads_its_own(cupy):
    gpu = runtime.runtime()
    for cupy.current in (0, 1, 0, 1):
        gpu.launch(CudaProgram("source", "what"), 1, [])
    assert len(cupy.loaded) == 2
    assert gpu.processors == 132


def test_a_formula_is_launched_on_what_it_reads_and_writes(cupy):
    gpu = runtime.runtime()
    x, y = gpu.empty((1000,), F8), gpu.empty((1000,), F8)
    builder = CellBuilder((F8, F8))
    expression = builder.finish(builder.call("add", (0, 1), F8))
    out = KERNELS["map"](None, x, y, expression=expression)
    ((_, grid, block, arguments),) = cupy.launches
    assert (grid, block) == ((4,), (256,))
    assert arguments == (1000, x.ctypes.data, y.ctypes.data, out.ctypes.data)


def test_arrays_between_cells_are_not_addressed_by_cells(cupy):
    gpu = runtime.runtime()
    records = gpu.empty((4,), np.dtype([("a", "u1"), ("b", "f8")]))
    assert not gpu.is_addressed_by_cells(records["b"])
    records["b"] = [1.5, 2.5, 3.5, 4.5]
    assert gpu.is_addressed_by_cells(gpu.in_order(records["b"]))
    assert gpu.in_order(records["b"]).tolist() == [1.5, 2.5, 3.5, 4.5]
    assert gpu.is_addressed_by_cells(gpu.empty((4,), F8)[::-2])


def test_no_cupy_is_an_error_that_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    monkeypatch.setattr(runtime, "_runtimes", [])
    with pytest.raises(KernelDeviceError, match=r"there is no CuPy .*dask_tapestry\[cuda\]"):
        runtime.runtime()


@pytest.mark.parametrize("devices", [None, 0])
def test_no_driver_and_no_device_are_errors(monkeypatch, devices):
    FakeCupy(devices).install(monkeypatch)
    with pytest.raises(
        KernelDeviceError, match=r"there is no CUDA device|driver of CUDA is too old"
    ):
        runtime.runtime()
