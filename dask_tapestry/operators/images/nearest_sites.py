"""NearestSites: the nearest site of each cell, by one axis after the other.

Distances that are sums of what coordinates differ by, or the greatest of these, separate: of the
sites of a line, each with its distance along the axes that are done, the nearest one of a cell is
the nearest of all. So along each axis blocks have all cells, and are cut along all others: no halo
is wide enough for a distance.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any, Final

import numpy as np

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.cells.elementwise import astype, elementwise
from dask_tapestry.operators.sorting.exchange import ExchangeOperator
from dask_tapestry.teg import IndexDim, Kind, Signature, Tensor, TensorType, apply
from dask_tapestry.teg.operator import Types, by_signature, signature_of
from dask_tapestry.zspace import IndexProjection, ZRange
from dask_tapestry_kernels.parameters.metrics import Metric
from dask_tapestry_kernels.parameters.scratch import SITES

FLOPS_A_CELL: Final = 60
BYTES_A_CELL: Final = 80  # of those that are worked on at a time


@dataclass(frozen=True)
class NearestSites(ExchangeOperator):
    """Coordinates of the nearest site along `axis` and those that are `done`.

    They are one number in C order of these axes, -1 where there is no site.

    Attributes
    ----------
    axis, done
        The axes that are done are all before `axis`, or all after it.
    steps
        From one cell to the next, along each axis of the tensor.
    metric
        "euclidean", "taxicab" or "chessboard".
    last
        Whether of sites that are equally near along the axis the last one is taken.
    """

    name = "nearestsites"
    kernel = "nearestsites"
    axis: int
    done: tuple[int, ...]
    steps: tuple[float, ...]
    metric: Metric
    last: bool

    def infer(self, *inputs: TensorType) -> TensorType:
        (x,) = inputs
        cells = prod(x.shape[axis] for axis in (self.axis, *self.done))
        return x._replace(dtype=np.dtype(np.int32 if cells < 2**31 else np.int64))

    def signature(self, *inputs: TensorType) -> Signature:
        """Parallel along all axes but one, of which each index point has all cells."""
        (x,) = inputs
        others = [axis for axis in range(x.ndim) if axis != self.axis]
        index = [IndexDim(f"i{axis}", x.shape[axis]) for axis in others]
        index = index or [IndexDim("all", 1, Kind.ATOMIC)]
        rows = [[0] * len(index) for _ in range(x.ndim)]
        for dim, axis in enumerate(others):
            rows[axis][dim] = 1
        sides = tuple(n if axis == self.axis else 1 for axis, n in enumerate(x.shape))
        lanes = IndexProjection(rows, (0,) * x.ndim, sides, in_ndim=len(index))
        return Signature(tuple(index), (lanes,), (lanes,))

    regularity = by_signature

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        return {
            "axis": self.axis,
            "done": self.done,
            "extents": tuple(inputs[0].shape[axis] for axis in self.done),
            "steps": tuple(self.steps[axis] for axis in self.done),
            "step": self.steps[self.axis],
            "begins": boxes[0].lo,
            "metric": self.metric,
            "last": self.last,
            "dtype": self.infer(*inputs).dtype,
            "keep": self.keep(inputs, box),
        }

    def flops(self, inputs: Types, box: ZRange) -> int:
        return FLOPS_A_CELL * signature_of(self, inputs).demand(box)[0].size

    def scratch_bytes(self, inputs: Types, box: ZRange) -> int:
        return BYTES_A_CELL * min(max(SITES, inputs[0].shape[self.axis]), inputs[0].size)

    def text(self) -> str:
        return f"{self.metric}, axis={self.axis}"


def nearest_sites(
    x: Tensor, steps: tuple[float, ...], metric: Metric, backwards: bool = False
) -> Tensor:
    """The nearest false cell of each cell of a tensor of bools, as its place in C order.

    -1 where there is none. Of several it is the first along the last axis, of these the first along
    the axis before, and so on; or, done `backwards`, the last one in C order. Of the chessboard it
    is any.
    """
    made = elementwise("negative", astype(x, np.dtype(np.int32)))
    order = range(x.type.ndim)[::-1] if backwards else range(x.type.ndim)
    for count, axis in enumerate(order):
        done = tuple(sorted(order[:count]))
        made = apply(NearestSites(axis, done, steps, metric, backwards), made)
    return made
