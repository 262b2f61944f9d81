"""Carried state: what pieces of a block hand on to those that follow them along an axis.

A cell of a running total needs all cells before it. Where a block is computed in pieces, in order,
each of them takes the total of those before from where the last one has left it: so no cell is read
or computed twice, and no more than a piece is in memory.

Planner and workers ask the same functions, of the program and the box alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from dask_tapestry.steps.program import Instruction, Program
from dask_tapestry.teg import TensorType
from dask_tapestry.zspace import ZRange

Line = tuple[int, ...]


class CarryingProgram(NamedTuple):
    """A program whose running values take what is carried, as its last inputs.

    Attributes
    ----------
    program
        Its pieces have to be computed in order, each once.
    types
        Of those inputs.
    """

    program: Program
    types: tuple[TensorType, ...]

    def rooms(self, box: ZRange) -> tuple[ZRange, ...] | None:
        """The box of what is carried for each running value, for the output's cells `box`.

        None where one begins within its axis: nothing is known of the cells before.
        """
        schedule, first = self.program.schedule(box), len(self.program.inputs)
        for value, axis in running(self.program):
            if any(one.lo[axis] for one in schedule.boxes[value]):
                return None
        rooms = schedule.boxes[first - len(self.types) : first]
        return tuple([one[0] for one in rooms]) if all(len(one) == 1 for one in rooms) else None


@lru_cache(maxsize=1024)
def carrying(program: Program) -> CarryingProgram | None:
    """The program with totals carried from piece to piece; None where nothing runs in it."""
    found = [i.operator.turns(i.types) for i in program.instructions]
    carries = [None if turns is None else turns.carry for turns in found]
    types: list[TensorType] = []
    first, count = len(program.inputs), len(carries) - carries.count(None)
    if not count:
        return None
    instructions: list[Instruction] = []
    for instruction, carry in zip(program.instructions, carries, strict=True):
        inputs = tuple([x if x < first else x + count for x in instruction.inputs])
        if carry is None:
            instructions.append(instruction._replace(inputs=inputs))
            continue
        shape = instruction.type.shape
        carried = (*shape[: carry.axis], 1, *shape[carry.axis + 1 :])
        types.append(TensorType(carried, carry.dtype))
        instructions.append(
            instruction._replace(
                operator=carry.operator,
                inputs=(*inputs, first + len(types) - 1),
                types=(*instruction.types, types[-1]),
            )
        )
    within = tuple([(x if x < first else x + count, held) for x, held in program.within])
    read, most = (*program.inputs, *types), program.piece_bytes
    own = Program(read, tuple(instructions), within, piece_bytes=most)
    return CarryingProgram(own, tuple(types))


@lru_cache(maxsize=1024)
def running(program: Program) -> tuple[tuple[int, int], ...]:
    """Values that take what is carried, each with the axis along which they run."""
    first = len(program.inputs)
    runs = [(value, i.operator.runs_along) for value, i in enumerate(program.instructions, first)]
    return tuple([(value, axis) for value, axis in runs if axis is not None])


def is_in_order(program: Program, box: ZRange, edges: Sequence[Line]) -> bool:
    """Whether pieces with these edges have each cell of what runs once, each after those before.

    Pieces follow one another in C order. So it is enough that each dimension that is cut moves one
    axis of a running value, from one end to the other.
    """
    values = running(program)
    for dim, line in enumerate(edges if values else ()):
        if len(line) == 2:
            continue
        boxes = [program.schedule(box.replace(dim, *span)).boxes for span in pairwise(line)]
        if not all(_tiles([own[value] for own in boxes]) for value, _ in values):
            return False
    return True


def _tiles(boxes: list[tuple[ZRange, ...]]) -> bool:
    """Whether boxes, one of each piece, lie end to end along one axis."""
    if any(len(own) != 1 for own in boxes):
        return False
    ends = np.array([(own[0].lo, own[0].hi) for own in boxes])
    moved = np.flatnonzero((ends != ends[0]).any(axis=(0, 1)))
    if len(moved) != 1:
        return False
    return bool((ends[1:, 0, moved[0]] == ends[:-1, 1, moved[0]]).all())
