"""Chunk sides: how values that go through a store are cut there, for who writes and who reads them.

A chunk is what a block of the producer and one of a reader have in common.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from math import prod
from operator import gt

from dask_tapestry.planner.search.block_sides import BlockSides, Sides
from dask_tapestry.planner.search.plan_evaluator import PlanEvaluator
from dask_tapestry.planner.search.tuning import (
    EXCHANGED_BLOCK_SHARE,
    LEAST_CHUNK_BYTES,
    MOST_CHUNK_BYTES,
    PARTS_OF_WRITTEN,
)
from dask_tapestry.teg import Node


def chunk_sides(space: PlanEvaluator, node: Node, sides: BlockSides) -> Sides:
    """Sides of chunks that blocks of both sides are made of.

    Both may be larger than they are in the plan at hand: chunks are made larger until a request for
    one is worth its time, as long as a block of whole chunks fits a task.
    """
    written, read, together = sides
    machine, itemsize = space.pricing.machine, node.type.dtype.itemsize
    held = int(space.pricing.limits.most)
    most = int(EXCHANGED_BLOCK_SHARE * held)
    rate = min(machine.store, machine.decode[False])
    worth = machine.store_latency * rate  # bytes that come while a request waits
    enough = min(max(LEAST_CHUNK_BYTES, worth), MOST_CHUNK_BYTES)
    whole = tuple(map(min, written, read.sides))  # of longer chunks, blocks would read parts
    shape = node.type.shape
    blocks = tuple([_fewer(one, shape, most // itemsize) for one in (written, read.sides)])
    chunk = tuple(map(_in_whole_numbers, map(min, *blocks), together or (1,) * len(written)))
    while prod(chunk) * itemsize < enough:
        larger = [
            (any(map(gt, c, whole)), _largest_block(c, blocks) * itemsize, c)
            for c in _doubled(chunk, shape)
            if c != chunk
        ]
        fitting = [one for one in larger if one[1] <= (most if one[0] else held)]
        if not fitting:
            break
        chunk = min(fitting)[-1]
    if max(together, default=1) > 1:
        return chunk
    return _for_overlaps(chunk, sides, worth / itemsize, LEAST_CHUNK_BYTES // itemsize)


def _for_overlaps(chunk: Sides, sides: BlockSides, request: float, least: int) -> Sides:
    """Chunks of which blocks that overlap read few cells twice, equal parts of what is written.

    A box that begins anywhere meets as much of chunks as it is long, and about one chunk more.

    Parameters
    ----------
    request
        Cells that come while a request for a chunk waits.
    least
        Cells of a chunk, at least.
    """
    written, read = sides.written, sides.read
    overlaps = [one < side for one, side in zip(read.apart, read.sides, strict=True)]
    if not any(overlaps):
        return chunk

    def cost(own: Sides) -> float:
        met = [
            length + side if overlap else max(length, side)
            for length, side, overlap in zip(read.sides, own, overlaps, strict=True)
        ]
        return prod(met) * (1 + request / prod(own))

    best, found = None, chunk
    while found != best:
        best = found
        parts = (_with_parts(best, dim, side) for dim, side in enumerate(written) if overlaps[dim])
        near = [one for one in chain.from_iterable(parts) if prod(one) >= least]
        found = min([best, *near], key=cost)
    return found


def _with_parts(chunk: Sides, dim: int, side: int) -> Iterator[Sides]:
    """Chunks that are as long as a part of a side, of a few equal ones, along a dimension."""
    for count in PARTS_OF_WRITTEN:
        if side % count == 0:
            yield (*chunk[:dim], side // count, *chunk[dim + 1 :])


def _in_whole_numbers(side: int, together: int) -> int:
    """About this side: whole cells that are made together, or one of a few equal parts of these.

    Blocks of chunks that meet those cells elsewhere are far larger than either.

    Examples
    --------
    >>> _in_whole_numbers(20, 32), _in_whole_numbers(80, 32), _in_whole_numbers(20, 1)
    (16, 64, 20)
    >>> _in_whole_numbers(20, 31)
    31
    """
    if side >= together:
        return side // together * together
    least = -(-together // side)
    parts = (together // n for n in range(least, 2 * least) if together % n == 0)
    return next(parts, together)


def _fewer(sides: Sides, shape: Sides, most: int) -> Sides:
    """Sides of about `most` cells: what is cut already is cut further, where it is longest.

    Blocks that no worker can hold will be smaller than those that are read now, and read no more of
    a chunk than they have of it.
    """
    while prod(sides) > most:
        cut = [dim for dim, side in enumerate(sides) if 1 < side < shape[dim]]
        if not cut:
            break
        dim = max(cut, key=lambda dim: sides[dim])
        sides = (*sides[:dim], -(-sides[dim] // 2), *sides[dim + 1 :])
    return sides


def _doubled(chunk: Sides, shape: Sides) -> Iterator[Sides]:
    """Chunks twice as long along one dimension, or as long as that is."""
    for dim, extent in enumerate(shape):
        yield (*chunk[:dim], min(2 * chunk[dim], extent), *chunk[dim + 1 :])


def _largest_block(chunk: Sides, blocks: Sequence[Sides]) -> int:
    """Cells of the largest of some blocks, each of whole chunks."""
    return max(prod(map(max, sides, chunk)) for sides in blocks)
