"""SparseMatmul: a sparse matrix, which is known, times axes of a tensor.

A block of results reads the box of operands that its rows touch, found from the matrix when the
operator is made; so blocks may be cut along the results too. The sum of a row is taken in the order
of its columns, one by one, so a value has the same bits for every sharding.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import prod
from typing import Any, TypeVar

import numpy as np

from dask_tapestry.cells.fixed_dtype import dtype_name
from dask_tapestry.errors import DTypeError, ShapeError
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.products.row_footprint import RowFootprint
from dask_tapestry.operators.products.sparse_rows import SparseRows
from dask_tapestry.operators.tuning import WEIGHT_PLACE_FLOPS, WEIGHT_TOLERANCE, WEIGHTED_TILE_CELLS
from dask_tapestry.operators.views.slice import basic_slice
from dask_tapestry.teg import (
    BlockOperator,
    IndexDim,
    Progression,
    Region,
    Signature,
    Tensor,
    TensorType,
    apply,
)
from dask_tapestry.teg.chunking import Chunks, Known
from dask_tapestry.teg.operator import Restriction, Types
from dask_tapestry.teg.regularity import ANYWHERE, Regularity
from dask_tapestry.teg.turns import CELL_BY_CELL, Turns
from dask_tapestry.zspace import IndexProjection, ZRange

T = TypeVar("T")


@dataclass(frozen=True)
class SparseMatmul(BlockOperator):
    """Cell (row) of the result is the sum over the matrix's row of cells times those of `axes`.

    The inputs are the operand, and the matrix as its cells, their columns, and where rows begin.
    Columns are numbered in C order of `grid`, of which the operand has a box; the rows in C order
    of `shape`, of which the result has a region.

    Attributes
    ----------
    axes
        The operand's axes that the matrix is applied to, in the order of `grid`.
    grid
        Cells along them that columns are numbered by.
    origin
        Where the operand begins in that grid.
    shape
        Grid of the rows.
    region
        Those of which there are results.
    dtype
        Of the sums and of the result.
    footprint
        What the rows touch.
    least
        Share of weight below which a result is NaN, where NaN is left out; None where it is not.
    """

    name = "sparsematmul"
    kernel = "sparsematmul"
    axes: tuple[int, ...]
    grid: tuple[int, ...]
    origin: tuple[int, ...]
    shape: tuple[int, ...]
    region: Region
    dtype: np.dtype[Any]
    footprint: RowFootprint
    least: float | None = None

    @property
    def at(self) -> int:
        """Axis at which those of the result begin: where the first of the operand's stood."""
        return min(self.axes)

    def _free_axes(self, x: TensorType) -> list[int]:
        return [axis for axis in range(x.ndim) if axis not in self.axes]

    def infer(self, *inputs: TensorType) -> TensorType:
        x, kept, result_shape = inputs[0], self._free_axes(inputs[0]), self.region.shape
        shape = [x.shape[axis] for axis in kept]
        dims = None
        if x.dims:
            names = [x.dims[axis] for axis in kept]
            dims = (*names[: self.at], *(None,) * len(result_shape), *names[self.at :])
        return TensorType((*shape[: self.at], *result_shape, *shape[self.at :]), self.dtype, dims)

    def signature(self, *inputs: TensorType) -> Signature:
        """What is read of any row; `demand` knows more."""
        x, result_type = inputs[0], self.infer(*inputs)
        rank = result_type.ndim
        own = iter([a for a in range(rank) if not self.at <= a < self.at + len(self.region)])
        rows = []
        for axis in range(x.ndim):
            follows = None if axis in self.axes else next(own)
            rows.append([int(a == follows) for a in range(rank)])
        sides = [n if axis in self.axes else 1 for axis, n in enumerate(x.shape)]
        reads = IndexProjection(rows, (0,) * x.ndim, sides, in_ndim=rank)
        whole = [IndexProjection.whole(table.shape, rank) for table in inputs[1:]]
        index = tuple([IndexDim(f"i{axis}", n) for axis, n in enumerate(result_type.shape)])
        return Signature(index, (reads, *whole), (IndexProjection.identity(rank),))

    def demand(self, inputs: Types, box: ZRange) -> tuple[ZRange, ...]:
        rows = self._rows(box)
        seen = self.footprint.hull(rows)
        lo, hi = [0] * inputs[0].ndim, [0] * inputs[0].ndim
        for axis, a, b, start in zip(self.axes, seen.lo, seen.hi, self.origin, strict=True):
            lo[axis], hi[axis] = max(0, a - start), max(0, b - start)
        outer = [d for d in range(box.ndim) if not self.at <= d < self.at + len(self.region)]
        for axis, d in zip(self._free_axes(inputs[0]), outer, strict=True):
            lo[axis], hi[axis] = box.lo[d], box.hi[d]
        first, end = self._numbers(rows)
        cells = self.footprint.cells(first, end)
        starts = (first, end + 1) if first < end else (0, 0)
        ranges = [ZRange((a,), (b,)) for a, b in (cells, cells, starts)]
        return (ZRange(tuple(lo), tuple(hi)), *ranges)

    def _rows(self, box: ZRange) -> ZRange:
        """The box of rows, in their grid, that holds those of a box of the result."""
        lo, hi = [], []
        for part, a, b in zip(self.region, self._own(box.lo), self._own(box.hi), strict=True):
            lo.append(part.start + part.step * a)
            hi.append(part.start + part.step * (b - 1) + 1 if b > a else lo[-1])
        return ZRange(tuple(lo), tuple(hi))

    def _own(self, corner: Sequence[T]) -> Sequence[T]:
        """The entries for the axes of rows, of a sequence with one for each axis of the result."""
        return corner[self.at : self.at + len(self.region)]

    def _numbers(self, rows: ZRange) -> tuple[int, int]:
        """The first of a box of rows in C order, and the one after the last."""
        if rows.is_empty:
            return 0, 0
        steps = [prod(self.shape[axis + 1 :]) for axis in range(len(self.shape))]
        first = sum(a * step for a, step in zip(rows.lo, steps, strict=True))
        return first, 1 + sum((b - 1) * step for b, step in zip(rows.hi, steps, strict=True))

    def regularity(self, inputs: Types) -> Regularity:
        """Along rows the matrix tells what is read."""
        here = range(self.at, self.at + len(self.region))
        return tuple([None if a in here else ANYWHERE for a in range(self.infer(*inputs).ndim)])

    def turns(self, inputs: Types) -> Turns:
        return CELL_BY_CELL

    def follow(self, inputs: Types, chunks: tuple[Chunks, ...]) -> Known:
        """Chunks along kept axes are the operand's; nothing tells those of rows."""
        own = [chunks[0][axis] for axis in self._free_axes(inputs[0])]
        return (*own[: self.at], *(None,) * len(self.region), *own[self.at :])

    def restrict(self, inputs: Types, region: Region) -> Restriction | None:
        """Some of the rows, of the box of the operand that they touch."""
        free_axes, own = self._free_axes(inputs[0]), self._own(region)
        parts = Region(
            [
                Progression.of(mine.start + mine.step * p.start, mine.step * p.step, p.count)
                for mine, p in zip(self.region, own, strict=True)
            ]
        )
        part = replace(self, region=parts)
        reads = list(Region.whole(inputs[0].shape))
        outer = [*region[: self.at], *region[self.at + len(own) :]]
        for axis, progression in zip(free_axes, outer, strict=True):
            reads[axis] = progression
        box = TensorType(tuple([p.count for p in region]), self.dtype).box
        touched = part.demand(inputs, box)[0]
        for axis in self.axes:
            reads[axis] = Progression.of(touched.lo[axis], 1, touched.hi[axis] - touched.lo[axis])
        moved = [
            start + touched.lo[axis] for axis, start in zip(self.axes, self.origin, strict=True)
        ]
        tables = [Region.whole(table.shape) for table in inputs[1:]]
        cut = replace(part, origin=tuple(moved))
        return Restriction(cut, (Region(reads), *tables), region)

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        own = zip(self.region, self._own(box.lo), self._own(box.hi), strict=True)
        corner = [a + boxes[0].lo[axis] for a, axis in zip(self.origin, self.axes, strict=True)]
        return {
            "axes": self.axes,
            "at": self.at,
            "grid": self.grid,
            "corner": tuple(corner),
            "rows": tuple(
                [range(p.start + p.step * a, p.start + p.step * b, p.step) for p, a, b in own]
            ),
            "table": self.shape,
            "first": (boxes[3].lo[0], boxes[1].lo[0]),
            "shape": box.shape,
            "dtype": self.dtype,
            "least": self.least,
        }

    def _cells(self, box: ZRange) -> int:
        """Cells of the matrix that a box of the result is made of, about."""
        rows = self._rows(box)
        first, end = self._numbers(rows)
        low, high = self.footprint.cells(first, end)
        return -(-(high - low) * prod(self._own(box.shape)) // max(1, end - first))

    def flops(self, inputs: Types, box: ZRange) -> int:
        outer = box.size // max(1, prod(self._own(box.shape)))
        width = 2 if self.least is None else 6
        return self._cells(box) * (width * outer + WEIGHT_PLACE_FLOPS)

    def scratch_bytes(self, inputs: Types, box: ZRange) -> int:
        """Memory for offsets of the cells to multiply with, and for a tile of sums."""
        rows = prod(self._own(box.shape))
        each = 5 * self.dtype.itemsize + (0 if self.least is None else 34)
        return (
            24 * self._cells(box) + 40 * rows + each * min(box.size, max(WEIGHTED_TILE_CELLS, rows))
        )

    def text(self) -> str:
        rows, columns = prod(self.shape), prod(self.grid)
        return f"{rows} x {columns}, axes={self.axes}, to {list(self.region.shape)}"

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """Cell by cell of the matrix, in its order."""
        x, values, columns, starts = inputs
        front = np.moveaxis(x, self.axes, range(len(self.axes))).astype(self.dtype)
        rows = np.repeat(np.arange(starts.size - 1), np.diff(starts))
        here = np.stack(np.unravel_index(columns, self.grid)) - np.array(self.origin)[:, None]
        limits = np.array(front.shape[: len(self.axes)])[:, None]
        inside = ((here >= 0) & (here < limits)).all(axis=0)  # others are of rows not asked for
        rows, values = rows[inside], values[inside].reshape(-1, *(1,) * (x.ndim - len(self.axes)))
        cells = front[tuple(here[:, inside])]
        sums = np.zeros((starts.size - 1, *cells.shape[1:]), self.dtype)
        add = np.logical_or if self.dtype.kind == "b" else np.add
        with np.errstate(all="ignore"):
            if self.least is None:
                add.at(sums, rows, values * cells)
            else:
                known = ~np.isnan(cells)
                shares = np.zeros(sums.shape, np.result_type(np.float64, values.dtype))
                add.at(sums, rows, values * np.where(known, cells, 0))
                add.at(shares, rows, values * known.astype(shares.dtype))
                sums = np.where(shares < self.least, np.nan, sums / shares).astype(self.dtype)
        picked = sums.reshape((*self.shape, *sums.shape[1:]))
        for axis, p in enumerate(self.region):
            places = p.start + p.step * np.arange(p.count)
            picked = np.take(picked, places, axis)
        count = len(self.region)
        return np.moveaxis(picked, range(count), range(self.at, self.at + count))


def sparse_matmul(
    x: Tensor,
    weights: SparseRows,
    tables: Sequence[Tensor],
    axes: tuple[int, ...],
    shape: tuple[int, ...],
    threshold: float | None = None,
) -> Tensor:
    """A sparse matrix times `axes` of a tensor.

    Parameters
    ----------
    weights
        The matrix.
    tables
        Its values, of `product_dtype`, its columns and where its rows begin.
    axes
        The axes of `x` that its columns number in C order.
    shape
        Grid of its rows.
    threshold
        Share of missing weight above which a result is NaN; None where NaN is not left out.

    Raises
    ------
    ShapeError
        If the matrix has another number of columns than there are cells along `axes`, or another
        number of rows than `shape` has cells.
    """
    grid = tuple([x.type.shape[axis] for axis in axes])
    if weights.shape[1] != prod(grid):
        raise ShapeError(
            f"weights of shape {weights.shape} have {weights.shape[1]} columns, and {x.type} has "
            f"{prod(grid)} cells along the axes {axes}"
        )
    if weights.shape[0] != prod(shape):
        raise ShapeError(
            f"weights of shape {weights.shape} have {weights.shape[0]} rows, and an output of "
            f"shape {shape} has {prod(shape)} cells"
        )
    footprint = RowFootprint.of(weights, shape, grid)
    least = None
    if threshold is not None:
        least = min(max(1 - threshold, WEIGHT_TOLERANCE), 1 - WEIGHT_TOLERANCE)
    seen = footprint.hull(ZRange((0,) * len(shape), shape))
    part = [slice(None)] * x.type.ndim
    for axis, a, b in zip(axes, seen.lo, seen.hi, strict=True):
        part[axis] = slice(a, b)
    region, dtype = Region.whole(shape), tables[0].type.dtype
    how = (axes, grid, seen.lo, shape, region, dtype, footprint, least)
    return apply(SparseMatmul(*how), basic_slice(x, tuple(part)), *tables)


def product_dtype(
    weights: np.dtype[Any], cells: np.dtype[Any], skipna: bool = False
) -> np.dtype[Any]:
    """Dtype of the product, as SciPy's: of half precision it is single.

    Raises
    ------
    DTypeError
        If cells are no numbers, or NaN is left out by complex weights.

    Examples
    --------
    >>> product_dtype(np.dtype("f4"), np.dtype("f2")), product_dtype(np.dtype("?"), np.dtype("?"))
    (dtype('float32'), dtype('bool'))
    """
    for name, dtype in (("weights", weights), ("cells", cells)):
        if dtype.kind not in "biufc":
            raise DTypeError(f"{name} of dtype {dtype_name(dtype)} are not multiplied")
    if skipna and weights.kind == "c":
        raise DTypeError("skipna=True needs real weights: it compares sums of them")
    found = np.result_type(weights, cells)
    if skipna and found.kind in "biu":
        return np.dtype(np.float64)
    return np.dtype(np.float32) if found == np.float16 else found
