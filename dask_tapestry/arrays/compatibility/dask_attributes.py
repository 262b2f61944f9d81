"""Attributes of dask.array's arrays: ``_meta``, ``A``, pictures, moves between backends."""

from __future__ import annotations

from typing import Any

from dask_tapestry.amounts import is_one_of
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.dask_arrays import empty_like_blocks
from dask_tapestry.diagnostics.chunk_picture import chunk_picture
from dask_tapestry.errors import ArgumentError


def meta(x: Array) -> Any:
    """Return an empty array of the kind, dtype and rank of the array's blocks."""
    return empty_like_blocks(x.bound)


def set_meta(x: Array, value: Any) -> None:
    """Set the dtype of the array to that of another empty block; cells are cast to it."""
    if x.dtype != value.dtype:
        x.node = x.astype(value.dtype).node


def to_svg(x: Array, size: int = 200) -> str:
    """Return a picture of the nominal chunks, as Dask draws them.

    Parameters
    ----------
    size
        Rough length of the longest side in pixels.

    Returns
    -------
    str
        SVG.

    Raises
    ------
    ShapeError
        For an array without cells or without dimensions, which has no picture.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.ones((4, 6), chunks=2).to_svg()[:4]
    '<svg'
    """
    return chunk_picture(x.chunks, size)


def to_backend(x: Array, backend: str | None = None, **kwargs: Any) -> Array:  # noqa: ARG001
    """Return the array with its blocks in memory of a backend: here NumPy's.

    Parameters
    ----------
    backend
        None or ``"numpy"``.
    **kwargs
        As Dask's, without effect.

    Returns
    -------
    Array
        The array itself.

    Raises
    ------
    ArgumentError
        For another backend.
    """
    if not is_one_of(backend, (None, "numpy")):
        raise ArgumentError(f"blocks are NumPy's arrays; there is no backend {backend!r}")
    return x


def deep_copy(x: Array, memo: dict[int, Any]) -> Array:  # noqa: ARG001
    """Return an array of the same value: nothing below an array changes."""
    return x.copy()


def compute_chunk_sizes(x: Array) -> Array:
    """Return the array: shapes and chunks are always exact here.

    Returns
    -------
    Array
        The array itself.

    See Also
    --------
    dask_tapestry.resolve_shapes
    """
    return x
