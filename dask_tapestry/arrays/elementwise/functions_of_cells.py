"""Functions of cells that are no ufuncs of NumPy's: `i0`, and those of the user."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.amounts import reading, whole_number
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.errors import DTypeError
from dask_tapestry.operators.cells.cell_function import cell_function
from dask_tapestry.operators.cells.elementwise import astype

__all__ = ["frompyfunc", "i0"]


@implements(np.i0)
def i0(x: ArrayLike) -> Array:
    """Return the modified Bessel function of order zero of each element, as `numpy.i0`.

    {Parameters} x: Elements that are not complex; those that are no floats become float64, times
        too.
    {Returns} Array: Of the shape of `x`.
    {Raises} DTypeError: For complex elements, and records.
    {Examples}
    >>> dt.i0([0.0, 1.0]).compute()
    array([1.        , 1.26606588])
    """
    array = asarray(x)
    if array.dtype.kind in "cV":
        raise DTypeError(f"i0 takes real numbers, not {array.dtype}")
    node = array.node if array.dtype.kind == "f" else astype(array.node, np.dtype(np.float64))
    return Array(cell_function(np.i0, [node])[0])


def frompyfunc(func: Callable[..., Any], nin: int, nout: int) -> np.ufunc:
    """Make a ufunc of a Python function, as `numpy.frompyfunc`; of our arrays it is lazy.

    {Parameters}
        func: Takes `nin` cells and returns `nout`.
        nin, nout: Numbers of operands and of results.
    {Returns} numpy.ufunc: Called with our arrays it gives arrays of Python objects, as with
        NumPy's; ``astype`` makes numbers of them.
    {Examples}
    >>> digits = dt.frompyfunc(lambda n: len(str(n)), 1, 1)
    >>> digits(dt.asarray([5, 123])).compute()
    array([1, 3], dtype=object)
    """
    for name, count in (("nin", nin), ("nout", nout)):
        whole_number(name, count, 0)
    with reading("frompyfunc"):
        made: np.ufunc = np.frompyfunc(func, nin, nout)
    return made
