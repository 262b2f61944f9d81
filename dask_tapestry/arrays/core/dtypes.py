"""Dtypes as users write them."""

from __future__ import annotations

from typing import Any, Final, Literal, get_args

import numpy as np
from numpy.typing import DTypeLike

from dask_tapestry.cells.fixed_dtype import cell_dtype
from dask_tapestry.errors import DTypeError

Casting = Literal["no", "equiv", "safe", "same_kind", "unsafe"]
CASTINGS: Final[tuple[str, ...]] = get_args(Casting)


def promoted(*kinds: Any) -> np.dtype[Any]:
    """The dtype that dtypes and numbers promote to, as `numpy.result_type`.

    {Raises} DTypeError: If there is none.

    Examples
    --------
    >>> promoted(np.dtype("i2"), np.float32)
    dtype('float32')
    """
    try:
        return np.result_type(*kinds)
    except TypeError as error:
        raise DTypeError(str(error)) from None


def as_dtype(dtype: DTypeLike | None) -> np.dtype[Any]:
    """Return `dtype` as a NumPy dtype of this machine's byte order.

    {Raises} DTypeError: If it is not one, or has Python objects as fields.

    Examples
    --------
    >>> as_dtype("float16")
    dtype('float16')
    """
    try:
        known: np.dtype[Any] = np.dtype(dtype)
    except TypeError as error:
        raise DTypeError(f"unknown dtype {dtype!r}: {error}") from None
    return cell_dtype(known)
