"""Orthonormal columns and triangles of matrices larger than a worker, by halves of columns.

Reflections of a panel of columns are made in one block, and applied to others as products.

Source: Elmroth, Gustavson, "Applying recursion to serial and parallel QR factorization leads to
better performance", IBM J. Res. Dev. 44, 2000.
"""

from __future__ import annotations

from typing import NamedTuple

from dask_tapestry.operators.axis_slices import concat_nonempty
from dask_tapestry.operators.elementwise import elementwise
from dask_tapestry.operators.matmul import matmul
from dask_tapestry.operators.triangle import (
    Triangle,
    adjoint,
    columns_of,
    half_of,
    minus_product,
    rows_of,
    unit_matrix,
    zeros,
)
from dask_tapestry.operators.whole_matrix import call_on_matrices, spread
from dask_tapestry.teg import Tensor
from dask_tapestry_kernels.cpu.blocks.reflectors import reflectors


class Reflected(NamedTuple):
    """Reflections that make a matrix the triangle `r`: ``I - v @ t @ v.H``, with `t` a triangle."""

    v: Tensor
    t: Triangle
    r: Triangle


def reflected(x: Tensor, width: int) -> Reflected:
    """Reflections of a matrix with at least as many rows as columns."""
    columns = x.type.shape[1]
    half = half_of(columns, width)
    if not half:
        return _panel(x)
    left = reflected(columns_of(x, None, half), width)
    beside = _turned_back(left, columns_of(x, half, None))
    right = reflected(rows_of(beside, half, None), width)
    inner = matmul(adjoint(rows_of(left.v, half, None)), right.v)
    inner = matmul(left.t.matrix(lower=False), matmul(inner, right.t.matrix(lower=False)))
    zero = zeros((half, columns - half), x.type.dtype)
    v = concat_nonempty([left.v, concat_nonempty([zero, right.v], 0)], 1)
    t = Triangle.joined(left.t, elementwise("negative", inner), right.t)
    return Reflected(v, t, Triangle.joined(left.r, rows_of(beside, None, half), right.r))


def _panel(x: Tensor) -> Reflected:
    kind = x.type.dtype
    outputs, order = {"mn": kind, "nj": kind, "nk": kind}, ("mnn", 4.0)
    columns = x.type.shape[1]
    v, t, r = call_on_matrices(
        reflectors, [(x, "mn")], outputs, order, sizes={"j": columns, "k": columns}
    )
    return Reflected(spread(v), Triangle.whole(spread(t)), Triangle.whole(spread(r)))


def _turned_back(by: Reflected, x: Tensor) -> Tensor:
    """``Q.H @ x`` for the rotation Q of reflections."""
    turned = matmul(adjoint(by.t.matrix(lower=False)), matmul(adjoint(by.v), x))
    return minus_product(x, by.v, turned)


def qr_by_panels(x: Tensor, width: int) -> Tensor:
    """``[Q, R]``, one below the other, or side by side where rows are fewer than columns."""
    rows, columns = x.type.shape
    side = min(rows, columns)
    made = reflected(columns_of(x, None, side), width)
    turned = matmul(made.t.matrix(lower=False), adjoint(rows_of(made.v, None, side)))
    q = minus_product(unit_matrix(rows, side, x.type.dtype), made.v, turned)
    r = made.r.matrix(lower=False)
    if rows >= columns:
        return concat_nonempty([q, r], 0)
    beside = _turned_back(made, columns_of(x, side, None))
    return concat_nonempty([q, r, beside], 1)


def triangle_by_panels(x: Tensor, width: int) -> Tensor:
    """The factor R alone."""
    rows, columns = x.type.shape
    side = min(rows, columns)
    made = reflected(columns_of(x, None, side), width)
    beside = [_turned_back(made, columns_of(x, side, None))] if rows < columns else []
    return concat_nonempty([made.r.matrix(lower=False), *beside], 1)
