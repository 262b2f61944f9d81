"""Chains of matrix products: `matrix_power`, and `multi_dot` in the cheapest order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.amounts import integer, listed
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.arrays.core.out_argument import assigned_to_out
from dask_tapestry.arrays.linalg.products import dot
from dask_tapestry.arrays.linalg.solving import inv
from dask_tapestry.errors import DTypeError, LinAlgError, ShapeError
from dask_tapestry.operators.cells.elementwise import astype
from dask_tapestry.operators.joins.diagonal import on_diagonal
from dask_tapestry.operators.products.matmul import matmul
from dask_tapestry.operators.products.matrix_chain import best_splits
from dask_tapestry.operators.views.broadcast import broadcast
from dask_tapestry.teg import Tensor

__all__ = ["matrix_power", "multi_dot"]


@implements(np.linalg.matrix_power)
def matrix_power(a: ArrayLike, n: int) -> Array:
    """Multiply square matrices `n` times by themselves, as `numpy.linalg.matrix_power`.

    {Parameters}
        {a.square}
        n: The exponent; 0 gives unit matrices, a negative one powers of the inverses.
    {Returns} Array: Shape and dtype of `a`; that of the inverses for a negative exponent.
    {Raises}
        LinAlgError: If the matrices are not square; when it is computed, if one that is inverted is
            singular.
        DTypeError: If `n` is not an integer.
    {Examples}
    >>> dt.linalg.matrix_power(dt.asarray([[1, 1], [0, 1]]), 10).compute()
    array([[ 1, 10],
           [ 0,  1]])
    """
    x = asarray(a).node
    _check_square(x)
    try:
        power = integer(n)
    except TypeError:
        raise DTypeError("exponent must be an integer") from None
    return Array(_power(inv(a).node if power < 0 else x, abs(power)))


def _check_square(x: Tensor) -> None:
    if x.type.ndim < 2:
        raise LinAlgError(
            f"{x.type.ndim}-dimensional array given. Array must be at least two-dimensional"
        )
    if x.type.shape[-1] != x.type.shape[-2]:
        raise LinAlgError(f"Last 2 dimensions of the array must be square: {x.type}")


def _power(x: Tensor, power: int) -> Tensor:
    """A power by repeated squaring, the lowest bit of the exponent first."""
    if power == 0:
        side = x.type.shape[-1]
        unit = astype(on_diagonal((side, side), 0), x.type.dtype)
        return broadcast(unit, x.type.shape)
    result, square = None, x
    while power:
        power, bit = divmod(power, 2)
        if bit:
            result = square if result is None else matmul(result, square)
        if power:
            square = matmul(square, square)
    assert result is not None
    return result


@implements(np.linalg.multi_dot)
def multi_dot(arrays: Sequence[ArrayLike], *, out: Array | None = None) -> Array:
    """Multiply matrices in the order that takes fewest operations, as `numpy.linalg.multi_dot`.

    {Parameters}
        arrays: At least two; the first and the last may be vectors.
        {out.value}
    {Returns} Array: Shape (rows of the first, columns of the last), without the dimension that a
        vector lacks.
    {Raises}
        ShapeError: If there are fewer than two, or neighbours do not fit.
        LinAlgError: If one has another number of dimensions.
    {See Also} dask_tapestry.matmul, dask_tapestry.einsum
    {Examples}
    >>> dt.linalg.multi_dot([dt.ones(3), dt.ones((3, 5)), dt.ones((5, 2))]).compute()
    array([15., 15.])
    """
    factors = [asarray(x) for x in listed(arrays, "arrays")]
    if len(factors) < 2:
        raise ShapeError("Expecting at least two arrays.")
    if len(factors) == 2:
        return dot(factors[0], factors[1], out)
    for place, x in enumerate(factors):
        if x.ndim != 2 and not (x.ndim == 1 and place in (0, len(factors) - 1)):
            raise LinAlgError(f"{x.ndim}-dimensional array given. Array must be two-dimensional")
    first, last = factors[0].shape, factors[-1].shape
    rows = [first[0] if len(first) == 2 else 1, *[x.shape[0] for x in factors[1:]]]
    splits = best_splits((*rows, last[1] if len(last) == 2 else 1))
    return assigned_to_out(out, _product_of_all(factors, splits.of))


def _product_of_all(factors: Sequence[Array], splits: Mapping[tuple[int, int], int]) -> Array:
    def product(i: int, j: int) -> Array:
        if j == i + 1:
            return factors[i]
        k = splits[i, j]
        return dot(product(i, k), product(k, j))

    return product(0, len(factors))
