"""Products with vectors: `vdot`, `vecdot`, `matvec`, `vecmat`.

Products of vectors alone are sums in the canonical order, the same for every sharding; those with
matrices agree with NumPy's within rounding.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from dask_tapestry.amounts import integer
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.declared_arguments import checked
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.arrays.core.out_argument import Out
from dask_tapestry.arrays.linalg.gufunc_options import (
    OPERANDS,
    CoreAxes,
    with_gufunc_options,
)
from dask_tapestry.arrays.shape.reshaping import expand_dims
from dask_tapestry.errors import DTypeError, ShapeError
from dask_tapestry.operators.cells.elementwise import elementwise
from dask_tapestry.operators.products.matmul import matmul as matmul_tensors
from dask_tapestry.operators.products.tensordot import product_of
from dask_tapestry.operators.products.tensordot import tensordot as tensordot_of
from dask_tapestry.operators.views.reshape import reshape
from dask_tapestry.operators.views.squeeze import squeeze
from dask_tapestry.operators.views.unsqueeze import unsqueeze
from dask_tapestry.teg import Tensor

__all__ = ["matvec", "vdot", "vecdot", "vecmat"]


@implements(np.vdot)
def vdot(a: ArrayLike, b: ArrayLike, /) -> Array:
    """Sum the products of all cells, those of `a` conjugated, as `numpy.vdot`.

    {Parameters} a, b: Arrays of as many cells; they are flattened.
    {Returns} Array: 0-d, the common dtype.
    {Raises} ShapeError: If the arrays have different numbers of cells.
    {See Also} vecdot, dot
    {Examples}
    >>> dt.vdot(dt.asarray([1j, 2]), dt.asarray([1j, 2])).compute()
    np.complex128(5+0j)
    """
    x, w = asarray(a).node, asarray(b).node
    if x.type.size != w.type.size:
        raise ShapeError(f"vdot needs operands of equal size: {x.type}, {w.type}")
    left, right = (reshape(t, (t.type.size,)) for t in (x, w))
    return Array(tensordot_of(_conjugate(left), right, (0,), (0,)))


def _conjugate(x: Tensor) -> Tensor:
    return elementwise("conjugate", x) if x.type.dtype.kind == "c" else x


@implements(np.vecdot)
@checked
def vecdot(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: Out = None,
    *,
    axis: int | None = None,
    keepdims: bool = False,
    axes: CoreAxes | None = None,
    dtype: DTypeLike | None = None,
) -> Array:
    """Sum products along an axis, the cells of `x1` conjugated, as `numpy.vecdot`.

    {Parameters}
        x1, x2: Vectors along `axis`, of one length; the other dimensions broadcast.
        {out.core}
        axis: Axis of both arrays, by default the last.
        keepdims: Keep the axis, with length 1.
        axes: The axis of each array, where these differ, and with `keepdims` that of the result.
        {dtype.common}
    {Returns} Array: The other dimensions; the common dtype.
    {Raises} ShapeError: If an argument has no dimension or the shapes do not fit.
    {See Also} vdot, matvec, vecmat
    {Examples}
    >>> dt.vecdot(dt.ones((2, 3)), dt.arange(3)).compute()
    array([3., 3.])
    """
    if axis is not None and axes is not None:
        raise DTypeError("vecdot takes axis= or axes=, not both")
    last = -1 if axis is None else integer(axis)
    places = [last, last] if axes is None else [*axes]
    if not keepdims:
        return with_gufunc_options(_vecdot, (1, 1, 0), (x1, x2), out, places, dtype)
    if len(places) == OPERANDS:
        places.append(last)
    return with_gufunc_options(_kept_vecdot, (1, 1, 1), (x1, x2), out, places, dtype)


def _kept_vecdot(first: Array, second: Array) -> Array:
    return expand_dims(_vecdot(first, second), -1)


def _vecdot(first: Array, second: Array) -> Array:
    x, w = first.node, second.node
    _check_core_rank("vecdot", "(n),(n)->()", (x, w), (1, 1))
    _check_core_length("vecdot", "(n),(n)->()", x.type.shape[-1], w.type.shape[-1])
    labels = [[*[f"b{n}" for n in range(t.type.ndim - 1)][::-1], "k"] for t in (x, w)]
    keep = max(labels, key=len)[:-1]
    for place, (m, n) in enumerate(zip(x.type.shape[-2::-1], w.type.shape[-2::-1], strict=False)):
        if m != n and 1 not in (m, n):
            raise ShapeError(f"vecdot: dimension {-2 - place} of {x.type} and {w.type} differs")
    return Array(product_of(_conjugate(x), labels[0], w, labels[1], keep))


def _check_core_rank(name: str, core: str, tensors: Sequence[Tensor], ranks: Sequence[int]) -> None:
    """Refuse tensors with fewer dimensions than a function of gufunc signature `core` needs."""
    for number, (x, rank) in enumerate(zip(tensors, ranks, strict=True)):
        if x.type.ndim < rank:
            raise ShapeError(
                f"{name}: Input operand {number} does not have enough dimensions (has "
                f"{x.type.ndim}, gufunc core with signature {core} requires {rank})"
            )


def _check_core_length(name: str, core: str, first: int, second: int) -> None:
    """Refuse different lengths of the dimension that is summed over."""
    if first != second:
        raise ShapeError(
            f"{name}: Input operand 1 has a mismatch in its core dimension 0, with gufunc "
            f"signature {core} (size {second} is different from {first})"
        )


@implements(*[ufunc for ufunc in [getattr(np, "matvec", None)] if ufunc])  # since NumPy 2.2
def matvec(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: Out = None,
    *,
    axes: CoreAxes | None = None,
    dtype: DTypeLike | None = None,
) -> Array:
    """Multiply matrices by vectors, as `numpy.matvec`.

    {Parameters}
        x1: Matrices, of shape (..., m, n).
        x2: Vectors, of shape (..., n).
        {out.core, axes.core, dtype.common}
    {Returns} Array: Shape (..., m), the common dtype.
    {Raises} {ShapeError}
    {See Also} vecmat, matmul
    {Examples}
    >>> dt.matvec(dt.ones((2, 3)), dt.arange(3)).compute()
    array([3., 3.])
    """
    return with_gufunc_options(_matvec, (2, 1, 1), (x1, x2), out, axes, dtype)


def _matvec(first: Array, second: Array) -> Array:
    core = "(m,n),(n)->(m)"
    x, w = first.node, second.node
    _check_core_rank("matvec", core, (x, w), (2, 1))
    _check_core_length("matvec", core, x.type.shape[-1], w.type.shape[-1])
    product = matmul_tensors(x, unsqueeze(w, w.type.ndim))
    return Array(squeeze(product, product.type.ndim - 1))


@implements(*[ufunc for ufunc in [getattr(np, "vecmat", None)] if ufunc])  # since NumPy 2.2
def vecmat(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: Out = None,
    *,
    axes: CoreAxes | None = None,
    dtype: DTypeLike | None = None,
) -> Array:
    """Multiply vectors, conjugated, by matrices, as `numpy.vecmat`.

    {Parameters}
        x1: Vectors, of shape (..., n).
        x2: Matrices, of shape (..., n, m).
        {out.core, axes.core, dtype.common}
    {Returns} Array: Shape (..., m), the common dtype.
    {Raises} {ShapeError}
    {See Also} matvec, matmul
    {Examples}
    >>> dt.vecmat(dt.arange(3), dt.ones((3, 2))).compute()
    array([3., 3.])
    """
    return with_gufunc_options(_vecmat, (1, 2, 1), (x1, x2), out, axes, dtype)


def _vecmat(first: Array, second: Array) -> Array:
    core = "(n),(n,m)->(m)"
    x, w = first.node, second.node
    _check_core_rank("vecmat", core, (x, w), (1, 2))
    _check_core_length("vecmat", core, x.type.shape[-1], w.type.shape[-2])
    product = matmul_tensors(unsqueeze(_conjugate(x), x.type.ndim - 1), w)
    return Array(squeeze(product, product.type.ndim - 2))
