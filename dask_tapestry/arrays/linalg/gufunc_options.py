"""Options of NumPy's generalized ufuncs beside operands: ``out=``, ``axes=``, ``dtype=``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from dask_tapestry.amounts import listed
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.dtypes import as_dtype
from dask_tapestry.arrays.core.out_argument import Out, assigned_to_out
from dask_tapestry.arrays.shape.transposing import moveaxis
from dask_tapestry.errors import AxisError, DTypeError, ShapeError
from dask_tapestry.operators.axes import each_axis
from dask_tapestry.operators.cells.elementwise import astype

CoreAxes = Sequence[int | Sequence[int]]  # of each operand, and of the result if it has some
Ranks = tuple[int, int, int]  # core dimensions of both operands and of the result
OPERANDS: Final = 2


def with_gufunc_options(
    function: Callable[[Array, Array], Array],
    ranks: Ranks,
    operands: tuple[ArrayLike, ArrayLike],
    out: Out,
    axes: CoreAxes | None,
    dtype: DTypeLike | None,
) -> Array:
    """The result of `function`, whose core dimensions are the last ones.

    {Parameters}
        ranks: How many core dimensions there are; of an operand with fewer dimensions, all are.
        {out.core}
        axes: Where core dimensions are, in each operand and in the result.
        dtype: To compute in.
    {Raises}
        DTypeError: If an operand cannot be converted to `dtype`.
        ShapeError: If `axes` are not one entry for each operand, or for these and the result.
        AxisError: If an entry does not name as many dimensions as are core dimensions.
    """
    x, w = (_converted(asarray(operand), dtype) for operand in operands)
    if axes is None or not (x.ndim and w.ndim):  # of an operand without any the function tells
        return assigned_to_out(out, function(x, w), broadcasts=True)
    cores = [each_axis(operand) for operand in listed(axes, "axes of each operand")]
    if len(cores) not in (OPERANDS, OPERANDS + 1):
        raise ShapeError(f"axes are those of {OPERANDS} operands and of the result, not {axes}")
    missing = sum(max(rank - operand.ndim, 0) for rank, operand in zip(ranks, (x, w), strict=False))
    result = function(_at_end(x, cores[0], ranks[0]), _at_end(w, cores[1], ranks[1]))
    for core in cores[OPERANDS:]:
        _check_count(core, ranks[-1] - missing)
        result = moveaxis(result, range(-len(core), 0), core)
    return assigned_to_out(out, result, broadcasts=True)


def _converted(x: Array, dtype: DTypeLike | None) -> Array:
    if dtype is None:
        return x
    wanted = as_dtype(dtype)
    if not np.can_cast(x.dtype, wanted, "same_kind"):
        raise DTypeError(f"cannot cast an operand from {x.dtype} to {wanted}")
    return Array(astype(x.node, wanted))


def _at_end(x: Array, core: tuple[int, ...], rank: int) -> Array:
    """An operand with its core dimensions last."""
    _check_count(core, min(rank, x.ndim))
    return moveaxis(x, core, range(-len(core), 0))


def _check_count(core: tuple[int, ...], rank: int) -> None:
    if len(core) != rank:
        raise AxisError(f"{core} names {len(core)} core dimensions where there are {rank}")
