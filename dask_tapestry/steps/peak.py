"""The peak of memory: the most bytes that are alive at once while a block is computed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import prod
from typing import Final, NamedTuple

from dask_tapestry.steps.instruction_schedule import InstructionSchedule, Key, Places, Work
from dask_tapestry.steps.program import Program
from dask_tapestry.teg import Sink
from dask_tapestry.zspace import ZRange


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

    def with_kept(self, kept: int) -> Peak:
        """The peak with so many more bytes of used memory throughout."""
        return Peak(self.arrays + kept, self.used + kept, self.fresh, self.all + kept, self.last)


class TurnPeak(NamedTuple):
    """What a value takes that is computed in turns: the bytes of its cells, and beside them."""

    cells: int
    beside: Peak


NOTHING_IN_TURNS: Final[Mapping[Key, TurnPeak]] = {}


def peak_bytes(
    program: Program,
    schedule: InstructionSchedule,
    turned: Mapping[Key, TurnPeak] = NOTHING_IN_TURNS,
) -> Peak:
    """Peak of a schedule, whose blocks live from their computation to their last use.

    Those in `turned` are computed in turns.
    """
    first, lasting = len(program.inputs), program.lasting
    places = schedule.places
    copies = [program.copies(work) or work[:2] in turned for work in schedule.works]
    dying = _last_uses(places, copies)
    sizes: list[tuple[bool, int]] = []  # of each work's block
    alive_used = alive_fresh = arrays = used = fresh = peak = 0
    for work, last_used in zip(schedule.works, dying, strict=True):
        value, box, _ = work
        operator, _, types, type_, *_ = program.instructions[value - first]
        turn_peak = turned.get((value, box)) if turned else None
        if turn_peak is None:
            size = 0 if program.passes(work) else operator.block_bytes(type_, box)
            again = operator.fills
            own = lasting[value - first]
            scratch = operator.scratch_bytes(types, box) if own.scratch else 0
            if own.is_sink:
                scratch += _turned_round(program, work)
            extra = (0, 0, scratch, scratch)
        else:
            again, size, extra = True, turn_peak.cells, turn_peak.beside[:4]
        sizes.append((again, size))
        if again:
            alive_used += size
        else:
            alive_fresh += size
        now = alive_used + alive_fresh
        arrays, peak = max(arrays, now + extra[0]), max(peak, now + extra[3])
        used, fresh = max(used, alive_used + extra[1]), max(fresh, alive_fresh + extra[2])
        for number in last_used:
            again, size = sizes[number]
            if again:
                alive_used -= size
            else:
                alive_fresh -= size
    return Peak(arrays, used, fresh, peak, alive_used + alive_fresh)


@lru_cache(maxsize=2048)
def peak_of(program: Program, box: ZRange) -> Peak:
    """Bytes that a block takes that is computed as a whole.

    Remembered: it is asked for as the end of a step, as a part, and for its pieces.
    """
    return peak_bytes(program, program.schedule(box))


def all_bytes(program: Program, schedule: InstructionSchedule) -> int:
    """Bytes of all that a block computes, which it never takes at once, and of a copy of each.

    It is found in a third of the time that its peak takes.
    """
    found, first = 0, len(program.inputs)
    for value, box, _ in schedule.works:
        operator, _, types, type_, *_ = program.instructions[value - first]
        cells = box.size * type_.dtype.itemsize
        found += operator.block_bytes(type_, box) + operator.scratch_bytes(types, box) + cells
    return found


def _turned_round(program: Program, work: Work) -> int:
    """Bytes of a view that a sink writes: of a chunk, cells that do not lie in a row are copied."""
    operator, inputs, types, *_ = program.instruction(work.value)
    assert isinstance(operator, Sink)
    made = (inputs[0] if inputs else 0) - len(program.inputs)
    if made < 0 or not program.instructions[made].operator.is_view:
        return 0
    return min(work.box.size, prod(operator.chunks)) * types[0].dtype.itemsize


def _last_uses(numbers: Places, copies: Sequence[bool]) -> list[list[int]]:
    """For each work, the numbers of those whose blocks it needs last, itself or by a view."""
    count = len(numbers.made)
    ends = [-1] * numbers.total
    ends[-1] = count  # the output stays
    dying: list[list[int]] = [[] for _ in range(count)]
    for number in range(count - 1, -1, -1):
        made = ends[numbers.made[number]]
        last = number if made < 0 else made
        if last < count:
            dying[last].append(number)
        until = number if copies[number] else last
        for read in numbers.read[number]:
            if read is not None and until > ends[read]:
                ends[read] = until
    return dying
