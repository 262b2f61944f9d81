"""Casts that users ask for, as `astype`, with what NumPy says of them."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from dask_tapestry.operators.cells.elementwise import astype
from dask_tapestry.teg import Tensor
from dask_tapestry.teg.users_line import users_level


def cast(x: Tensor, dtype: np.dtype[Any]) -> Tensor:
    """``x`` converted to a dtype, at once with NumPy's warning if imaginary parts are lost.

    {Examples}
    >>> cast(dt.ones(2).node, np.dtype("i4")).type
    TensorType(shape=(2,), dtype=dtype('int32'), dims=None)
    """
    if x.type.dtype.kind == "c" and dtype.kind in "iuf":
        text = "Casting complex values to real discards the imaginary part"
        warnings.warn(text, np.exceptions.ComplexWarning, stacklevel=users_level())
    return astype(x, dtype)
