"""StableHLO's gather."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from numpy.typing import ArrayLike

from dask_tapestry.amounts import integer, listed
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.declared_arguments import checked
from dask_tapestry.arrays.stablehlo.constraint_table import check
from dask_tapestry.arrays.stablehlo.gather_constraints import CONSTRAINTS, GatherCall
from dask_tapestry.cells.fixed_dtype import dtype_name
from dask_tapestry.errors import DTypeError, IndexingError
from dask_tapestry.operators.indexing.dimension_numbers import DimensionNumbers
from dask_tapestry.operators.indexing.gather import gather as gather_tensors
from dask_tapestry.teg import Tensor

__all__ = ["gather"]


@checked
def gather(
    operand: ArrayLike,
    start_indices: ArrayLike,
    *,
    offset_dims: Iterable[int],
    collapsed_slice_dims: Iterable[int],
    operand_batching_dims: Iterable[int] = (),
    start_indices_batching_dims: Iterable[int] = (),
    start_index_map: Iterable[int],
    index_vector_dim: int,
    slice_sizes: Iterable[int],
    indices_are_sorted: bool = False,  # noqa: ARG001
) -> Array:
    """Gather slices of an array that begin where index vectors say.

    Slices that would leave the array begin as near as they can. Batching dimensions, and those that
    no index moves, are cut without communication.

    {Parameters}
        operand: What slices are taken of.
        start_indices: Integers: index vectors along `index_vector_dim`.
        offset_dims: Dimensions of the result that run through a slice.
        collapsed_slice_dims: Dimensions of the operand in which slices have one cell, and the
            result no dimension.
        operand_batching_dims, start_indices_batching_dims: Dimensions of operand and indices that
            go with each other.
        start_index_map: Dimension of the operand for each number of an index vector.
        index_vector_dim: Dimension of `start_indices` along which vectors lie; their rank where
            each is one number.
        slice_sizes: Cells of a slice along each dimension of the operand.
        indices_are_sorted: A hint, which is not needed.
    {Returns} Array: The slices, in the operand's dtype.
    {Raises}
        {ConstraintError}
        DTypeError: If indices are no integers.
        IndexingError: If cells are asked for of a slice that has none.
    {See Also} scatter, dask_tapestry.patterns.gather

    Notes
    -----
    Source: the RFC "Add batching dims to stablehlo.gather and stablehlo.scatter".

    {Examples}
    >>> x = dt.asarray([[1, 2, 3], [4, 5, 6]])
    >>> dt.stablehlo.gather(
    ...     x,
    ...     [[2], [0]],
    ...     offset_dims=[],
    ...     collapsed_slice_dims=[1],
    ...     operand_batching_dims=[0],
    ...     start_indices_batching_dims=[0],
    ...     start_index_map=[1],
    ...     index_vector_dim=1,
    ...     slice_sizes=[1, 1],
    ... ).compute()
    array([3, 4])
    """
    x, indices = asarray(operand).node, asarray(start_indices).node
    is_integer("gather", "start_indices", indices)
    call = GatherCall(
        operand=x.type.shape,
        start_indices=indices.type.shape,
        offset_dims=numbers_of(offset_dims),
        collapsed_slice_dims=numbers_of(collapsed_slice_dims),
        start_index_map=numbers_of(start_index_map),
        index_vector_dim=integer(index_vector_dim),
        slice_sizes=numbers_of(slice_sizes),
        operand_batching_dims=numbers_of(operand_batching_dims),
        start_indices_batching_dims=numbers_of(start_indices_batching_dims),
        dtype=x.type.dtype,
    )
    check("gather", CONSTRAINTS, call)
    dims = DimensionNumbers(
        call.offset_dims,
        call.collapsed_slice_dims,
        call.operand_batching_dims,
        call.start_indices_batching_dims,
        call.start_index_map,
        call.index_vector_dim,
    )
    node = gather_tensors(x, indices, dims, call.slice_sizes)
    check("gather", CONSTRAINTS, replace(call, result=node.type), only=(22, 23))
    empty = [dim for dim in call.collapsed_slice_dims if not call.slice_sizes[dim]]
    if empty and node.type.size:
        raise IndexingError(
            f"gather takes cells of slices that have none: slice_sizes {list(call.slice_sizes)} "
            f"of {x.type}, collapsed_slice_dims {empty}"
        )
    return Array(node)


def numbers_of(dims: Iterable[int]) -> tuple[int, ...]:
    """The numbers of an attribute, as integers."""
    return tuple(integer(dim) for dim in listed(dims, "dimensions"))


def is_integer(operator: str, name: str, indices: Tensor) -> None:
    """Raise `DTypeError` where indices are no integers."""
    if indices.type.dtype.kind not in "iu":
        raise DTypeError(
            f"{operator}: {name} must be integers, not {dtype_name(indices.type.dtype)}"
        )
