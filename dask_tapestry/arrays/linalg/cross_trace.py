"""`cross` products of vectors, and `trace`: sums of diagonals."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.arrays.core.dtypes import as_dtype, promoted
from dask_tapestry.arrays.core.out_argument import assigned_to_out
from dask_tapestry.errors import ShapeError
from dask_tapestry.operators.axes import normalize_axis
from dask_tapestry.operators.cells.elementwise import astype, elementwise
from dask_tapestry.operators.joins.diagonal import diagonal
from dask_tapestry.operators.joins.stack import stack
from dask_tapestry.operators.reductions.reduce import reduce
from dask_tapestry.operators.views.permute import move_to_last
from dask_tapestry.operators.views.slice import basic_slice
from dask_tapestry.teg import Tensor

__all__ = ["cross", "trace"]


@implements(np.cross)
def cross(
    a: ArrayLike,
    b: ArrayLike,
    axisa: int = -1,
    axisb: int = -1,
    axisc: int = -1,
    axis: int | None = None,
) -> Array:
    """Return cross products of vectors of two or three cells, as `numpy.cross`.

    {Parameters}
        a, b: The vectors; a third cell that is missing is zero. The other dimensions broadcast.
        axisa, axisb, axisc: Axes along which the vectors of `a`, of `b` and of the result lie.
        axis: All three of them.
    {Returns} Array: The broadcast shape, with vectors of three cells along `axisc`; of vectors of
        two cells each, only the third cell of the products. The common dtype.
    {Raises} ShapeError: If the vectors have other than two or three cells, or the other dimensions
        do not broadcast.
    {See Also} linalg.cross, outer
    {Examples}
    >>> dt.cross([1, 0, 0], [0, 1, 0]).compute()
    array([0, 0, 1])
    """
    if axis is not None:
        axisa = axisb = axisc = axis
    x, w = asarray(a).node, asarray(b).node
    if not x.type.ndim or not w.type.ndim:
        raise ShapeError("At least one array has zero dimension")
    dtype = promoted(x.type.dtype, w.type.dtype)
    p = _components(astype(x, dtype), axisa, "axisa")
    q = _components(astype(w, dtype), axisb, "axisb")
    third = _difference(_product(p[0], q[1]), _product(p[1], q[0]))
    if len(p) == len(q) == 2:
        return Array(third)
    cells = [
        _difference(_product_or_none(p, 1, q, 2), _product_or_none(p, 2, q, 1)),
        _difference(_product_or_none(p, 2, q, 0), _product_or_none(p, 0, q, 2)),
        third,
    ]
    return Array(stack(cells, normalize_axis(axisc, third.type.ndim + 1, "axisc")))


def _components(x: Tensor, axis: int, name: str) -> list[Tensor]:
    """The two or three cells of vectors along `axis`."""
    last = move_to_last(x, axis, name)
    count = last.type.shape[-1]
    if count not in (2, 3):
        raise ShapeError("incompatible dimensions for cross product\n(dimension must be 2 or 3)")
    return [basic_slice(last, (..., place)) for place in range(count)]


def _product(x: Tensor, w: Tensor) -> Tensor:
    return elementwise("multiply", x, w)


def _product_or_none(p: list[Tensor], i: int, q: list[Tensor], j: int) -> Tensor | None:
    """The product of two components; None where a vector lacks one, which counts as zero."""
    return _product(p[i], q[j]) if i < len(p) and j < len(q) else None


def _difference(x: Tensor | None, w: Tensor | None) -> Tensor:
    if x is None:
        assert w is not None
        return elementwise("negative", w)
    return x if w is None else elementwise("subtract", x, w)


@implements(np.trace)
def trace(
    a: ArrayLike,
    offset: int = 0,
    axis1: int = 0,
    axis2: int = 1,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
) -> Array:
    """Sum the cells of a diagonal, as `numpy.trace`.

    {Parameters}
        a: Matrices, in two axes.
        offset: How many places the diagonal lies above the main one; negative below.
        {axis1}
        dtype: Dtype in which to add; by default that of `a`, and 64-bit integers for smaller ones.
        {out.value}
    {Returns} Array: The dimensions of `a` without the two axes.
    {Raises} ShapeError: For less than two dimensions, or one axis given twice.
    {See Also} diagonal, linalg.trace
    {Examples}
    >>> float(dt.trace(dt.ones((3, 4))))
    3.0
    """
    cells = diagonal(asarray(a).node, offset, axis1, axis2)
    kind = None if dtype is None else as_dtype(dtype)
    return assigned_to_out(out, Array(reduce(cells, "sum", cells.type.ndim - 1, dtype=kind)))
