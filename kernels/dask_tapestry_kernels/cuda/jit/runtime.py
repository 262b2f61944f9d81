"""The runtime of a GPU: memory for kernels, and programs launched.

Kernels say this in words of their own and not in CuPy's, so that tests can run the same kernels in
a simulator. CuPy is imported when the first kernel runs, and nothing else of CUDA's.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from importlib import import_module
from threading import Lock
from typing import Any, Final, Protocol

import numpy as np

from dask_tapestry_kernels.cuda.jit.cubins import cubin_of
from dask_tapestry_kernels.cuda.jit.program import CudaProgram
from dask_tapestry_kernels.cupy_module import cupy_with_device

Block = Any  # a CuPy array
BLOCKS: Final = 16  # of threads for each multiprocessor: enough to hide memory behind


class Runtime(Protocol):
    """A GPU, or what stands in for one."""

    threads: int  #: of a block, where a program does not say otherwise

    @property
    def processors(self) -> int:
        """Multiprocessors."""

    @property
    def library(self) -> Any:
        """CuPy, whose functions call NVIDIA's libraries."""

    def errors_of_matrices(self) -> AbstractContextManager[Any]:
        """A context in which functions of matrices look whether they could be computed."""

    def empty(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Block:
        """Memory that is not cleared."""

    def in_order(self, block: Block) -> Block:
        """A block whose cells lie in C order: itself, or a copy."""

    def strided(self, block: Block, shape: Sequence[int], strides: Sequence[int]) -> Block:
        """The cells so many bytes behind the first one of a block: a view."""

    def to_host(self, block: Block) -> np.ndarray[Any, Any]:
        """A copy of a block on the host."""

    def order_of(self, keys: Block) -> Block:
        """The order that sorts keys of one dimension, int64; equal ones stay in theirs."""

    def true_places(self, mask: Block) -> Block:
        """Places of the true cells of a mask of one dimension, int64, in order."""

    def is_addressed_by_cells(self, block: Block) -> bool:
        """Whether places and strides of a block are whole numbers of cells."""

    def launch(self, program: CudaProgram, blocks: int, arguments: Sequence[Any]) -> None:
        """Run a program on so many blocks of threads; arguments are memory and NumPy's scalars."""


class CupyRuntime:
    """The current device of CuPy.

    Raises
    ------
    DeviceError
        If there is no CuPy, no driver or no device.
    """

    threads = 256

    def __init__(self) -> None:
        self._cupy = cupy_with_device()
        self._functions: dict[tuple[str, int], Any] = {}
        self._lock = Lock()
        self._properties: dict[int, tuple[int, int]] = {}

    @property
    def processors(self) -> int:
        """Multiprocessors of the current device."""
        return self._device()[1]

    @property
    def library(self) -> Any:
        """CuPy."""
        return self._cupy

    def errors_of_matrices(self) -> AbstractContextManager[Any]:
        """CuPy's state in which it waits for cuSOLVER's answer; without, it returns anything."""
        context: AbstractContextManager[Any] = import_module("cupyx").errstate(linalg="raise")
        return context

    def _device(self) -> tuple[int, int]:
        """Architecture and number of multiprocessors of the current device."""
        device = self._cupy.cuda.Device()
        found = self._properties.get(device.id)
        if found is None:
            count = int(device.attributes["MultiProcessorCount"])
            found = self._properties[device.id] = int(device.compute_capability), count
        return found

    def empty(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Block:
        """An array of CuPy that is not cleared."""
        return self._cupy.empty(shape, dtype)

    def in_order(self, block: Block) -> Block:
        """The array, or a copy in C order; what lies between cells is copied byte by byte."""
        if self.is_addressed_by_cells(block):
            return self._cupy.ascontiguousarray(block)
        shape, strides = (*block.shape, block.itemsize), (*block.strides, 1)
        single = self._cupy.ndarray(shape, np.uint8, memptr=block.data, strides=strides)
        return self._cupy.ascontiguousarray(single).view(block.dtype).reshape(block.shape)

    def strided(self, block: Block, shape: Sequence[int], strides: Sequence[int]) -> Block:
        """The cells so many bytes behind the first one of an array: a view."""
        memory, dtype = block.data, block.dtype
        return self._cupy.ndarray(tuple(shape), dtype, memptr=memory, strides=tuple(strides))

    def to_host(self, block: Block) -> np.ndarray[Any, Any]:
        """The array as one of NumPy."""
        copied: np.ndarray[Any, Any] = self._cupy.asnumpy(block)
        return copied

    def order_of(self, keys: Block) -> Block:
        """The order that sorts keys, by CuPy's stable sort."""
        return self._cupy.argsort(keys)

    def true_places(self, mask: Block) -> Block:
        """Places of the true cells of a mask, by CuPy, which waits for the device."""
        return self._cupy.flatnonzero(mask)

    def is_addressed_by_cells(self, block: Block) -> bool:
        """Whether the array's address and strides are multiples of the size of its cells."""
        size = block.itemsize
        size = size // 2 if block.dtype.kind == "c" else size
        return block.data.ptr % size == 0 and all(s % block.itemsize == 0 for s in block.strides)

    def launch(self, program: CudaProgram, blocks: int, arguments: Sequence[Any]) -> None:
        """Launch on the current stream of CuPy; nothing waits for it."""
        function = self._function(program)
        given = tuple([_argument(argument) for argument in arguments])
        function((blocks,), (program.threads or self.threads,), given)

    def _function(self, program: CudaProgram) -> Any:
        """The loaded kernel of a program; modules stay loaded as long as this process runs."""
        device = self._cupy.cuda.Device().id
        function = self._functions.get((program.source, device))
        if function is not None:
            return function
        cubin = cubin_of(program, self._device()[0])
        with self._lock:
            function = self._functions.get((program.source, device))
            if function is None:
                module = self._cupy.cuda.Module()
                module.load(cubin.code)
                function = module.get_function(cubin.symbol)
                self._functions[program.source, device] = function
            return function


def _argument(argument: Any) -> Any:
    """An argument as CuPy hands it over: of memory its address."""
    return argument if isinstance(argument, np.generic) else np.uint64(argument.data.ptr)


_runtimes: list[Runtime] = []


def runtime() -> Runtime:
    """The runtime of this process.

    Raises
    ------
    DeviceError
        If there is no CuPy or no device.
    """
    if not _runtimes:
        use(CupyRuntime())
    return _runtimes[-1]


def use(other: Runtime | None) -> None:
    """Have the kernels of this process run by another runtime from here on; None for CuPy's."""
    _runtimes[:] = [] if other is None else [other]


def used() -> Runtime | None:
    """The runtime of this process, if there was need of one."""
    return _runtimes[-1] if _runtimes else None


def blocks_for(work: int, gpu: Runtime, at_once: int | None = None) -> int:
    """Blocks of threads that share so many items of work, each taking some in turn.

    Parameters
    ----------
    work
        Number of items.
    gpu
        What they run on.
    at_once
        Items that a block takes at a time; None for one a thread.
    """
    return max(1, min(-(-work // (at_once or gpu.threads)), gpu.processors * BLOCKS))
