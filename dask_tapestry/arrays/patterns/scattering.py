"""Scatter: elements, slices and boxes put or folded into an array."""

from __future__ import annotations

from collections.abc import Iterable
from types import MappingProxyType
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.amounts import is_one_of
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.declared_arguments import checked
from dask_tapestry.arrays.patterns.indexed_dims import index_vectors
from dask_tapestry.errors import ArgumentError, DTypeError, ShapeError
from dask_tapestry.operators.cells.cell_updates import cell_update
from dask_tapestry.operators.cells.elementwise import astype
from dask_tapestry.operators.indexing.dimension_numbers import DimensionNumbers
from dask_tapestry.operators.indexing.scatter import scatter as scatter_tensors
from dask_tapestry.teg import TensorType

__all__ = ["scatter", "sn_scatter"]

UPDATES: Final = MappingProxyType(
    {"kUpdate": "update", "kAdd": "add", "kMin": "less", "kMax": "greater", "kMul": "mul"}
)


@checked
def scatter(
    operand: ArrayLike,
    update: ArrayLike,
    start_indices: ArrayLike,
    scatter_dims: Iterable[int],
    rmw_op: str = "kUpdate",
    unique_indices: bool = False,
    *,
    check: bool = False,
) -> Array:
    """Fold boxes into an array, each where an index vector says it begins.

    Boxes are folded in one after the other, so that of several values for one cell the last wins,
    and sums have the same bits in every sharding. Cells outside of the array are left out.

    {Parameters}
        operand: The array.
        update: The boxes, shape (batch..., box...), a box having all dimensions of the array. They
            are converted to its dtype.
        start_indices: Integers, shape (batch..., count of `scatter_dims`): where each box begins.
        scatter_dims: The dimension that each column of `start_indices` belongs to. Boxes are as
            long as the array along the others.
        rmw_op: What becomes of a cell: ``"kUpdate"`` the update, ``"kAdd"`` and ``"kMul"`` their
            sum or product, ``"kMin"`` and ``"kMax"`` the update where that is less, or greater. A
            NaN is neither.
        unique_indices: Promise that each cell is updated once at most. It is not needed here.
        check: Raise ValueError, when it is computed, where that promise is false.
    {Returns} Array: The operand's shape and dtype.
    {Raises}
        DTypeError: If `start_indices` are no integers, cells of the dtype cannot be combined so, or
            texts do not fit the cells.
        ShapeError: If shapes do not fit.
        {AxisError.dims}
        ArgumentError: For another `rmw_op`.
    {See Also} gather

    Notes
    -----
    Source: SambaFlow, "Compose complex operations with parallel patterns".

    Examples
    --------
    >>> import numpy as np, dask_tapestry as dt
    >>> boxes = np.arange(1, 13).reshape(2, 2, 3)
    >>> dt.patterns.scatter(dt.zeros((3, 3), int), boxes, [[1], [0]], [0], "kAdd").compute()
    array([[ 7,  8,  9],
           [11, 13, 15],
           [ 4,  5,  6]])
    """
    x, updates = asarray(operand).node, asarray(update).node
    if not is_one_of(rmw_op, UPDATES):
        raise ArgumentError(f"rmw_op must be one of {', '.join(UPDATES)}, not {rmw_op!r}")
    indices, dims = index_vectors(start_indices, scatter_dims, x.type.ndim)
    batch = indices.type.shape[:-1]
    _check_boxes(x.type, updates.type, batch, dims)
    window = tuple(range(len(batch), updates.type.ndim))
    numbers = DimensionNumbers(window, (), (), (), dims, len(batch))
    if x.type.dtype.kind in "SU" and not np.can_cast(updates.type.dtype, x.type.dtype):
        raise DTypeError(f"texts of update {updates.type} would be cut in cells of {x.type}")
    boxes = astype(updates, x.type.dtype)
    expressions = [cell_update(UPDATES[rmw_op], x.type.dtype)]
    once = unique_indices and check
    (made,) = scatter_tensors([x], indices, [boxes], numbers, expressions, once=once)
    return Array(made)


def _check_boxes(
    x: TensorType, update: TensorType, batch: tuple[int, ...], dims: tuple[int, ...]
) -> None:
    """Raise `ShapeError` where boxes do not fit."""
    sides = [f"1 to {n}" if dim in dims else str(n) for dim, n in enumerate(x.shape)]
    box = update.shape[len(batch) :]
    fits = update.shape[: len(batch)] == batch and len(box) == x.ndim
    if not fits or not all(
        1 <= side <= n if dim in dims else side == n
        for dim, (side, n) in enumerate(zip(box, x.shape, strict=True))
    ):
        shape = ", ".join([*map(str, batch), *sides])
        raise ShapeError(f"update {update} does not fit {x}: its shape must be ({shape})")


sn_scatter = scatter
