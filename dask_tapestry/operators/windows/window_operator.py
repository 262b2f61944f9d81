"""Operators of windows: each cell of the result is made of one window of the operand's cells.

The operand has the cells that windows need beyond its ends already: where they come from is a
matter of selectors, as `pad` has them. So every window is whole, and where the first cell of one
lies is affine in the cell that it makes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import prod
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from dask_tapestry.errors import ShapeError
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.teg import (
    BlockOperator,
    IndexDim,
    Progression,
    Region,
    Signature,
    TensorType,
)
from dask_tapestry.teg.operator import Restriction, Types
from dask_tapestry.teg.turns import CELL_BY_CELL, Turns
from dask_tapestry.zspace import IndexProjection, ZRange


@dataclass(frozen=True)
class WindowOperator(BlockOperator):
    """Cell o of the result is made of the cells ``steps * o + e``, ``0 <= e < window``.

    Source: Tapestry whitepaper, "Sharding Convolution Operators".

    Attributes
    ----------
    window
        Cells of a window along each axis.
    steps
        Cells from one window to the next along each axis.
    dtype
        Of the result.
    """

    transparent = True
    is_window = True
    window: tuple[int, ...]
    steps: tuple[int, ...]
    dtype: np.dtype[Any]

    def infer(self, *inputs: TensorType) -> TensorType:
        (x,) = inputs
        if x.ndim != len(self.window) or any(
            n and n < w for n, w in zip(x.shape, self.window, strict=True)
        ):
            raise ShapeError(f"windows of {self.window} do not fit {x}")
        ways = zip(x.shape, self.window, self.steps, strict=True)
        shape = tuple([max(0, (n - w) // step + 1) for n, w, step in ways])
        return TensorType(shape, self.dtype, x.dims)

    def signature(self, *inputs: TensorType) -> Signature:
        shape, rank = self.infer(*inputs).shape, len(self.window)
        rows = [[self.steps[a] * (a == axis) for a in range(rank)] for axis in range(rank)]
        reads = IndexProjection(rows, (0,) * rank, self.window, in_ndim=rank)
        index = tuple([IndexDim(f"i{axis}", n) for axis, n in enumerate(shape)])
        return Signature(index, (reads,), (IndexProjection.identity(rank),))

    def turns(self, inputs: Types) -> Turns:
        return CELL_BY_CELL

    def restrict(self, inputs: Types, region: Region) -> Restriction | None:
        """The windows of a part of the result, further apart where cells are left out."""
        if not all(p.count for p in region):
            return None
        steps = [own * p.step for own, p in zip(self.steps, region, strict=True)]
        part = replace(self, steps=tuple(steps))
        ways = zip(self.steps, steps, self.window, region, strict=True)
        reads = [
            Progression(own * p.start, 1, step * (p.count - 1) + w) for own, step, w, p in ways
        ]
        return Restriction(part, (Region(reads),), region)

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        return {"window": self.window, "steps": self.steps, "shape": box.shape, "dtype": self.dtype}

    def text(self) -> str:
        apart = f", steps={self.steps}" if any(step != 1 for step in self.steps) else ""
        return f"{' x '.join(map(str, self.window))}{self._what()}{apart}"

    def _what(self) -> str:
        """What it makes of a window, as graphs print it."""
        return ""

    def cells(self) -> int:
        """Cells of a window."""
        return prod(self.window)

    def windows(self, x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """The windows of an array as further axes, for what an operator means."""
        if not x.size:
            return np.empty((*self.infer(TensorType(x.shape, x.dtype)).shape, *self.window))
        every = sliding_window_view(x, self.window)
        return every[tuple([slice(None, None, step) for step in self.steps])]

    def cells_at(self, x: np.ndarray[Any, Any], place: tuple[int, ...]) -> np.ndarray[Any, Any]:
        """The cell at one place of each window of an array."""
        index: Any = (..., *place)
        found: np.ndarray[Any, Any] = self.windows(x)[index]
        return found
