"""Arguments that gather and scatter share: index vectors, and the dimensions that they index."""

from __future__ import annotations

from collections.abc import Iterable

from numpy.typing import ArrayLike

from dask_tapestry.amounts import listed
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.cells.fixed_dtype import dtype_name
from dask_tapestry.errors import AxisError, DTypeError, ShapeError
from dask_tapestry.operators.axes import normalize_axis
from dask_tapestry.teg import Tensor


def index_vectors(
    start_indices: ArrayLike, dims: Iterable[int], ndim: int
) -> tuple[Tensor, tuple[int, ...]]:
    """The index vectors, and the dimensions of a tensor of `ndim` that their columns belong to.

    {Raises}
        DTypeError: If the indices are no integers.
        ShapeError: If a vector has not one number for each dimension.
        {AxisError.dims}
    """
    indices = asarray(start_indices).node
    if indices.type.dtype.kind not in "iu":
        raise DTypeError(f"start_indices must be integers, not {dtype_name(indices.type.dtype)}")
    chosen = tuple(normalize_axis(dim, ndim, "dimension") for dim in listed(dims, "dimensions"))
    if len(set(chosen)) != len(chosen):
        raise AxisError(f"dimensions {list(chosen)}: one is named twice")
    if not indices.type.ndim or indices.type.shape[-1] != len(chosen):
        raise ShapeError(
            f"start_indices {indices.type} need a last axis of {len(chosen)}: one column for each "
            f"of the dimensions {list(chosen)}"
        )
    return indices, chosen
