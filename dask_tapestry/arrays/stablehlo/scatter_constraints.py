"""The constraints of StableHLO's scatter, each a function of a call: what it breaks, or None.

Source: the RFC "Add batching dims to stablehlo.gather and stablehlo.scatter", "scatter".

Examples
--------
>>> import numpy as np
>>> from dask_tapestry.arrays.stablehlo.scatter_constraints import *
>>> from dask_tapestry.teg import TensorType
>>> x, u = TensorType((3, 2), np.dtype("f8")), TensorType((4, 3), np.dtype("f8"))
>>> rows = dict(update_window_dims=(1,), inserted_window_dims=(0,))
>>> more = dict(scatter_dims_to_operand_dims=(0,), index_vector_dim=1)
>>> updates_have_the_combined_shape(ScatterCall((x,), (4,), (u,), **rows, **more))
'updates of shape (4, 3) have windows longer than the inputs: [3], not up to [2]'
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dask_tapestry.arrays.stablehlo.constraint_table import (
    combined,
    invalid_dims,
    is_unique,
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
Types = tuple[TensorType, ...]
DTypes = tuple[np.dtype[Any], ...]


@dataclass(frozen=True)
class ScatterCall:
    """The types, shapes and attributes of a scatter.

    {Attributes}
        inputs, updates: Types.
        scatter_indices: Shape.
        element_types: Of the results' cells; empty for those of the inputs.
        computed: Dtypes of what the update computation returns, where they are known.
        results: Types, where they are known.
    """

    inputs: Types
    scatter_indices: Dims
    updates: Types
    update_window_dims: Dims
    inserted_window_dims: Dims
    scatter_dims_to_operand_dims: Dims
    index_vector_dim: int
    input_batching_dims: Dims = ()
    scatter_indices_batching_dims: Dims = ()
    element_types: DTypes = ()
    computed: DTypes | None = None
    results: Types | None = None

    @property
    def shape(self) -> Dims:
        """Of the first input."""
        return self.inputs[0].shape if self.inputs else ()

    @property
    def rank(self) -> int:
        """Of the first input."""
        return len(self.shape)

    @property
    def update_shape(self) -> Dims:
        """Of the first updates."""
        return self.updates[0].shape if self.updates else ()


CONSTRAINTS: Final[dict[int, Callable[[ScatterCall], str | None]]] = {}


@numbered(CONSTRAINTS, 1)
def inputs_have_one_shape(call: ScatterCall) -> str | None:
    """All inputs have one shape."""
    shapes = [x.shape for x in call.inputs]
    return None if len(set(shapes)) < 2 else f"inputs have shapes {shapes}"


@numbered(CONSTRAINTS, 2)
def every_input_dim_has_a_role(call: ScatterCall) -> str | None:
    """The inputs' dimensions are in windows, inserted or batching ones."""
    roles = (call.update_window_dims, call.inserted_window_dims, call.input_batching_dims)
    if sum(map(len, roles)) == call.rank:
        return None
    counts = ", ".join(str(len(dims)) for dims in roles)
    return (
        f"inputs have {call.rank} dimensions; update_window_dims, inserted_window_dims and "
        f"input_batching_dims are {counts}"
    )


@numbered(CONSTRAINTS, 3)
def updates_have_one_shape(call: ScatterCall) -> str | None:
    """All updates have one shape."""
    shapes = [x.shape for x in call.updates]
    return None if len(set(shapes)) < 2 else f"updates have shapes {shapes}"


@numbered(CONSTRAINTS, 4)
def updates_have_the_combined_shape(call: ScatterCall) -> str | None:
    """Updates have the extents of the vectors, and at the window dimensions no longer windows."""
    vectors = vectors_of(call.scatter_indices, call.index_vector_dim)
    dims, shape = call.update_window_dims, call.update_shape
    if len(shape) != len(vectors) + len(dims):
        return (
            f"updates of shape {shape} have {len(shape)} dimensions: {len(vectors)} are needed "
            f"for the index vectors and {len(dims)} for windows"
        )
    if invalid_dims(dims, len(shape)) or not is_unique(dims):
        return None
    window = [shape[dim] for dim in sorted(dims)]
    expected = combined(vectors, window, dims)
    if shape != expected:
        return f"updates have shape {shape}, not {expected}"
    dropped = (*call.inserted_window_dims, *call.input_batching_dims)
    most = [n for dim, n in enumerate(call.shape) if dim not in dropped]
    if all(size <= n for size, n in zip(window, most, strict=False)):
        return None
    return (
        f"updates of shape {shape} have windows longer than the inputs: {window}, not up to {most}"
    )


@numbered(CONSTRAINTS, 5)
def updates_are_as_many(call: ScatterCall) -> str | None:
    """There are as many updates as inputs, at least one."""
    if 0 < len(call.inputs) == len(call.updates):
        return None
    return f"there are {len(call.inputs)} inputs and {len(call.updates)} updates"


@numbered(CONSTRAINTS, 6)
def updates_have_the_inputs_dtypes(call: ScatterCall) -> str | None:
    """Cells of updates are as those of their inputs."""
    pairs = zip(call.inputs, call.updates, strict=False)
    wrong = [(x.dtype.name, u.dtype.name) for x, u in pairs if x.dtype != u.dtype]
    return f"cells of inputs and updates differ: {wrong}" if wrong else None


@numbered(CONSTRAINTS, 7)
def update_window_dims_ascend(call: ScatterCall) -> str | None:
    """Window dimensions are unique and sorted."""
    return not_ascending("update_window_dims", call.update_window_dims)


@numbered(CONSTRAINTS, 8)
def update_window_dims_exist(call: ScatterCall) -> str | None:
    """Window dimensions are dimensions of the updates."""
    rank = len(call.update_shape)
    return strange("update_window_dims", call.update_window_dims, rank, "the updates'")


@numbered(CONSTRAINTS, 9)
def inserted_and_batching_dims_differ(call: ScatterCall) -> str | None:
    """No input dimension is inserted or batching twice."""
    dims = (*call.inserted_window_dims, *call.input_batching_dims)
    return repeated("inserted_window_dims and input_batching_dims", dims)


@numbered(CONSTRAINTS, 10)
def inserted_window_dims_are_sorted(call: ScatterCall) -> str | None:
    """Inserted dimensions ascend."""
    return unsorted("inserted_window_dims", call.inserted_window_dims)


@numbered(CONSTRAINTS, 11)
def inserted_window_dims_exist(call: ScatterCall) -> str | None:
    """Inserted dimensions are dimensions of the inputs."""
    return strange("inserted_window_dims", call.inserted_window_dims, call.rank, "the inputs'")


@numbered(CONSTRAINTS, 12)
def input_batching_dims_are_sorted(call: ScatterCall) -> str | None:
    """Batching dimensions of the inputs ascend."""
    return unsorted("input_batching_dims", call.input_batching_dims)


@numbered(CONSTRAINTS, 13)
def input_batching_dims_exist(call: ScatterCall) -> str | None:
    """Batching dimensions of the inputs are dimensions of them."""
    return strange("input_batching_dims", call.input_batching_dims, call.rank, "the inputs'")


@numbered(CONSTRAINTS, 14)
def scatter_indices_batching_dims_differ(call: ScatterCall) -> str | None:
    """No dimension of the indices is batching twice."""
    return repeated("scatter_indices_batching_dims", call.scatter_indices_batching_dims)


@numbered(CONSTRAINTS, 15)
def scatter_indices_batching_dims_exist(call: ScatterCall) -> str | None:
    """Batching dimensions of the indices are dimensions of them."""
    rank = len(call.scatter_indices)
    return strange("scatter_indices_batching_dims", call.scatter_indices_batching_dims, rank)


@numbered(CONSTRAINTS, 16)
def vectors_are_no_batch(call: ScatterCall) -> str | None:
    """The dimension of the vectors is no batching one."""
    if call.index_vector_dim not in call.scatter_indices_batching_dims:
        return None
    return f"index_vector_dim {call.index_vector_dim} is among scatter_indices_batching_dims"


@numbered(CONSTRAINTS, 17)
def batching_dims_are_as_many(call: ScatterCall) -> str | None:
    """Inputs and indices have as many batching dimensions."""
    own, other = len(call.input_batching_dims), len(call.scatter_indices_batching_dims)
    if own == other:
        return None
    return f"there are {own} input_batching_dims and {other} scatter_indices_batching_dims"


@numbered(CONSTRAINTS, 18)
def batching_dims_are_as_long(call: ScatterCall) -> str | None:
    """Batching dimensions that go with each other have one extent."""
    shapes = call.shape, call.scatter_indices
    batching = call.input_batching_dims, call.scatter_indices_batching_dims
    return unlike_extents("inputs and scatter_indices", shapes, batching)


@numbered(CONSTRAINTS, 19)
def vectors_are_as_long_as_the_map(call: ScatterCall) -> str | None:
    """A vector has a number for each entry of scatter_dims_to_operand_dims."""
    length = vector_length(call.scatter_indices, call.index_vector_dim)
    entries = len(call.scatter_dims_to_operand_dims)
    if length is None or entries == length:
        return None
    return f"scatter_dims_to_operand_dims has {entries} entries, index vectors {length}"


@numbered(CONSTRAINTS, 20)
def map_and_batching_dims_differ(call: ScatterCall) -> str | None:
    """No input dimension is indexed twice, or indexed and batching."""
    dims = (*call.scatter_dims_to_operand_dims, *call.input_batching_dims)
    return repeated("scatter_dims_to_operand_dims and input_batching_dims", dims)


@numbered(CONSTRAINTS, 21)
def mapped_dims_exist(call: ScatterCall) -> str | None:
    """Indexed dimensions are dimensions of the inputs."""
    dims = call.scatter_dims_to_operand_dims
    return strange("scatter_dims_to_operand_dims", dims, call.rank, "the inputs'")


@numbered(CONSTRAINTS, 22)
def index_vector_dim_exists(call: ScatterCall) -> str | None:
    """Vectors lie along a dimension of the indices, or behind their last one."""
    rank = len(call.scatter_indices)
    if 0 <= call.index_vector_dim <= rank:
        return None
    return f"index_vector_dim is {call.index_vector_dim}, not from 0 to {rank}"


@numbered(CONSTRAINTS, 23)
def update_computation_has_the_element_types(call: ScatterCall) -> str | None:
    """Inputs promote to the element types, which the computation takes and returns."""
    types = call.element_types or tuple(x.dtype for x in call.inputs)
    if len(types) != len(call.inputs):
        return f"{len(types)} element_types for {len(call.inputs)} inputs"
    pairs = zip(call.inputs, types, strict=True)
    wrong = [(x.dtype.name, e.name) for x, e in pairs if not is_promotable(x.dtype, e)]
    if wrong:
        return f"inputs do not promote to element_types: {wrong}"
    if call.computed is None or call.computed == types:
        return None
    names = [[dtype.name for dtype in part] for part in (call.computed, types)]
    return f"the update computation returns {names[0]}, not {names[1]}"


@numbered(CONSTRAINTS, 24)
def results_have_the_inputs_shapes(call: ScatterCall) -> str | None:
    """Results have the shapes of the inputs."""
    shapes = [r.shape for r in call.results or ()]
    if call.results is None or shapes == [x.shape for x in call.inputs]:
        return None
    return f"results have shapes {shapes}, inputs {[x.shape for x in call.inputs]}"


@numbered(CONSTRAINTS, 25)
def results_have_the_element_types(call: ScatterCall) -> str | None:
    """Cells of results are of the element types."""
    types = list(call.element_types or (x.dtype for x in call.inputs))
    found = [r.dtype for r in call.results or ()]
    if call.results is None or found == types:
        return None
    return f"cells of results are {[d.name for d in found]}, not {[d.name for d in types]}"


def is_promotable(source: np.dtype[Any], target: np.dtype[Any]) -> bool:
    """Whether cells promote: to the same kind, of as many bits or more.

    Examples
    --------
    >>> import numpy as np
    >>> is_promotable(np.dtype("f4"), np.dtype("f8")), is_promotable(np.dtype("i4"), np.dtype("f8"))
    (True, False)
    """
    kinds = [dtype.kind.replace("u", "i") for dtype in (source, target)]
    return kinds[0] == kinds[1] and source.itemsize <= target.itemsize
