"""A pool of buffers: memory of results and intermediate arrays that nobody holds, used again.

Fresh memory comes page by page, each cleared by the system, and takes as long as what is computed
into it: 118 MB of bytes become float32 in 41 ms in fresh memory and in 22 in used memory (two
cores; the row `image` of docs/benchmarks.md and docs/machine.md). So arrays from here give their
memory back when they and all views of them are gone, and the next ones take it. What nobody takes
goes to the system after `IDLE_SECONDS`. Memory kept and lent together never exceeds what was lent
at one time: keeping raises no peak.
"""

from __future__ import annotations

import os
from math import prod
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from time import monotonic, sleep
from typing import Any, Final, Literal, NamedTuple

import numpy as np

from dask_tapestry.memory.fresh_memory import fresh_memory
from dask_tapestry.memory.process_memory import keepable_bytes, process_memory
from dask_tapestry.memory.tuning import (
    ALIGNED_BYTES,
    IDLE_SECONDS,
    SMALLEST_POOLED_BYTES,
    SPARE_BYTES,
)
from dask_tapestry_kernels.composite_blocks import Collected

Block = np.ndarray[Any, Any]


class _KeptBuffer(NamedTuple):
    whole: Block
    since: float


class _Lease:
    """Owns the memory of an array; returns it to the pool when the last view is gone."""

    __slots__ = ("__array_interface__", "_pool", "_returned", "_whole", "size")

    def __init__(self, whole: Block, size: int, pool: BufferPool) -> None:
        self._whole, self.size, self._pool = whole, size, pool
        self._returned = pool.returned  # a process that was forked has another one
        start = -whole.ctypes.data % ALIGNED_BYTES
        self.__array_interface__ = whole[
            start : len(whole) - ALIGNED_BYTES + start
        ].__array_interface__

    def __del__(self) -> None:
        self._returned.put(_KeptBuffer(self._whole, monotonic()))
        del self._whole  # or it is alive while the pool lets go of it
        self._pool.settle()


class BufferPool:
    """Memory that arrays of this process take by turns."""

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """Start with no memory, as in a process that was just forked."""
        self._lock = Lock()
        self._kept: list[_KeptBuffer] = []  # the longest kept first
        self._lent = 0  # bytes
        self._most = 0  # bytes lent at one time, of late
        self._memory = process_memory()  # least that was found
        self._cleans = False  # whether there is a thread that does
        # A lease may end inside a garbage collection at any point, also where this thread has the
        # lock: it waits for nothing, and who has the lock does what it could not.
        self.returned: SimpleQueue[_KeptBuffer] = SimpleQueue()
        self._woken: SimpleQueue[None] = SimpleQueue()  # what the thread that cleans waits for

    def array(
        self, shape: tuple[int, ...], dtype: np.dtype[Any], order: Literal["C", "F"] = "C"
    ) -> Block | None:
        """Return an array with arbitrary cells; None where a fresh one does as well."""
        size = prod(shape) * dtype.itemsize
        if size < SMALLEST_POOLED_BYTES or dtype.hasobject:
            return None
        cells = np.asarray(_Lease(self._take(size + ALIGNED_BYTES), size, self))
        return cells[:size].view(dtype).reshape(shape, order=order)

    def empty(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Block:
        """Return an array with arbitrary cells, in used memory where that is quicker."""
        used = self.array(shape, dtype)
        return np.empty(shape, dtype) if used is None else used

    @property
    def kept_bytes(self) -> int:
        """Bytes that are kept for whoever asks next."""
        with self._lock:
            self._count()
            size = self._size()
        self.settle()
        return size

    def clean(self, seconds: float = 0.0) -> None:
        """Give memory that was kept for `seconds` back to the system."""
        with self._lock:
            self._count()
            now = monotonic()
            self._kept = [kept for kept in self._kept if now - kept.since < seconds]
            self._most = self._lent + self._size()
        self.settle()

    def settle(self) -> None:
        """Let go of what was returned and may not be kept, unless somebody has the lock."""
        while not self.returned.empty() and self._lock.acquire(blocking=False):
            try:
                self._count()
            finally:
                self._lock.release()

    def _take(self, size: int) -> Block:
        spare = max(size // 8, SPARE_BYTES)
        with self._lock:
            self._count()
            sizes = {
                len(kept.whole): number  # of the last kept, whose cells may still be in a cache
                for number, kept in enumerate(self._kept)
                if 0 <= len(kept.whole) - size <= spare
            }
            whole = self._kept.pop(sizes[min(sizes)]).whole if sizes else None
            self._lent += size if whole is None else len(whole)
            self._most = max(self._most, self._lent)
            self._keep(self._most - self._lent)  # before more is taken
            self._have_cleaned()
        self.settle()
        return fresh_memory(size) if whole is None else whole

    def _count(self) -> None:
        """Move what was returned to what is kept."""
        while True:
            try:
                back = self.returned.get_nowait()
            except Empty:
                break
            self._lent = max(0, self._lent - len(back.whole))
            self._kept.append(back)
            del back
        self._keep(min(self._most - self._lent, self._allowed()))
        if self._kept and self._woken.empty():
            self._woken.put(None)

    def _allowed(self) -> int:
        """Bytes that may be kept; only threads that run tasks know the limit of their worker."""
        self._memory = min(self._memory, process_memory())
        return keepable_bytes(self._memory, self._size())

    def _size(self) -> int:
        return sum(len(kept.whole) for kept in self._kept)

    def _keep(self, most: int) -> None:
        """Keep `most` bytes, and let go what was kept the longest."""
        surplus = self._size() - most
        while surplus > 0:
            surplus -= len(self._kept.pop(0).whole)

    def _have_cleaned(self) -> None:
        if not self._cleans:
            try:
                Thread(target=self._clean_by_turns, daemon=True, name="tapestry-memory").start()
            except RuntimeError:  # too many threads, or the interpreter is ending
                return
            self._cleans = True

    def _clean_by_turns(self) -> None:
        """Clean while anything is kept, then wait until something is."""
        while True:
            self._woken.get()
            while self.kept_bytes:
                sleep(IDLE_SECONDS)
                self.clean(IDLE_SECONDS)


def owned(block: Any) -> Any:
    """Return `block` as an array that may be written to and keeps only its own cells alive.

    Of collected arrays, each as such an array.
    """
    if isinstance(block, Collected):
        return block.keeping(owned)
    root = block
    while isinstance(root.base, np.ndarray):
        root = root.base
    lease = root.base
    size = lease.size if isinstance(lease, _Lease) else root.nbytes if lease is None else -1
    whole = block.nbytes == size and (block is root or _is_dense(block))
    return block if whole and block.flags.writeable else np.array(block, order="C")


def _is_dense(block: np.ndarray[Any, Any]) -> bool:
    """Whether no two cells overlap and none is left out, in whichever order the axes are."""
    run = block.itemsize
    for step, n in sorted(zip(block.strides, block.shape, strict=True)):
        if n != 1:
            if step != run:
                return False
            run *= n
    return True


POOL: Final = BufferPool()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=POOL.begin)
