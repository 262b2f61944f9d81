"""Ufuncs of other libraries on our arrays: of SciPy, `numba.vectorize` and `numpy.frompyfunc`.

They are called on blocks, lazily, and their dtypes are learnt by calling them on one cell.

Examples
--------
>>> import numpy as np, dask_tapestry as dt
>>> collatz = np.frompyfunc(lambda n: n // 2 if n % 2 == 0 else 3 * n + 1, 1, 1)
>>> collatz(dt.arange(5)).compute()
array([0, 4, 1, 10, 2], dtype=object)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.dispatch import OF_OTHERS
from dask_tapestry.arrays.elementwise.ufunc_functions import operand
from dask_tapestry.operators.cells.cell_function import cell_function


def call_opaque(ufunc: Any, inputs: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """Call another library's ufunc cell by cell; NotImplemented for what is no plain call of it."""
    if kwargs:
        return NotImplemented
    results = cell_function(ufunc, [operand(value) for value in inputs])
    return Array(results[0]) if len(results) == 1 else tuple(map(Array, results))


def register() -> None:
    """Tell NumPy's dispatch."""
    OF_OTHERS["__call__"] = call_opaque
