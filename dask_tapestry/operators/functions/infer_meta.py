"""Inferring the dtype that a user's function returns by calling it on a few cells.

Whoever calls it makes these, as `arrays/user_functions/blockwise.py` for `map_blocks`.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from dask_tapestry.amounts import reading
from dask_tapestry.errors import DTypeError, SignatureError
from dask_tapestry.operators.tuning import TRIAL_CELLS
from dask_tapestry_kernels.block_format import BlockFormat, is_foreign, refusal


def sample(shape: tuple[int, ...], dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """Cells to call a function on: ones, so that it can divide by them."""
    with reading("shape"):
        return np.zeros(shape, dtype) if dtype.names or dtype.kind in "V" else np.ones(shape, dtype)


def tried(
    function: Callable[..., Any], attempts: Sequence[Sequence[Any]], name: str, **kwargs: Any
) -> Any:
    """What `function` returns for the first of `attempts` that it does not refuse.

    A sample, shape and dtype, stands for cells; anything else is given as it is.

    Raises
    ------
    SignatureError
        If it takes none of them.
    """
    first: Exception | None = None
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for attempt in attempts:
            try:
                return function(*[_given(one) for one in attempt], **kwargs)
            except Exception as error:
                first = first or error
    raise SignatureError(
        f"{name}: it was called on a few cells to learn the dtype of its result, and raised "
        f"{type(first).__name__}: {first}; give the dtype instead"
    ) from first


def _given(one: Any) -> Any:
    is_sample = isinstance(one, tuple) and len(one) == 2 and isinstance(one[1], np.dtype)
    return sample(*one) if is_sample else one


def is_small(shapes: Sequence[tuple[int, ...]]) -> bool:
    """Whether arrays of `shapes` are few cells."""
    return sum(map(prod, shapes)) <= TRIAL_CELLS


def dtype_of(result: Any, name: str) -> np.dtype[Any]:
    """Dtype of what a function returned.

    Raises
    ------
    DTypeError
        If it is a Python object, not an array, or an array of another library.
    """
    if is_foreign(result):
        raise DTypeError(f"{name} returned {BlockFormat.of(result)}: it must be NumPy's")
    if (reason := refusal(result)) is not None:
        raise DTypeError(f"{name} returned {reason}")
    with reading("what the function returns"):
        dtype: np.dtype[Any] = np.asarray(result).dtype
    if dtype.hasobject and not isinstance(result, np.ndarray):
        raise DTypeError(f"{name} returned {type(result).__name__}: cells need a fixed dtype")
    return dtype if dtype.isnative else dtype.newbyteorder("=")


def kind_of(result: Any, name: str) -> tuple[np.dtype[Any], BlockFormat | None]:
    """Dtype and format of what a function returned.

    Raises
    ------
    DTypeError
        If it is a Python object, not an array.
    """
    known = BlockFormat.of(result)
    return (dtype_of(result, name), None) if known is None else (np.dtype(result.dtype), known)
