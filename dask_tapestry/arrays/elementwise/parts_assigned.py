"""``x.real = value`` and ``x.imag = value``: one part of complex cells, assigned in place."""

from __future__ import annotations

from typing import Literal

from numpy.typing import ArrayLike

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.elementwise.where_and_clip import imag, real
from dask_tapestry.errors import ArgumentTypeError
from dask_tapestry.operators.cells.elementwise import cell_call


def assign_part(x: Array, name: Literal["real", "imag"], value: ArrayLike) -> None:
    """Assign to one part of the cells, as to NumPy's attribute; the other part stays.

    Real cells are their own real parts.

    Raises
    ------
    ArgumentTypeError
        For the imaginary part of real cells.
    ShapeError
        If the value does not broadcast to the array.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> z = dt.asarray([1 + 2j, 3 + 4j])
    >>> z.imag = 0
    >>> z.compute()
    array([1.+0.j, 3.+0.j])
    """
    if x.dtype.kind != "c":
        if name == "imag":
            raise ArgumentTypeError("array does not have imaginary part to set")
        x[...] = value
        return
    parts = {"real": real(x), "imag": imag(x)}
    parts[name][...] = value
    nodes = [part.node for part in parts.values()]
    x[...] = Array(cell_call("complex", nodes, [node.type.dtype for node in nodes], x.dtype))
