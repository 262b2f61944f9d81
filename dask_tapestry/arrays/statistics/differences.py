"""Differences of neighbouring cells: `diff` and `ediff1d`."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.amounts import integer
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.arrays.core.dtypes import promoted
from dask_tapestry.arrays.core.reduction_arguments import NOT_GIVEN
from dask_tapestry.errors import ArgumentError, DTypeError, ShapeError
from dask_tapestry.operators.axes import normalize_axis
from dask_tapestry.operators.cells.elementwise import astype, elementwise
from dask_tapestry.operators.joins.concat import concat
from dask_tapestry.operators.views.broadcast import broadcast
from dask_tapestry.operators.views.reshape import reshape
from dask_tapestry.operators.views.slice import basic_slice
from dask_tapestry.teg import Tensor

__all__ = ["diff", "ediff1d"]


@implements(np.diff)
def diff(
    a: ArrayLike,
    n: int = 1,
    axis: int = -1,
    prepend: ArrayLike = NOT_GIVEN,
    append: ArrayLike = NOT_GIVEN,
) -> Array:
    """Subtract from each cell the one before it along `axis`, `n` times, as `numpy.diff`.

    {Parameters}
        {a}
        n: How many times; 0 returns the array itself.
        axis: Axis to go along.
        prepend, append: Cells to join to the array first; a scalar is one cell along `axis`.
    {Returns} Array: `n` cells shorter than the joined array along `axis`; bools are compared, not
        subtracted.
    {Raises} ShapeError: If `n` is negative or the array is 0-d.
    {See Also} ediff1d, gradient, cumsum
    {Examples}
    >>> dt.diff(dt.asarray([1, 4, 9]), prepend=0).compute()
    array([1, 3, 5])
    """
    times, x = integer(n), asarray(a).node
    if times == 0:
        return Array(x)
    if times < 0:
        raise ArgumentError(f"order must be non-negative but got {times}")
    if not x.type.ndim:
        raise ShapeError("diff requires input that is at least one dimensional")
    number = normalize_axis(axis, x.type.ndim)
    ends = [_end_cells(end, x, number) for end in (prepend, append)]
    parts = [part for part in (ends[0], x, ends[1]) if part is not None]
    x = _joined(parts, number)
    for _ in range(times):
        x = _difference(x, number)
    return Array(x)


def _joined(parts: list[Tensor], axis: int) -> Tensor:
    """Tensors joined along `axis`, in the dtype they promote to."""
    if len(parts) == 1:
        return parts[0]
    dtype = promoted(*[part.type.dtype for part in parts])
    return concat([astype(part, dtype) for part in parts], axis)


def _end_cells(end: ArrayLike, x: Tensor, axis: int) -> Tensor | None:
    """What is joined to `x` at one end; None for nothing."""
    if end is NOT_GIVEN:
        return None
    cells = asarray(end).node
    if cells.type.ndim:
        return cells
    return broadcast(cells, (*x.type.shape[:axis], 1, *x.type.shape[axis + 1 :]))


def _difference(x: Tensor, axis: int) -> Tensor:
    """Each cell minus the one before; of bools, whether they differ."""
    return elementwise(
        "not_equal" if x.type.dtype.kind == "b" else "subtract", *_neighbours(x, axis)
    )


def _neighbours(x: Tensor, axis: int) -> tuple[Tensor, Tensor]:
    """`x` without its first cells along `axis`, and without its last ones."""
    rest = (slice(None),) * axis
    return basic_slice(x, (*rest, slice(1, None))), basic_slice(x, (*rest, slice(None, -1)))


@implements(np.ediff1d)
def ediff1d(
    ary: ArrayLike, to_end: ArrayLike | None = None, to_begin: ArrayLike | None = None
) -> Array:
    """Return the differences of neighbours in the flattened array, as `numpy.ediff1d`.

    {Parameters}
        ary: The array, or what `asarray` takes.
        to_end, to_begin: Cells to put behind and before the differences.
    {Returns} Array: Differences, 1-d.
    {Raises} DTypeError: If `to_end` or `to_begin` cannot be converted to the dtype of `ary`.
    {See Also} diff
    {Examples}
    >>> dt.ediff1d(dt.asarray([1, 4, 9]), to_begin=0).compute()
    array([0, 3, 5])
    """
    x = asarray(ary).node
    flat = reshape(x, -1)
    between = elementwise("subtract", *_neighbours(flat, 0))
    parts = [_end_vector(to_begin, x, "to_begin"), between, _end_vector(to_end, x, "to_end")]
    return Array(concat([part for part in parts if part is not None], 0))


def _end_vector(given: ArrayLike | None, x: Tensor, name: str) -> Tensor | None:
    """`given` as a vector of the dtype of `x`; None for nothing."""
    if given is None:
        return None
    cells = asarray(given).node
    if not np.can_cast(cells.type.dtype, x.type.dtype, "same_kind"):
        raise DTypeError(
            f"dtype of `{name}` must be compatible with input `ary` under the `same_kind` rule."
        )
    return astype(reshape(cells, -1), x.type.dtype)
