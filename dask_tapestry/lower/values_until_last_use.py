"""The values of a program while a block of it is computed: each is dropped after its last use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dask_tapestry.errors import PlanError
from dask_tapestry.lower.assemble import part_of
from dask_tapestry.lower.device_calls import brought
from dask_tapestry.lower.instruction_call import called, memory_for, read_on_device
from dask_tapestry.steps.device_values import value_places
from dask_tapestry.steps.instruction_schedule import InstructionSchedule, Key, Work
from dask_tapestry.steps.program import Program
from dask_tapestry.zspace import ZRange

Block = Any  # an array, or `Collected` ones
Blocks = dict[Key, Block]
Cells = Callable[[int, ZRange], Block]  # of a value that is held, the cells of a box


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
        self.program, self.schedule, self.blocks, self.outer = program, schedule, blocks, outer
        self._lying = value_places(program)
        for (value, box), block in list(blocks.items()) if self._lying is not None else ():
            self.blocks[value, box] = self._placed(value, block)
        self._uses = dict(schedule.uses)  # how often each is still to be read

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
        held = self.schedule.box_in_memory(source, need, self.blocks)
        if held is not None:
            return part_of(self.blocks[source, held], held, need)
        if need.is_empty and not self.schedule.boxes[source]:
            return np.empty(need.shape, self.program.types[source].dtype)
        if self.outer is None:
            raise PlanError(f"cells {need} of value {source} are read, which are not held")
        return self.outer(source, need)

    def compute(self, work: Work, out: Block | None) -> None:
        """Call the instruction of one value, and hold what it yields; `out` is memory for that."""
        instruction, pace = self.program.instruction(work.value), self._pace(work)
        where = None if self._lying is None else self._lying.held[work.value]
        if where is not None and pace == 1:
            cells = read_on_device(instruction, work, where)
            if cells is not None:
                self.keep(work, cells)
                return
        if out is None:
            out = memory_for(instruction, work.box)
        blocks = [self.cells(*need) for need in work.reads]
        self.keep(work, called(instruction, work, blocks, out, pace))

    def _pace(self, work: Work) -> int:
        """The step along the first axis of a read: a block needs one row in so many."""
        pace = self.program.paces.get(work.value, 1)
        works = self.schedule.works if pace > 1 else ()
        reads = [need for w in works for s, need in w.reads if s == work.value]
        return pace if reads == [work.box] else 1

    def keep(self, work: Work, block: Block) -> None:
        """Hold a computed value, and drop those that nothing reads any more."""
        self.blocks[work.value, work.box] = self._placed(work.value, block)
        reads = self.schedule.reads.get((work.value, work.box), ())  # none of what is read ahead
        for key in reads:
            self._uses[key] -= 1
            if not self._uses[key]:
                self.blocks.pop(key, None)

    @property
    def last(self) -> int:
        """The number of the output."""
        return len(self.program.types) - 1

    def output(self) -> Block:
        """The block of the output, which is held no longer."""
        (box,) = self.schedule.boxes[-1]
        return self.blocks.pop((self.last, box))
