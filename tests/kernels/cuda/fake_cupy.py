"""What kernels use of CuPy, on NumPy's memory: launches are written down and not run."""

import sys
from types import ModuleType, SimpleNamespace

import numpy as np

from dask_tapestry_kernels.cuda.jit import runtime


class Array(np.ndarray):
    """An array whose memory has an address, as CuPy's has."""

    @property
    def data(self):
        return SimpleNamespace(ptr=self.ctypes.data)


class CUDARuntimeError(RuntimeError):
    pass


def _at_address(shape, dtype, memptr, strides):
    """An array of memory that lies at an address."""
    cell = np.ctypeslib.ctypes.c_ubyte * np.dtype(dtype).itemsize
    first = np.frombuffer(cell.from_address(memptr.ptr), dtype)
    return np.lib.stride_tricks.as_strided(first, shape, strides).view(Array)


class FakeCupy:
    """The module `cupy` with so many devices of an architecture."""

    def __init__(self, devices=1, sm="90"):
        self.launches, self.loaded = [], []
        self.current = 0
        fake = self

        class Device:
            def __init__(self):
                self.id = fake.current
                self.compute_capability = sm
                self.attributes = {"MultiProcessorCount": 132}

        class Module:
            def load(self, code):
                assert isinstance(code, bytes)
                fake.loaded.append(code)

            def get_function(self, symbol):
                def launch(grid, block, arguments):
                    fake.launches.append((symbol, grid, block, arguments))

                return launch

        def count():
            if devices is None:
                raise CUDARuntimeError("cudaErrorInsufficientDriver")
            return devices

        self.module = ModuleType("cupy")
        self.module.cuda = SimpleNamespace(
            Device=Device,
            Module=Module,
            runtime=SimpleNamespace(getDeviceCount=count, CUDARuntimeError=CUDARuntimeError),
        )
        self.module.empty = lambda shape, dtype: np.empty(shape, dtype).view(Array)
        self.module.asnumpy = lambda x: np.array(x)
        self.module.flatnonzero = lambda x: np.flatnonzero(x).view(Array)
        self.module.argsort = lambda x: np.argsort(x, kind="stable").view(Array)
        self.module.broadcast_to = lambda x, shape: np.broadcast_to(x, shape, subok=True)
        self.module.ndarray = _at_address
        self.module.ascontiguousarray = lambda x: np.ascontiguousarray(x).view(Array)

    def install(self, monkeypatch):
        """Have this module imported as `cupy`, by a new runtime."""
        monkeypatch.setitem(sys.modules, "cupy", self.module)
        monkeypatch.setattr(runtime, "_runtimes", [])
        return self
