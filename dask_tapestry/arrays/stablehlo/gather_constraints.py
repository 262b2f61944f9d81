"""The constraints of StableHLO's gather, each a function of a call: what it breaks, or None.

Source: the RFC "Add batching dims to stablehlo.gather and stablehlo.scatter", "gather".

Examples
--------
>>> from dask_tapestry.arrays.stablehlo.gather_constraints import *
>>> rows = dict(offset_dims=(1,), collapsed_slice_dims=(0,), start_index_map=(0,))
>>> call = GatherCall((3, 2), (4,), **rows, index_vector_dim=1, slice_sizes=(2, 2))
>>> collapsed_slices_have_one_cell(call)
'slice_sizes of collapsed_slice_dims [0] are [2], more than 1'
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dask_tapestry.arrays.stablehlo.constraint_table import (
    combined,
    not_ascending,
    numbered,
    repeated,
    strange,
    unlike_extents,
    unsorted,
    vector_length,
    vectors_of,
)
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.teg import TensorType

Dims = tuple[int, ...]


@dataclass(frozen=True)
class GatherCall:
    """The shapes and attributes of a gather.

    {Attributes}
        operand, start_indices: Shapes.
        dtype: Of the operand's cells, where it is known.
        result: Type of the result, where it is known.
    """

    operand: Dims
    start_indices: Dims
    offset_dims: Dims
    collapsed_slice_dims: Dims
    start_index_map: Dims
    index_vector_dim: int
    slice_sizes: Dims
    operand_batching_dims: Dims = ()
    start_indices_batching_dims: Dims = ()
    dtype: np.dtype[Any] | None = None
    result: TensorType | None = None

    @property
    def rank(self) -> int:
        """Of the operand."""
        return len(self.operand)

    @property
    def result_rank(self) -> int:
        """Of the result."""
        return len(vectors_of(self.start_indices, self.index_vector_dim)) + len(self.offset_dims)


CONSTRAINTS: Final[dict[int, Callable[[GatherCall], str | None]]] = {}


@numbered(CONSTRAINTS, 1)
def every_operand_dim_has_a_role(call: GatherCall) -> str | None:
    """The operand's dimensions are offset, collapsed or batching ones."""
    roles = (call.offset_dims, call.collapsed_slice_dims, call.operand_batching_dims)
    if sum(map(len, roles)) == call.rank:
        return None
    counts = ", ".join(str(len(dims)) for dims in roles)
    return (
        f"operand has {call.rank} dimensions; offset_dims, collapsed_slice_dims and "
        f"operand_batching_dims are {counts}"
    )


@numbered(CONSTRAINTS, 2)
def index_vector_dim_exists(call: GatherCall) -> str | None:
    """Vectors lie along a dimension of the indices, or behind their last one."""
    rank = len(call.start_indices)
    if 0 <= call.index_vector_dim <= rank:
        return None
    return f"index_vector_dim is {call.index_vector_dim}, not from 0 to {rank}"


@numbered(CONSTRAINTS, 3)
def vectors_are_as_long_as_the_map(call: GatherCall) -> str | None:
    """A vector has a number for each entry of start_index_map."""
    length = vector_length(call.start_indices, call.index_vector_dim)
    if length is None or len(call.start_index_map) == length:
        return None
    return f"start_index_map has {len(call.start_index_map)} entries, index vectors {length}"


@numbered(CONSTRAINTS, 4)
def offset_dims_ascend(call: GatherCall) -> str | None:
    """Offset dimensions are unique and sorted."""
    return not_ascending("offset_dims", call.offset_dims)


@numbered(CONSTRAINTS, 5)
def offset_dims_exist(call: GatherCall) -> str | None:
    """Offset dimensions are dimensions of the result."""
    return strange("offset_dims", call.offset_dims, call.result_rank, "the result's")


@numbered(CONSTRAINTS, 6)
def collapsed_and_batching_dims_differ(call: GatherCall) -> str | None:
    """No operand dimension is collapsed or batching twice."""
    dims = (*call.collapsed_slice_dims, *call.operand_batching_dims)
    return repeated("collapsed_slice_dims and operand_batching_dims", dims)


@numbered(CONSTRAINTS, 7)
def collapsed_slice_dims_are_sorted(call: GatherCall) -> str | None:
    """Collapsed dimensions ascend."""
    return unsorted("collapsed_slice_dims", call.collapsed_slice_dims)


@numbered(CONSTRAINTS, 8)
def collapsed_slice_dims_exist(call: GatherCall) -> str | None:
    """Collapsed dimensions are dimensions of the operand."""
    return strange("collapsed_slice_dims", call.collapsed_slice_dims, call.rank, "the operand's")


@numbered(CONSTRAINTS, 9)
def collapsed_slices_have_one_cell(call: GatherCall) -> str | None:
    """Slices have at most one cell along collapsed dimensions."""
    return _long_slices(call, "collapsed_slice_dims", call.collapsed_slice_dims)


@numbered(CONSTRAINTS, 10)
def operand_batching_dims_are_sorted(call: GatherCall) -> str | None:
    """Batching dimensions of the operand ascend."""
    return unsorted("operand_batching_dims", call.operand_batching_dims)


@numbered(CONSTRAINTS, 11)
def operand_batching_dims_exist(call: GatherCall) -> str | None:
    """Batching dimensions of the operand are dimensions of it."""
    return strange("operand_batching_dims", call.operand_batching_dims, call.rank, "the operand's")


@numbered(CONSTRAINTS, 12)
def batching_slices_have_one_cell(call: GatherCall) -> str | None:
    """Slices have at most one cell along batching dimensions."""
    return _long_slices(call, "operand_batching_dims", call.operand_batching_dims)


@numbered(CONSTRAINTS, 13)
def start_indices_batching_dims_differ(call: GatherCall) -> str | None:
    """No dimension of the indices is batching twice."""
    return repeated("start_indices_batching_dims", call.start_indices_batching_dims)


@numbered(CONSTRAINTS, 14)
def start_indices_batching_dims_exist(call: GatherCall) -> str | None:
    """Batching dimensions of the indices are dimensions of them."""
    rank = len(call.start_indices)
    return strange("start_indices_batching_dims", call.start_indices_batching_dims, rank)


@numbered(CONSTRAINTS, 15)
def vectors_are_no_batch(call: GatherCall) -> str | None:
    """The dimension of the vectors is no batching one."""
    if call.index_vector_dim not in call.start_indices_batching_dims:
        return None
    return f"index_vector_dim {call.index_vector_dim} is among start_indices_batching_dims"


@numbered(CONSTRAINTS, 16)
def batching_dims_are_as_many(call: GatherCall) -> str | None:
    """Operand and indices have as many batching dimensions."""
    own, other = len(call.operand_batching_dims), len(call.start_indices_batching_dims)
    if own == other:
        return None
    return f"there are {own} operand_batching_dims and {other} start_indices_batching_dims"


@numbered(CONSTRAINTS, 17)
def batching_dims_are_as_long(call: GatherCall) -> str | None:
    """Batching dimensions that go with each other have one extent."""
    shapes = call.operand, call.start_indices
    batching = call.operand_batching_dims, call.start_indices_batching_dims
    return unlike_extents("operand and start_indices", shapes, batching)


@numbered(CONSTRAINTS, 18)
def map_and_batching_dims_differ(call: GatherCall) -> str | None:
    """No operand dimension is indexed twice, or indexed and batching."""
    dims = (*call.start_index_map, *call.operand_batching_dims)
    return repeated("start_index_map and operand_batching_dims", dims)


@numbered(CONSTRAINTS, 19)
def mapped_dims_exist(call: GatherCall) -> str | None:
    """Indexed dimensions are dimensions of the operand."""
    return strange("start_index_map", call.start_index_map, call.rank, "the operand's")


@numbered(CONSTRAINTS, 20)
def every_dim_has_a_slice_size(call: GatherCall) -> str | None:
    """There is a slice size for each dimension of the operand."""
    if len(call.slice_sizes) == call.rank:
        return None
    return f"{len(call.slice_sizes)} slice_sizes for {call.rank} dimensions"


@numbered(CONSTRAINTS, 21)
def slices_fit_the_operand(call: GatherCall) -> str | None:
    """Slices are no longer than the operand."""
    if all(0 <= size <= n for size, n in zip(call.slice_sizes, call.operand, strict=False)):
        return None
    return f"slice_sizes {list(call.slice_sizes)} are not from 0 to {list(call.operand)}"


@numbered(CONSTRAINTS, 22)
def result_has_the_combined_shape(call: GatherCall) -> str | None:
    """The result has the extents of the vectors, with those of slices at the offset dimensions."""
    dropped = (*call.collapsed_slice_dims, *call.operand_batching_dims)
    window = [size for dim, size in enumerate(call.slice_sizes) if dim not in dropped]
    vectors = vectors_of(call.start_indices, call.index_vector_dim)
    shape = combined(vectors, window, call.offset_dims)
    if shape is None or call.result is None or call.result.shape == shape:
        return None
    return f"the result has shape {call.result.shape}, not {shape}"


@numbered(CONSTRAINTS, 23)
def result_has_the_operands_dtype(call: GatherCall) -> str | None:
    """The result's cells are the operand's."""
    if call.result is None or call.dtype in (None, call.result.dtype):
        return None
    return f"the result's cells are {call.result.dtype}, the operand's {call.dtype}"


def _long_slices(call: GatherCall, name: str, dims: Dims) -> str | None:
    sizes = [call.slice_sizes[dim] for dim in dims if 0 <= dim < len(call.slice_sizes)]
    if all(size <= 1 for size in sizes):
        return None
    return f"slice_sizes of {name} {list(dims)} are {sizes}, more than 1"
