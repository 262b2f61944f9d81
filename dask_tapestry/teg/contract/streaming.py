"""Streaming of an operator's block: piece by piece, so that a piece alone is in memory."""

from __future__ import annotations

from typing import Any

from dask_tapestry.teg.contract.cost import CostContract
from dask_tapestry.teg.turns import CELL_BY_CELL, Turns
from dask_tapestry.teg.types import Types


class StreamingContract(CostContract):
    """How a block may be cut further than into blocks.

    `dask_tapestry.steps` asks, for planner and workers alike. An operator whose kernel computes the
    same cells whatever else it is asked for says ``Turns()``, one that folds says how it splits,
    and one that runs along an axis what it carries; others say nothing.

    Class attributes
    ----------------
    runs_along
        Axis along which blocks are computed in order, each going on from the last; None for any.
    adds_to
        Of what adds parts to a block (`Split`): the cells of that block before.
    outermost
        Of the same: the axis of that block whose cells lie farthest apart in memory.
    """

    runs_along: int | None = None
    adds_to: Any = 0
    outermost: int = 0

    def granularity(self, inputs: Types) -> tuple[int, ...]:
        """Cells along each axis of the output that are computed together; 0 for all of an axis.

        Blocks end at multiples of it, or at the end of the axis. () where any cut will do.
        """
        return ()

    def turns(self, inputs: Types) -> Turns | None:
        """How its block may be computed piece by piece, so that a piece alone is in memory.

        None where the kernel must see the block that it is asked for.
        """
        return CELL_BY_CELL if self.transparent else None
