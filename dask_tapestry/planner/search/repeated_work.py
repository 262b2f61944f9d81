"""Repeated work: the seconds that go into what several blocks or steps compute or read again.

So much is to be had at most by holding a value. What promises most is tried first, so that a search
with little time finds that a matrix should be held which the steps of a loop read, before it looks
at the numbers that they all compute.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import lru_cache, reduce
from operator import or_
from typing import NamedTuple

from dask_tapestry.planner.cost.typical_blocks import largest_block
from dask_tapestry.planner.machine.machine import Machine
from dask_tapestry.planner.search.choices import State
from dask_tapestry.planner.search.grid import Grid
from dask_tapestry.planner.search.pricing import PricedGroup
from dask_tapestry.steps.program import Instruction, Program
from dask_tapestry.teg import Node, Source


class _Work(NamedTuple):
    """What having a value takes with all that goes into it, as shares of a step.

    Attributes
    ----------
    compute, store, inputs
        Shares of the seconds that the step computes, and reads stores, and of the values that it
        reads from other steps.
    times
        How often its blocks together compute or read each cell; less than once where they take
        parts.
    """

    compute: float
    store: float
    inputs: float
    times: float

    def plus(self, other: _Work) -> _Work:
        """The work of both."""
        return _Work(*[one + more for one, more in zip(self, other, strict=True)])


def repeated_seconds(state: State, machine: Machine) -> Mapping[Node, float]:
    """For each value of a plan that is not held, the seconds that go into having it again.

    Less than none where readers take parts, and to have it whole takes longer than they do.
    """
    every = defaultdict[Node, list[tuple[float, float]]](list)
    for priced in state.placed.values():
        for node, work in _works_of_members(priced, priced.on(machine)).items():
            seconds = work.compute * priced.cost.compute + work.store * priced.cost.store
            seconds += work.inputs * (priced.cost.network + priced.cost.overhead)
            if node is not priced.group.node:
                every[node].append((seconds, seconds / work.times if work.times else 0.0))
    return {
        node: sum([seconds for seconds, _ in found]) - min([once for _, once in found])
        for node, found in every.items()
    }


def _works_of_members(priced: PricedGroup, machine: Machine) -> dict[Node, _Work]:
    """The work of each member of a step; of a source that is read in parts, of all of them."""
    found = dict[Node, _Work]()
    works = _works(priced.group.program, priced.grid, machine)
    for node, work in zip(priced.group.members, works, strict=True):
        found[node] = found[node].plus(work) if node in found else work
    return found


@lru_cache(maxsize=2048)
def _works(program: Program, grid: Grid, machine: Machine) -> tuple[_Work, ...]:
    """The work of each instruction of a program under a grid."""
    if not program.type.size:
        return (_Work(0.0, 0.0, 0.0, 1.0),) * len(program.instructions)
    first = len(program.inputs)
    box = largest_block(program, grid)
    blocks, schedule = program.type.size / box.size, program.schedule(box)
    seconds, stored, cells = ([0.0] * len(program.types) for _ in range(3))
    for number, own, _ in schedule.works:
        operator, _, types, type_, *_ = program.instructions[number - first]
        flops, dtype = operator.flops(types, own), types[0].dtype if types else type_.dtype
        seconds[number] += machine.seconds(operator.kernel, dtype, flops, 0) if flops else 0.0
        stored[number] += operator.stored_bytes(own)
        cells[number] += own.size
    computed, read = sum(seconds) or 1.0, sum(stored) or 1.0
    inputs = [1 << number for number in range(first)]  # a bit for each that a value is made of
    for number, instruction in enumerate(program.instructions, start=first):
        for x in set(instruction.inputs):  # where several read it, it counts for each
            seconds[number] += seconds[x]
            stored[number] += stored[x]
        inputs.append(reduce(or_, [inputs[x] for x in instruction.inputs], 0))
    return tuple(
        [
            _Work(
                min(1.0, seconds[number] / computed),
                min(1.0, stored[number] / read),
                inputs[number].bit_count() / max(1, first),
                blocks * _times(instruction, cells[number], stored[number]),
            )
            for number, instruction in enumerate(program.instructions, start=first)
        ]
    )


def _times(instruction: Instruction, cells: float, stored: float) -> float:
    """How much of a value a block computes, or reads of stored chunks that are decoded whole."""
    type_, operator = instruction.type, instruction.operator
    if not type_.size:
        return 1.0
    reads = isinstance(operator, Source) or operator.is_selector
    return max(cells / type_.size, stored / type_.nbytes if reads else 0.0)
