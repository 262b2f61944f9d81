"""Blocks with cells of their neighbours, and without them again: `overlap`, `trim_overlap`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from numpy.typing import ArrayLike

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.axis_names import names_axes
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.declared_arguments import checked
from dask_tapestry.arrays.core.halos import Boundaries, Depths, Halo, halos
from dask_tapestry.arrays.manipulation.padding import pad
from dask_tapestry.errors import ShapeError
from dask_tapestry.operators.joins.spans import Span, joined_spans
from dask_tapestry.operators.layouts.nominal_chunks import with_nominal_chunks
from dask_tapestry.zspace import Cuts

__all__ = ["overlap", "trim_internal", "trim_overlap"]


@checked
def overlap(
    x: ArrayLike,
    depth: Depths,
    boundary: Boundaries,
    *,
    allow_rechunk: bool = True,  # noqa: ARG001
) -> Array:
    """Give every block cells of its neighbours, as `dask.array.overlap.overlap`.

    {Parameters}
        x: The array, whose blocks are its nominal chunks.
        depth: How many cells: a number, one for each axis, or by axis; a pair of numbers is before
            and after.
        boundary: What lies beyond the array: ``"reflect"`` (the edge cell is repeated),
            ``"periodic"``, ``"nearest"``, a number, or ``"none"``: then the outer blocks have less.
        allow_rechunk: Without meaning: a block may see beyond its neighbours.
    {Returns} Array: The blocks side by side, each with what it sees.
    {Raises}
        ArgumentError: For depths or boundaries that do not fit.
        ShapeError: For a depth that is larger than the array.
    {See Also} trim_overlap, map_overlap
    {Examples}
    >>> x = dt.arange(4).rechunk(2)
    >>> dt.overlap.overlap(x, 1, "periodic").compute()
    array([3, 0, 1, 2, 1, 2, 3, 0])
    """
    array = asarray(x)
    return with_halos(array, halos(array.ndim, depth, boundary))


@names_axes
def trim_overlap(x: ArrayLike, depth: Depths, boundary: Boundaries = None) -> Array:
    """Take from every block what `overlap` gave it, as `dask.array.overlap.trim_overlap`.

    Blocks beside one that is shorter than the depth saw less of it where the boundary is
    ``"none"``, which cannot be told from the result; `map_overlap` knows it.

    {Parameters}
        {x}
        depth, boundary: As of `overlap`.
    {Returns} Array: The blocks side by side, without what they saw.
    {Raises} ShapeError: If a block has less than that.
    {See Also} overlap
    {Examples}
    >>> x = dt.arange(4).rechunk(2)
    >>> dt.overlap.trim_overlap(dt.overlap.overlap(x, 1, "periodic"), 1, "periodic").compute()
    array([0, 1, 2, 3])
    """
    array = asarray(x)
    seen: list[Sequence[Span] | None] = []
    for cuts, halo in zip(array.nominal_cuts, halos(array.ndim, depth, boundary), strict=True):
        sides = [(halo.before, halo.after)] * cuts.count
        if halo.mode is None:
            sides[0] = 0, sides[0][1]
            sides[-1] = sides[-1][0], 0
        seen.append(sides if halo.before or halo.after else None)
    return without_halos(array, seen)


@names_axes
def trim_internal(x: ArrayLike, axes: Depths, boundary: Boundaries = None) -> Array:
    """Take from every block what `overlap` gave it: another name of `trim_overlap`.

    {Parameters}
        {x}
        axes: The depth of each axis.
        boundary: As of `overlap`.
    {Returns} Array: The blocks side by side, without what they saw.
    {Raises} ShapeError: If a block has less than that.
    {See Also} overlap
    {Examples}
    >>> x = dt.overlap.overlap(dt.arange(4).rechunk(2), 1, "none")
    >>> dt.overlap.trim_internal(x, {0: 1}).compute()
    array([0, 1, 2, 3])
    """
    return trim_overlap(x, axes, boundary)


def with_halos(x: Array, beside: Sequence[Halo]) -> Array:
    """The blocks of `x` with what they see."""
    cuts = list(x.nominal_cuts)
    for axis, halo in enumerate(beside):
        if not (halo.before or halo.after):
            continue
        if 0 < x.shape[axis] < max(halo.before, halo.after):
            raise ShapeError(
                f"the overlapping depth {max(halo.before, halo.after)} is larger than the array "
                f"along axis {axis}, which has {x.shape[axis]} cells"
            )
        x = continued(x, axis, halo)
        shift = 0 if halo.mode is None else halo.before  # where the array's own cells begin
        spans = [
            (start + shift - before, stop + shift + after)
            for (start, stop), (before, after) in zip(
                _blocks(cuts[axis]), seen_by_blocks(cuts[axis], halo), strict=True
            )
        ]
        x, cuts[axis] = _of_spans(x, axis, spans)
    return Array(with_nominal_chunks(x.node, tuple(cuts)))


def without_halos(x: Array, seen: Sequence[Sequence[Span] | None]) -> Array:
    """The blocks of `x` without so many cells before and after, which each sees along an axis."""
    cuts = list(x.nominal_cuts)
    for axis, sides in enumerate(seen):
        if sides is None:
            continue
        spans = []
        for (start, stop), (before, after) in zip(_blocks(cuts[axis]), sides, strict=True):
            if stop - start < before + after:
                raise ShapeError(f"a block has fewer cells, {stop - start}, than it sees of others")
            spans.append((start + before, stop - after))
        x, cuts[axis] = _of_spans(x, axis, spans)
    return Array(with_nominal_chunks(x.node, tuple(cuts)))


def seen_by_blocks(cuts: Cuts, halo: Halo) -> list[Span]:
    """How many cells before and after its own each block sees: fewer at ends that go no further."""
    if halo.mode is not None:
        return [(halo.before, halo.after)] * cuts.count
    return [
        (min(halo.before, start), min(halo.after, cuts.extent - stop))
        for start, stop in _blocks(cuts)
    ]


def _of_spans(x: Array, axis: int, spans: Sequence[Span]) -> tuple[Array, Cuts]:
    lengths = [stop - start for start, stop in spans]
    return Array(joined_spans(x.node, axis, spans)), Cuts.of_lengths(lengths)


def _blocks(cuts: Cuts) -> Iterator[Span]:
    return map(cuts.block, range(cuts.count))


def continued(x: Array, axis: int, halo: Halo) -> Array:
    """The array with what lies beyond its ends along an axis."""
    if halo.mode is None:
        return x
    widths = [(0, 0)] * x.ndim
    widths[axis] = halo.before, halo.after
    options = {"constant_values": halo.value} if halo.mode == "constant" else {}
    return pad(x, widths, halo.mode, **options)  # type: ignore[arg-type]
