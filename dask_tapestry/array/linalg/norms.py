"""Norms of vectors and matrices: folds of absolute values."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from dask_tapestry.array.core.array import Array
from dask_tapestry.array.core.convert import asarray
from dask_tapestry.array.core.dispatch import implements
from dask_tapestry.array.statistics.averages import square_modulus
from dask_tapestry.errors import DTypeError, ShapeError
from dask_tapestry.operators.axes import Axes, normalize_axes, normalize_axis
from dask_tapestry.operators.elementwise import Operand, astype, elementwise, scalar_of
from dask_tapestry.operators.reduce import reduce
from dask_tapestry.operators.reshape import reshape
from dask_tapestry.operators.unsqueeze import unsqueeze
from dask_tapestry.teg import Tensor

__all__ = ["matrix_norm", "norm", "vector_norm"]
SPECTRAL = "needs singular values of the matrix; dask_tapestry has no decompositions yet"


@implements(np.linalg.norm)
def norm(x: Any, ord: Any = None, axis: Axes = None, keepdims: Any = False) -> Array:
    """Return the norm of vectors or matrices, as `numpy.linalg.norm`.

    Parameters
    ----------
    ord
        Of vectors: None or 2, inf, -inf, 0, or any other number p; of matrices: None or ``"fro"``,
        1, -1, inf, -inf. The matrix norms 2, -2 and ``"nuc"`` need singular values.
    axis
        Of the vectors, or two of the matrices; by default the whole array.

    Raises
    ------
    ShapeError
        If `ord` is no norm of what `axis` names.
    DTypeError
        If the norm needs singular values.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> float(dt.linalg.norm(dt.asarray([3.0, 4.0])))
    5.0
    """
    cells = _inexact(asarray(x).node)
    rank = cells.type.ndim
    if axis is None:
        whole = ord is None or (ord in ("f", "fro") and rank == 2) or (ord == 2 and rank == 1)
        if whole:
            value = reduce(_powers(reshape(cells, -1), 2), "sum")
            return Array(_shaped(_root(value, 2), rank, bool(keepdims)))
        axes: tuple[int, ...] = tuple(range(rank))
    else:
        axes = (axis,) if isinstance(axis, int) else tuple(axis)
    if len(axes) == 1:
        return Array(_vectors(cells, normalize_axes(axes, rank), ord, bool(keepdims)))
    if len(axes) != 2:
        raise ShapeError("Improper number of dimensions to norm.")
    return Array(_matrices(cells, axes, ord, bool(keepdims)))


def _shaped(value: Tensor, rank: int, keepdims: bool) -> Tensor:
    return reshape(value, (1,) * rank) if keepdims else value


def _inexact(x: Tensor) -> Tensor:
    if x.type.dtype.kind in "fc":
        return x
    if x.type.dtype.kind not in "biu":
        raise DTypeError(f"a norm has no meaning for dtype {x.type.dtype.name}")
    return astype(x, np.dtype(np.float64))


def _powers(x: Tensor, order: float) -> Tensor:
    """``abs(x) ** order``."""
    if order == 2:
        return square_modulus(x)
    size = elementwise("absolute", x)
    return size if order == 1 else elementwise("power", size, _as(order, size))


def _as(value: float, x: Tensor) -> Operand:
    return scalar_of(value, x.type.dtype)


def _root(total: Tensor, order: float) -> Tensor:
    if order == 1:
        return total
    if order == 2:
        return elementwise("sqrt", total)
    return elementwise("power", total, _inverse(order, total))


def _inverse(order: float, like: Tensor) -> Operand:
    """``1 / order`` in the dtype of `like`, as NumPy divides."""
    kind: Any = like.type.dtype.type
    inverse: np.generic = kind(1) / kind(order)
    return inverse


def _vectors(x: Tensor, axes: tuple[int, ...], ord: Any, keepdims: bool) -> Tensor:
    """Norms of vectors along `axes` taken together."""
    order = 2 if ord is None else ord
    if isinstance(order, str):
        raise ShapeError(f"Invalid norm order '{order}' for vectors")
    if order in (inf, -inf):
        name = "max" if order > 0 else "min"
        return reduce(elementwise("absolute", x), name, axes, keepdims=keepdims)
    if order == 0:
        real = np.dtype(x.type.dtype.char.lower())
        truth = astype(elementwise("not_equal", x, 0), real)
        return reduce(truth, "sum", axes, keepdims=keepdims)
    total = reduce(_powers(x, order), "sum", axes, keepdims=keepdims)
    return _root(total, order)


def _matrices(x: Tensor, axes: tuple[int, ...], ord: Any, keepdims: bool) -> Tensor:
    """Norms of matrices whose rows and columns are `axes`."""
    row, column = (normalize_axis(axis, x.type.ndim) for axis in axes)
    if row == column:
        raise ShapeError("Duplicate axes given.")
    if ord in (None, "fro", "f"):
        total = reduce(_powers(x, 2), "sum", (row, column), keepdims=keepdims)
        return elementwise("sqrt", total)
    if ord in (2, -2, "nuc"):
        raise DTypeError(f"matrix norm {ord!r} {SPECTRAL}")
    if ord not in (1, -1, inf, -inf):
        raise ShapeError("Invalid norm order for matrices.")
    added, kept = (row, column) if abs(ord) == 1 else (column, row)
    sums = reduce(elementwise("absolute", x), "sum", added)
    extreme = "max" if ord > 0 else "min"
    value = reduce(sums, extreme, kept - (kept > added))
    return unsqueeze(value, (row, column)) if keepdims else value


@implements(np.linalg.vector_norm)
def vector_norm(x: Any, /, *, axis: Axes = None, keepdims: Any = False, ord: float = 2) -> Array:
    """Return the norm of vectors along `axis`, several axes taken together as one.

    Parameters
    ----------
    axis
        By default all.
    ord
        2, inf, -inf, 0, or any other number p.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.linalg.vector_norm(dt.ones((2, 4)), axis=1).compute()
    array([2., 2.])
    """
    cells = _inexact(asarray(x).node)
    return Array(_vectors(cells, normalize_axes(axis, cells.type.ndim), ord, bool(keepdims)))


@implements(np.linalg.matrix_norm)
def matrix_norm(x: Any, /, *, keepdims: Any = False, ord: Any = "fro") -> Array:
    """Return the norm of the matrices in the last two dimensions.

    Parameters
    ----------
    ord
        ``"fro"``, 1, -1, inf, -inf; 2, -2 and ``"nuc"`` need singular values.

    Raises
    ------
    DTypeError
        If the norm needs singular values.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> float(dt.linalg.matrix_norm(dt.asarray([[1.0, -2.0], [0.0, 2.0]]), ord=1))
    4.0
    """
    cells = _inexact(asarray(x).node)
    return Array(_matrices(cells, (-2, -1), ord, bool(keepdims)))
