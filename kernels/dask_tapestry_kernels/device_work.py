"""A thread's work on a device: in a stream of its own, with memory that has a limit.

Streams of threads do not wait for each other: while one computes, another one brings cells. At the
end a thread waits for its own stream alone. So what a block hands on is there, nobody reads what it
has read any more, and errors are told where they came from.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from threading import Lock, local
from typing import Any

from dask_tapestry_kernels.cupy_module import cupy_with_device


class _ThreadStreams(local):
    """The streams of a thread, by the number of the device."""

    def __init__(self) -> None:
        self.streams: dict[int, Any] = {}


class _Pool:
    """The memory of devices that blocks take in this process."""

    def __init__(self, cupy: Any) -> None:
        self.cupy = cupy
        self.of_cupy = cupy.cuda.MemoryPool()
        self.limits: dict[int, int] = {}

    def limit(self, device: int, bytes: int | None) -> None:
        """Have it take so many bytes of the device that is used, and no more."""
        if self.limits.get(device) != bytes:
            self.of_cupy.set_limit(size=bytes or 0)  # 0: of all there is
            self.limits[device] = bytes or 0


_own = _ThreadStreams()
_lock = Lock()
_pools: list[_Pool] = []


@contextmanager
def at_work(number: int | None = None, limit: int | None = None) -> Iterator[None]:
    """Inside a ``with`` block, a thread uses a device in a stream of its own, with limited memory.

    Parameters
    ----------
    number
        Of the device; None for the one that this process uses by itself.
    limit
        Bytes that arrays which are made inside may take of the device, all threads' together.

    Raises
    ------
    UnusableDeviceError
        If there is no CuPy, no driver or no such device.
    """
    cupy = cupy_with_device(number)
    with ExitStack() as stack:
        if number is not None:
            stack.enter_context(cupy.cuda.Device(number))
        device = cupy.cuda.Device().id
        stream = stack.enter_context(_stream(cupy, device))
        stack.enter_context(cupy.cuda.using_allocator(_pool(cupy, device, limit).malloc))
        try:
            yield
        except BaseException:
            with suppress(Exception):  # the first error is the one to tell
                stream.synchronize()
            raise
        stream.synchronize()


def _stream(cupy: Any, device: int) -> Any:
    """The stream of this thread; after what the user began on CUDA's default stream, and before."""
    found = _own.streams.get(device)
    if found is None:
        found = _own.streams[device] = cupy.cuda.Stream()
    return found


def _pool(cupy: Any, device: int, limit: int | None) -> Any:
    with _lock:
        if not _pools or _pools[0].cupy is not cupy:
            _pools[:] = [_Pool(cupy)]
        _pools[0].limit(device, limit)
        return _pools[0].of_cupy
