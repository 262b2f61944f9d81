"""Ready blocks: blocks that are a few calls of kernels, as the list of these calls.

Of a block of few cells it takes longer to find what each call reads, and what is read no more, than
to compute it. That is the same each time: so it is found once, and kept with the program. What is
computed in turns, in tiles or in parts, read from a store, or held on a device is walked through
instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from dask_tapestry.lower.instruction_call import called, memory_for
from dask_tapestry.lower.known_arguments import KnownArguments
from dask_tapestry.lower.unread_values import is_worth_parts
from dask_tapestry.steps.block_schedule import BlockSchedule
from dask_tapestry.steps.device_values import value_places
from dask_tapestry.steps.instruction_schedule import InstructionSchedule, ReadRoute, Work
from dask_tapestry.steps.program import Instruction, Program
from dask_tapestry.steps.tuning import SCHEDULES_REMEMBERED
from dask_tapestry.teg import Sink, Source
from dask_tapestry_kernels.stopping import stop_if_asked

Block = Any  # an array, or `Collected` ones
NAME: Final = "ready_blocks"  # under which a program keeps them


class Call(NamedTuple):
    """A call of a kernel; boxes that are held are known by number.

    Attributes
    ----------
    instruction, work
        What is called, and for which box.
    reads
        Where it finds what it reads.
    made
        The box that it computes.
    done
        The boxes that no later call reads.
    """

    instruction: Instruction
    work: Work
    reads: tuple[ReadRoute, ...]
    made: int
    done: tuple[int, ...]


class ReadyBlock:
    """The calls of a block, of which the last one computes it.

    Parameters
    ----------
    arguments
        What is known of the calls' arguments.
    room
        How many boxes are computed.
    """

    __slots__ = ("_arguments", "_calls", "_room")

    def __init__(self, calls: Sequence[Call], arguments: KnownArguments, room: int) -> None:
        self._calls, self._arguments, self._room = tuple(calls), arguments, room

    @classmethod
    def of(cls, block: BlockSchedule) -> ReadyBlock | None:
        """The calls of a block, found once; None of a block that is walked through."""
        known = block.program.found.setdefault(NAME, {})
        found = known.get(id(block.schedule))
        if found is None:
            if len(known) >= SCHEDULES_REMEMBERED:
                known.clear()
            found = known[id(block.schedule)] = block.schedule, cls._of(block)  # both are held
        ready: ReadyBlock | None = found[1]
        return ready

    @classmethod
    def _of(cls, block: BlockSchedule) -> ReadyBlock | None:
        program, schedule = block.program, block.schedule
        if not schedule.works or any(type(entry) is not Work for entry in block.entries):
            return None
        if block.in_tiles is not None or value_places(program) is not None or program.paces:
            return None
        calls = _calls(program, schedule)
        if not all(map(_is_plain, calls)):
            return None
        given = sum([len(boxes) for boxes in schedule.boxes[: len(program.inputs)]])
        arguments = KnownArguments.of(program, schedule)
        return cls(calls, arguments, len(schedule.numbers) - given)

    def run(self, given: Sequence[Block], out: Block | None) -> Block:
        """The block, computed of what is `given` of its inputs; `out` is memory for it."""
        held: list[Block] = [*given, *(None,) * self._room]
        last = self._calls[-1]
        for call in self._calls:
            stop_if_asked()
            instruction, work, reads, made, done = call
            blocks = [_read(held[read.place], read) for read in reads]  # type: ignore[index]
            memory = out if call is last else None
            if memory is None:
                memory = memory_for(instruction, work.box)
            held[made] = called(instruction, work, blocks, memory, 1, self._arguments)
            for place in done:
                held[place] = None
        return held[last.made]


def _calls(program: Program, schedule: InstructionSchedule) -> list[Call]:
    """The calls of a schedule, in order."""
    routes = [schedule.route(work) for work in schedule.works]
    readers = {read.place: number for number, route in enumerate(routes) for read in route.reads}
    calls = []
    for number, (work, route) in enumerate(zip(schedule.works, routes, strict=True)):
        done = {read.place for read in route.reads if readers[read.place] == number}
        instruction = program.instruction(work.value)
        numbers = tuple([place for place in done if place is not None])
        calls.append(Call(instruction, work, route.reads, route.made, numbers))
    return calls


def _is_plain(call: Call) -> bool:
    """Whether a call is one of a kernel of the host, on cells that are there."""
    if isinstance(call.instruction.operator, Source | Sink) or call.instruction.device is not None:
        return False
    if is_worth_parts(call.instruction, call.work.box):
        return False
    return all(read.place is not None and read.slices is not None for read in call.reads)


def _read(block: Block, read: ReadRoute) -> Block:
    """The cells of a block that are read."""
    return block if block.shape == read.shape else block[read.slices]
