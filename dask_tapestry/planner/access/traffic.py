"""Traffic: what all blocks of a step take of its inputs and of stores, as exact totals.

Nothing is taken from one block times their number: boxes that move are summed over the periods in
which they lie on the blocks of an input or on stored chunks. A program whose blocks fall into too
many classes is not counted: `UncountableError` says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import ceil, prod
from typing import NamedTuple

from dask_tapestry.planner.access.access import Access
from dask_tapestry.planner.access.distinct_slices import distinct_slices
from dask_tapestry.planner.access.overlaps import BlockOverlap, block_overlaps_of, combined
from dask_tapestry.planner.access.read_counts import read_counts_of
from dask_tapestry.planner.tuning import SLICE_SAVES_BYTES
from dask_tapestry.teg import Source
from dask_tapestry.zspace import Cuts, ZRange

Held = tuple[tuple[Cuts, ...] | None, ...]
"""How each input is held in blocks; None for one in memory."""


class InputTraffic(NamedTuple):
    """What all blocks of a step take of one input.

    Attributes
    ----------
    cells
        Cells that they need.
    whole
        Cells of the held blocks that they meet, one after another.
    edges
        Pairs of a block's box and a held block, or a slice of one, that it waits for.
    slices
        Tasks that cut parts of held blocks, each for all that need this part.
    moved
        Bytes of these blocks and slices, for each block anew.
    distinct
        The same, but once for blocks that need the same box.
    fetched
        The same, but once for each worker, or for each block where there are fewer.
    nearest
        Bytes of the largest part in one held block, of all boxes that differ: one worker has it.
    boxes, reads
        How many boxes differ, and how many blocks read, one after another.
    sliced
        Bytes of slices, once for blocks that need the same box.
    main
        What `nearest` is of as many boxes as there are blocks, about the largest ones.
    """

    cells: int = 0
    whole: int = 0
    edges: int = 0
    slices: int = 0
    moved: int = 0
    distinct: int = 0
    fetched: int = 0
    nearest: int = 0
    boxes: int = 0
    reads: int = 0
    sliced: int = 0
    main: float = 0.0


class Traffic(NamedTuple):
    """What all blocks of a step take.

    Attributes
    ----------
    inputs
        Of each external input.
    stored
        Bytes of the stored chunks that sources read, whole ones for each block anew.
    requests
        Stored chunks that are read, where a source has chunks.
    """

    inputs: tuple[InputTraffic, ...]
    stored: int
    requests: int


def traffic(access: Access, held: Held, workers: int, local: bool = False) -> Traffic:
    """What the blocks of a grid take of the step's inputs and of stores.

    Parameters
    ----------
    held
        How the inputs are held.
    workers
        Between how many the blocks are shared.
    local
        Whether all are one process: then no slices are cut.

    Raises
    ------
    UncountableError
        If there are too many classes of blocks.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> from dask_tapestry.planner.fusion.group import group_of
    >>> x = dt.placeholder((1000, 1000), "f8")
    >>> doubled = x * 2
    >>> program = group_of((doubled + doubled[::-1]).node, {doubled.node}).program
    >>> cuts = (Cuts.regular(1000, 100), Cuts.regular(1000, 1000))
    >>> total = traffic(Access.of(program, cuts), (cuts,), workers=4)
    >>> total.inputs[0].edges, total.inputs[0].moved == 2 * x.nbytes
    (20, True)
    """
    by_input = []
    for number, cuts in enumerate(held):
        if cuts is None:
            by_input.append(InputTraffic())
        else:
            by_input.append(input_traffic(access, number, cuts, workers, local))
    stored, requests = stored_traffic(access)
    return Traffic(tuple(by_input), stored, requests)


@lru_cache(maxsize=4096)
def input_traffic(
    access: Access, number: int, cuts: tuple[Cuts, ...], workers: int, local: bool
) -> InputTraffic:
    """What the blocks of a grid take of input `number`, which is held in blocks by `cuts`."""
    itemsize = access.program.inputs[number].dtype.itemsize
    largest = prod([c.longest for c in cuts]) * itemsize
    may_cut = not local and largest >= SLICE_SAVES_BYTES
    cells = whole = edges = moved = distinct = fetched = nearest = boxes = reads = sliced = 0
    cut, parts = [], []
    for share in read_counts_of(access, number):
        pattern, times = share.pattern, share.times
        more = min(share.inside + times, 1) - min(share.inside, 1)
        if pattern.box.is_empty:
            edges += times
            empty = 0 if may_cut and _first_is_large(cuts, itemsize) else _first_cells(cuts)
            cut.append(share)
            block_bytes = empty * itemsize
        else:
            overlaps = block_overlaps_of(pattern, cuts)
            needed, met, count = _totals(overlaps)
            cells, whole, edges = cells + times * needed, whole + times * met, edges + times * count
            block_bytes, slice_bytes = met * itemsize, 0
            if may_cut and met > needed:
                block_bytes, slice_bytes = _sent(overlaps, itemsize)
            if slice_bytes:
                cut.append(share)
                sliced += more * slice_bytes
            near = more * prod([group.largest for group in overlaps]) * itemsize
            nearest += near
            parts.append((near, more * pattern.places))
        moved += times * block_bytes
        distinct += more * block_bytes
        boxes, reads = boxes + more * pattern.places, reads + times * pattern.places
        fetched += block_bytes * (min(share.inside + times, workers) - min(share.inside, workers))
    slices = distinct_slices(cut, cuts, itemsize) if may_cut else 0
    totals = (cells, whole, edges, slices, moved, distinct, fetched, nearest, boxes, reads, sliced)
    return InputTraffic(*totals, _main(parts, nearest, boxes, access.count))


def _main(parts: Sequence[tuple[int, int]], nearest: int, boxes: int, blocks: int) -> float:
    """Bytes of so many boxes, about the largest.

    Parts are the bytes of several boxes, and how many; what overlaps is taken off by others.
    """
    if boxes <= blocks:
        return float(nearest)
    total, left = 0.0, blocks
    added = [part for part in parts if part[1] > 0]
    for size, count in sorted(added, key=lambda part: -part[0] / part[1]):
        taken = min(count, left)
        total, left = total + size / count * taken, left - taken
    return min(float(nearest), max(total, nearest / boxes * blocks))


def _totals(lying: Sequence[BlockOverlap]) -> tuple[int, int, int]:
    """Cells needed, cells of blocks met, and number of overlaps."""
    cells = whole = count = 1
    for kinds, _ in lying:
        cells *= sum(overlap.part * n for overlap, n in kinds.items())
        whole *= sum(overlap.held * n for overlap, n in kinds.items())
        count *= sum(kinds.values())
    return cells, whole, count


def _sent(overlaps: Sequence[BlockOverlap], itemsize: int) -> tuple[int, int]:
    """Bytes of blocks, or of slices where these save enough, and bytes of the slices."""
    moved = sliced = 0
    for (part, held), n in combined([kinds for kinds, _ in overlaps]).items():
        if (held - part) * itemsize < SLICE_SAVES_BYTES:
            moved += n * held
        else:
            moved, sliced = moved + n * part, sliced + n * part
    return moved * itemsize, sliced * itemsize


def _first_cells(cuts: Sequence[Cuts]) -> int:
    return prod([c.block(0)[1] for c in cuts])


def _first_is_large(cuts: Sequence[Cuts], itemsize: int) -> bool:
    return _first_cells(cuts) * itemsize >= SLICE_SAVES_BYTES


@lru_cache(maxsize=1024)
def stored_traffic(access: Access) -> tuple[int, int]:
    """Bytes of stored chunks that all blocks read, and their number."""
    stored = requests = 0
    first = len(access.program.inputs)
    for number, instruction in enumerate(access.program.instructions):
        source = instruction.operator
        if isinstance(source, Source) and source.stored_bytes(_one_cell(instruction.type.ndim)):
            share = access.program.asked_shares.get(first + number, 1.0)
            read, chunks = _chunks_read(access, first + number, source)
            stored, requests = stored + ceil(share * read), requests + ceil(share * chunks)
    return stored, requests


def _one_cell(ndim: int) -> ZRange:
    return ZRange((0,) * ndim, (1,) * ndim)


def _chunks_read(access: Access, value: int, source: Source) -> tuple[int, int]:
    """Bytes that all blocks read of a source, as whole chunks where it reads these, and chunks."""
    type_ = access.program.types[value]
    itemsize = type_.dtype.itemsize
    nothing = tuple([Cuts.regular(n, max(1, n)) for n in type_.shape])
    chunks, parts = source.chunk_cuts, source.read_cuts or nothing
    by_parts = source.stored_bytes(_one_cell(type_.ndim)) != itemsize
    stored = requests = 0
    for pattern, times, *_ in read_counts_of(access, value):
        if not pattern.box.is_empty:
            cells, whole, count = _totals(block_overlaps_of(pattern, parts))
            stored += times * (whole if by_parts else cells) * itemsize
            if chunks is not None:
                if chunks != parts:
                    *_, count = _totals(block_overlaps_of(pattern, chunks))
                requests += times * count
    return stored, requests
