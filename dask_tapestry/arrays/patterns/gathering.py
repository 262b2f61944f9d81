"""Gather: elements, slices and boxes looked up in a table."""

from __future__ import annotations

from collections.abc import Iterable

from numpy.typing import ArrayLike

from dask_tapestry.amounts import integer, listed
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.axis_names import names_axes
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.patterns.indexed_dims import index_vectors
from dask_tapestry.errors import ShapeError
from dask_tapestry.operators.indexing.dimension_numbers import DimensionNumbers
from dask_tapestry.operators.indexing.gather import gather as gather_tensors

__all__ = ["gather", "sn_gather"]


@names_axes
def gather(
    input_tensor: ArrayLike,
    start_indices: ArrayLike,
    gather_dims: Iterable[int],
    gather_lengths: Iterable[int],
) -> Array:
    """Look up boxes of a table that begin at index vectors.

    {Parameters}
        input_tensor: The table.
        start_indices: Integers, shape (batch..., count of `gather_dims`): where each box begins. A
            start from which the box would leave the table is moved to the nearest one from which it
            does not.
        gather_dims: The dimension that each column of `start_indices` belongs to. The others are
            taken whole.
        gather_lengths: Cells of a box along each of `gather_dims`, from 1 to the extent of the
            dimension.
    {Returns} Array: Shape (batch..., box...), a box having all dimensions of the table, in its
        dtype.
    {Raises}
        DTypeError: If `start_indices` are no integers.
        ShapeError: If they have not one column for each of `gather_dims`, or a length does not fit.
        {AxisError.dims}
    {See Also} dask_tapestry.take : slices of length one, whose dimension is dropped.

    Notes
    -----
    Source: SambaFlow, "Compose complex operations with parallel patterns".

    {Examples}
    >>> table = dt.asarray([[1, 2, 3], [4, 5, 6], [7, 8, 9]])
    >>> dt.patterns.gather(table, [[1], [0]], gather_dims=[0], gather_lengths=[2]).compute()
    array([[[4, 5, 6],
            [7, 8, 9]],
    <BLANKLINE>
           [[1, 2, 3],
            [4, 5, 6]]])
    """
    table = asarray(input_tensor).node
    shape = table.type.shape
    indices, dims = index_vectors(start_indices, gather_dims, len(shape))
    lengths = tuple(integer(length) for length in listed(gather_lengths, "lengths"))
    if len(lengths) != len(dims):
        raise ShapeError(f"{len(lengths)} gather_lengths for {len(dims)} gather_dims")
    sizes = list(shape)
    for dim, length in zip(dims, lengths, strict=True):
        if not 1 <= length <= shape[dim]:
            raise ShapeError(
                f"gather length {length} of dimension {dim} of {table.type}: "
                f"not from 1 to {shape[dim]}"
            )
        sizes[dim] = length
    batch = indices.type.ndim - 1
    window = tuple(range(batch, batch + len(shape)))
    numbers = DimensionNumbers(window, (), (), (), dims, batch)
    return Array(gather_tensors(table, indices, numbers, sizes))


sn_gather = gather
