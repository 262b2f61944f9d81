"""Cost of an operator's block: computing, memory and stores."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final

from dask_tapestry.teg.types import TensorType, Types
from dask_tapestry.zspace import ZRange

NO_COSTS: Final[Mapping[str, float]] = {}


class CostContract:
    """The amounts that a plan is priced by.

    The planner asks, of boxes by the thousand. An operator that computes says its `flops`, and one
    whose kernel needs memory beside its inputs and its block says `scratch_bytes`: what a block
    takes of memory is promised to users, and tests measure it.

    Class attributes
    ----------------
    transparent
        Each cell of the output costs little and reads few cells, so computing it twice is
        cheaper than keeping it: selectors, generators, cell expressions, sources.
    copies
        Its blocks take memory of their own: they are not views of its inputs.
    passes_alone
        But a block that is made of one input alone is what is read of that, as of joined values.
    """

    transparent: ClassVar[bool] = False
    copies: ClassVar[bool] = True
    passes_alone: ClassVar[bool] = False

    def flops(self, inputs: Types, box: ZRange) -> int:
        """Operations that computing the cells `box` of the output takes."""
        return 0

    def block_bytes(self, type_: TensorType, box: ZRange) -> int:
        """Bytes that the block of the cells `box` of the output, of `type_`, takes itself."""
        return box.size * type_.dtype.itemsize if self.copies else 0

    def scratch_bytes(self, inputs: Types, box: ZRange) -> int:
        """Bytes that its kernel takes for the cells `box`, besides what it reads and returns."""
        return 0

    def own_costs(self, inputs: Types, box: ZRange) -> Mapping[str, float]:
        """Amounts of the resources that a user has named, for the cells `box` of the output."""
        return NO_COSTS

    def asked_share(self, inputs: Types) -> float:
        """The most of a table's stored chunks that places ask for, if its kernel `reads_asked`."""
        return 1.0

    def stored_bytes(self, box: ZRange) -> int:
        """Bytes read from storage for `box`, as whole stored chunks; 0 for what is no source."""
        return 0
