"""A stand-in for CuPy: arrays that wrap NumPy's and are no NumPy arrays, and a table of kernels.

It has the names of CuPy's that the library and its tests use, and refuses what CuPy refuses: an
array is never converted to NumPy's by itself, and none is written to or read by NumPy's. Copies
between host and device wait in their stream until somebody waits for them, so that who reads or
writes too early finds other cells; an array that another stream has not made yet is refused.
"""

import sys
import threading
import types
import weakref
from collections import Counter
from collections.abc import Mapping
from contextlib import contextmanager
from functools import partial
from math import inf

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry_kernels import cpu, devices
from dask_tapestry_kernels.composite_blocks import Collected
from dask_tapestry_kernels.device_error import KernelDeviceError
from dask_tapestry_kernels.field_blocks import FieldBlocks

REFUSED = "Implicit conversion to a NumPy array is not allowed. Please use `.get()`."


class _Current(threading.local):
    """What a thread uses: devices, streams of each and allocators, the last of each."""

    def __init__(self):
        self.devices, self.streams, self.allocators = [0], {}, []


current = _Current()
DEVICES = 2


class CUDARuntimeError(RuntimeError):
    """An error of CUDA itself."""


CUDARuntimeError.__module__ = "cupy_backends.cuda.api.runtime"


class OutOfMemoryError(MemoryError):
    """A pool has no memory left."""


OutOfMemoryError.__module__ = "cupy.cuda.memory"


class Device:
    """One of two devices, as `cupy.cuda.Device`."""

    def __init__(self, number=None):
        self.id = current.devices[-1] if number is None else int(number)
        if self.id >= DEVICES:
            raise CUDARuntimeError("cudaErrorInvalidDevice: invalid device ordinal")

    def __enter__(self):
        current.devices.append(self.id)
        return self

    def __exit__(self, *error):
        current.devices.pop()

    def synchronize(self):
        """Everything in the default stream; the others wait for their own."""
        DEFAULT[self.id].run()

    def __eq__(self, other):
        return self.id == other.id

    __hash__ = None


class Stream:
    """As `cupy.cuda.Stream`: copies wait until it is waited for, or what follows needs them."""

    def __init__(self, is_default=False):
        self.device, self.is_default, self.thread = Device().id, is_default, threading.get_ident()
        self.waiting, self.lock = [], threading.RLock()  # others wait for its events
        self.begun = self.done = 0  # operations

    def __enter__(self):
        assert not self.is_default
        current.streams.setdefault(self.device, []).append(self)
        return self

    def __exit__(self, *error):
        current.streams[self.device].pop()

    def put(self, copy):
        with self.lock:
            self.begun += 1
            self.waiting.append((self.begun, copy))

    def run(self, upto=None):
        with self.lock:
            upto = self.begun if upto is None else upto
            while self.waiting and self.waiting[0][0] <= upto:
                self.waiting.pop(0)[1]()
            self.done = max(self.done, upto)

    def computed(self):
        """Something was computed in it: what number it has."""
        with self.lock:
            self.begun += 1
            return self.begun

    def synchronize(self):
        synchronized.append(self)
        self.run()


synchronized = []  # streams that were waited for
DEFAULT = {number: Stream(is_default=True) for number in range(DEVICES)}


def get_current_stream():
    """The stream that a thread uses on its device."""
    return (current.streams.get(Device().id) or [DEFAULT[Device().id]])[-1]


class Event:
    """As `cupy.cuda.Event`: what a stream had to do when it was recorded."""

    def __init__(self):
        self.at = None

    def record(self, stream=None):
        stream = stream or get_current_stream()
        self.at = stream, stream.begun

    def synchronize(self):
        if self.at is not None:
            self.at[0].run(self.at[1])


class MemoryPool:
    """As `cupy.cuda.MemoryPool`: memory of each device, up to a limit."""

    def __init__(self):
        self.limits, self.used, self.most = {}, Counter(), Counter()

    def set_limit(self, size=None):
        self.limits[Device().id] = size

    def malloc(self, size):
        """Take so many bytes; what gives them back."""
        device, limit = Device().id, self.limits.get(Device().id) or inf
        if self.used[device] + size > limit:
            raise OutOfMemoryError(
                f"Out of memory allocating {size:,} bytes (allocated so far: "
                f"{self.used[device]:,} bytes, limit set to: {limit:,} bytes)."
            )
        self.used[device] += size
        self.most[device] = max(self.most[device], self.used[device])
        pools.append(self) if self not in pools else None
        return partial(self.used.subtract, {device: size})


pools = []  # of which memory was taken


@contextmanager
def using_allocator(allocator):
    """Arrays that this thread makes take their memory so."""
    current.allocators.append(allocator)
    try:
        yield
    finally:
        current.allocators.pop()


class ndarray:
    """An array on a device, as `cupy.ndarray`."""

    __array_priority__ = 100

    def __init__(self, cells, number=None):
        assert type(cells) is np.ndarray
        assert cells.dtype.kind in "biufc"
        assert cells.dtype.char not in "gG"
        self.number = current.devices[-1] if number is None else number
        if cells.base is None and current.allocators:
            with Device(self.number):
                weakref.finalize(cells, current.allocators[-1](cells.nbytes))
        self.memory = cells
        self.stream = get_current_stream()
        self.at = self.stream.computed()

    @property
    def cells(self):
        """The cells, for what is computed now: they must be there for the stream that is used."""
        here = get_current_stream()
        is_ordered = here is self.stream or here.is_default or self.stream.is_default
        assert is_ordered or self.stream.done >= self.at, "read before another stream has made it"
        self.stream.run(None if is_ordered else self.at)
        return self.memory

    shape = property(lambda self: self.memory.shape)
    dtype = property(lambda self: self.memory.dtype)
    ndim = property(lambda self: self.memory.ndim)
    size = property(lambda self: self.memory.size)
    nbytes = property(lambda self: self.memory.nbytes)
    itemsize = property(lambda self: self.memory.itemsize)
    strides = property(lambda self: self.memory.strides)
    flags = property(lambda self: self.memory.flags)
    device = property(lambda self: Device(self.number))

    def get(self, stream=None, out=None, blocking=True):
        transfers.append(("to host", self.nbytes))
        if blocking:
            return self.cells.copy()
        assert (out.shape, out.dtype) == (self.shape, self.dtype)
        assert self.memory.flags.c_contiguous
        assert out.flags.c_contiguous
        assert is_pinned(out)
        stream.put(partial(np.copyto, out, self.memory))
        return out

    def set(self, cells, stream):
        transfers.append(("to device", self.nbytes))
        assert (cells.shape, cells.dtype) == (self.shape, self.dtype)
        assert self.memory.flags.c_contiguous
        assert is_pinned(cells)
        stream.put(partial(np.copyto, self.memory, cells))

    def reshape(self, *shape):
        return self._view(self.memory.reshape(*shape))

    def _view(self, memory):
        """An array over the same memory, which is there when this is."""
        return ndarray(memory, self.number)

    def transpose(self, *order):
        return self._view(self.memory.transpose(*order))

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
        if not all(isinstance(one, ndarray | np.generic | bool | int | float) for one in inputs):
            return NotImplemented
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
pinned = []  # memory that devices copy by themselves


def alloc_pinned_memory(size):
    """Memory that a device copies by itself."""
    pinned.append(np.zeros(size, np.uint8))
    return pinned[-1]


def is_pinned(cells):
    return any(np.shares_memory(cells, one) for one in pinned) or not cells.size


def ascontiguousarray(array):
    """The array, or a copy in C order."""
    if array.memory.flags.c_contiguous:
        return array
    return ndarray(np.ascontiguousarray(array.cells), array.number)


def asarray(cells):
    """Cells on the current device."""
    if isinstance(cells, ndarray):
        return cells
    cells = np.asarray(cells)
    transfers.append(("to device", cells.nbytes))
    return ndarray(np.array(cells))


def zeros(shape, dtype=float):
    """Zeros."""
    return ndarray(np.zeros(shape, dtype))


def empty(shape, dtype=float):
    """Cells that nobody has written: NaN, or the largest number."""
    cells = np.empty(shape, dtype)
    cells.reshape(-1).view(np.uint8)[...] = 255
    return ndarray(cells)


def arrays_of(block):
    """The arrays that a block is made of."""
    return list(block.held) if isinstance(block, Collected) else [block]


def cells_of(block):
    """A block on a device as the CPU's kernels take it."""
    if isinstance(block, FieldBlocks):
        return block.map(cells_of).structured()
    return block.map(cells_of) if isinstance(block, Collected) else block.cells


def lying(made, number):
    """What a kernel of the CPU's has made, as it lies on a device."""
    if isinstance(made, Collected):
        return made.map(lambda one: lying(one, number))
    if isinstance(made, np.ndarray | np.generic) and made.dtype.names:
        return FieldBlocks.of(np.asarray(made)).map(lambda one: lying(one, number))
    plain = isinstance(made, np.ndarray | np.generic) and made.dtype.kind in "biufc"
    return ndarray(np.asarray(made), number) if plain else made


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
            arrays = [one for block in blocks for one in arrays_of(block)]
            assert all(isinstance(one, ndarray) for one in arrays), (name, blocks)
            assert len({one.number for one in arrays}) < 2
            if any(one.dtype in self.refused for one in arrays):
                raise KernelDeviceError(f"kernel {name}: no such cells")
            self.called.append(name)
            made = cpu.KERNELS[name](None, *map(cells_of, blocks), **arguments)
            number = arrays[0].number if arrays else None
            return lying(made, number)

        return kernel

    def __iter__(self):
        return iter(self.names)

    def __len__(self):
        return len(self.names)


def stand_in():
    """The module that is imported by the name of CuPy's."""
    module = types.ModuleType("cupy")
    for one in (ndarray, asarray, ascontiguousarray, empty, zeros):
        one.__module__ = "cupy"
        setattr(module, one.__name__, one)
    of_cuda = (Device, Event, MemoryPool, Stream, alloc_pinned_memory, get_current_stream)
    named = {one.__name__: one for one in (*of_cuda, using_allocator)}
    runtime = types.SimpleNamespace(
        getDeviceCount=lambda: DEVICES, CUDARuntimeError=CUDARuntimeError
    )
    memory = types.SimpleNamespace(OutOfMemoryError=OutOfMemoryError)
    module.cuda = types.SimpleNamespace(**named, runtime=runtime, memory=memory)
    return module


@pytest.fixture
def device_kernels(monkeypatch):
    """CuPy and a device with all kernels of the CPU's; what it returns is the table.

    Plans leave to the device what is its: the host would do such small work in less time.
    """
    table = DeviceKernels()
    monkeypatch.setitem(sys.modules, "cupy", stand_in())
    monkeypatch.setitem(devices.TABLES, "cuda", table)
    for kept in (transfers, synchronized, pools):
        kept.clear()
    with dt.config(host_parts=False):
        yield table
