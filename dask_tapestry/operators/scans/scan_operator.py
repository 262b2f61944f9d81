"""ScanOperator: what the operators of a scan share, and the one that computes it in pieces.

`scan` has the others, and says in which order they combine cells.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.teg import (
    CELL_BY_CELL,
    BlockOperator,
    IndexDim,
    Kind,
    Signature,
    TensorType,
    Turns,
)
from dask_tapestry.teg.operator import Types
from dask_tapestry.teg.regularity import ANYWHERE, Regular, Regularity
from dask_tapestry.zspace import IndexProjection, ZRange


@dataclass(frozen=True)
class ScanOperator(BlockOperator):
    """What the operators of a scan share: the ufunc `function` combines cells along `axis`.

    Attributes
    ----------
    dtype, state
        Dtypes of the values and of the totals.
    """

    any_cells = True
    function: str
    axis: int
    leaf: int
    dtype: np.dtype[Any]
    state: np.dtype[Any]

    def flops(self, inputs: Types, box: ZRange) -> int:
        return self.demand(inputs, box)[0].size

    def turns(self, inputs: Types) -> Turns:
        return CELL_BY_CELL

    def text(self) -> str:
        return f"{self.function}, axis={self.axis}"

    def _with_range(self, box: ZRange, lo: int, hi: int) -> ZRange:
        """`box` with another range along the axis."""
        return ZRange(
            (*box.lo[: self.axis], lo, *box.lo[self.axis + 1 :]),
            (*box.hi[: self.axis], hi, *box.hi[self.axis + 1 :]),
        )

    def _ruled(self, inputs: Types, along: Regular | None) -> Regularity:
        """A rule along the axis; along the others all cells are alike."""
        rank = inputs[0].ndim
        return tuple([along if axis == self.axis else ANYWHERE for axis in range(rank)])

    def _whole(self, x: TensorType) -> IndexProjection:
        """Projection to one cell of each axis, and to the whole of the scanned one."""
        rows = [[int(d == dim != self.axis) for d in range(x.ndim)] for dim in range(x.ndim)]
        sides = [n if dim == self.axis else 1 for dim, n in enumerate(x.shape)]
        return IndexProjection(tuple(map(tuple, rows)), (0,) * x.ndim, tuple(sides))

    def _kernel_arguments(self, skip: int) -> Mapping[str, Any]:
        return {
            "function": self.function,
            "axis": self.axis,
            "leaf": self.leaf,
            "dtype": self.dtype,
            "state": self.state,
            "skip": skip,
        }


@dataclass(frozen=True)
class ScanOn(ScanOperator):
    """The scan of whole leaves, after the total of all cells before; leaves the total of all."""

    name = "scanon"
    kernel = "scan_on"

    def infer(self, *inputs: TensorType) -> TensorType:
        return inputs[0]._replace(dtype=self.dtype)

    def signature(self, *inputs: TensorType) -> Signature:
        x, _ = inputs
        rows = [[int(d == dim != self.axis) for d in range(x.ndim)] for dim in range(x.ndim)]
        total = IndexProjection(tuple(map(tuple, rows)), (0,) * x.ndim, (1,) * x.ndim)
        here = IndexProjection.identity(x.ndim)
        kinds = [Kind.SEQUENTIAL if d == self.axis else Kind.PARALLEL for d in range(x.ndim)]
        index = [IndexDim(f"i{d}", n, kinds[d]) for d, n in enumerate(x.shape)]
        return Signature(tuple(index), (here, total), (here,))

    @property
    def runs_along(self) -> int:  # type: ignore[override]
        return self.axis

    def granularity(self, inputs: Types) -> tuple[int, ...]:
        return tuple([self.leaf if d == self.axis else 1 for d in range(inputs[0].ndim)])

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        return {**self._kernel_arguments(0), "begins": box.lo[self.axis] == 0}
