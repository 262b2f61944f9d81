"""Footprint: the bytes and operations that computing one block takes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from dask_tapestry.planner.tuning import SLICE_SAVES_BYTES
from dask_tapestry.steps.chunk_alignment import Held
from dask_tapestry.steps.peak import Peak
from dask_tapestry.steps.program import Program
from dask_tapestry.steps.streaming import block_schedule_of
from dask_tapestry.steps.tuning import MOST_PIECES
from dask_tapestry.zspace import Cuts, ZRange


class Needs(NamedTuple):
    """What one block takes.

    Attributes
    ----------
    read
        Bytes that come from outside the step: whole stored chunks, and blocks of other steps; of
        these only slices, where all are in one memory or slicing saves much.
    stored
        Those bytes of `read` that come from stores.
    touched
        Bytes of stored chunks, inputs, temporaries and output that grow with the block: its size.
    work
        Peak bytes of the arrays alive while the block is computed: temporaries, scratch memory of
        kernels and stores, and inputs from other workers or joined from several blocks.
    used, fresh
        Peak bytes of the arrays in memory that is used again, and of all others.
    flops
        Operations.
    blocks
        Blocks of other steps that are read.
    copied
        Whether the block is copied at its end to where it stays.
    calls
        Operators that are called, for each piece of what is computed in turns.
    ahead
        Pieces of which one is computed while the next one is read; 1 where all is read before.
    pieces
        In which it is computed, one after the other.
    work_times
        Times its operations that these take, as pieces compute again what is between them.
    rounds
        In how many parts it reads and writes chunks, one after the other: the reads of each piece.
        Of the chunks of each, idle threads take some.
    """

    read: int
    stored: int
    touched: int
    work: int
    used: int
    fresh: int
    flops: int
    blocks: int
    copied: bool
    calls: int
    ahead: int
    pieces: int
    work_times: float
    rounds: int


def needs_of(program: Program, box: ZRange, chunks: Held, local: bool) -> Needs:
    """What computing the cells `box` takes; `chunks` are the cuts in which inputs are held."""
    return _needs_of(program, box, tuple(chunks), local)


def least_needs(program: Program, box: ZRange, chunks: Held, local: bool) -> Needs:
    """A lower bound of `needs_of`: no way to compute the cells takes less memory or fewer pieces.

    It is found in a fraction of the time, as nobody looks for that way. A step takes no less time
    than with these needs.
    """
    cells = box.size * program.type.dtype.itemsize
    is_computed = bool(program.instructions) and not program.lasting[-1].is_sink
    is_new = is_computed and program.instructions[-1].operator.copies
    size = cells if is_new or (is_computed and not local) else 0  # a view is copied at its end
    flops, stored, _ = _flops_and_stored(program, box)
    peak = Peak(cells if is_new else 0, 0, 0, size, size)
    turns = len(program.schedule(box).works), MOST_PIECES, MOST_PIECES, 1.0, 1
    own = _Own(flops, stored, peak, 0, False, *turns)
    return _with_inputs(program, box, tuple(chunks), local, own)


@lru_cache(maxsize=8192)  # a search asks for those of each step in each plan that it compares
def _needs_of(program: Program, box: ZRange, chunks: Held, local: bool) -> Needs:
    return _with_inputs(program, box, chunks, local, _own_needs(program, box))


def _with_inputs(program: Program, box: ZRange, chunks: Held, local: bool, own: _Own) -> Needs:
    """What a block takes, with the inputs that it is given."""
    schedule = program.schedule(box)
    bytes_read = touched = brought = resident = blocks = 0
    is_whole = box == program.type.box
    for type_, cuts, boxes in zip(program.inputs, chunks, schedule.boxes, strict=False):
        reach = reach_of(boxes, None if cuts is None else tuple(cuts))
        exact = reach.exact * type_.dtype.itemsize
        whole = exact if local else _moved_bytes(reach, type_.dtype.itemsize)
        grows = is_whole or exact < type_.nbytes
        bytes_read += whole
        touched += exact if grows else 0
        brought += whole if reach.blocks and not local else 0
        if reach.blocks == 1 and whole == reach.whole * type_.dtype.itemsize and not local:
            resident = max(
                resident, whole
            )  # a block that is read alone is not brought to its reader
        brought += exact if reach.blocks > len(boxes) else 0
        blocks += reach.blocks
    flops, stored, peak, at_end, copied_at_end, calls, ahead, pieces, work_times, rounds = own
    copied, brought = (0 if local else at_end), brought - resident
    return Needs(
        bytes_read + stored,
        stored,
        max(touched + stored, peak.arrays),
        max(peak.all, copied) + brought,
        peak.used,
        max(peak.fresh, copied - peak.used) + brought,
        flops,
        blocks,
        copied_at_end,
        calls,
        ahead,
        pieces,
        work_times,
        rounds,
    )


def least_touched(program: Program) -> int:
    """Bytes that any block of a program touches which reads stores: a chunk of each.

    Zero for other programs: their blocks may be as small as one cell.
    """
    first, touched_bytes = len(program.inputs), 0
    for type_, one, does in zip(
        program.types[first:], program.instructions, program.lasting, strict=True
    ):
        if does.stored and type_.size:
            touched_bytes += one.operator.stored_bytes(ZRange((0,) * type_.ndim, (1,) * type_.ndim))
    return touched_bytes


class _Own(NamedTuple):
    """What a block takes however its inputs are held."""

    flops: int
    stored: int
    peak: Peak
    at_end: int
    copied: bool
    calls: int
    ahead: int
    pieces: int
    work_times: float
    rounds: int


@lru_cache(maxsize=4096)
def _own_needs(program: Program, box: ZRange) -> _Own:
    """Remembered: a step is priced with its inputs held in many ways."""
    block = block_schedule_of(program, box)
    flops, stored, reads = _flops_and_stored(program, box)
    peak = block.peak
    last = len(program.types) - 1
    in_turns = (last, box) in block.loops
    at_end = peak.last if in_turns else _copied_bytes(program, box, peak)
    fills = bool(program.instructions) and program.instructions[-1].operator.fills
    rounds = block.pieces * max(1, reads)
    turns = block.calls, block.ahead, block.pieces, block.work_times, rounds
    return _Own(flops, stored, peak, at_end, not (in_turns or fills), *turns)


@lru_cache(maxsize=4096)  # for the least that a block takes, and again for what it takes
def _flops_and_stored(program: Program, box: ZRange) -> tuple[int, int, int]:
    """Operations, bytes that come from stores, and in how many reads, one after the other."""
    flops = stored = reads = 0
    first, lasting = len(program.inputs), program.lasting
    for value, own, _ in program.schedule(box).works:
        operator, _, types, *_ = program.instructions[value - first]
        does = lasting[value - first]
        from_store = operator.stored_bytes(own) if does.stored else 0
        stored, reads = stored + from_store, reads + bool(from_store)
        flops += operator.flops(types, own) if does.flops else 0
    return flops, stored, reads


def _moved_bytes(reach: ReadExtent, itemsize: int) -> int:
    """Bytes that come from other workers: whole blocks, or slices where these save enough."""
    exact, whole = reach.exact * itemsize, reach.whole * itemsize
    return exact if whole - exact >= max(1, reach.blocks) * SLICE_SAVES_BYTES else whole


def _copied_bytes(program: Program, box: ZRange, peak: Peak) -> int:
    """Bytes at the end of a block that is sent: a view is copied first."""
    first = len(program.inputs)
    value = len(program.types) - 1
    while value >= first and not program.instructions[value - first].operator.copies:
        operator, inputs, *_ = program.instructions[value - first]
        if operator.is_view:
            return peak.last + box.size * program.type.dtype.itemsize
        if len(inputs) != 1:
            break
        (value,) = inputs
    return peak.last


class ReadExtent(NamedTuple):
    """What boxes of a value take of the blocks in which it is held.

    Attributes
    ----------
    exact, whole
        Cells of the boxes, and of the blocks that they meet.
    blocks
        How many they meet; none where nothing is cut.
    most
        Most cells of a box that lie in one block.
    """

    exact: int
    whole: int
    blocks: int
    most: int


@lru_cache(maxsize=4096)
def reach_of(boxes: tuple[ZRange, ...], cuts: tuple[Cuts, ...] | None) -> ReadExtent:
    """What `boxes` take of blocks that are cut so."""
    exact = sum([box.size for box in boxes])
    if cuts is None:
        return ReadExtent(exact, exact, 0, 0)
    met = [_block_hits(box, cuts) for box in boxes]
    whole, blocks = sum([m.cells for m in met]), sum([m.blocks for m in met])
    return ReadExtent(exact, whole, blocks, max([m.most for m in met], default=0))


class BlockHits(NamedTuple):
    """The held blocks that meet a box: how many, their cells, most cells of the box in one."""

    blocks: int
    cells: int
    most: int


def met_blocks(box: ZRange, cuts: Sequence[Cuts]) -> int:
    """Number of blocks that meet `box`; of an empty box one."""
    return _block_hits(box, tuple(cuts)).blocks


@lru_cache(maxsize=8192)
def _block_hits(box: ZRange, cuts: tuple[Cuts, ...]) -> BlockHits:
    """Remembered, as memory, seconds and traffic all ask for it."""
    if box.is_empty:
        return BlockHits(1, 0, 0)
    blocks = cells = most = 1
    for lo, hi, cut in zip(box.lo, box.hi, cuts, strict=True):
        first, end = cut.overlapping(lo, hi)
        spans = [cut.block(i) for i in (first, min(first + 1, end - 1), end - 1)]
        blocks *= end - first
        cells *= spans[-1][1] - spans[0][0]
        most *= max([min(hi, b) - max(lo, a) for a, b in spans])
    return BlockHits(blocks, cells, most)
