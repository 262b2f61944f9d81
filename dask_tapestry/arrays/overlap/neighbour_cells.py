"""Blocks with cells of their neighbours and of the boundary, and without these halos again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.halos import Halo
from dask_tapestry.arrays.manipulation.padding import pad
from dask_tapestry.errors import ShapeError
from dask_tapestry.operators.joins.spans import Span, joined_spans
from dask_tapestry.operators.layouts.nominal_chunks import with_nominal_chunks
from dask_tapestry.zspace import Cuts


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
