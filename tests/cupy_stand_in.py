"""A stand-in for CuPy: arrays that wrap NumPy's and are no NumPy arrays, and a table of kernels.

It has the names of CuPy's that the library and its tests use, and refuses what CuPy refuses: an
array is never converted to NumPy's by itself, and none is written to or read by NumPy's.
"""

import sys
import types
from collections.abc import Mapping

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry_kernels import cpu, devices
from dask_tapestry_kernels.device_error import KernelDeviceError

REFUSED = "Implicit conversion to a NumPy array is not allowed. Please use `.get()`."


current = [0]  # numbers of devices, the one that is used last


class Device:
    """One of two devices, as `cupy.cuda.Device`."""

    def __init__(self, number=None):
        self.id = current[-1] if number is None else int(number)
        if self.id > 1:
            raise RuntimeError("cudaErrorInvalidDevice: invalid device ordinal")

    def __enter__(self):
        current.append(self.id)
        return self

    def __exit__(self, *error):
        current.pop()

    def __eq__(self, other):
        return self.id == other.id

    __hash__ = None


class ndarray:
    """An array on a device, as `cupy.ndarray`."""

    __array_priority__ = 100

    def __init__(self, cells, number=None):
        assert type(cells) is np.ndarray
        assert cells.dtype.kind in "biufc"
        assert cells.dtype.char not in "gG"
        self.cells = cells
        self.number = current[-1] if number is None else number

    shape = property(lambda self: self.cells.shape)
    dtype = property(lambda self: self.cells.dtype)
    ndim = property(lambda self: self.cells.ndim)
    size = property(lambda self: self.cells.size)
    nbytes = property(lambda self: self.cells.nbytes)
    itemsize = property(lambda self: self.cells.itemsize)
    strides = property(lambda self: self.cells.strides)
    device = property(lambda self: Device(self.number))

    def get(self):
        transfers.append(("to host", self.nbytes))
        return self.cells.copy()

    def tolist(self):
        return self.cells.tolist()

    def item(self):
        return self.cells.item()

    def copy(self):
        return ndarray(self.cells.copy())  # on the current device

    def astype(self, dtype):
        return ndarray(self.cells.astype(dtype), self.number)

    def __len__(self):
        return len(self.cells)

    def __getitem__(self, key):
        return ndarray(np.asarray(self.cells[key]), self.number)

    def __setitem__(self, key, value):
        if isinstance(value, np.ndarray):
            raise TypeError(f"Unsupported type {type(value)}")
        self.cells[key] = value.cells if isinstance(value, ndarray) else value

    def __array__(self, dtype=None, copy=None):
        raise TypeError(REFUSED)

    def __array_ufunc__(self, ufunc, method, *inputs, **told):
        if any(type(one) is np.ndarray for one in inputs):
            raise TypeError(f"Unsupported type {np.ndarray}")
        plain = [one.cells if isinstance(one, ndarray) else one for one in inputs]
        return ndarray(np.asarray(getattr(ufunc, method)(*plain, **told)), self.number)

    def __add__(self, other):
        return np.add(self, other)

    def __mul__(self, other):
        return np.multiply(self, other)

    __rmul__ = __mul__

    def __dlpack__(self, *, stream=None, max_version=None):
        return "capsule of a device"

    def __dlpack_device__(self):
        return 2, self.number

    def __reduce__(self):
        return asarray, (self.cells,)


transfers = []  # what went over the link: way and bytes


def asarray(cells):
    """Cells on the current device."""
    if isinstance(cells, ndarray):
        return cells
    cells = np.asarray(cells)
    transfers.append(("to device", cells.nbytes))
    return ndarray(np.array(cells))


def empty(shape, dtype=float):
    """Cells that nobody has written: NaN, or the largest number."""
    cells = np.empty(shape, dtype)
    cells.view(np.uint8)[...] = 255 if cells.ndim else 0
    return ndarray(cells)


class DeviceKernels(Mapping):
    """Kernels that compute as the CPU's do, on blocks that must be on one device.

    `refused` are dtypes that they take no cells of, as a kernel says when it is called.
    """

    def __init__(self, names=None, refused=()):
        self.names = set(cpu.KERNELS) if names is None else set(names)
        self.refused = refused
        self.called = []

    def __getitem__(self, name):
        if name not in self.names:
            raise KeyError(name)

        def kernel(out, *blocks, **arguments):
            assert all(isinstance(block, ndarray) for block in blocks), (name, blocks)
            assert len({block.number for block in blocks}) < 2
            if any(block.dtype in self.refused for block in blocks):
                raise KernelDeviceError(f"kernel {name}: no such cells")
            self.called.append(name)
            cells = [block.cells for block in blocks]
            made = cpu.KERNELS[name](None, *cells, **arguments)
            plain = isinstance(made, np.ndarray | np.generic) and made.dtype.kind in "biufc"
            number = blocks[0].number if blocks else None
            return ndarray(np.asarray(made), number) if plain else made

        return kernel

    def __iter__(self):
        return iter(self.names)

    def __len__(self):
        return len(self.names)


def stand_in():
    """The module that is imported by the name of CuPy's."""
    module = types.ModuleType("cupy")
    for one in (ndarray, asarray, empty):
        one.__module__ = "cupy"
        setattr(module, one.__name__, one)
    module.cuda = types.SimpleNamespace(Device=Device)
    return module


@pytest.fixture
def device_kernels(monkeypatch):
    """CuPy and a device with all kernels of the CPU's; what it returns is the table.

    Plans leave to the device what is its: the host would do such small work in less time.
    """
    table = DeviceKernels()
    monkeypatch.setitem(sys.modules, "cupy", stand_in())
    monkeypatch.setitem(devices.TABLES, "cuda", table)
    transfers.clear()
    with dt.config(host_parts=False):
        yield table
