"""Products of matrices and vectors.

Values agree with NumPy's within rounding, not bit for bit: BLAS adds in an order that depends on
the block's shape. Products of vectors alone are sums in the canonical order, the same for every
sharding.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dask_tapestry.array.core.array import Array
from dask_tapestry.array.core.convert import asarray
from dask_tapestry.array.core.dispatch import implements
from dask_tapestry.array.core.out_argument import into
from dask_tapestry.errors import ShapeError
from dask_tapestry.operators.axes import normalize_axis
from dask_tapestry.operators.elementwise import elementwise
from dask_tapestry.operators.matmul import matmul as matmul_tensors
from dask_tapestry.operators.permute import permute
from dask_tapestry.operators.reshape import reshape
from dask_tapestry.operators.squeeze import squeeze
from dask_tapestry.operators.tensordot import product_of
from dask_tapestry.operators.tensordot import tensordot as tensordot_of
from dask_tapestry.operators.unsqueeze import unsqueeze
from dask_tapestry.teg import Tensor

__all__ = [
    "dot",
    "inner",
    "kron",
    "matmul",
    "matvec",
    "outer",
    "tensordot",
    "vdot",
    "vecdot",
    "vecmat",
]
Axes = int | tuple[int | Sequence[int], int | Sequence[int]]


@implements(np.matmul)
def matmul(x: Any, w: Any, /) -> Array:
    """Matrix product ``x @ w`` as `numpy.matmul`: (..., m, k) by (..., k, n); vectors are promoted.

    Values agree with NumPy's within rounding, not bit for bit: BLAS adds in an order that depends
    on the block's shape.

    Raises
    ------
    ShapeError
        If the contracted dimensions differ or an operand has none.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.matmul(dt.ones((2, 3)), dt.ones(3)).compute()
    array([3., 3.])
    """
    return Array(matmul_tensors(asarray(x).node, asarray(w).node))


@implements(np.dot)
def dot(a: Any, b: Any, out: Any = None) -> Array:
    """Sum over the last dimension of `a` and the second to last one of `b`, as `numpy.dot`.

    An operand without dimensions is multiplied; the only dimension of a vector is summed over.

    Raises
    ------
    ShapeError
        If those dimensions differ.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> int(dt.dot(dt.arange(4), dt.arange(4)))
    14
    """
    x, w = asarray(a).node, asarray(b).node
    if not x.type.ndim or not w.type.ndim:
        return into(out, Array(elementwise("multiply", x, w)))
    return into(out, Array(_aligned(x, w, max(w.type.ndim - 2, 0))))


@implements(np.inner)
def inner(a: Any, b: Any, /) -> Array:
    """Sum over the last dimensions of both, as `numpy.inner`.

    Raises
    ------
    ShapeError
        If those dimensions differ.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.inner(dt.ones((2, 3)), dt.ones((4, 3))).shape
    (2, 4)
    """
    x, w = asarray(a).node, asarray(b).node
    if not x.type.ndim or not w.type.ndim:
        return Array(elementwise("multiply", x, w))
    return Array(_aligned(x, w, w.type.ndim - 1))


def _aligned(x: Tensor, w: Tensor, axis: int) -> Tensor:
    """Sum over the last dimension of `x` and dimension `axis` of `w`."""
    last = x.type.ndim - 1
    if x.type.shape[last] != w.type.shape[axis]:
        raise ShapeError(
            f"shapes {_text(x)} and {_text(w)} not aligned: {x.type.shape[last]} (dim {last}) != "
            f"{w.type.shape[axis]} (dim {axis})"
        )
    return tensordot_of(x, w, (last,), (axis,))


def _text(x: Tensor) -> str:
    return str(x.type.shape).replace(" ", "")


@implements(np.vdot)
def vdot(a: Any, b: Any, /) -> Array:
    """Sum the products of all cells, those of `a` conjugated, as `numpy.vdot`.

    Raises
    ------
    ShapeError
        If the operands have different numbers of cells.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.vdot(dt.asarray([1j, 2]), dt.asarray([1j, 2])).compute()
    np.complex128(5+0j)
    """
    x, w = asarray(a).node, asarray(b).node
    if x.type.size != w.type.size:
        raise ShapeError(f"vdot takes as many cells of both operands: {x.type}, {w.type}")
    left, right = (reshape(t, (t.type.size,)) for t in (x, w))
    return Array(tensordot_of(_conjugate(left), right, (0,), (0,)))


def _conjugate(x: Tensor) -> Tensor:
    return elementwise("conjugate", x) if x.type.dtype.kind == "c" else x


@implements(np.vecdot)
def vecdot(x1: Any, x2: Any, /, *, axis: int = -1) -> Array:
    """Sum products along `axis`, the cells of `x1` conjugated, as `numpy.vecdot`.

    Parameters
    ----------
    axis
        Of both operands, whose other dimensions broadcast.

    Raises
    ------
    ShapeError
        If an operand has no dimension or the operands do not fit.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.vecdot(dt.ones((2, 3)), dt.arange(3)).compute()
    array([3., 3.])
    """
    x, w = asarray(x1).node, asarray(x2).node
    _need_core("vecdot", "(n),(n)->()", (x, w), (1, 1))
    x, w = _last(x, axis), _last(w, axis)
    _same_core("vecdot", "(n),(n)->()", x.type.shape[-1], w.type.shape[-1])
    labels = [[*[f"b{n}" for n in range(t.type.ndim - 1)][::-1], "k"] for t in (x, w)]
    keep = max(labels, key=len)[:-1]
    for place, (m, n) in enumerate(zip(x.type.shape[-2::-1], w.type.shape[-2::-1], strict=False)):
        if m != n and 1 not in (m, n):
            raise ShapeError(f"vecdot: dimension {-2 - place} of {x.type} and {w.type} differs")
    return Array(product_of(_conjugate(x), labels[0], w, labels[1], keep))


def _last(x: Tensor, axis: int) -> Tensor:
    """`x` with a dimension moved to the end."""
    number = normalize_axis(axis, x.type.ndim)
    return permute(x, [dim for dim in range(x.type.ndim) if dim != number] + [number])


def _need_core(name: str, core: str, tensors: Sequence[Tensor], ranks: Sequence[int]) -> None:
    for number, (x, rank) in enumerate(zip(tensors, ranks, strict=True)):
        if x.type.ndim < rank:
            raise ShapeError(
                f"{name}: Input operand {number} does not have enough dimensions (has "
                f"{x.type.ndim}, gufunc core with signature {core} requires {rank})"
            )


def _same_core(name: str, core: str, first: int, second: int) -> None:
    if first != second:
        raise ShapeError(
            f"{name}: Input operand 1 has a mismatch in its core dimension 0, with gufunc "
            f"signature {core} (size {second} is different from {first})"
        )


@implements(*[ufunc for ufunc in [getattr(np, "matvec", None)] if ufunc])  # since NumPy 2.2
def matvec(x1: Any, x2: Any, /) -> Array:
    """Multiply matrices (..., m, n) by vectors (..., n), as `numpy.matvec`.

    Raises
    ------
    ShapeError
        If the operands do not fit.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.matvec(dt.ones((2, 3)), dt.arange(3)).compute()
    array([3., 3.])
    """
    core = "(m,n),(n)->(m)"
    x, w = asarray(x1).node, asarray(x2).node
    _need_core("matvec", core, (x, w), (2, 1))
    _same_core("matvec", core, x.type.shape[-1], w.type.shape[-1])
    product = matmul_tensors(x, unsqueeze(w, w.type.ndim))
    return Array(squeeze(product, product.type.ndim - 1))


@implements(*[ufunc for ufunc in [getattr(np, "vecmat", None)] if ufunc])  # since NumPy 2.2
def vecmat(x1: Any, x2: Any, /) -> Array:
    """Multiply vectors (..., n), conjugated, by matrices (..., n, m), as `numpy.vecmat`.

    Raises
    ------
    ShapeError
        If the operands do not fit.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.vecmat(dt.arange(3), dt.ones((3, 2))).compute()
    array([3., 3.])
    """
    core = "(n),(n,m)->(m)"
    x, w = asarray(x1).node, asarray(x2).node
    _need_core("vecmat", core, (x, w), (1, 2))
    _same_core("vecmat", core, x.type.shape[-1], w.type.shape[-2])
    product = matmul_tensors(unsqueeze(_conjugate(x), x.type.ndim - 1), w)
    return Array(squeeze(product, product.type.ndim - 2))


@implements(np.tensordot)
def tensordot(a: Any, b: Any, axes: Axes = 2) -> Array:
    """Sum products over pairs of dimensions, as `numpy.tensordot`.

    Parameters
    ----------
    axes
        How many last dimensions of `a` are summed over with as many first ones of `b`; or the
        dimensions of `a` and those of `b`.

    Raises
    ------
    ShapeError
        If those dimensions differ.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.tensordot(dt.ones((2, 3, 4)), dt.ones((4, 3, 5)), ([1, 2], [1, 0])).shape
    (2, 5)
    """
    x, w = asarray(a).node, asarray(b).node
    if isinstance(axes, Sequence):
        left, right = ([*ax] if isinstance(ax, Sequence) else [ax] for ax in axes)
    else:
        count = int(axes)
        left, right = [*range(-count, 0)], [*range(count)]
    return Array(tensordot_of(x, w, left, right))


@implements(np.outer)
def outer(a: Any, b: Any, out: Any = None) -> Array:
    """Multiply every cell of `a` by every cell of `b`, both flattened, as `numpy.outer`.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.outer(dt.arange(2), dt.arange(3)).compute()
    array([[0, 0, 0],
           [0, 1, 2]])
    """
    x, w = (asarray(t).node for t in (a, b))
    column, row = reshape(x, (x.type.size, 1)), reshape(w, (1, w.type.size))
    return into(out, Array(elementwise("multiply", column, row)))


@implements(np.kron)
def kron(a: Any, b: Any) -> Array:
    """Put a copy of `b`, multiplied by it, in the place of every cell of `a`, as `numpy.kron`.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.kron(dt.arange(2), dt.ones(2)).compute()
    array([0., 0., 1., 1.])
    """
    x, w = asarray(a).node, asarray(b).node
    ndim = max(x.type.ndim, w.type.ndim)
    m, n = ((1,) * (ndim - t.type.ndim) + t.type.shape for t in (x, w))
    left = reshape(x, [side for i in m for side in (i, 1)])
    right = reshape(w, [side for j in n for side in (1, j)])
    product = elementwise("multiply", left, right)
    return Array(reshape(product, [i * j for i, j in zip(m, n, strict=True)]))
