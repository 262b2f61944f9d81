"""A runtime of kernels that compiles their programs for some architectures, and runs none.

Its memory is NumPy's, and holds zeros. Kernels ask for the same programs as on a device.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any

import numpy as np

from dask_tapestry_kernels.cuda.jit import runtime, shipped_cubins
from dask_tapestry_kernels.cuda.jit.cubins import cubin_of
from dask_tapestry_kernels.cuda.jit.program import CudaProgram

Block = np.ndarray[Any, Any]


class CompilingRuntime:
    """What stands in for devices of some architectures, as 90 for ``sm_90``."""

    threads = runtime.CupyRuntime.threads
    processors = 132  # of a card; programs do not depend on it
    library = np  # whose functions have the names of CuPy's

    def __init__(self, architectures: Sequence[int], folder: Path | None = None) -> None:
        self.architectures, self.folder = tuple(architectures), folder

    def errors_of_matrices(self) -> AbstractContextManager[Any]:
        """Nothing: what is computed means nothing."""
        return nullcontext()

    def empty(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Block:
        """Zeros."""
        return np.zeros(shape, dtype)

    def in_order(self, block: Block) -> Block:
        """A block whose cells lie in C order."""
        return np.ascontiguousarray(block)

    def strided(self, block: Block, shape: Sequence[int], strides: Sequence[int]) -> Block:
        """A view of so many cells."""
        return np.lib.stride_tricks.as_strided(block, shape, strides)

    def to_host(self, block: Block) -> Block:
        """A copy."""
        return block.copy()

    def order_of(self, keys: Block) -> Block:
        """The order that sorts keys."""
        return np.argsort(keys, kind="stable")

    def true_places(self, mask: Block) -> Block:
        """Places of the true cells of a mask."""
        return np.flatnonzero(mask)

    def is_addressed_by_cells(self, block: Block) -> bool:
        """Whether places and strides of a block are whole numbers of cells."""
        return all(stride % block.itemsize == 0 for stride in block.strides)

    def launch(self, program: CudaProgram, blocks: int, arguments: Sequence[Any]) -> None:
        """Compile a program, and keep it on disk; nothing is run."""
        del blocks, arguments
        for sm in self.architectures:
            compiled = cubin_of(program, sm)
            if self.folder is not None:
                shipped_cubins.write(self.folder, program.source, sm, compiled)


@contextmanager
def compiling_for(architectures: Sequence[int], folder: Path | None = None) -> Iterator[None]:
    """Inside a ``with`` block, kernels of a GPU compile what they would launch.

    Parameters
    ----------
    architectures
        As 90 for ``sm_90``.
    folder
        Where what is compiled is put besides, for a package to bring.

    Raises
    ------
    DeviceError
        Where a kernel is called, if there is nothing that compiles for a GPU.
    """
    before = runtime.used()
    runtime.use(CompilingRuntime(architectures, folder))
    try:
        yield
    finally:
        runtime.use(before)
