"""Sort: cells in order along an axis, or the indices that sort them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from dask_tapestry.cells import Span
from dask_tapestry.errors import DTypeError
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.axes import normalize_axis
from dask_tapestry.operators.cells.elementwise import elementwise
from dask_tapestry.operators.forms import stand_in
from dask_tapestry.operators.lanes import PLACES, LaneOperator, picked_cells, sort_bytes
from dask_tapestry.operators.sorting.exchange_sort import exchange_sort, run_counts
from dask_tapestry.operators.sorting.unordered_cells import in_order_of_chunks
from dask_tapestry.operators.tuning import CELLS_SORTED_TOGETHER, ORDER_NUMBERS_A_CELL
from dask_tapestry.operators.views.permute import permute
from dask_tapestry.operators.views.reverse import reverse
from dask_tapestry.teg import Form, Tensor, TensorType, apply
from dask_tapestry.teg.operator import Types
from dask_tapestry.zspace import ZRange

SORTED: Final = "biufcmMSUOT"  # kinds of cells that have an order


@dataclass(frozen=True)
class Sort(LaneOperator):
    """Cells in ascending order along `axis`.

    The order is NumPy's, NaN and NaT last. Equal cells that differ in bits have an order too: -0.0
    comes before 0.0, and every NaN becomes the same one. Shape and dtype are the input's.
    """

    name = "sort"
    kernel = "sort"
    any_cells = True
    by_rank = True
    repeats = True
    axis: int

    def forms(self, inputs: Types) -> tuple[Form, ...]:
        return long_forms(self.axis, inputs)

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        return {"axis": self.axis, "part": self.part(box), "in_runs": False}

    def flops(self, inputs: Types, box: ZRange) -> int:
        return self.sorted_flops(inputs, box)

    def scratch_bytes(self, inputs: Types, box: ZRange) -> int:
        (x,) = inputs
        cells, length = self.demand(inputs, box)[0].size, x.shape[self.axis]
        beside = sort_bytes(cells, length, x.dtype, stable=False)
        part = box.hi[self.axis] - box.lo[self.axis]
        if part == length or not self.is_ranked(inputs):
            return beside
        return beside + picked_cells(length, length, part) * x.dtype.itemsize

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return np.sort(inputs[0], axis=self.axis)


@dataclass(frozen=True)
class ArgSort(LaneOperator):
    """Indices along `axis` that sort the cells in ascending order, stably: intp."""

    name = "argsort"
    kernel = "argsort"
    any_cells = True
    by_rank = True
    repeats = True
    axis: int

    def infer(self, *inputs: TensorType) -> TensorType:
        return inputs[0]._replace(dtype=PLACES)

    def value_span(self, inputs: Types, spans: Sequence[Span | None]) -> Span | None:
        return Span(0, max(0, inputs[0].shape[self.axis] - 1))

    def forms(self, inputs: Types) -> tuple[Form, ...]:
        return long_forms(self.axis, inputs)

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        return {"axis": self.axis, "part": self.part(box)}

    def flops(self, inputs: Types, box: ZRange) -> int:
        return 2 * self.sorted_flops(inputs, box)

    def scratch_bytes(self, inputs: Types, box: ZRange) -> int:
        """Memory for all indices, and for those of the lanes that are sorted together."""
        (x,) = inputs
        cells, length = self.demand(inputs, box)[0].size, x.shape[self.axis]
        part = box.hi[self.axis] - box.lo[self.axis]
        if part == length or not self.is_ranked(inputs):
            at_once = min(cells, max(length, CELLS_SORTED_TOGETHER))
            return (cells + ORDER_NUMBERS_A_CELL * at_once) * PLACES.itemsize
        return ORDER_NUMBERS_A_CELL * picked_cells(length, length, part) * PLACES.itemsize

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return np.argsort(inputs[0], axis=self.axis, kind="stable")


def long_forms(axis: int, inputs: Types) -> tuple[Form, ...]:
    """The forms of a sort of lanes along `axis` that are too long for a block."""
    (x,) = inputs
    if not x.size or x.dtype.hasobject:  # whose order has no keys of bytes
        return ()
    runs = run_counts(x.shape[axis], x.dtype.itemsize)
    return (Form("exchange", runs, by_exchange),) if runs else ()


@stand_in
def by_exchange(node: Tensor, runs: int) -> Tensor:
    """``sort(x) -> exchangesort(x)``, ``argsort(x) -> exchangesort(x).place``."""
    whole, (x,) = node.operator, node.inputs
    assert isinstance(whole, Sort | ArgSort)
    return sorted_by_exchange(x, whole.axis, runs, isinstance(whole, ArgSort))


def sorted_by_exchange(x: Tensor, axis: int, runs: int, places: bool = False) -> Tensor:
    """`x` sorted along `axis` by an exchange between runs, or the indices that sort it.

    Of a flattened value that is stored in tiles, runs are made of whole tiles: in which order cells
    come does not matter.
    """
    if x.type.ndim == 1 and not places:
        x = in_order_of_chunks(x)
    last = [dim for dim in range(x.type.ndim) if dim != axis] + [axis]
    back = [last.index(dim) for dim in range(x.type.ndim)]
    return permute(exchange_sort(permute(x, last), runs, places), back)


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
    if x.type.dtype.kind not in SORTED:
        names = x.type.dtype.names or ()
        fields = ", ".join(f"x[{name!r}]" for name in reversed(names))
        way = f": sort by fields, x[dt.lexsort(({fields}))]" if names else ""
        raise DTypeError(f"no order is defined here for dtype {x.type.dtype}{way}")
    return number
