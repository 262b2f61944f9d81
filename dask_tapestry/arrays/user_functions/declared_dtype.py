"""Dtype and format of a result as callers declare them: by a dtype, by an array like the result."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from dask_tapestry.amounts import reading
from dask_tapestry.arrays.core.dtypes import as_dtype
from dask_tapestry_kernels.block_format import BlockFormat


def declared_dtype(dtype: DTypeLike | None, meta: ArrayLike | None) -> np.dtype[Any] | None:
    """Return `dtype`, else that of `meta`, which is not computed; None if neither is given.

    {Raises} DTypeError: If it is not a dtype, or has Python objects as fields.

    Examples
    --------
    >>> import numpy as np
    >>> declared_dtype(None, np.empty((0, 0), "f4"))
    dtype('float32')
    """
    if dtype is not None:
        return as_dtype(dtype)
    return None if meta is None else as_dtype(dtype_of_meta(meta))


def dtype_of_meta(meta: ArrayLike) -> np.dtype[Any]:
    """Return the dtype of an array, or of what would be one."""
    with reading("meta"):
        dtype: np.dtype[Any] = getattr(meta, "dtype", None) or np.asarray(meta).dtype
    return dtype


def declared_format(meta: ArrayLike | None) -> BlockFormat | None:
    """Return the format of `meta`, in which blocks are declared to be; None for NumPy's arrays.

    Examples
    --------
    >>> print(declared_format(np.ones(1)))
    None
    """
    return BlockFormat.of(meta)
