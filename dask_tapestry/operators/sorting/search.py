"""Search: cells looked up in tables, which blocks read whole, or in parts where they are long."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, log2
from typing import Any, Literal

import numpy as np

from dask_tapestry.amounts import is_one_of
from dask_tapestry.cells import Span
from dask_tapestry.errors import ArgumentError, DTypeError, ShapeError
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.cells.elementwise import astype, elementwise
from dask_tapestry.operators.forms import offered, stand_in
from dask_tapestry.operators.kernel_reference import kernel_reference
from dask_tapestry.operators.sorting.joint_runs import joint_run_counts, told_by_exchange
from dask_tapestry.operators.sorting.search_parts import (
    interpolated_by_parts,
    part_counts,
    places_by_parts,
    within_any_part,
)
from dask_tapestry.operators.tuning import PARTS_PLANNING, SEARCH_STEP_FLOPS
from dask_tapestry.teg import Form, IndexDim, Region, Signature, Tensor, TensorType, apply
from dask_tapestry.teg.operator import BlockOperator, Restriction, Types
from dask_tapestry.zspace import IndexProjection, ZRange


class TableOperator(BlockOperator):
    """Cell o is a function of the first input's cell o and of the other inputs, all vectors."""

    transparent = True
    repeats = True

    def signature(self, *inputs: TensorType) -> Signature:
        x, *tables = inputs
        here = IndexProjection.identity(x.ndim)
        whole = [IndexProjection.whole(table.shape, x.ndim) for table in tables]
        index = tuple(IndexDim(f"i{dim}", n) for dim, n in enumerate(x.shape))
        return Signature(index, (here, *whole), (here,))

    def restrict(self, inputs: Types, region: Region) -> Restriction | None:
        whole = [Region.whole(table.shape) for table in inputs[1:]]
        return Restriction(self, (region, *whole), region)

    def flops(self, inputs: Types, box: ZRange) -> int:
        return box.size * SEARCH_STEP_FLOPS * ceil(log2(inputs[1].size + 2))


class PlaceOperator(TableOperator):
    """Cell o is a place in a table, of all its cells and behind them: intp."""

    def infer(self, *inputs: TensorType) -> TensorType:
        return inputs[0]._replace(dtype=np.dtype(np.intp))

    def value_span(self, inputs: Types, spans: Sequence[Span | None]) -> Span | None:
        return Span(0, inputs[1].size)


@dataclass(frozen=True)
class SearchSorted(PlaceOperator):
    """Indices at which cells go into a sorted vector, left or right of equal ones: intp."""

    name = "searchsorted"
    kernel = "search"
    any_cells = True
    side: Literal["left", "right"]

    def forms(self, inputs: Types) -> tuple[Form, ...]:
        return found_forms(inputs)

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        return {"side": self.side}

    def text(self) -> str:
        return self.side

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        x, table = inputs
        return np.asarray(np.searchsorted(table, x, self.side))


@dataclass(frozen=True)
class Digitize(PlaceOperator):
    """Numbers of the bins that cells lie in, of ascending or descending edges: intp."""

    name = "digitize"
    kernel = "digitize"
    any_cells = True
    right: bool

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        return {"right": self.right}

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        x, bins = inputs
        if bins.dtype.kind in "mM":  # of which NumPy's function takes none
            return kernel_reference(self, x, bins)
        return np.asarray(np.digitize(x, bins, right=self.right))


@dataclass(frozen=True)
class IsIn(TableOperator):
    """Whether cells are in a sorted vector, or with `invert`, are not: bool."""

    name = "isin"
    kernel = "isin"
    any_cells = True
    invert: bool

    def forms(self, inputs: Types) -> tuple[Form, ...]:
        return found_forms(inputs)

    def infer(self, *inputs: TensorType) -> TensorType:
        return inputs[0]._replace(dtype=np.dtype(bool))

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        return {"invert": self.invert}

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        x, table = inputs
        return np.isin(x, table, invert=self.invert)


@dataclass(frozen=True)
class Interp(TableOperator):
    """Linear interpolation at cells, of points and their values: of the values' dtype."""

    name = "interp"
    kernel = "interp"
    left: complex | None = None
    right: complex | None = None
    period: float | None = None

    def forms(self, inputs: Types) -> tuple[Form, ...]:
        """In parts of real values; with a period points are in no order."""
        is_real = inputs[2].dtype.kind == "f" and self.period is None
        return table_forms(inputs[1].size) if is_real else ()

    def infer(self, *inputs: TensorType) -> TensorType:
        return inputs[0]._replace(dtype=inputs[2].dtype)

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        return {"left": self.left, "right": self.right, "period": self.period}

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        x, points, values = inputs
        meaning: Any = np.interp
        return np.asarray(meaning(x, points, values, self.left, self.right, self.period))


def table_forms(cells: int) -> tuple[Form, ...]:
    """The forms of a search in a sorted table of so many cells."""
    counts = part_counts(cells)
    return offered(Form("parts", counts, in_parts, planning=PARTS_PLANNING))


def found_forms(inputs: Types) -> tuple[Form, ...]:
    """The forms of what finds cells in a sorted table: where both are long, they are exchanged."""
    x, table = inputs
    runs = joint_run_counts(x, table)
    exchange = Form("exchange", runs, by_exchange, planning=PARTS_PLANNING)
    return (*table_forms(table.size), *offered(exchange))


@stand_in
def by_exchange(node: Tensor, runs: int) -> Tensor:
    """``searchsorted(x, table) -> putback(lookedup(exchange(x, table)), x)``."""
    whole, (x, table) = node.operator, node.inputs
    if isinstance(whole, SearchSorted):
        return told_by_exchange(x, table, whole.side, runs)
    assert isinstance(whole, IsIn)
    found = told_by_exchange(x, table, "within", runs)
    return elementwise("logical_not", found) if whole.invert else found


@stand_in
def in_parts(node: Tensor, parts: int) -> Tensor:
    """``searchsorted(x, table) -> sum(searchsorted(x, part) for all parts of the table)``."""
    whole, (x, table, *values) = node.operator, node.inputs
    if isinstance(whole, Interp):
        ends: Any = whole.left, whole.right
        return interpolated_by_parts(x, table, values[0], ends, parts)
    if isinstance(whole, SearchSorted):
        return places_by_parts(x, table, whole.side, parts)
    assert isinstance(whole, IsIn)
    found = within_any_part(x, table, parts)
    return elementwise("logical_not", found) if whole.invert else found


def searchsorted(x: Tensor, table: Tensor, side: Literal["left", "right"] = "left") -> Tensor:
    """Indices at which the cells of `x` go into a sorted vector, as `numpy.searchsorted`.

    Raises
    ------
    ShapeError
        If the table is not a vector, or the side is neither ``"left"`` nor ``"right"``.
    DTypeError
        If cells of the two cannot be compared.
    """
    if table.type.ndim != 1:
        raise ShapeError(f"object of too small depth or too deep for desired array: {table.type}")
    if not is_one_of(side, ("left", "right")):
        raise ArgumentError(f"search side must be 'left' or 'right' (got {side!r})")
    if not table.type.size:  # nothing is compared, so cells need not be comparable
        table = astype(table, x.type.dtype)
    elif not x.type.size:
        x = astype(x, table.type.dtype)
    dtype = common_dtype(x, table)
    return apply(SearchSorted(side), astype(x, dtype), astype(table, dtype))


def is_in(x: Tensor, ordered: Tensor, invert: bool = False) -> Tensor:
    """Whether cells of `x` are in the sorted vector `ordered`, of the same dtype."""
    return apply(IsIn(invert), x, ordered)


def digitize(x: Tensor, edges: Tensor, right: bool) -> Tensor:
    """Numbers of the bins that the cells of `x` lie in; `edges` are of the same dtype."""
    return apply(Digitize(right), x, edges)


def interp(
    x: Tensor,
    points: Tensor,
    values: Tensor,
    left: complex | None = None,
    right: complex | None = None,
    period: float | None = None,
) -> Tensor:
    """Values at `x` of the lines between `points`, float64, as `numpy.interp` draws them."""
    return apply(Interp(left, right, period), x, points, values)


def common_dtype(*tensors: Tensor) -> np.dtype[Any]:
    """Dtype in which cells of the tensors are compared.

    Raises
    ------
    DTypeError
        If there is none.
    """
    kinds = ", ".join(str(x.type.dtype) for x in tensors)
    try:
        common = np.result_type(*[x.type.dtype for x in tensors])
    except TypeError as error:
        raise DTypeError(f"cells of dtypes {kinds} cannot be compared: {error}") from None
    if not common.hasobject and not all(np.can_cast(x.type.dtype, common) for x in tensors):
        raise DTypeError(f"cells of dtypes {kinds} cannot be compared: one would change its value")
    return common
