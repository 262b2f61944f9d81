"""The most bytes that are alive at once while a block is computed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import lru_cache
from math import prod
from typing import Final, NamedTuple

from dask_tapestry.plan.fusion.program import Program, Schedule, Work
from dask_tapestry.teg import Sink
from dask_tapestry.zspace import ZRange

Key = tuple[int, ZRange]  # a value, and a box of it


class Peak(NamedTuple):
    """Most bytes alive at once while a block is computed, and what is alive at its end.

    Attributes
    ----------
    arrays
        Bytes of computed arrays.
    used, fresh
        Those that may lie in used memory; and others, with the kernels' scratch memory.
    all
        All of these.
    last
        Bytes of the result and, if that is a view, of what it shows.
    """

    arrays: int
    used: int
    fresh: int
    all: int
    last: int


class InTurns(NamedTuple):
    """What a value takes that is computed in turns: the bytes of its cells, and beside them."""

    cells: int
    beside: Peak


NOTHING_IN_TURNS: Final[Mapping[Key, InTurns]] = {}


def peak_bytes(
    program: Program, schedule: Schedule, turned: Mapping[Key, InTurns] = NOTHING_IN_TURNS
) -> Peak:
    """Peak of a schedule, whose blocks live from their computation to their last use.

    Those in `turned` are computed in turns.
    """
    first = len(program.inputs)
    ends = _ends(program, schedule, turned)
    dying: dict[int, list[tuple[bool, int]]] = defaultdict(list)
    alive_used = alive_fresh = arrays = used = fresh = peak = 0
    for number, work in enumerate(schedule.works):
        operator, _, types, type_, _ = program.instructions[work.value - first]
        key = work.value, work.box
        told = turned.get(key) if turned else None
        if told is None:
            again, size = operator.fills, operator.block_bytes(type_, work.box)
            scratch = operator.scratch_bytes(types, work.box)
            if isinstance(operator, Sink):
                scratch += _turned_round(program, work)
            beside = (0, 0, scratch, scratch)
        else:
            again, size, beside = True, told.cells, told.beside[:4]
        alive_used, alive_fresh = alive_used + again * size, alive_fresh + (not again) * size
        now = alive_used + alive_fresh
        arrays, peak = max(arrays, now + beside[0]), max(peak, now + beside[3])
        used, fresh = max(used, alive_used + beside[1]), max(fresh, alive_fresh + beside[2])
        dying[ends.get(key, number)].append((again, size))
        for kind, gone in dying.pop(number, ()):
            alive_used, alive_fresh = alive_used - kind * gone, alive_fresh - (not kind) * gone
    return Peak(arrays, used, fresh, peak, alive_used + alive_fresh)


@lru_cache(maxsize=2048)
def peak_of(program: Program, box: ZRange) -> Peak:
    """Bytes that a block takes that is computed as a whole.

    Remembered: it is asked for as the end of a step, as a part, and for its pieces.
    """
    return peak_bytes(program, program.schedule(box))


def all_bytes(program: Program, schedule: Schedule) -> int:
    """Bytes of all that a block computes, which it never takes at once, and of a copy of each.

    It is found in a third of the time that its peak takes.
    """
    found, first = 0, len(program.inputs)
    for value, box, _ in schedule.works:
        operator, _, types, type_, _ = program.instructions[value - first]
        cells = box.size * type_.dtype.itemsize
        found += operator.block_bytes(type_, box) + operator.scratch_bytes(types, box) + cells
    return found


def _turned_round(program: Program, work: Work) -> int:
    """Bytes of a view that a sink writes: of a chunk, cells that do not lie in a row are copied."""
    operator, inputs, types, *_ = program.instructions[work.value - len(program.inputs)]
    assert isinstance(operator, Sink)
    made = (inputs[0] if inputs else 0) - len(program.inputs)
    if made < 0 or not program.instructions[made].operator.is_view:
        return 0
    return min(work.box.size, prod(operator.chunks)) * types[0].dtype.itemsize


def _ends(program: Program, schedule: Schedule, turned: Mapping[Key, InTurns]) -> dict[Key, int]:
    """For each block, the number of the last work that needs it, itself or by a view."""
    first = len(program.inputs)
    ends = {(len(program.types) - 1, box): len(schedule.works) for box in schedule.boxes[-1]}
    for number, work in reversed(list(enumerate(schedule.works))):
        key = work.value, work.box
        copies = key in turned or program.instructions[work.value - first].operator.copies
        until = number if copies else ends.get(key, number)
        for source, need in work.reads:
            read = source, schedule.holder(source, need)
            ends[read] = max(ends.get(read, 0), until)
    return ends
