"""Signatures: how an operator's index space maps to the boxes it reads and writes."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from functools import cached_property
from operator import le
from typing import Final, NamedTuple

from dask_tapestry.errors import SignatureError
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.zspace import IndexProjection, ZRange
from dask_tapestry.zspace.range import trusted_range


class Kind(Enum):
    """What cutting an index dimension takes."""

    PARALLEL = "parallel"  # nothing: blocks are independent
    REDUCTION = "reduction"  # partial results, then a combination
    SEQUENTIAL = "sequential"  # a scan: local scans, scan of totals, apply
    ATOMIC = "atomic"  # it cannot be cut


UNCUT: Final = (Kind.SEQUENTIAL, Kind.ATOMIC)  # kinds of which a block computes all


@dataclass(frozen=True)
class IndexDim:
    """One named dimension of an index space."""

    name: str
    extent: int
    kind: Kind = Kind.PARALLEL


class _Followed(NamedTuple):
    """An axis of an output that a dimension moves: by `step` cells, from `start`, `width` each."""

    axis: int
    dim: int
    step: int
    start: int
    width: int


@dataclass(frozen=True)
class Signature:
    """The index space of a block operator and its projections onto inputs and outputs.

    Source: Tapestry whitepaper, "Signature Nodes".

    Parameters
    ----------
    index
        The dimensions of the index space.
    inputs, outputs
        One `IndexProjection` for each input and output tensor, in order.

    Examples
    --------
    A matrix product over 4 x 5 results and 3 terms each:

    >>> point = (1, 1)
    >>> s = Signature(
    ...     (IndexDim("m", 4), IndexDim("n", 5), IndexDim("k", 3, Kind.REDUCTION)),
    ...     inputs=(
    ...         IndexProjection(((1, 0, 0), (0, 0, 1)), (0, 0), point),
    ...         IndexProjection(((0, 0, 1), (0, 1, 0)), (0, 0), point),
    ...     ),
    ...     outputs=(IndexProjection(((1, 0, 0), (0, 1, 0)), (0, 0), point),),
    ... )
    >>> [str(box) for box in s.demand(ZRange((0, 2), (2, 5)))]
    ['[0:2, 0:3]', '[0:3, 2:5]']
    """

    index: tuple[IndexDim, ...]
    inputs: tuple[IndexProjection, ...]
    outputs: tuple[IndexProjection, ...]

    @property
    def space(self) -> ZRange:
        """The whole index space."""
        return ZRange((0,) * len(self.index), tuple(dim.extent for dim in self.index))

    def owner(self, output: int, axis: int) -> int | None:
        """Index dimension that moves `output` along `axis`; None where none does."""
        row = self.outputs[output].matrix[axis]
        moving = [dim for dim, coefficient in enumerate(row) if coefficient]
        if len(moving) > 1:
            raise SignatureError(f"axis {axis} of output {output} follows {len(moving)} dimensions")
        return moving[0] if moving else None

    def cells_per_step(self, output: int, axis: int) -> int:
        """Cells of `output` along `axis` that a step of the index space writes; 0 for all."""
        width, dim = self.outputs[output].shape[axis], self.owner(output, axis)
        if dim is None:
            return 0 if width > 1 else 1
        return 0 if self.index[dim].kind in UNCUT else width

    def index_range(self, box: ZRange, output: int = 0) -> ZRange:
        """Smallest index range whose points cover `box` of an output.

        Dimensions the output does not follow (reductions) are taken whole.
        """
        extents = self._extents
        inside = min(box.lo, default=0) >= 0 and all(map(le, box.hi, extents))
        if inside and self._is_own_place[output]:
            return box
        lo, hi = [0] * len(self.index), list(extents)
        for axis, dim, step, start, width in self._followed[output]:
            if step < 1:
                raise SignatureError(f"output {output} runs backwards along axis {axis}")
            a, b = box.lo[axis], box.hi[axis]
            first = -((start + width - 1 - a) // step)
            if first > lo[dim]:
                lo[dim] = first
            end = (b - 1 - start) // step + 1
            if b == a or end < lo[dim]:
                end = lo[dim]
            if end < hi[dim]:
                hi[dim] = end
        return trusted_range(tuple(lo), tuple(hi))

    @cached_property
    def _extents(self) -> tuple[int, ...]:
        return tuple([dim.extent for dim in self.index])

    @cached_property
    def _is_own_place(self) -> tuple[bool, ...]:
        """For each output, whether its cells are the points of the index space."""
        return tuple([p.is_identity for p in self.outputs])

    @cached_property
    def _numbers(self) -> tuple[int, ...]:
        """The number of each input's projection; a hundred operands may share one."""
        numbers = {id(p): n for n, p in enumerate({id(p): p for p in self.inputs}.values())}
        return tuple([numbers[id(p)] for p in self.inputs])

    @cached_property
    def _box_maps(self) -> tuple[Callable[[ZRange], ZRange], ...]:
        """The boxes of ranges by each projection of inputs."""
        return tuple([p.box_map() for p in {id(p): p for p in self.inputs}.values()])

    @cached_property
    def _followed(self) -> tuple[tuple[_Followed, ...], ...]:
        """For each output, its axes that follow a dimension."""
        return tuple([self._followed_of(number) for number in range(len(self.outputs))])

    def _followed_of(self, output: int) -> tuple[_Followed, ...]:
        projection = self.outputs[output]
        parts = zip(projection.matrix, projection.offset, projection.shape, strict=True)
        owners = [self.owner(output, axis) for axis in range(projection.out_ndim)]
        return tuple(
            [
                _Followed(axis, dim, row[dim], start, width)
                for axis, (dim, (row, start, width)) in enumerate(zip(owners, parts, strict=True))
                if dim is not None
            ]
        )

    def written(self, index: ZRange, output: int = 0) -> ZRange:
        """Box of an output that an index range writes.

        Dimensions that the output does not follow may be empty: the output has its cells still.
        """
        projection = self.outputs[output]
        rows = projection.matrix
        followed = [any(row[dim] for row in rows) for dim in range(len(self.index))]
        ends = zip(followed, index.lo, index.hi, strict=True)
        some = [b if moves else max(a + 1, b) for moves, a, b in ends]
        return projection.of_range(ZRange(index.lo, tuple(some)))

    def demand(self, box: ZRange, output: int = 0) -> tuple[ZRange, ...]:
        """Boxes of the inputs that the cells `box` of an output are made of.

        An empty box is made of empty boxes whose shapes fit together, as kernels need.
        """
        index = self.index_range(box, output)
        if not index.is_empty:
            known = [over(index) for over in self._box_maps]
            return tuple([known[number] for number in self._numbers])
        some = ZRange(
            index.lo, tuple(max(a + 1, b) for a, b in zip(index.lo, index.hi, strict=True))
        )
        empty = [dim for dim, extent in enumerate(index.shape) if not extent]
        return tuple(
            projection.of_range(
                index if any(row[dim] for row in projection.matrix for dim in empty) else some
            )
            for projection in self.inputs
        )
