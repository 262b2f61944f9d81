"""Kernel of an operator's block, on any device: its name, its arguments and its formats."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final

import numpy as np

from dask_tapestry.teg.contract.naming import NamingContract
from dask_tapestry.teg.types import Types
from dask_tapestry.zspace import ZRange
from dask_tapestry_kernels.block_format import BlockFormat

NO_ARGUMENTS: Final[Mapping[str, Any]] = {}
Formats = tuple[BlockFormat | None, ...]  # of the inputs; None for NumPy's arrays


class KernelContract(NamingContract):
    """How a block is computed.

    Workers ask as they call a kernel, in `dask_tapestry.lower.instruction_call`, and the planner
    asks whether a result may be written where another block lies. Every operator says the name of
    its kernel, by which each device has one, and most say `arguments`; tests compare with
    `reference`.

    Class attributes
    ----------------
    kernel
        Name of the kernel, a key of ``kernels_of(device)`` of each device that has it.
    fills
        Its kernel writes its block into memory that it is given: a result's buffer, or used memory.
    in_place
        Its kernel may write its block over the one that it reads, if both are of the same cells.
    hands_over
        Its kernel may return memory that nobody else has, given some: a whole result is that block.
    aligned
        Its kernel copies cells that lie at no multiple of their size, as of blocks from a network.
    multithreaded
        Its kernel starts threads of its own, as BLAS does.
    any_cells
        Its kernel takes cells that lie outside of their arrays too: Python objects, `StringDType`.
    any_format
        Its kernel takes blocks in the arrays of other libraries too.
    made_in_parts
        Its block may be made part by part, each of a part of every box that the block reads.
    reads_cells
        Its kernel takes cells that are not read, or made, yet (`UnreadCells`), each input's once.
    reads_asked
        The same, and it reads of stored cells only those that its other inputs ask for.
    calls
        Its kernel hands blocks to a function, in whatever arrays it takes them.
    format
        What its blocks are held in, whatever it reads; None for NumPy's arrays.
    hands_fields
        Its structured cells may lie on a device, field by field: operators alone read them.
    sets_format
        Whether its output need not lie on the device where an input does.
    """

    kernel: ClassVar[str]
    fills: ClassVar[bool] = False
    in_place: ClassVar[bool] = False
    hands_over: ClassVar[bool] = False
    aligned: ClassVar[bool] = False
    multithreaded: bool = False
    any_cells: ClassVar[bool] = False
    any_format: bool = False
    made_in_parts: bool = False
    reads_cells: ClassVar[bool] = False
    reads_asked: ClassVar[bool] = False
    calls: ClassVar[bool] = False
    format: BlockFormat | None = None
    hands_fields: ClassVar[bool] = False
    sets_format: ClassVar[bool] = False

    def arguments(
        self,
        inputs: Types,
        box: ZRange,
        boxes: tuple[ZRange, ...],
    ) -> Mapping[str, Any]:
        """Keyword arguments of the kernel, whose blocks hold the cells `boxes` of the `pieces`."""
        return NO_ARGUMENTS

    def gathers(self, inputs: Types) -> int | None:
        """The axis along which the second input names lines of the first; None if it does not."""
        return None

    def lacking_on(self, device: str) -> str | None:
        """What a kind of device that has the kernel lacks beside it; None if nothing."""
        return None

    def format_of(self, inputs: Types, formats: Formats) -> BlockFormat | None:
        """What blocks of its output are held in, for inputs that are held in `formats`."""
        return self.format

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """The operator's meaning on whole NumPy arrays."""
        raise NotImplementedError(f"{self.name} has no NumPy equivalent")
