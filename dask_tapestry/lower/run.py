"""What a worker does: one block of one step."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np

from dask_tapestry.errors import compute_error
from dask_tapestry.lower.buffer import Buffer
from dask_tapestry.lower.memory import MEMORY, owned
from dask_tapestry.lower.spec import StepSpec
from dask_tapestry.lower.tiling import Part, run_tiles, tiled_part
from dask_tapestry.plan.program import Instruction, Schedule, Work
from dask_tapestry.teg import Sink, Source
from dask_tapestry.zspace import Cuts, ZRange, block_box, block_range
from dask_tapestry_kernels.cpu import KERNELS
from dask_tapestry_kernels.cpu.threads import one_thread_each

Block = np.ndarray[Any, Any]
Held = dict[tuple[int, ZRange], Any]


def run_block(
    spec: StepSpec, index: tuple[int, ...], out: Buffer, inputs: Sequence[Any], after: Any = None
) -> Any:
    """Compute block `index` of a step.

    Parameters
    ----------
    out
        Buffer to write into; a remote one to return the block instead.
    inputs
        For each external input and each box of it that the block needs, in the order of the
        schedule: the piece itself, or the producer's blocks that meet it in C order.
    after
        What must have ended before; not looked at.
    """
    del after
    box = spec.box(index)
    schedule = spec.program.schedule(box)
    values = _gather(spec, schedule, iter(inputs))
    last = len(spec.program.types) - 1
    uses = _uses(schedule)
    target = out.box(box) if out.is_local else None
    part = tiled_part(spec.program)
    if part is not None and len(schedule.boxes[part.goal]) != 1:
        part = None
    with one_thread_each(spec.count > 1 and spec.program.multithreaded):
        waiting: list[Work] = []  # works of the part that is computed in tiles
        for work in schedule.works:
            if part is not None and work.value in part.values and work.value != part.goal:
                waiting.append(work)
                continue
            place = target if work.value == last and out.is_local else _room_for(spec, work)
            if part is None or work.value != part.goal:
                values[work.value, work.box] = _compute(spec, schedule, work, values, place)
                _release(schedule, work, values, uses)
                continue
            tiled = _in_tiles(part, work, schedule, values, place)
            if tiled is not None:
                values[work.value, work.box] = tiled
                continue
            for one in (*waiting, work):
                to = place if one is work else _room_for(spec, one)
                values[one.value, one.box] = _compute(spec, schedule, one, values, to)
                _release(schedule, one, values, uses)
        result = values.pop((last, box))
        if target is None:
            return result if result is None else owned(result)
        if result is not target:
            target[...] = result
        return target


def _in_tiles(
    part: Part, work: Work, schedule: Schedule, values: Held, place: Block | None
) -> Block | None:
    """The cells of a part's goal, computed in tiles; None if that cannot be done, or not yet."""
    kind = part.program.type.dtype
    out = np.empty(work.box.shape, kind) if place is None else place
    return out if run_tiles(part, work.box, schedule, values, out) else None


def _room_for(spec: StepSpec, work: Work) -> Block | None:
    """Where a kernel may write an array that stays within this process; None to let it choose."""
    instruction = spec.program.instructions[work.value - len(spec.program.inputs)]
    if instruction.operator.category != "block":
        return None
    return MEMORY.array(work.box.shape, instruction.type.dtype)


def _gather(spec: StepSpec, schedule: Schedule, inputs: Any) -> Held:
    values: Held = {}
    for value, cuts in enumerate(spec.input_cuts):
        for box in schedule.boxes[value]:
            given = next(inputs)
            values[value, box] = given if cuts is None else assemble(box, cuts, given)
    return values


def assemble(box: ZRange, cuts: tuple[Cuts, ...], blocks: Sequence[Block]) -> Block:
    """Return the cells `box` of a tensor held in blocks, of which those that meet it are given."""
    if box.is_empty:
        return np.empty(box.shape, blocks[0].dtype)
    ranges = block_range(cuts, box)
    if len(blocks) == 1:
        return _part(blocks[0], block_box(cuts, tuple(r.start for r in ranges)), box)
    result = np.empty(box.shape, blocks[0].dtype)
    for numbers, block in zip(product(*ranges), blocks, strict=True):
        held = block_box(cuts, numbers)
        part = held.intersection(box)
        result[part.slices(box)] = _part(block, held, part)
    return result


def _part(block: Block, held: ZRange, part: ZRange) -> Block:
    """Cells `part` of what is given: the block `held`, or a piece that was cut to just those."""
    if block.shape == part.shape:
        return block
    return np.empty(part.shape, block.dtype) if part.is_empty else block[part.index(held)]


def _compute(
    spec: StepSpec, schedule: Schedule, work: Work, values: Held, target: Block | None
) -> Any:
    instruction = spec.program.instructions[work.value - len(spec.program.inputs)]
    try:
        blocks = [
            _slice(values, source, schedule.holder(source, need), need)
            for source, need in work.reads
        ]
        return _call(instruction, work, blocks, target)
    except Exception as error:
        where = f", built at {instruction.line}" if instruction.line else ""
        types = ", ".join(map(str, instruction.types))
        text = f"while computing {instruction.operator.name}({types}), block {work.box} of "
        raise compute_error(error, f"{text}{instruction.type}{where}") from error


def _call(instruction: Instruction, work: Work, blocks: list[Block], target: Block | None) -> Any:
    operator = instruction.operator
    if isinstance(operator, Source):
        return operator.read(work.box)
    if isinstance(operator, Sink):
        operator.write(work.box, np.asarray(blocks[0]))
        return None
    arguments = operator.arguments(instruction.types, work.box, work.boxes)
    return KERNELS[operator.kernel](target, *blocks, **arguments)


def _slice(values: Held, value: int, held: ZRange, box: ZRange) -> Block:
    return _part(values[value, held], held, box)


def _uses(schedule: Schedule) -> dict[tuple[int, ZRange], int]:
    """How often each held box is still to be read."""
    uses: dict[tuple[int, ZRange], int] = {}
    for work in schedule.works:
        for source, need in work.reads:
            key = source, schedule.holder(source, need)
            uses[key] = uses.get(key, 0) + 1
    return uses


def _release(
    schedule: Schedule,
    work: Work,
    values: Held,
    uses: dict[tuple[int, ZRange], int],
) -> None:
    """Forget what the computation just done was the last to read."""
    for source, need in work.reads:
        key = source, schedule.holder(source, need)
        uses[key] -= 1
        if not uses[key]:
            values.pop(key, None)


def finish_array(
    cuts: tuple[Cuts, ...], out: Buffer, blocks: Sequence[Block], copy: bool = False
) -> Any:
    """Return the whole result: the buffer that blocks were written to, or the blocks joined.

    A result without dimensions comes as a NumPy scalar, as from NumPy's own functions. With `copy`
    the result is an array of its own, where buffer or block belong to somebody else too.
    """
    if out.is_local:
        whole = out.array
    else:
        box = ZRange.of_shape(tuple([c.extent for c in cuts]))
        whole = assemble(box, cuts, blocks)
    if not cuts:
        return whole[()]
    return np.array(whole) if copy else whole


def prepare_sink(sink: Sink, type_: Any) -> None:
    """Make a store ready."""
    sink.prepare(type_)


def finish_sink(sink: Sink, blocks: Sequence[None]) -> None:
    """Say that a store is complete."""
    del blocks
    sink.finish()


def barrier(ended: Sequence[Any]) -> None:
    """Stand for the end of other tasks."""
    del ended
