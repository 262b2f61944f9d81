"""Needs: what computing one block takes, from the demands of its operators."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from dask_tapestry.plan.machine import PIECE_BYTES
from dask_tapestry.plan.program import Program, Schedule
from dask_tapestry.zspace import Cuts, ZRange, block_range

Held = Sequence[Sequence[Cuts] | None]


@dataclass(frozen=True)
class Needs:
    """What one block takes.

    Attributes
    ----------
    read
        Bytes that come from outside the step: whole stored chunks; and blocks of other steps, or
        pieces of them where all are in one memory or cutting saves much.
    stored
        Those of them that are read from stores.
    touched
        Bytes of stored chunks, input, temporary and output cells that grow with the block: what its
        size means.
    work
        Peak bytes of the arrays alive while the block is computed: temporaries, and input that came
        from another worker or was put together from several blocks.
    flops
        Operations.
    blocks
        Blocks of other steps that are read.
    """

    read: int
    stored: int
    touched: int
    work: int
    flops: int
    blocks: int


def needs_of(program: Program, box: ZRange, chunks: Held, local: bool) -> Needs:
    """What the output's cells `box` take; `chunks` says how each external input is held."""
    schedule = program.schedule(box)
    read = touched = brought = blocks = 0
    for type_, cuts, boxes in zip(program.inputs, chunks, schedule.boxes, strict=False):
        exact = sum(b.size for b in boxes) * type_.dtype.itemsize
        whole = exact if local else _moved_bytes(boxes, cuts, type_.dtype.itemsize)
        grows = box == program.type.box or exact < type_.nbytes
        read += whole
        touched += exact if grows else 0
        met = sum(met_blocks(b, cuts) for b in boxes) if cuts is not None else 0
        brought += 0 if not met or (local and met == len(boxes)) else whole
        blocks += met
    flops = stored = 0
    for work in schedule.works:
        instruction = program.instructions[work.value - len(program.inputs)]
        stored += instruction.operator.stored_bytes(work.box)
        flops += instruction.operator.flops(instruction.types, work.box)
    temporary = peak_bytes(program, schedule)
    return Needs(
        read + stored,
        stored,
        max(touched + stored, temporary),
        temporary + brought,
        flops,
        blocks,
    )


def _moved_bytes(boxes: Sequence[ZRange], cuts: Sequence[Cuts] | None, itemsize: int) -> int:
    """Bytes that come from other workers: whole blocks, or pieces where those save enough."""
    exact = sum(b.size for b in boxes) * itemsize
    whole = sum(held_cells(b, cuts) for b in boxes) * itemsize
    met = sum(met_blocks(b, cuts) for b in boxes) if cuts is not None else 1
    return exact if whole - exact >= met * PIECE_BYTES else whole


def peak_bytes(program: Program, schedule: Schedule) -> int:
    """Most bytes of computed arrays alive at once; selectors and generators are views."""
    first = len(program.inputs)
    last: dict[tuple[int, ZRange], int] = {}
    for number, work in enumerate(schedule.works):
        for source, need in work.reads:
            last[source, schedule.holder(source, need)] = number
    dying: dict[int, int] = defaultdict(int)
    alive = peak = 0
    for number, work in enumerate(schedule.works):
        instruction = program.instructions[work.value - first]
        if instruction.operator.copies:
            size = work.box.size * instruction.type.dtype.itemsize
            alive += size
            peak = max(peak, alive)
            dying[last.get((work.value, work.box), -1)] += size
        alive -= dying[number]
    return peak


def held_cells(box: ZRange, cuts: Sequence[Cuts] | None) -> int:
    """Cells of the blocks that meet `box`; of the box itself where nothing is cut."""
    if cuts is None or box.is_empty:
        return box.size
    cells = 1
    for lo, hi, cut in zip(box.lo, box.hi, cuts, strict=True):
        first, end = cut.overlapping(lo, hi)
        cells *= cut.block(end - 1)[1] - cut.block(first)[0]
    return cells


def met_blocks(box: ZRange, cuts: Sequence[Cuts]) -> int:
    """Number of blocks that meet `box`."""
    return prod(map(len, block_range(cuts, box)))
