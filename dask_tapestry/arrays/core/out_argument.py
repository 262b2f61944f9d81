"""``out=``: arrays are values, so the array given takes the result's value instead of its own."""

from __future__ import annotations

from collections.abc import Sequence
from types import EllipsisType

import numpy as np

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.dtypes import Casting
from dask_tapestry.errors import DTypeError, ShapeError
from dask_tapestry.operators.broadcast_shapes import broadcast_shape
from dask_tapestry.operators.cells.elementwise import astype
from dask_tapestry.operators.views.broadcast import broadcast

Out = Array | tuple[Array | None, ...] | EllipsisType | None  # of a ufunc: one for each result


def assigned_to_out(
    out: Out | Sequence[Array],
    result: Array,
    casting: Casting = "same_kind",
    broadcasts: bool = False,
) -> Array:
    """Give `out`, if it is not None, the value of `result` in its own dtype; return it.

    Parameters
    ----------
    out
        An `Array` of the result's shape, or a tuple of it as ufuncs pass it, or None; an ellipsis
        asks for an array, which the result is.
    casting
        Conversions to its dtype that are allowed.
    broadcasts
        Whether the result broadcasts to its shape, as those of ufuncs do.

    Raises
    ------
    DTypeError
        If `out` is not an `Array`: NumPy memory is not filled before anything is computed; or if
        the result cannot be converted to its dtype.
    ShapeError
        If its shape is another.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> total = dt.zeros(())
    >>> dt.sum(dt.arange(4), out=total) is total
    True
    >>> total.compute()
    np.float64(6.0)
    """
    if isinstance(out, tuple) and len(out) == 1:
        (out,) = out
    if out is None or out is ...:
        return result
    if not isinstance(out, Array):
        raise DTypeError(
            f"out must be a dask_tapestry Array, not {type(out).__name__}: nothing is computed yet "
            "that could fill it; assign the computed result instead"
        )
    if not np.can_cast(result.dtype, out.dtype, casting):
        raise DTypeError(f"cannot cast the result from {result.dtype} to out's {out.dtype}")
    cells = result.node
    if broadcasts and broadcast_shape([result.shape, out.shape]) == out.shape:
        cells = broadcast(cells, out.shape)
    if out.shape != cells.type.shape:
        what = "a non-broadcastable out" if broadcasts else "out"
        raise ShapeError(f"{what} has wrong shape {out.shape}, the result has {result.shape}")
    out.node = astype(cells, out.dtype)
    return out
