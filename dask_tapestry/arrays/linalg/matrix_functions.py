"""Functions of whole matrices: what they share.

LAPACK computes them, by NumPy, for all the matrices that a block has. A matrix is whole in one
block; stacks of matrices are cut. The last bits depend on the number of threads that LAPACK has.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.cells.fixed_dtype import dtype_name
from dask_tapestry.errors import DTypeError, LinAlgError
from dask_tapestry.operators.cells.elementwise import astype

KINDS: Final = "fdFD"


def matrices(*arrays: ArrayLike, square: bool = False) -> tuple[Array, ...]:
    """Arrays of matrices in their common dtype, one of those that LAPACK has.

    {Raises}
        LinAlgError: If one has less than two dimensions, or with `square` if its matrices are not
            square.
        {DTypeError.lapack}
    """
    arrays_given = [asarray(a) for a in arrays]
    for x in arrays_given:
        if x.ndim < 2:
            raise LinAlgError(
                f"{x.ndim}-dimensional array given. Array must be at least two-dimensional"
            )
        if square and x.shape[-1] != x.shape[-2]:
            raise LinAlgError(f"Last 2 dimensions of the array must be square: {x.shape}")
    kind = lapack_dtype(*[x.dtype for x in arrays_given])
    return tuple([Array(astype(x.node, kind)) for x in arrays_given])


def lapack_dtype(*dtypes: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype in which LAPACK computes with cells of some dtypes.

    Examples
    --------
    >>> import numpy as np
    >>> lapack_dtype(np.dtype("i4"), np.dtype("f4"))
    dtype('float64')
    """
    for dtype in dtypes:
        if dtype.kind not in "biu" and dtype.char not in KINDS:
            raise DTypeError(f"array type {dtype_name(dtype)} is unsupported in linalg")
    real = [dtype if dtype.kind in "fc" else np.dtype(np.float64) for dtype in dtypes]
    return np.result_type(*real)


def real_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype of the real part of cells."""
    return np.dtype(dtype.char.lower())
