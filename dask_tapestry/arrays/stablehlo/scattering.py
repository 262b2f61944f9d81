"""StableHLO's scatter."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from numpy.typing import ArrayLike, DTypeLike

from dask_tapestry.amounts import integer
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.declared_arguments import checked
from dask_tapestry.arrays.core.dtypes import as_dtype
from dask_tapestry.arrays.stablehlo.constraint_table import check
from dask_tapestry.arrays.stablehlo.gathering import is_integer, numbers_of
from dask_tapestry.arrays.stablehlo.scatter_constraints import CONSTRAINTS, ScatterCall
from dask_tapestry.arrays.stablehlo.update_computation import (
    UpdateComputation,
    by_name,
    expressions_of,
)
from dask_tapestry.operators.cells.elementwise import astype
from dask_tapestry.operators.indexing.dimension_numbers import DimensionNumbers
from dask_tapestry.operators.indexing.scatter import scatter as scatter_tensors
from dask_tapestry.teg import Tensor

__all__ = ["scatter"]


@checked
def scatter(
    inputs: ArrayLike | Sequence[ArrayLike],
    scatter_indices: ArrayLike,
    updates: ArrayLike | Sequence[ArrayLike],
    update_computation: UpdateComputation,
    *,
    update_window_dims: Iterable[int],
    inserted_window_dims: Iterable[int],
    input_batching_dims: Iterable[int] = (),
    scatter_indices_batching_dims: Iterable[int] = (),
    scatter_dims_to_operand_dims: Iterable[int],
    index_vector_dim: int,
    indices_are_sorted: bool = False,  # noqa: ARG001
    unique_indices: bool = False,  # noqa: ARG001
    element_types: Sequence[DTypeLike] | None = None,
) -> Any:
    """Fold updates into arrays, in windows that begin where index vectors say.

    Cells of an update that lie outside are left out. Updates are applied in the order of their
    index, so that those of one cell give one value in every sharding. Batching dimensions, and
    those that no index moves, are cut without communication.

    {Parameters}
        inputs: The array, or a tuple of arrays of one shape that are updated together.
        scatter_indices: Integers: index vectors along `index_vector_dim`.
        updates: The updates, or a tuple of as many as there are inputs.
        update_computation: ``"add"``, ``"mul"``, ``"min"``, ``"max"`` or ``"update"``; or a
            function that is called with a cell of each input, then one of each update, and returns
            what the cells become: a cell, or a tuple of them.
        update_window_dims: Dimensions of the updates that run through a window.
        inserted_window_dims: Dimensions of the inputs in which windows have one cell, and the
            updates no dimension.
        input_batching_dims, scatter_indices_batching_dims: Dimensions of inputs and indices that go
            with each other.
        scatter_dims_to_operand_dims: Dimension of the inputs for each number of an index vector.
        index_vector_dim: Dimension of the indices along which vectors lie; their rank where each is
            one number.
        indices_are_sorted, unique_indices: Hints, which are not needed.
        element_types: Dtypes of the results, to which inputs and updates are converted; the inputs'
            by default.
    {Returns} Array or tuple of Array: As `inputs`, in `element_types`.
    {Raises}
        {ConstraintError}
        DTypeError: If indices are no integers.
        ArgumentError: For a computation that is unknown.
        TraceError: If the function does more than compute with cells.
    {See Also} gather, dask_tapestry.patterns.scatter

    Notes
    -----
    Source: the RFC "Add batching dims to stablehlo.gather and stablehlo.scatter".

    {Examples}
    >>> rows = dict(update_window_dims=[], inserted_window_dims=[0], index_vector_dim=1)
    >>> dt.stablehlo.scatter(
    ...     dt.zeros(3), [2, 0, 2], [1.0, 2, 4], "add", scatter_dims_to_operand_dims=[0], **rows
    ... ).compute()
    array([2., 0., 5.])
    """
    xs, us = _tensors(inputs), _tensors(updates)
    indices = asarray(scatter_indices).node
    is_integer("scatter", "scatter_indices", indices)
    types = tuple(as_dtype(e) for e in element_types) if element_types is not None else ()
    call = ScatterCall(
        inputs=tuple(x.type for x in xs),
        scatter_indices=indices.type.shape,
        updates=tuple(u.type for u in us),
        update_window_dims=numbers_of(update_window_dims),
        inserted_window_dims=numbers_of(inserted_window_dims),
        scatter_dims_to_operand_dims=numbers_of(scatter_dims_to_operand_dims),
        index_vector_dim=integer(index_vector_dim),
        input_batching_dims=numbers_of(input_batching_dims),
        scatter_indices_batching_dims=numbers_of(scatter_indices_batching_dims),
        element_types=types,
    )
    results = _checked(call, xs, indices, us, update_computation)
    return tuple(map(Array, results)) if isinstance(inputs, tuple) else Array(results[0])


def _tensors(arrays: ArrayLike | Sequence[ArrayLike]) -> list[Tensor]:
    """A tuple's arrays, or the one that is given."""
    return [asarray(one).node for one in (arrays if isinstance(arrays, tuple) else [arrays])]


def _checked(
    call: ScatterCall,
    inputs: Sequence[Tensor],
    indices: Tensor,
    updates: Sequence[Tensor],
    computation: UpdateComputation,
) -> list[Tensor]:
    """The results of a call whose constraints hold."""
    types = call.element_types or tuple(x.type.dtype for x in inputs)
    sound = CONSTRAINTS[5](call) is None and CONSTRAINTS[23](call) is None
    traced = expressions_of(computation, types) if sound else None
    if traced is not None:
        call = replace(call, computed=tuple(e.dtype for e in traced))
    check("scatter", CONSTRAINTS, call)
    xs = [astype(x, e) for x, e in zip(inputs, types, strict=True)]
    us = [astype(u, e) for u, e in zip(updates, types, strict=True)]
    dims = DimensionNumbers(
        call.update_window_dims,
        call.inserted_window_dims,
        call.input_batching_dims,
        call.scatter_indices_batching_dims,
        call.scatter_dims_to_operand_dims,
        call.index_vector_dim,
    )
    if traced is not None:
        results = list(scatter_tensors(xs, indices, us, dims, traced))
    else:
        results = [
            scatter_tensors([x], indices, [u], dims, [e])[0]
            for x, u, e in zip(xs, us, by_name(str(computation), types), strict=True)
        ]
    made = tuple(r.type for r in results)
    check("scatter", CONSTRAINTS, replace(call, results=made), only=(24, 25))
    return results
