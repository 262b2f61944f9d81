"""Norms of vectors and matrices."""

from __future__ import annotations

from math import inf
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.amounts import is_one_of, listed, reading
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.arrays.core.reduction_arguments import flag
from dask_tapestry.arrays.linalg.factorizations import svdvals
from dask_tapestry.cells.fixed_dtype import dtype_name
from dask_tapestry.errors import ArgumentError, DTypeError, ShapeError
from dask_tapestry.operators.axes import Axes, normalize_axes, normalize_axis
from dask_tapestry.operators.cells.complex_parts import square_modulus
from dask_tapestry.operators.cells.elementwise import Operand, astype, elementwise, scalar_of
from dask_tapestry.operators.reductions.reduce import reduce
from dask_tapestry.operators.views.permute import permute
from dask_tapestry.operators.views.reshape import reshape
from dask_tapestry.operators.views.unsqueeze import unsqueeze
from dask_tapestry.teg import Tensor

__all__ = ["matrix_norm", "norm", "vector_norm"]
Order = float | Literal["f", "fro", "nuc"] | None


@implements(np.linalg.norm)
def norm(x: ArrayLike, ord: Order = None, axis: Axes = None, keepdims: bool = False) -> Array:
    """Return the norm of vectors or matrices, as `numpy.linalg.norm`.

    {Parameters}
        {x}
        ord: Order of a vector norm: None or 2, inf, -inf, 0, or any other number p; of a matrix
            norm: None or ``"fro"``, 1, -1, inf, -inf; 2, -2 and ``"nuc"``, the largest, the least
            and the sum of the singular values.
        axis: Axis of the vectors, or two axes of the matrices; by default the whole array.
        keepdims: Whether the axes stay, with length one.
    {Returns} Array: The other dimensions, in a floating dtype.
    {Raises}
        ShapeError: If `ord` is no norm of what `axis` names.
        {DTypeError.numbers}
    {See Also} vector_norm, matrix_norm
    {Examples}
    >>> float(dt.linalg.norm(dt.asarray([3.0, 4.0])))
    5.0
    """
    cells = _floating(asarray(x).node)
    rank = cells.type.ndim
    with reading("ord"):
        if np.ndim(cast(Any, ord)):
            raise ArgumentError(f"ord must be a number, not {ord!r}")
    if axis is None:
        whole = ord is None or (ord in ("f", "fro") and rank == 2) or (ord == 2 and rank == 1)
        if whole:
            value = reduce(_powers(cells, 2), "sum")
            return Array(_with_dims_kept(_root(value, 2), rank, flag(keepdims)))
        axes: tuple[int, ...] = tuple(range(rank))
    else:
        axes = (axis,) if isinstance(axis, int) else listed(axis, "axes")
    if len(axes) == 1:
        return Array(_vector_norms(cells, normalize_axes(axes, rank), ord, flag(keepdims)))
    if len(axes) != 2:
        raise ShapeError("Improper number of dimensions to norm.")
    return Array(_matrix_norms(cells, axes, ord, flag(keepdims)))


def _with_dims_kept(value: Tensor, rank: int, keepdims: bool) -> Tensor:
    return reshape(value, (1,) * rank) if keepdims else value


def _floating(x: Tensor) -> Tensor:
    if x.type.dtype.kind in "fc":
        return x
    if x.type.dtype.kind not in "biu":
        raise DTypeError(f"norm is not defined for dtype {dtype_name(x.type.dtype)}")
    return astype(x, np.dtype(np.float64))


def _powers(x: Tensor, order: float) -> Tensor:
    """``abs(x) ** order``."""
    if order == 2:
        return square_modulus(x)
    size = elementwise("absolute", x)
    return size if order == 1 else elementwise("power", size, _scalar_like(order, size))


def _scalar_like(value: float, x: Tensor) -> Operand:
    return scalar_of(value, x.type.dtype)


def _root(total: Tensor, order: float) -> Tensor:
    if order == 1:
        return total
    if order == 2:
        return elementwise("sqrt", total)
    return elementwise("power", total, _reciprocal(order, total))


def _reciprocal(order: float, like: Tensor) -> Operand:
    """``1 / order`` in the dtype of `like`, as NumPy divides."""
    kind: Any = like.type.dtype.type
    with reading("ord"):
        inverse: np.generic = kind(1) / kind(order)
    return inverse


def _vector_norms(x: Tensor, axes: tuple[int, ...], ord: Order, keepdims: bool) -> Tensor:
    """Norms of vectors along `axes` taken together."""
    order = 2 if ord is None else ord
    if isinstance(order, str):
        raise ShapeError(f"Invalid norm order '{order}' for vectors")
    if order in (inf, -inf):
        sizes = elementwise("absolute", x)
        return _extreme(sizes, "max" if order > 0 else "min", axes, keepdims)
    if order == 0:
        real = np.dtype(x.type.dtype.char.lower())
        truth = astype(elementwise("not_equal", x, 0), real)
        return reduce(truth, "sum", axes, keepdims=keepdims)
    total = reduce(_powers(x, order), "sum", axes, keepdims=keepdims)
    return _root(total, order)


def _matrix_norms(x: Tensor, axes: tuple[int, ...], ord: Order, keepdims: bool) -> Tensor:
    """Norms of matrices whose rows and columns are `axes`."""
    row, column = (normalize_axis(axis, x.type.ndim) for axis in axes)
    if row == column:
        raise ShapeError("Duplicate axes given.")
    if is_one_of(ord, (None, "fro", "f")):
        total = reduce(_powers(x, 2), "sum", (row, column), keepdims=keepdims)
        return elementwise("sqrt", total)
    if not isinstance(ord, int | float | str | np.number):
        raise ArgumentError(f"ord is a number or a name, not {ord!r}")
    if ord in (2, -2, "nuc"):
        value = _spectral_norms(x, (row, column), ord)
        return unsqueeze(value, (row, column)) if keepdims else value
    if ord not in (1, -1, inf, -inf):
        raise ShapeError("Invalid norm order for matrices.")
    added, kept = (row, column) if abs(ord) == 1 else (column, row)
    sums = reduce(elementwise("absolute", x), "sum", added)
    extreme = "max" if ord > 0 else "min"
    value = _extreme(sums, extreme, (kept - (kept > added),))
    return unsqueeze(value, (row, column)) if keepdims else value


def _spectral_norms(x: Tensor, axes: tuple[int, int], ord: Order) -> Tensor:
    """The largest or the least singular value, or their sum."""
    others = [axis for axis in range(x.type.ndim) if axis not in axes]
    sizes = svdvals(Array(permute(x, [*others, *axes]))).node
    name = {2: "max", -2: "min", "nuc": "sum"}[ord]
    return _extreme(sizes, name, (sizes.type.ndim - 1,))


def _extreme(x: Tensor, name: str, axes: tuple[int, ...], keepdims: bool = False) -> Tensor:
    """The least or the largest of numbers that are not negative; of none the largest is zero."""
    is_empty = not all(x.type.shape[axis] for axis in axes)
    return reduce(x, "sum" if is_empty and name == "max" else name, axes, keepdims=keepdims)


@implements(np.linalg.vector_norm)
def vector_norm(
    x: ArrayLike, /, *, axis: Axes = None, keepdims: bool = False, ord: float = 2
) -> Array:
    """Return the norm of vectors, as `numpy.linalg.vector_norm`.

    {Parameters}
        {x}
        axis: Axes along which the vectors lie, several taken together as one; by default all.
        keepdims: Whether the axes stay, with length one.
        ord: Order of the norm: 2, inf, -inf, 0, or any other number p.
    {Returns} Array: The other dimensions, in a floating dtype.
    {Raises} {DTypeError.numbers}
    {See Also} norm, matrix_norm
    {Examples}
    >>> dt.linalg.vector_norm(dt.ones((2, 4)), axis=1).compute()
    array([2., 2.])
    """
    cells = _floating(asarray(x).node)
    return Array(_vector_norms(cells, normalize_axes(axis, cells.type.ndim), ord, bool(keepdims)))


@implements(np.linalg.matrix_norm)
def matrix_norm(x: ArrayLike, /, *, keepdims: bool = False, ord: Order = "fro") -> Array:
    """Return the norm of matrices, as `numpy.linalg.matrix_norm`.

    {Parameters}
        x: Matrices, of shape (..., m, n).
        keepdims: Whether the last two dimensions stay, with length one.
        ord: Order of the norm: ``"fro"``, 1, -1, inf, -inf, 2, -2, ``"nuc"``.
    {Returns} Array: Shape (...), in a floating dtype.
    {Raises}
        ShapeError: If `ord` is no norm of matrices.
        {DTypeError.numbers}
    {See Also} norm, vector_norm
    {Examples}
    >>> float(dt.linalg.matrix_norm(dt.asarray([[1.0, -2.0], [0.0, 2.0]]), ord=1))
    4.0
    """
    cells = _floating(asarray(x).node)
    return Array(_matrix_norms(cells, (-2, -1), ord, bool(keepdims)))
