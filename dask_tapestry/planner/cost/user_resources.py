"""Users' own resources: sums over all blocks, or peaks of the blocks that run at a time.

An operator names in its ``costs`` what a block takes of a resource. One for which the workers have
a limit is a peak: licences, or memory of an accelerator. It is what the blocks that run at a time
take together, and must stay within the limit; any other adds up.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from dask_tapestry.planner.machine.machine import Machine
from dask_tapestry.steps.program import Program
from dask_tapestry.teg import Operator
from dask_tapestry.zspace import ZRange


def step_amounts(
    program: Program, box: ZRange, count: int, equal: float, machine: Machine
) -> dict[str, float]:
    """What the blocks of a step take of users' resources.

    Parameters
    ----------
    box
        The largest of its blocks.
    count, equal
        How many blocks there are, and how many as large as that they amount to.
    """
    amounts: dict[str, float] = {}
    if not _names_any(program):
        return amounts
    for work in program.schedule(box).works:
        instruction = program.instruction(work.value)
        for name, amount in instruction.operator.own_costs(instruction.types, work.box).items():
            amounts[name] = amounts.get(name, 0.0) + amount
    limited, at_once = dict(machine.limits), min(count, machine.slots)
    return {name: a * (at_once if name in limited else equal) for name, a in amounts.items()}


@lru_cache(maxsize=1024)
def _names_any(program: Program) -> bool:
    """Whether an operator of the program may name a resource."""
    return any(type(i.operator).own_costs is not Operator.own_costs for i in program.instructions)


def beyond_limits(amounts: Mapping[str, float], machine: Machine) -> float:
    """The sum of the relative excesses of a step's amounts over their limits; 0 within them."""
    if not amounts:
        return 0.0
    return sum(max(0.0, amounts.get(name, 0.0) / most - 1) for name, most in machine.limits)
