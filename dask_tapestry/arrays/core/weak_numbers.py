"""Python's weak numbers among arrays that are joined: they take the dtype of the arrays."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray

NUMBERS = "biufc"  # kinds of dtypes that Python's numbers promote with


def weakly_typed(values: Iterable[ArrayLike]) -> list[Array]:
    """Arrays of all values; Python's numbers take a dtype that their neighbours promote to.

    Raises
    ------
    OverflowError
        For a Python integer that has no place in that dtype.

    Examples
    --------
    >>> [x.dtype.name for x in weakly_typed([np.float32(1), 2.0])]
    ['float32', 'float32']
    """
    given = list(values)
    arrays = {n: asarray(x) for n, x in enumerate(given) if type(x) not in (int, float, complex)}
    if len(arrays) in (0, len(given)) or any(x.dtype.kind not in NUMBERS for x in arrays.values()):
        return [asarray(x) for x in given]
    kind = np.result_type(*[arrays[n].dtype if n in arrays else x for n, x in enumerate(given)])
    return [arrays[n] if n in arrays else asarray(np.asarray(x, kind)) for n, x in enumerate(given)]
