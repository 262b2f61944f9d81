"""User windows: a user's function of windows that lie apart, called for each by itself.

A slice with a step of what a function makes of windows leaves windows out. The function moves its
own windows over the cells that it gets, so it cannot be given some of them: it is called for one
after the other, and what lies between them is not read.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod
from typing import NamedTuple

from dask_tapestry.first import first_of
from dask_tapestry.operators.tuning import MOST_WINDOW_PIECES, WINDOW_GAP_BYTES
from dask_tapestry.teg import Progression, Signature
from dask_tapestry.teg.operator import Types
from dask_tapestry.zspace import IndexProjection, ZRange


class WindowCallPart(NamedTuple):
    """One call of a function for a block.

    Attributes
    ----------
    places
        For each input, the number of the block that holds what it reads, and where.
    shape
        Of what it returns.
    keep, into
        Cells of that which are wanted, and where in the result they go.
    """

    places: tuple[tuple[int, tuple[slice, ...]], ...]
    shape: tuple[int, ...]
    keep: tuple[slice, ...]
    into: tuple[slice, ...]


def are_apart(
    reads: Sequence[IndexProjection], inputs: Types, extents: Sequence[int], dim: int, step: int
) -> bool:
    """Whether so much lies between the windows of every `step`-th point that calls are worth it."""
    between = 0
    for projection, x in zip(reads, inputs, strict=True):
        for axis, row in enumerate(projection.matrix):
            gap = abs(row[dim]) * step - projection.extent[axis]
            if row[dim] and gap > 0:
                other_extents = [
                    extents[d] * abs(other[d]) if (d := _owner(other)) is not None else width
                    for a, (other, width) in enumerate(
                        zip(projection.matrix, projection.extent, strict=True)
                    )
                    if a != axis
                ]
                between += gap * prod(other_extents) * x.dtype.itemsize
    return between >= WINDOW_GAP_BYTES


def _owner(row: Sequence[int]) -> int | None:
    return next((d for d, c in enumerate(row) if c), None)


def points_apart(signature: Signature, box: ZRange, dims: Sequence[int]) -> list[ZRange]:
    """The index points of a block, those of the dimensions `dims` one by one."""
    points = signature.index_range(box)
    separate_points = []
    for chosen in product(*[range(points.lo[d], points.hi[d]) for d in dims]):
        one = points
        for dim, at in zip(dims, chosen, strict=True):
            one = one.replace(dim, at, at + 1)
        separate_points.append(one)
    return separate_points


def pieces_apart(
    signature: Signature, inputs: Types, box: ZRange, apart: Sequence[int]
) -> tuple[tuple[int, ZRange], ...] | None:
    """What a block reads of each input, window by window; None where these are too many."""
    calls = points_apart(signature, box, apart)
    if not calls or len(calls) > MOST_WINDOW_PIECES:
        return None
    found = []
    for number, (read, x) in enumerate(zip(signature.inputs, inputs, strict=True)):
        found += [(number, one) for one in dict.fromkeys(x.clip(read.of_range(p)) for p in calls)]
    return tuple(found)


def calls_apart(
    signature: Signature,
    inputs: Types,
    box: ZRange,
    dims: Sequence[int],
    pieces: Sequence[tuple[int, ZRange]],
) -> list[WindowCallPart]:
    """The calls that a block takes, of blocks that hold `pieces`."""
    calls = []
    for points in points_apart(signature, box, dims):
        part_slices = []
        for number, (read, x) in enumerate(zip(signature.inputs, inputs, strict=True)):
            needed = x.clip(read.of_range(points))
            holding = (
                (at, held)
                for at, (own, held) in enumerate(pieces)
                if own == number and held.contains(needed)
            )
            at, held = first_of(holding, f"piece of input {number} that holds {needed}")
            part_slices.append((at, needed.slices(held)))
        made = signature.written(points)
        kept = made.intersection(box)
        calls.append(
            WindowCallPart(tuple(part_slices), made.shape, kept.slices(made), kept.slices(box))
        )
    return calls


def left_out(wanted: Progression, width: int) -> bool:
    """Whether a region of an axis, of which points write `width` cells, leaves points out."""
    return width == 1 and wanted.step > 1 and wanted.count > 1
