"""``==``, ``!=`` and ``**`` of arrays, which differ from `equal`, `not_equal` and `power`."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.elementwise import ufuncs
from dask_tapestry.arrays.elementwise.ufunc_functions import Binary, Unary, operand
from dask_tapestry.errors import DTypeError
from dask_tapestry.operators.broadcast_shapes import broadcast_shape
from dask_tapestry.operators.cells.cell_bytes import equal_cells
from dask_tapestry.operators.generators.full import full
from dask_tapestry.teg import Tensor

POWERS: Final[dict[tuple[str, object], Unary[Array]]] = {  # by kind of dtype and exponent
    ("b", 2): ufuncs.square,
    ("c", 0.5): ufuncs.sqrt,
    ("c", -1): ufuncs.reciprocal,
}


def equal(x: ArrayLike, y: ArrayLike | None) -> Array:
    """``x == y``: cells of kinds that cannot be compared are unequal, as in NumPy."""
    return _compared(ufuncs.equal, x, y, otherwise=False)


def not_equal(x: ArrayLike, y: ArrayLike | None) -> Array:
    """``x != y``: cells of kinds that cannot be compared are unequal, as in NumPy."""
    return _compared(ufuncs.not_equal, x, y, otherwise=True)


def power(x: ArrayLike, y: ArrayLike) -> Array:
    """``x ** y``: for some exponents NumPy's operator calls another ufunc than `power`."""
    kind = x.dtype.kind if isinstance(x, Array) else ""
    exact: type = type(y)
    if exact is int or (exact is float and kind == "c"):
        simpler = POWERS.get((kind, y))
        if simpler is not None:
            return simpler(x)
    return ufuncs.power(x, y)


def _compared(compare: Binary[Array], x: ArrayLike, y: ArrayLike | None, otherwise: bool) -> Array:
    """What `compare` says, or `otherwise` for all cells where it has no loop."""
    if y is None:
        if asarray(x).dtype.kind == "O":
            return compare(x, np.array(None))
        return Array(full(asarray(x).shape, np.bool_(otherwise)))
    try:
        if _kind(x) == _kind(y) == "V":
            return _compared_bytes(asarray(x).node, asarray(y).node, otherwise)
        return compare(x, y)
    except DTypeError:
        tensors = [o for o in map(operand, (x, y)) if isinstance(o, Tensor)]
        shape = broadcast_shape([tensor.type.shape for tensor in tensors])
        return Array(full(shape, np.bool_(otherwise)))


def _kind(x: ArrayLike) -> str:
    """Kind of dtype, of what has one."""
    return getattr(getattr(x, "dtype", None), "kind", "")


def _compared_bytes(x: Tensor, y: Tensor, unequal: bool) -> Array:
    """Whether structured cells, or cells of bytes, are equal, or are not."""
    same = Array(equal_cells(x, y))
    return ufuncs.logical_not(same) if unequal else same
