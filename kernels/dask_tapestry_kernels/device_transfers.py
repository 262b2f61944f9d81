"""Cells that cross the link between host and device, in parts through memory that is pinned.

A device copies by itself from and to pinned memory alone. Two buffers take turns: while the device
copies one, the other is filled or emptied. They are the only pinned memory, however large arrays
are, and have been decoded or computed anywhere.
"""

from __future__ import annotations

from contextlib import ExitStack
from threading import Lock
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cupy_module import cupy_module

Block = Any  # a CuPy array
Cells = np.ndarray[Any, Any]
BUFFER: Final = 2**23  # bytes: .3 ms of a link of 25 GB/s, against some 10 us that a copy begins in
LEAST_STAGED: Final = 2**20  # bytes; what is smaller CuPy copies at once


class _Buffer:
    """A buffer of pinned memory, and when the device has copied it."""

    def __init__(self, cupy: Any) -> None:
        self._memory = np.frombuffer(cupy.cuda.alloc_pinned_memory(BUFFER), np.uint8, BUFFER)
        self.copied = cupy.cuda.Event()

    def of(self, cells: Cells | Block) -> Cells:
        """The beginning of the buffer, for so many cells of this dtype."""
        return self._memory[: cells.size * cells.dtype.itemsize].view(cells.dtype)


class _Way:
    """Two buffers for one device and one direction, which a thread has at a time."""

    def __init__(self, cupy: Any) -> None:
        self.cupy, self.lock = cupy, Lock()
        self.buffers = _Buffer(cupy), _Buffer(cupy)


_ways: dict[tuple[str, int], _Way] = {}
_lock = Lock()


def to_device(cells: Cells) -> Block:
    """Cells of the host in an array on the device that is used; the copy may be under way still.

    What follows in this thread's stream follows the copy, and `cells` may be changed at once.
    """
    cupy = cupy_module()
    if cells.nbytes < LEAST_STAGED:
        return cupy.asarray(cells)
    source = np.ascontiguousarray(cells, cells.dtype.newbyteorder("=")).reshape(-1)
    device_cells = cupy.empty(cells.shape, source.dtype)
    target, stream = device_cells.reshape(-1), cupy.cuda.get_current_stream()
    parts = _parts(source)
    way = _way(cupy, "to device")
    with way.lock:
        for number, part in enumerate(parts):
            buffer = way.buffers[number % 2]
            buffer.copied.synchronize()
            staged = buffer.of(source[part])
            staged[...] = source[part]
            target[part].set(staged, stream=stream)
            buffer.copied.record(stream)
    return device_cells


def to_host(block: Block) -> Cells:
    """Cells of a device in an array of NumPy, when they are there."""
    if block.nbytes < LEAST_STAGED:
        found: Cells = block.get()
        return found
    cupy = cupy_module()
    with ExitStack() as stack:
        stack.enter_context(block.device)
        source = cupy.ascontiguousarray(block).reshape(-1)
        host_cells = np.empty(block.shape, block.dtype)
        target, stream = host_cells.reshape(-1), cupy.cuda.get_current_stream()
        way = _way(cupy, "to host")
        stack.enter_context(way.lock)
        before: tuple[_Buffer, slice] | None = None
        for number, part in enumerate(_parts(target)):
            buffer = way.buffers[number % 2]
            source[part].get(stream=stream, out=buffer.of(target[part]), blocking=False)
            buffer.copied.record(stream)
            _take(before, target)
            before = buffer, part
        _take(before, target)
    return host_cells


def _take(staged: tuple[_Buffer, slice] | None, target: Cells) -> None:
    """Have cells in their place that the device has copied to a buffer."""
    if staged is not None:
        buffer, part = staged
        buffer.copied.synchronize()
        target[part] = buffer.of(target[part])


def _parts(cells: Cells) -> list[slice]:
    """Cells side by side, as many as a buffer takes at a time."""
    most = BUFFER // cells.dtype.itemsize
    return [slice(at, min(at + most, cells.size)) for at in range(0, cells.size, most)]


def _way(cupy: Any, direction: str) -> _Way:
    key = direction, cupy.cuda.Device().id
    with _lock:
        found = _ways.get(key)
        if found is None or found.cupy is not cupy:
            found = _ways[key] = _Way(cupy)
        return found
