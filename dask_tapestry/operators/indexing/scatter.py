"""Scatter: tensors with updates folded in where index vectors say, as StableHLO's.

Updates are applied in the order of their own index, the last axis moving fastest. So of several for
one cell the last one wins where they replace it, and sums have one value for every sharding.

Source: the RFC "Add batching dims to stablehlo.gather and stablehlo.scatter".
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from math import prod
from typing import Any

import numpy as np

from dask_tapestry.cells import CellExpression
from dask_tapestry.errors import DTypeError
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.broadcast_shapes import broadcast_shape
from dask_tapestry.operators.cells.cell_updates import cell_update
from dask_tapestry.operators.cells.elementwise import astype
from dask_tapestry.operators.forms import offered, stand_in
from dask_tapestry.operators.indexing.bucket_shuffle import owner_counts, scattered
from dask_tapestry.operators.indexing.dimension_numbers import DimensionNumbers
from dask_tapestry.operators.indexing.rows_of_cells import RowsOfCells
from dask_tapestry.operators.joins.insert import insert
from dask_tapestry.operators.joins.stack import stack
from dask_tapestry.operators.kernel_reference import kernel_reference
from dask_tapestry.operators.tuning import (
    CELLS_SIDE_BY_SIDE,
    SCATTERED_PLACE_BYTES,
    WORTH_SHUFFLING_BYTES,
)
from dask_tapestry.operators.views.broadcast import broadcast
from dask_tapestry.operators.views.output import outputs
from dask_tapestry.operators.views.slice import basic_slice
from dask_tapestry.teg import (
    BlockOperator,
    Form,
    IndexDim,
    Progression,
    Region,
    Signature,
    Tensor,
    TensorType,
    apply,
)
from dask_tapestry.teg.chunking import Chunks, Known
from dask_tapestry.teg.operator import Restriction, Types, by_signature
from dask_tapestry.teg.outputs import OutputWindow, outputs_dtype
from dask_tapestry.zspace import IndexProjection, ZRange
from dask_tapestry_kernels.output_blocks import OutputAxis, OutputShape
from dask_tapestry_kernels.parameters.scratch import SCATTERED


@dataclass(frozen=True)
class Scatter(BlockOperator):
    """The first N inputs with the last N folded in, windows that begin at index vectors between.

    Along a dimension that no index moves windows are as long as the inputs, so that the update's
    coordinate is the output's; so are those of batching dimensions. Along the others all updates
    are read.

    Parameters
    ----------
    numbers
        Which dimensions belong together.
    expressions
        For each output, what its cell becomes of all cells there, and of all updates.
    strict
        Raise IndexError for an index out of bounds, and count negative ones from the end, as NumPy;
        else cells out of bounds are left out.
    kept
        Which outputs there are.
    once
        Raise ValueError where a cell is updated twice.

    Source: the RFC "Add batching dims to stablehlo.gather and stablehlo.scatter".
    """

    name = "scatter"
    kernel = "scatter"
    any_cells = True
    transparent = False
    numbers: DimensionNumbers
    expressions: tuple[CellExpression, ...]
    strict: bool = False
    kept: tuple[int, ...] = (0,)
    once: bool = False

    @property
    def count(self) -> int:
        """How many tensors are updated together."""
        return len(self.expressions)

    @property
    def fills(self) -> bool:  # type: ignore[override]
        """Whether it writes into the memory it is given."""
        return self.count == 1

    def infer(self, *inputs: TensorType) -> TensorType:
        x = inputs[0]
        if self.count == 1:
            return x
        cell = IndexProjection.identity(x.ndim)
        windows = [OutputWindow(f"result{n}", inputs[n].dtype, cell) for n in self.kept]
        return x._replace(dtype=outputs_dtype(tuple(windows)))

    def keeping(self, names: Collection[str]) -> Scatter:
        return replace(self, kept=tuple(n for n in self.kept if f"result{n}" in names))

    def signature(self, *inputs: TensorType) -> Signature:
        x, indices, updates = inputs[0], inputs[self.count], inputs[-1]
        rank = x.ndim
        ways = self.numbers.ways(rank, updates.ndim)
        owner = {
            w.axis: dim for dim, w in enumerate(ways) if w.axis is not None and w.component is None
        }
        follows = [owner.get(axis) for axis in range(updates.ndim)]
        batch = iter(self.numbers.batch_axes(updates.ndim))
        vector = self.numbers.vector_dim
        axes = [None if d == vector else follows[next(batch)] for d in range(indices.ndim)]
        places, given = _projection(axes, indices, rank), _projection(follows, updates, rank)
        index = tuple(IndexDim(f"i{dim}", n) for dim, n in enumerate(x.shape))
        here = IndexProjection.identity(rank)
        reads = ((here,) * self.count, (places,), (given,) * self.count)
        return Signature(index, tuple(p for part in reads for p in part), (here,))

    regularity = by_signature

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        x = inputs[0]
        options = {
            "steps": self.numbers.steps(x.shape, (0,) * x.ndim, boxes[-1], box),
            "vector": self.numbers.vector_dim,
            "window": self.numbers.window_dims,
            "expressions": self.expressions,
            "strict": self.strict,
            "once": self.once,
        }
        return (
            options
            if self.count == 1
            else options | {"kept": self.kept, "outputs": self._lie(inputs)}
        )

    def _lie(self, inputs: Types) -> tuple[OutputShape, ...]:
        """How the outputs lie in the memory of a worker."""
        axes = tuple(OutputAxis(dim, 1) for dim in range(inputs[0].ndim))
        return tuple(OutputShape(f"result{n}", inputs[n].dtype, axes) for n in self.kept)

    def restrict(self, inputs: Types, region: Region) -> Restriction | None:
        """Dimensions that an index moves windows along whole; the others exactly."""
        moved = self.numbers.index_map
        parts = Region(
            Progression(0, 1, x) if dim in moved else part
            for dim, (part, x) in enumerate(zip(region, inputs[0].shape, strict=True))
        )
        signature = self.signature(*inputs)
        reads = []
        for projection, x in zip(signature.inputs, inputs, strict=True):
            rows = zip(projection.matrix, x.shape, strict=True)
            reads.append(parts[r.index(1)] if 1 in r else Progression(0, 1, n) for r, n in rows)
        return Restriction(self, tuple(map(Region, reads)), parts)

    def forms(self, inputs: Types) -> tuple[Form, ...]:
        """Updates sent to the owners of parts of a table: of windows one cell wide."""
        x, updates, numbers = inputs[0], inputs[-1], self.numbers
        ways = numbers.ways(x.ndim, updates.ndim)
        axes = [ways[dim].axis for dim in numbers.index_map]
        wide = any(axis is not None and updates.shape[axis] != 1 for axis in axes)
        plain = self.count == 1 and not (self.once or numbers.batching_dims)
        if not plain or not axes or wide or not updates.size:
            return ()
        rows = prod(x.shape[dim] for dim in numbers.index_map)
        few = max(x.nbytes, updates.nbytes) < WORTH_SHUFFLING_BYTES
        return () if few else offered(Form("shuffle", owner_counts(rows), by_shuffle))

    def flops(self, inputs: Types, box: ZRange) -> int:
        """The expressions for each cell that may be folded in, or for several side by side."""
        updates = self.demand(inputs, box)[-1]
        run, axis = 1, updates.ndim
        for way in reversed(self.numbers.ways(box.ndim, updates.ndim)):
            axis -= 1
            if (
                way.axis != axis
                or way.component is not None
                or axis not in self.numbers.window_dims
            ):
                break
            run *= max(1, updates.shape[axis])
        each = max(1, sum(e.flops for e in self.expressions))
        return each * updates.size // min(run, CELLS_SIDE_BY_SIDE)

    def scratch_bytes(self, inputs: Types, box: ZRange) -> int:
        """Memory for the target offsets of a slab's updates."""
        updates = self.demand(inputs, box)[-1]
        return SCATTERED_PLACE_BYTES * min(updates.size, SCATTERED)

    def follow(self, inputs: Types, chunks: tuple[Chunks, ...]) -> Known:
        return chunks[0]

    def text(self) -> str:
        shown = ", ".join(map(str, self.expressions))
        return f"{shown} at {list(self.numbers.index_map)}"

    def reference(self, *inputs: np.ndarray[Any, Any]) -> Any:
        return kernel_reference(self, *inputs)


@stand_in
def by_shuffle(node: Tensor, owners: int) -> Tensor:
    """``scatter(x, i, u) -> folded(x, routed(i), sent(i, u))``."""
    whole, (x, indices, updates) = node.operator, node.inputs
    assert isinstance(whole, Scatter)
    rows = RowsOfCells(whole.numbers, x.type.shape, tuple(sorted(whole.numbers.index_map)))
    given = rows.cells(updates), whole.expressions
    places = rows.places(indices, "refuse" if whole.strict else "drop")
    made = scattered(rows.table(x), places, *given, owners)
    return rows.from_table(made)


def _projection(follows: Sequence[int | None], tensor: TensorType, rank: int) -> IndexProjection:
    """Projection onto a tensor each of whose axes follows a dimension, or is whole."""
    rows = [[int(dim == follow) for dim in range(rank)] for follow in follows]
    sides = [n if f is None else 1 for f, n in zip(follows, tensor.shape, strict=True)]
    return IndexProjection(rows, (0,) * tensor.ndim, sides, in_ndim=rank)


def scatter(
    inputs: Sequence[Tensor],
    indices: Tensor,
    updates: Sequence[Tensor],
    numbers: DimensionNumbers,
    expressions: Sequence[CellExpression],
    *,
    once: bool = False,
) -> tuple[Tensor, ...]:
    """Tensors of one shape with updates folded in together; what is given fits together.

    Parameters
    ----------
    expressions
        For each result, a function of the cells of all inputs there and of all updates, in their
        dtypes: those of the inputs.
    once
        Raise ValueError, when it is computed, where a cell is updated twice.
    """
    rank = inputs[0].type.ndim
    given = updates[0].type
    sides = list(inputs[0].type.shape)
    for dim, way in enumerate(numbers.ways(rank, given.ndim)):
        if way.component is None and dim not in numbers.batching_dims:
            sides[dim] = min(1, sides[dim]) if way.axis is None else given.shape[way.axis]
    met = tuple(slice(0, side) for side in sides)
    parts = [basic_slice(x, met) for x in inputs]
    numbered = tuple(range(len(inputs)))
    fold = Scatter(numbers, tuple(expressions), kept=numbered, once=once)
    made = apply(fold, *parts, indices, *updates)
    results = (made,) if len(inputs) == 1 else outputs(made)
    into = tuple(Progression.of(0, 1, side) for side in sides)
    return tuple(insert(x, into, r) for x, r in zip(inputs, results, strict=True))


def scatter_places(
    x: Tensor,
    indices_of_axes: Sequence[Tensor],
    axes: Sequence[int],
    at: int,
    values: Tensor,
    update: CellExpression | None = None,
) -> Tensor:
    """`x` with `values`, which broadcast, at `indices_of_axes`, as NumPy assigns them.

    Parameters
    ----------
    at
        Dimension of what is indexed at which the dimensions of the indices begin.
    update
        What cells become, if it is not the value; values then are of its second dtype.

    Raises
    ------
    DTypeError
        If the indices are not integers.
    ShapeError
        If indices or values do not broadcast.
    """
    for p in indices_of_axes:
        if p.type.dtype.kind not in "iu":
            raise DTypeError(f"indices must be integers, not {p.type}")
    shape = broadcast_shape([p.type.shape for p in indices_of_axes], "indexing arrays")
    kept = [n for dim, n in enumerate(x.type.shape) if dim not in axes]
    full = (*kept[:at], *shape, *kept[at:])
    fold = update or cell_update("update", x.type.dtype)
    new_cells = broadcast(astype(values, fold.parameters[1]), full)
    whole = [broadcast(p, shape) for p in indices_of_axes]
    indices = whole[0] if len(whole) == 1 else stack(_of_one_dtype(whole), len(shape))
    windows = tuple(a for a in range(len(full)) if not at <= a < at + len(shape))
    collapsed = tuple(sorted(axes))
    numbers = DimensionNumbers(windows, collapsed, (), (), tuple(axes), len(shape))
    put = Scatter(numbers, (fold,), strict=True)
    return apply(put, x, indices, new_cells)


def _of_one_dtype(places: Sequence[Tensor]) -> list[Tensor]:
    """Places of one integer dtype, so that they can be the columns of index vectors."""
    dtypes = {p.type.dtype for p in places}
    return list(places) if len(dtypes) == 1 else [astype(p, np.dtype(np.intp)) for p in places]
