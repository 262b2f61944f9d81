"""WeightedOrderStatistics: cells of sorted lanes at which a sum of weights reaches some quantiles.

Short lanes are one kernel's. Long ones are sorted, if need be by an exchange, in which weights
travel with their cells. Then weights are added by the canonical scan, sums below each quantile are
counted, and the cells of these numbers are picked: with the bits that the kernel would have.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.cells.assert_condition import assert_condition
from dask_tapestry.operators.cells.elementwise import astype, elementwise
from dask_tapestry.operators.cells.field import field
from dask_tapestry.operators.cells.where import where
from dask_tapestry.operators.generators.coordinates import coordinates
from dask_tapestry.operators.joins.concat import concat
from dask_tapestry.operators.lanes import PLACES, LaneOperator, sort_flops
from dask_tapestry.operators.reductions.reduce import reduce
from dask_tapestry.operators.scans.scan import Scan
from dask_tapestry.operators.sorting.weighed_sort import weighed_sort
from dask_tapestry.operators.tuning import (
    LONG_WEIGHTED_LANE_BYTES,
    WEIGHTED_LEAF_CELLS,
    WEIGHTED_NUMBERS_A_CELL,
)
from dask_tapestry.operators.views.permute import permute
from dask_tapestry.operators.views.slice import basic_slice
from dask_tapestry.teg import Tensor, TensorType, apply
from dask_tapestry.teg.operator import Types
from dask_tapestry.zspace import ZRange
from dask_tapestry_kernels.parameters.weights import NEGATIVE, UNUSABLE

SUM: Final = np.dtype(np.float64)  # of weights
PICKED: Final = "biufmM"  # kinds of cells of which one is the least


@dataclass(frozen=True)
class WeightedOrderStatistics(LaneOperator):
    """Cells of each sorted lane at which the summed weights reach the `quantiles`, and the last.

    The extent of `axis` becomes ``len(quantiles) + 1``. Sums are compared in `dtype`. With
    `skip_nan`, NaN weighs nothing. Weights are added as running totals in leaves of `leaf` cells:
    one by one in lanes that are no longer, as NumPy adds them.
    """

    name = "weightedorderstatistics"
    kernel = "weightedranks"
    axis: int
    quantiles: tuple[float, ...]
    dtype: np.dtype[Any]
    skip_nan: bool = False
    leaf: int = WEIGHTED_LEAF_CELLS

    def infer(self, *inputs: TensorType) -> TensorType:
        shape = list(inputs[0].shape)
        shape[self.axis] = len(self.quantiles) + 1
        return inputs[0]._replace(shape=tuple(shape))

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        return {
            "quantiles": self.quantiles,
            "dtype": self.dtype,
            "skip_nan": self.skip_nan,
            "leaf": self.leaf,
            "axis": self.axis,
            "part": self.part(box),
        }

    def flops(self, inputs: Types, box: ZRange) -> int:
        return 2 * sort_flops(self.demand(inputs, box)[0].size, inputs[0].shape[self.axis])

    def scratch_bytes(self, inputs: Types, box: ZRange) -> int:
        """The order, cells and weights in that order, sums of weights; and a copy of each."""
        cells = self.demand(inputs, box)[0].size
        return cells * (
            inputs[0].dtype.itemsize + WEIGHTED_NUMBERS_A_CELL * np.dtype(np.float64).itemsize
        )


def in_steps(
    ordered: Tensor,
    quantiles: Sequence[float],
    dtype: np.dtype[Any],
    leaf: int = WEIGHTED_LEAF_CELLS,
) -> Tensor:
    """`WeightedOrderStatistics` of lanes along the last axis that `WeighedSort` has sorted."""
    cells, loads = field(ordered, "key"), field(ordered, "load")
    sums = apply(Scan("add", loads.type.ndim - 1, leaf, SUM, SUM), loads)
    total = _usable(basic_slice(sums, (..., slice(-1, None))), loads)
    shares = astype(elementwise("divide", sums, total), dtype)
    nothing = elementwise("equal", shares, 0)
    first = elementwise("equal", basic_slice(shares, (..., slice(0, 1))), 0)
    weighed = where(elementwise("logical_and", nothing, first), dtype.type(-1), shares)
    chosen = [_cell_at(cells, weighed, dtype.type(q)) for q in quantiles]
    return concat([*chosen, basic_slice(cells, (..., slice(-1, None)))], -1)


def loads_of(x: Tensor, weights: Tensor, skip_nan: bool) -> Tensor:
    """Weights along the last axis of `x` as they are added."""
    loads = astype(weights, SUM)
    if skip_nan and x.type.dtype.kind in "fmM":
        unknown = elementwise("isnan", x)
        every = reduce(unknown, "all", -1, keepdims=True)
        loads = where(unknown, where(every, SUM.type(1), SUM.type(0)), loads)
    return loads


def _usable(total: Tensor, loads: Tensor) -> Tensor:
    """The sum of weights along the last axis, which is some number, of weights that may be."""
    negative = reduce(elementwise("less", loads, 0), "any", -1, keepdims=True)
    fine = assert_condition(total, elementwise("logical_not", negative), NEGATIVE)
    some = elementwise("less", elementwise("subtract", fine, fine), fine)  # inf less itself is NaN
    return assert_condition(fine, some, UNUSABLE)


def _cell_at(cells: Tensor, shares: Tensor, q: np.generic) -> Tensor:
    """The cell, one along the last axis, whose number is that of the shares below `q`.

    It is the largest once all others are replaced by the least there can be.
    """
    below = astype(elementwise("less", shares, q), PLACES)
    place = elementwise(
        "minimum", reduce(below, "sum", -1, keepdims=True), cells.type.shape[-1] - 1
    )
    here = elementwise("equal", coordinates(cells.type.shape, -1), place)
    kind = cells.type.dtype
    words = astype(cells, PLACES) if kind.kind in "mM" else cells
    others = where(here, words, _least(words.type.dtype))
    return astype(reduce(others, "max", -1, keepdims=True), kind)


def _least(dtype: np.dtype[Any]) -> np.generic:
    whole = np.iinfo(dtype).min if dtype.kind in "iu" else 0
    least: np.generic = dtype.type(-np.inf if dtype.kind == "f" else whole)
    return least


def weighted_order_statistics(
    x: Tensor, weights: Tensor, quantiles: Sequence[float], dtype: np.dtype[Any], skip_nan: bool
) -> Tensor:
    """Cells of the lanes along the first axis where weights reach `quantiles`, and the last cell.

    The result has ``len(quantiles) + 1`` cells along that axis.
    """
    if (
        x.type.shape[0] * x.type.dtype.itemsize <= LONG_WEIGHTED_LANE_BYTES
        or x.type.dtype.kind not in PICKED
    ):
        operator = WeightedOrderStatistics(0, tuple(quantiles), dtype, skip_nan)
        return apply(operator, x, weights)
    last = [*range(1, x.type.ndim), 0]
    lanes, loads = permute(x, last), permute(weights, last)
    ordered = weighed_sort(lanes, loads_of(lanes, loads, skip_nan))
    found = in_steps(ordered, quantiles, dtype)
    return permute(found, [x.type.ndim - 1, *range(x.type.ndim - 1)])
