"""The type that an array-like declares: whether it can be held, and whether its cells are of it."""

from __future__ import annotations

from typing import Any

import numpy as np

from dask_tapestry.cells.fixed_dtype import cell_dtype
from dask_tapestry.errors import ShapeError
from dask_tapestry.io.sources.masked_array import is_masked
from dask_tapestry.teg import TensorType
from dask_tapestry.teg.types import Dims


def declared_type(shape: tuple[int, ...], dtype: np.dtype[Any], dims: Dims) -> TensorType:
    """Return the type of a tensor of what an array-like declares; its cells are in native order.

    Raises
    ------
    DTypeError
        For Python objects as fields of structured cells.
    ShapeError
        If there is not one name for each dimension.
    """
    native = cell_dtype(dtype)
    if dims is not None and len(dims) != len(shape):
        raise ShapeError(f"{len(dims)} dimension names {dims} for {len(shape)} dimensions")
    return TensorType(shape, native, dims)


def checked_block(
    given: object, shape: tuple[float, ...], dtype: np.dtype[Any], giver: object
) -> np.ndarray[Any, Any]:
    """Return what an object gave as a NumPy array, if it is what the object had declared.

    Raises
    ------
    ValueError, TypeError
        If it has another shape or dtype, or hides some of its cells.
    """
    who = type(giver).__name__
    block = np.asanyarray(given)
    if is_masked(block):
        if np.ma.is_masked(block):
            raise ValueError(
                f"{who} returned a masked array: fill it, masks are not supported here"
            )
        block = block.data
    if block.shape != shape:
        raise ValueError(f"{who} returned shape {block.shape}, expected {shape}")
    if cell_dtype(block.dtype) != dtype:
        raise TypeError(f"{who} returned dtype {block.dtype}, but its dtype attribute is {dtype}")
    return np.asarray(block).astype(dtype, copy=False)  # no view for an equal dtype, as asarray's
