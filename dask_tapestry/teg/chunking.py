"""Chunks passing through an operator: along each axis, the edges of what it reads there.

Where each step along an axis of the output moves the box that is read of an input by the same
number of cells, the input's edges are edges of the output. So chunks pass through cell by cell
operators, transposes, slices, reductions and products as Dask's do, and no operator has to say so.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import reduce
from itertools import accumulate
from typing import NamedTuple

from dask_tapestry.teg.tuning import LITTLE_SHIFT, MOST_CHUNK_EDGES, SLIVER_RATIO
from dask_tapestry.zspace import Cuts, ZRange

Shape = tuple[int, ...]


class AxisChunks(NamedTuple):
    """Chunks along one axis.

    Attributes
    ----------
    cuts
        The chunks.
    said
        By the user or by a store, or else canonical.
    weight
        Of several that are `said`, those of the greatest weight count alone, and all of equal
        weight 0.
    mixed
        Whether each cell is made of all that lie along the axis, as in a Fourier transform: then
        the chunks say nothing of where its data is.
    """

    cuts: Cuts
    said: bool
    weight: int = 0
    mixed: bool = False

    def refilled(self, extent: int) -> AxisChunks:
        """Chunks as long as the longest of these, over another extent."""
        return self._replace(cuts=Cuts.regular(extent, max(1, self.cuts.longest)))


Chunks = tuple[AxisChunks, ...]
Known = tuple[AxisChunks | None, ...]  # None: no input tells


def declared_chunks(cuts: Sequence[Cuts]) -> Chunks:
    """Chunks that the user or a store chose."""
    return tuple(AxisChunks(one, True) for one in cuts)


def said_but(cuts: Sequence[Cuts], canonical: Collection[int]) -> Chunks:
    """Chunks that were chosen, but for those along `canonical` axes."""
    return tuple([AxisChunks(one, axis not in canonical) for axis, one in enumerate(cuts)])


def canonical_axes(chunks: Chunks) -> tuple[int, ...]:
    """Axes along which nobody said the chunks."""
    return tuple([axis for axis, one in enumerate(chunks) if not one.said])


def common_chunks(inputs: Sequence[AxisChunks]) -> AxisChunks | None:
    """Chunks for several inputs: the edges of all that are `said`, or those of the first.

    Those of greatest weight alone, if any has one; of equal grids that are shifted a little, the
    one whose chunks end first. None where nothing is read, or where there would be too many.
    """
    candidates = [chunks for chunks in inputs if chunks.said] or inputs[:1]
    if not candidates:
        return None
    if any(chunks.weight for chunks in candidates):
        most = max([chunks.weight for chunks in candidates])
        return reduce(_of_shifted, [chunks for chunks in candidates if chunks.weight == most])
    several = {chunks.cuts for chunks in candidates if chunks.cuts.count > 1}
    if len(several) > 1 and sum(cuts.count for cuts in several) > MOST_CHUNK_EDGES:
        return None
    common = reduce(Cuts.common, [chunks.cuts for chunks in candidates])
    if len(several) > 1 and common.count > max(cuts.count for cuts in several):
        common = without_slivers(common.lengths(), max(cuts.longest for cuts in several))
    return AxisChunks(common, candidates[0].said)


def _of_shifted(one: AxisChunks, other: AxisChunks) -> AxisChunks:
    """The chunks that end a little before the others, where these are as long; else the first.

    What is made of shifted cells, as a stencil, needs none of a next chunk then for a part that
    ends with a chunk, but cells of the chunk before, which are there: half of the memory.
    """
    first, second = one.cuts, other.cuts
    if first.edges or second.edges or first.step != second.step or first.extent != second.extent:
        return one
    ahead = (first.lead - second.lead) % max(1, first.step)
    return other if ahead and ahead * LITTLE_SHIFT <= first.step else one


def concatenated_chunks(inputs: Sequence[AxisChunks]) -> AxisChunks | None:
    """The chunks of several inputs in a row; None where there would be too many.

    None too where nobody said any and they differ: the joined value has canonical ones. Where
    chunks have weights, only what is stored has any, and what is joined to it adds no edges.
    """
    if any(chunks.weight for chunks in inputs):
        grid = _one_grid(inputs)
        if grid is not None:
            return grid
    is_said = any(chunks.said for chunks in inputs)
    alike = all(chunks.cuts == inputs[0].cuts for chunks in inputs)
    if sum(chunks.cuts.count for chunks in inputs) > MOST_CHUNK_EDGES or not (is_said or alike):
        return None
    lengths = [n for chunks in inputs for n in chunks.cuts.lengths()]
    return AxisChunks(without_slivers(lengths, max(lengths)), is_said)


def _one_grid(inputs: Sequence[AxisChunks]) -> AxisChunks | None:
    """The regular grid in which all chunks lie that are `said`; None where there is none.

    The first and the last chunk of an input may be parts of one, as of what is rolled.
    """
    ends = list(accumulate(chunks.cuts.extent for chunks in inputs))
    said = [(end, one.cuts) for end, one in zip(ends, inputs, strict=True) if one.said]
    if not said or any(cuts.edges for _, cuts in said):
        return None
    step = max(cuts.longest for _, cuts in said)
    several = [(end, cuts) for end, cuts in said if cuts.count > 1] or said
    leads = {(end - cuts.extent + cuts.lead) % max(1, step) for end, cuts in several}
    if len(leads) > 1 or any(cuts.count > 2 and cuts.step != step for _, cuts in said):
        return None
    return AxisChunks(Cuts.regular(ends[-1], step, leads.pop() or step), True)


def without_slivers(lengths: Iterable[int], longest: int) -> Cuts:
    """Chunks in a row, of which slivers are joined with their neighbours, to `longest` at most.

    So the chunks of a loop that slices, shifts and joins do not get finer with each step.

    Examples
    --------
    >>> str(without_slivers([18, 1, 1, 18, 1, 1, 20], 20))
    '3x20'
    """
    joined: list[int] = []
    for length in lengths:
        if (
            joined
            and joined[-1] + length <= longest
            and SLIVER_RATIO * min(joined[-1], length) < longest
        ):
            joined[-1] += length
        else:
            joined.append(length)
    return Cuts.of_lengths(joined)


def followed(
    demand: Callable[[ZRange], tuple[ZRange, ...]],
    shape: Shape,
    inputs: Sequence[Shape],
    chunks: Sequence[Chunks],
) -> Known:
    """Chunks of an output of `shape`, whose demands on inputs with these `chunks` are known.

    An axis that moves no input steadily, such as a sorted one, keeps the chunks of the first input
    of the same rank and extent.

    Examples
    --------
    >>> rows = declared_chunks((Cuts.regular(6, 4), Cuts.regular(9, 2)))
    >>> turned = lambda box: (ZRange(box.lo[::-1], box.hi[::-1]),)
    >>> [str(one.cuts) for one in followed(turned, (9, 6), [(6, 9)], [rows])]
    ['5x2', '2x4']
    """
    first = demand(_cell(shape, 0, 0))
    by_axis: list[AxisChunks | None] = []
    for axis, extent in enumerate(shape):
        if extent < 2:
            by_axis.append(AxisChunks(Cuts.regular(extent, 1), False))
            continue
        second, last = (demand(_cell(shape, axis, at)) for at in (1, extent - 1))
        moved = [
            one._replace(cuts=_read(one.cuts, a.lo[dim], b.lo[dim] - a.lo[dim], extent))
            for own, x, *boxes in zip(chunks, inputs, first, second, last, strict=True)
            if 0 in shape or all(_has_cells(box, x) for box in boxes)
            for dim, one in enumerate(own)
            if _is_steady(a := boxes[0], b := boxes[1], boxes[2], dim, extent)
        ]
        alike = [
            own[axis]._replace(mixed=read.hi[axis] - read.lo[axis] == extent)
            for own, x, read in zip(chunks, inputs, first, strict=True)
            if len(x) == len(shape) and x[axis] == extent
        ]
        by_axis.append(common_chunks(moved) if moved else common_chunks(alike[:1]))
    return tuple(by_axis)


def _cell(shape: Shape, axis: int, at: int) -> ZRange:
    lo = tuple(at if d == axis else 0 for d in range(len(shape)))
    return ZRange(lo, tuple(min(a + 1, n) for a, n in zip(lo, shape, strict=True)))


def _has_cells(box: ZRange, shape: Shape) -> bool:
    """Whether a box has cells along each axis along which its array has any."""
    return all(a < b or not n for a, b, n in zip(box.lo, box.hi, shape, strict=True))


def _is_steady(first: ZRange, second: ZRange, last: ZRange, dim: int, extent: int) -> bool:
    """Whether each step moves the boxes that are read by as many cells as the first one."""
    pace = second.lo[dim] - first.lo[dim]
    return pace != 0 and last.lo[dim] - first.lo[dim] == pace * (extent - 1)


def _read(cuts: Cuts, start: int, pace: int, count: int) -> Cuts:
    """Cuts of the cells ``start, start + pace, ...``, `count` of them."""
    if pace > 0:
        return cuts.window(start, pace, count)
    return cuts.window(start + pace * (count - 1), -pace, count).reversed()
