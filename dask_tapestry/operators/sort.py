"""Sort: cells in order along an axis, or the indices that sort them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from dask_tapestry.errors import DTypeError
from dask_tapestry.operators.axes import normalize_axis
from dask_tapestry.operators.columnsort import columnsort, columnsort_forms
from dask_tapestry.operators.elementwise import elementwise
from dask_tapestry.operators.permute import permute
from dask_tapestry.operators.reverse import reverse
from dask_tapestry.operators.sort_costs import PLACES, sort_bytes, sort_flops
from dask_tapestry.teg import (
    BlockOperator,
    Form,
    IndexDim,
    Kind,
    Node,
    Progression,
    Region,
    Signature,
    Tensor,
    TensorType,
    apply,
)
from dask_tapestry.teg.operator import Restriction, Types
from dask_tapestry.zspace import IndexProjection, ZRange


class LaneOperator(BlockOperator):
    """An operator that makes each lane of the output along `axis` of one lane of each input."""

    axis: int

    def infer(self, *inputs: TensorType) -> TensorType:
        return inputs[0]

    def signature(self, *inputs: TensorType) -> Signature:
        dims = [
            IndexDim("lane", 1, Kind.ATOMIC) if dim == self.axis else IndexDim(f"i{dim}", n)
            for dim, n in enumerate(inputs[0].shape)
        ]
        reads = [self._lanes(x) for x in inputs]
        return Signature(tuple(dims), tuple(reads), (self._lanes(self.infer(*inputs)),))

    def _lanes(self, x: TensorType) -> IndexProjection:
        """Projection of each index point to its lane of `x`."""
        length = x.shape[self.axis]
        rows = [[int(dim == axis) for dim in range(x.ndim)] for axis in range(x.ndim)]
        rows[self.axis][self.axis] = max(length, 1)
        shape = tuple(length if dim == self.axis else 1 for dim in range(x.ndim))
        return IndexProjection(tuple(map(tuple, rows)), (0,) * x.ndim, shape)

    def indivisible(self, inputs: Types) -> tuple[int, ...]:
        return (self.axis,)

    def restrict(self, inputs: Types, region: Region) -> Restriction | None:
        """Fewer lanes, each whole."""
        reads = [self._whole(x, region) for x in inputs]
        return Restriction(self, tuple(reads), self._whole(self.infer(*inputs), region))

    def _whole(self, x: TensorType, region: Region) -> Region:
        """The lanes of `x` for the lanes that a region meets."""
        lane = Progression(0, 1, x.shape[self.axis])
        return Region((*region[: self.axis], lane, *region[self.axis + 1 :]))

    def scratch_bytes(self, inputs: Types, box: ZRange) -> int:
        """What sorting a lane takes: the result is sorted in place, a few lanes at a time."""
        x = inputs[0]
        return sort_bytes(self.demand(inputs, box)[0].size, x.shape[self.axis], x.dtype)

    def part(self, box: ZRange) -> slice:
        """Cells of a lane that a block of the output holds."""
        return slice(box.lo[self.axis], box.hi[self.axis])

    def text(self) -> str:
        return f"axis={self.axis}"


@dataclass(frozen=True)
class Sort(LaneOperator):
    """Cells in ascending order along `axis`; `in_runs` says that lanes are a few sorted runs.

    The order is NumPy's, NaN and NaT last. Equal cells that differ in bits have an order too: -0.0
    comes before 0.0, and every NaN becomes the same one. Shape and dtype are the input's.
    """

    name = "sort"
    kernel = "sort"
    axis: int
    in_runs: bool = False

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        return {"axis": self.axis, "part": self.part(box), "in_runs": self.in_runs}

    def flops(self, inputs: Types, box: ZRange) -> int:
        return sort_flops(self.demand(inputs, box)[0].size, inputs[0].shape[self.axis])

    def forms(self, inputs: Types) -> tuple[Form, ...]:
        """In columns, unless lanes are runs: these are short."""
        return () if self.in_runs else columnsort_forms(inputs[0], self.axis, in_columns)

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return np.sort(inputs[0], axis=self.axis)


@dataclass(frozen=True)
class ArgSort(LaneOperator):
    """Indices along `axis` that sort the cells in ascending order, stably: intp."""

    name = "argsort"
    kernel = "argsort"
    axis: int

    def infer(self, *inputs: TensorType) -> TensorType:
        return inputs[0]._replace(dtype=PLACES)

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        return {"axis": self.axis, "part": self.part(box)}

    def flops(self, inputs: Types, box: ZRange) -> int:
        return 2 * sort_flops(self.demand(inputs, box)[0].size, inputs[0].shape[self.axis])

    def forms(self, inputs: Types) -> tuple[Form, ...]:
        """In columns."""
        return columnsort_forms(inputs[0], self.axis, in_columns)

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return np.argsort(inputs[0], axis=self.axis, kind="stable")


def in_columns(node: Node, columns: int) -> Node:
    """``sort(x) -> columnsort(x)``, ``argsort(x) -> columnsort(x).place``."""
    operator, (x,) = node.operator, node.inputs
    assert isinstance(operator, Sort | ArgSort)
    return sorted_in_columns(x, operator.axis, columns, isinstance(operator, ArgSort))


def sorted_in_columns(x: Node, axis: int, columns: int, places: bool = False) -> Node:
    """The lanes of `x` along `axis` in order, or with `places` the indices that sort them."""
    last = [dim for dim in range(x.type.ndim) if dim != axis] + [axis]
    back = [last.index(dim) for dim in range(x.type.ndim)]
    merge = Sort(x.type.ndim, in_runs=True)
    return permute(columnsort(permute(x, last), columns, merge, places), back)


def sort(x: Tensor, axis: int, *, descending: bool = False) -> Tensor:
    """Sort along `axis`, as `numpy.sort`; descending is the reverse of ascending, NaN first.

    Raises
    ------
    DTypeError
        If the cells are structured.
    """
    number = _sortable(x, axis)
    if x.type.shape[number] < 2 and x.type.dtype.kind not in "fc":
        return x
    value = apply(Sort(number), x)
    return reverse(value, number) if descending else value


def argsort(x: Tensor, axis: int, *, descending: bool = False) -> Tensor:
    """Indices that sort `x` along `axis`, stably in both directions."""
    number = _sortable(x, axis)
    if not descending:
        return apply(ArgSort(number), x)
    backward = reverse(apply(ArgSort(number), reverse(x, number)), number)
    return elementwise("subtract", x.type.shape[number] - 1, backward)


def _sortable(x: Tensor, axis: int) -> int:
    number = normalize_axis(axis, x.type.ndim)
    if x.type.dtype.kind not in "biufcmMSU":
        raise DTypeError(f"no order is defined here for dtype {x.type.dtype}")
    return number
