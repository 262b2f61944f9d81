"""The values of a program while a block of it is computed: each is dropped after its last use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dask_tapestry.errors import PlanError
from dask_tapestry.lower.assemble import part_of, room_as
from dask_tapestry.lower.device_calls import brought
from dask_tapestry.lower.instruction_call import called, memory_for, read_on_device
from dask_tapestry.lower.known_arguments import KnownArguments
from dask_tapestry.lower.unread_values import is_worth_parts, unread_cells
from dask_tapestry.steps.device_values import value_places
from dask_tapestry.steps.instruction_schedule import InstructionSchedule, Key, ReadRoute, Work
from dask_tapestry.steps.program import Instruction, Program
from dask_tapestry.zspace import ZRange
from dask_tapestry_kernels.unread_cells import in_memory
from dask_tapestry_kernels.unread_cells import part_of as part_of_block

Block = Any  # an array, or `Collected` ones
Blocks = dict[Key, Block]
Cells = Callable[[int, ZRange], Block]  # of a value that is held, the cells of a box
NOT_HELD: Final[Any] = object()  # in place of a block that is not in memory


class ValuesUntilLastUse:
    """Blocks of a program's values.

    Parameters
    ----------
    blocks
        Those that are there.
    outer
        Gives cells of inputs that are held elsewhere.
    """

    def __init__(
        self,
        program: Program,
        schedule: InstructionSchedule,
        blocks: Blocks,
        outer: Cells | None = None,
    ) -> None:
        self.program, self.schedule, self.outer = program, schedule, outer
        self._lying = value_places(program)
        self._arguments = KnownArguments.of(program, schedule)
        self._uses = list(schedule.uses)  # how often each is still to be read
        self._held: list[Block] = [NOT_HELD] * len(self._uses)  # by the numbers of boxes
        for key, block in blocks.items():
            self._held[schedule.numbers[key]] = self._placed(key[0], block)

    @property
    def blocks(self) -> Blocks:
        """The blocks that are in memory now."""
        held = zip(self.schedule.numbers, self._held, strict=True)
        return {key: block for key, block in held if block is not NOT_HELD}

    def is_computed(self, work: Work) -> bool:
        """Whether what a computation yields is there: it was read ahead."""
        return self._held[self.schedule.route(work).made] is not NOT_HELD

    def _placed(self, value: int, block: Block) -> Block:
        """A block of a value on the device where that is held, if it is not held on the host."""
        where = None if self._lying is None else self._lying.held[value]
        if where is None:
            return block
        return brought(block, where, self.program, self.program.types[value])

    def cells(self, source: int, need: ZRange) -> Block:
        """Cells of a value that is held here or outside; none of what only empty boxes are read.

        Boxes of a value may overlap: those that nothing reads any more are not held.
        """
        boxes = self.schedule.boxes[source]
        for one in boxes:
            block = NOT_HELD
            if one is need or one.contains(need):
                block = self._held[self.schedule.numbers[source, one]]
            if block is not NOT_HELD:
                return in_memory(part_of(block, one, need))
        if need.is_empty and not boxes:
            return np.empty(need.shape, self.program.types[source].dtype)
        if self.outer is None:
            raise PlanError(f"cells {need} of value {source} are read, which are not held")
        return self.outer(source, need)

    def _read(self, need: tuple[int, ZRange], read: ReadRoute) -> Block:
        """What a computation reads, of the box that was found to have it if that is there."""
        block = NOT_HELD if read.place is None else self._held[read.place]
        if block is NOT_HELD:
            return self.cells(*need)
        if block.shape == read.shape:
            return block
        return (
            room_as(block, read.shape) if read.slices is None else part_of_block(block, read.slices)
        )

    def compute(self, work: Work, out: Block | None) -> None:
        """Call the instruction of one value, and hold what it yields; `out` is memory for that."""
        instruction, pace = self.program.instruction(work.value), self._pace(work)
        where = None if self._lying is None else self._lying.held[work.value]
        if where is not None and pace == 1:
            cells = read_on_device(instruction, work, where)
            if cells is not None:
                self.keep(work, cells)
                return
        blocks = list(map(self._read, work.reads, self.schedule.route(work).reads))
        if out is None and pace == 1 and self._read_where_folded(work, instruction):
            self.keep(work, unread_cells(instruction, work, blocks))
            return
        if out is None:
            out = memory_for(instruction, work.box)
        self.keep(work, called(instruction, work, blocks, out, pace, self._arguments))

    def _read_where_folded(self, work: Work, instruction: Instruction) -> bool:
        """Whether what a source reads is read, once, by a kernel that takes unread cells."""
        if self._lying is not None:
            return False
        if work.value in self.program.asked_shares:
            return True
        if not is_worth_parts(instruction, work.box):
            return False
        if self._uses[self.schedule.route(work).made] != 1:
            return False
        readers = [w for w in self.schedule.works for s, _ in w.reads if s == work.value]
        kernels = [self.program.instruction(reader.value).operator for reader in readers]
        return all(operator.reads_cells for operator in kernels)

    def _pace(self, work: Work) -> int:
        """The step along the first axis of a read: a block needs one row in so many."""
        pace = self.program.paces.get(work.value, 1)
        if pace == 1:
            return 1
        reads = [need for w in self.schedule.works for s, need in w.reads if s == work.value]
        return pace if reads == [work.box] else 1

    def keep(self, work: Work, block: Block) -> None:
        """Hold a computed value, and drop those that nothing reads any more."""
        route, uses = self.schedule.route(work), self._uses
        self._held[route.made] = self._placed(work.value, block)
        for read in route.reads:
            place = read.place
            if place is not None:
                uses[place] -= 1
                if not uses[place]:
                    self._held[place] = NOT_HELD

    @property
    def last(self) -> int:
        """The number of the output."""
        return len(self.program.types) - 1

    def output(self) -> Block:
        """The block of the output, which is held no longer."""
        (box,) = self.schedule.boxes[-1]
        number = self.schedule.numbers[self.last, box]
        block, self._held[number] = self._held[number], NOT_HELD
        return block
