"""Triangles of matrices larger than a worker, by halves of columns, with partial pivoting.

A panel of columns is whole in one block, so that its pivots are those of LAPACK but for rounding.

Source: Toledo, "Locality of reference in LU decomposition with partial pivoting", SIAM J. Matrix
Anal. Appl. 18, 1997.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dask_tapestry.operators.axis_slices import concat_nonempty
from dask_tapestry.operators.diagonal import diagonal
from dask_tapestry.operators.elementwise import astype, elementwise
from dask_tapestry.operators.reduce import reduce
from dask_tapestry.operators.stack import stack
from dask_tapestry.operators.take import take
from dask_tapestry.operators.triangle import (
    Triangle,
    columns_of,
    half_of,
    minus_product,
    rows_of,
    solved,
    unit_matrix,
)
from dask_tapestry.operators.whole_matrix import call_on_matrices, spread
from dask_tapestry.teg import Tensor
from dask_tapestry_kernels.cpu.blocks.lu import factor_lu, parity

PLACES = np.dtype(np.int64)
ROWS_A_DIGIT = 4096  # places of rows are two digits, which all floating dtypes hold exactly


class Factored(NamedTuple):
    """What is known of a matrix of as many columns as rows, or fewer.

    Attributes
    ----------
    lower, upper
        The triangles, of the same blocks, each of which holds both; the diagonal of the lower one
        is ones, which no block holds.
    below
        The other rows of the lower one.
    order
        Which row has come to each place.
    """

    lower: Triangle
    upper: Triangle
    below: Tensor
    order: Tensor


def factored(x: Tensor, width: int) -> Factored:
    """Triangles of a matrix with at least as many rows as columns."""
    columns = x.type.shape[1]
    half = half_of(columns, width)
    if not half:
        packed, order = _panel(x)
        block = Triangle.whole(spread(rows_of(packed, None, columns)))
        return Factored(block, block, rows_of(packed, columns, None), order)
    left = factored(columns_of(x, None, half), width)
    right = in_order(columns_of(x, half, None), left.order)
    beside = solved(left.lower, rows_of(right, None, half), lower=True, unit=True)
    rest = factored(minus_product(rows_of(right, half, None), left.below, beside), width)
    below = in_order(left.below, rest.order)
    places = [rows_of(left.order, None, half), take(rows_of(left.order, half, None), rest.order, 0)]
    between = spread(rows_of(below, None, columns - half))
    lower = Triangle.joined(left.lower, between, rest.lower)
    upper = Triangle.joined(left.upper, beside, rest.upper)
    under = concat_nonempty([rows_of(below, columns - half, None), rest.below], 1)
    return Factored(lower, upper, under, concat_nonempty(places, 0))


def _panel(x: Tensor) -> tuple[Tensor, Tensor]:
    outputs = {"mn": x.type.dtype, "m": PLACES}
    packed, order = call_on_matrices(factor_lu, [(x, "mn")], outputs, ("mnn", 2.0))
    return packed, spread(order)


def in_order(x: Tensor, order: Tensor) -> Tensor:
    """The rows of `x` in an order, held: those who read it, read it often."""
    parts = [(x, "mk"), (order, "m")]
    (made,) = call_on_matrices(_rows_in_order, parts, {"mk": x.type.dtype}, ("mk", 1.0), cut="k")
    return made


def _rows_in_order(block: Any, order: Any) -> Any:
    return block[order]


def packed_lu(block: Any) -> Any:
    """What `lu_by_panels` returns, of a block."""
    packed, order = factor_lu(block)
    digits = np.stack(np.divmod(order, ROWS_A_DIGIT), axis=1).astype(block.dtype)
    return np.concatenate([packed, digits], axis=1)


def lu_by_panels(x: Tensor, width: int) -> Tensor:
    """Both triangles in one matrix, and two columns of digits of the order of rows."""
    side = min(x.type.shape)
    made = factored(columns_of(x, None, side), width)
    parts = [_both(made.lower, made.upper)]
    if x.type.shape[1] > side:
        beside = in_order(columns_of(x, side, None), made.order)
        parts.append(solved(made.lower, beside, lower=True, unit=True))
    packed = concat_nonempty([concat_nonempty(parts, 1), made.below], 0)
    digits = [elementwise(name, made.order, ROWS_A_DIGIT) for name in ("floor_divide", "remainder")]
    return concat_nonempty([packed, stack([astype(d, x.type.dtype) for d in digits], 1)], 1)


def _both(lower: Triangle, upper: Triangle) -> Tensor:
    if lower.block is not None:
        return lower.block
    first, below, last = lower.halves()
    first_upper, beside, last_upper = upper.halves()
    above = concat_nonempty([_both(first, first_upper), beside], 1)
    under = concat_nonempty([below, _both(last, last_upper)], 1)
    return concat_nonempty([above, under], 0)


def solve_by_panels(a: Tensor, b: Tensor, width: int) -> Tensor:
    """The x with ``a @ x = b``."""
    made = factored(a, width)
    lower = solved(made.lower, in_order(b, made.order), lower=True, unit=True)
    return solved(made.upper, lower, lower=False)


def inverse_by_panels(a: Tensor, width: int) -> Tensor:
    """The inverse: what solves equations with a unit matrix."""
    side = a.type.shape[0]
    return solve_by_panels(a, unit_matrix(side, side, a.type.dtype), width)


def determinant_by_panels(a: Tensor, width: int) -> Tensor:
    """The product of the diagonal, with the sign of the order of rows."""
    made = factored(a, width)
    product = reduce(_diagonal(made.upper), "prod")
    return elementwise("multiply", product, astype(_sign(made.order), a.type.dtype))


def sign_and_logarithm_by_panels(a: Tensor, width: int) -> Tensor:
    """The sign of the determinant, and the logarithm of its modulus, in one vector."""
    made = factored(a, width)
    cells = _diagonal(made.upper)
    sign = elementwise("multiply", reduce(elementwise("sign", cells), "prod"), _sign(made.order))
    logarithm = reduce(elementwise("log", elementwise("absolute", cells)), "sum")
    return stack([astype(one, a.type.dtype) for one in (sign, logarithm)], 0)


def _diagonal(upper: Triangle) -> Tensor:
    return concat_nonempty([diagonal(block) for block in upper.blocks()], 0)


def _sign(order: Tensor) -> Tensor:
    (made,) = call_on_matrices(_parity, [(order, "m")], {"": np.dtype(np.int8)}, ("m", 100.0))
    return made


def _parity(order: Any) -> Any:
    return np.int8(parity(order))
