"""Gather: windows of a tensor that begin where index vectors say, as StableHLO's.

Source: the RFC "Add batching dims to stablehlo.gather and stablehlo.scatter".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import prod
from typing import Any

import numpy as np

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.forms import offered, stand_in
from dask_tapestry.operators.indexing import bucket_shuffle, masked_gather
from dask_tapestry.operators.indexing.bucket_shuffle import owner_counts
from dask_tapestry.operators.indexing.dimension_numbers import DimensionNumbers
from dask_tapestry.operators.indexing.rows_of_cells import RowsOfCells
from dask_tapestry.operators.tuning import (
    CACHE_LINE_BYTES,
    GATHERED_INDEX_BYTES,
    OWNERS_COMPARED,
    WORTH_SHUFFLING_BYTES,
)
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
from dask_tapestry.teg.operator import Restriction, Types, by_signature
from dask_tapestry.zspace import IndexProjection, ZRange


@dataclass(frozen=True)
class Gather(BlockOperator):
    """Windows of the first input that begin at the index vectors of the second.

    A window that would leave the input begins as near as it can. Along a dimension that no index
    moves, which is as long as the windows, and along one that the window has whole, the output's
    coordinate is the input's; so are those of batching dimensions. Only the other dimensions are
    read whole.

    Parameters
    ----------
    numbers
        Which dimensions belong together.
    sizes
        Cells of a window along each dimension of the first input.

    Source: the RFC "Add batching dims to stablehlo.gather and stablehlo.scatter".
    """

    name = "gather"
    kernel = "gather"
    any_cells = True
    transparent = True
    numbers: DimensionNumbers
    sizes: tuple[int, ...]

    def infer(self, *inputs: TensorType) -> TensorType:
        x, indices = inputs
        window = self.numbers.in_window(x.ndim)
        shape = self.numbers.cells_shape(indices.shape, tuple(self.sizes[d] for d in window))
        return TensorType(shape, x.dtype, self._dims(x, indices, len(shape)))

    def _dims(self, x: TensorType, indices: TensorType, rank: int) -> tuple[str | None, ...] | None:
        """Names of the axes: of the dimensions that they run through."""
        names: list[str | None] = [None] * rank
        if indices.dims:
            kept = [d for dim, d in enumerate(indices.dims) if dim != self.numbers.vector_dim]
            for axis, name in zip(self.numbers.batch_axes(rank), kept, strict=True):
                names[axis] = name
        if x.dims:
            windows = self.numbers.in_window(x.ndim)
            for axis, dim in zip(self.numbers.window_dims, windows, strict=True):
                names[axis] = x.dims[dim]
        return tuple(names) if any(names) else None

    def free(self, x: TensorType) -> tuple[bool, ...]:
        """For each dimension of the first input, whether no index can move a window along it."""
        moved = self.numbers.index_map
        return tuple(
            dim not in moved or size == n
            for dim, (size, n) in enumerate(zip(self.sizes, x.shape, strict=True))
        )

    def signature(self, *inputs: TensorType) -> Signature:
        x, indices = inputs
        result_type = self.infer(*inputs)
        rank = result_type.ndim
        rows, sides = [], []
        ways = self.numbers.ways(x.ndim, rank)
        for way, free, n in zip(ways, self.free(x), x.shape, strict=True):
            follows = way.axis if free else None
            rows.append([int(axis == follows) for axis in range(rank)])
            sides.append(1 if free else n)
        reads = IndexProjection(rows, (0,) * x.ndim, sides, in_ndim=rank)
        places = index_projection(self.numbers, indices, rank)
        index = tuple(IndexDim(f"i{axis}", n) for axis, n in enumerate(result_type.shape))
        return Signature(index, (reads, places), (IndexProjection.identity(rank),))

    regularity = by_signature

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        x = inputs[0]
        return {
            "steps": self.numbers.steps(x.shape, self.sizes, box, boxes[0]),
            "vector": self.numbers.vector_dim,
            "window": self.numbers.window_dims,
            "shape": box.shape,
        }

    def restrict(self, inputs: Types, region: Region) -> Restriction | None:
        """Exactly the region along axes that no index moves; windows that move, whole."""
        x, indices = inputs
        ways, free = self.numbers.ways(x.ndim, len(region)), self.free(x)
        yields, sizes = list(region), list(self.sizes)
        reads = [Progression(0, 1, n) for n in x.shape]
        for dim, way in enumerate(ways):
            if way.axis is None:
                reads[dim] = Progression(0, 1, 1) if free[dim] else reads[dim]
            elif free[dim]:
                reads[dim] = region[way.axis]
                sizes[dim] = 1 if dim in self.numbers.batching_dims else region[way.axis].count
            else:
                yields[way.axis] = Progression(0, 1, self.sizes[dim])
        batch = iter(self.numbers.batch_axes(len(region)))
        vectors = Region(
            Progression(0, 1, n) if dim == self.numbers.vector_dim else region[next(batch)]
            for dim, n in enumerate(indices.shape)
        )
        cut = replace(self, sizes=tuple(sizes))
        return Restriction(cut, (Region(reads), vectors), Region(yields))

    def moved(self, x: TensorType) -> tuple[int, ...]:
        """Dimensions that indices move windows along, in order."""
        return tuple(dim for dim, free in enumerate(self.free(x)) if not free)

    def forms(self, inputs: Types) -> tuple[Form, ...]:
        """Places sent to the owners of parts of a table, and rows back: one cell wide windows.

        Few owners may look at all places instead.
        """
        x, indices = inputs
        moved = tuple(d for d in self.moved(x) if d not in self.numbers.batching_dims)
        rows = prod(x.shape[dim] for dim in moved)
        wide = any(self.sizes[dim] != 1 for dim in moved)
        if self.numbers.batching_dims or not moved or wide or not indices.size:
            return ()
        if x.nbytes < WORTH_SHUFFLING_BYTES:
            return ()
        few = tuple(n for n in OWNERS_COMPARED if n <= rows)
        return offered(Form("shuffle", owner_counts(rows), by_shuffle), Form("mask", few, by_mask))

    def flops(self, inputs: Types, box: ZRange) -> int:
        """One operation for each run of cells contiguous in input and output, and for each line."""
        x = inputs[0]
        run, axis = 1, box.ndim
        ways, free = self.numbers.ways(x.ndim, box.ndim), self.free(x)
        for way, still in zip(reversed(ways), reversed(free), strict=True):
            axis -= 1
            if way.axis != axis or not still or axis not in self.numbers.window_dims:
                break
            run *= max(1, box.shape[axis])
        return box.size // run * (1 + run * x.dtype.itemsize // CACHE_LINE_BYTES)

    def scratch_bytes(self, inputs: Types, box: ZRange) -> int:
        """Memory for the offsets of the windows."""
        return GATHERED_INDEX_BYTES * prod(box.shape[a] for a in self.numbers.batch_axes(box.ndim))

    def text(self) -> str:
        return f"windows {list(self.sizes)} at {list(self.numbers.index_map)}"

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        x, indices = inputs
        numbers = self.numbers
        scalars = numbers.vector_dim == indices.ndim
        parts = indices[None] if scalars else np.moveaxis(indices, numbers.vector_dim, 0)
        sides = tuple(self.sizes[dim] for dim in numbers.in_window(x.ndim))
        shape = numbers.cells_shape(indices.shape, sides)
        here = np.indices(shape, sparse=True)
        picks = []
        for (axis, part), n, size in zip(
            numbers.ways(x.ndim, len(shape)), x.shape, self.sizes, strict=True
        ):
            place: Any = np.zeros((), np.intp) if axis is None else here[axis]
            if part is not None:
                starts = np.clip(parts[part], 0, n - size).astype(np.intp)
                place = place + np.expand_dims(starts, numbers.window_dims)
            picks.append(place)
        return np.broadcast_to(x[tuple(picks)], shape)


@stand_in
def by_shuffle(node: Tensor, owners: int) -> Tensor:
    """``gather(x, i) -> returned(served(routed(i), x), i)``."""
    return _of_rows(node, owners, bucket_shuffle.gathered)


@stand_in
def by_mask(node: Tensor, owners: int) -> Tensor:
    """``gather(x, i) -> returned(answered(i, x), i)``."""
    return _of_rows(node, owners, masked_gather.gathered)


def _of_rows(
    node: Tensor, owners: int, gathered: Callable[[Tensor, Tensor, int], Tensor]
) -> Tensor:
    """A gather of windows of one cell as one of rows."""
    whole, (x, indices) = node.operator, node.inputs
    assert isinstance(whole, Gather)
    rows = RowsOfCells(whole.numbers, x.type.shape, whole.moved(x.type))
    found = gathered(rows.table(x), rows.places(indices, "nearest"), owners)
    return rows.from_rows(found, node.type.shape)


def index_projection(numbers: DimensionNumbers, indices: TensorType, rank: int) -> IndexProjection:
    """Projection of cells of `rank` onto the index vectors that they are made with."""
    batch = iter(numbers.batch_axes(rank))
    follows = [None if d == numbers.vector_dim else next(batch) for d in range(indices.ndim)]
    rows = [[int(axis == follow) for axis in range(rank)] for follow in follows]
    sides = [n if f is None else 1 for f, n in zip(follows, indices.shape, strict=True)]
    return IndexProjection(rows, (0,) * indices.ndim, sides, in_ndim=rank)


def gather(x: Tensor, indices: Tensor, numbers: DimensionNumbers, sizes: Sequence[int]) -> Tensor:
    """Windows of `x` of `sizes` that begin at `indices`; what is given fits together."""
    moved = (*numbers.index_map, *numbers.batching_dims)
    met = [slice(None) if dim in moved else slice(0, n) for dim, n in enumerate(sizes)]
    return apply(Gather(numbers, tuple(sizes)), basic_slice(x, tuple(met)), indices)
