"""Helping threads: how many threads of a worker may read and write the chunks of one block.

Those help that compute no block meanwhile. What they take is in no plan, so it must be little.
"""

from __future__ import annotations

from functools import lru_cache
from math import prod
from typing import TYPE_CHECKING

from dask_tapestry.planner.tuning import UNCOUNTED_SHARE
from dask_tapestry.steps.program import Instruction, Program
from dask_tapestry.teg import Sink, Source

if TYPE_CHECKING:
    from dask_tapestry.planner.cost.step import Step


def chunk_threads(step: Step, threads: int | None) -> int:
    """Threads of a worker that may be busy with chunks of a step, whose kernels have `threads`.

    One where kernels have more than one, or chunks are so large that helpers would take much.
    """
    machine = step.machine
    if step.program.multithreaded and threads != 1:
        return 1
    room, each = UNCOUNTED_SHARE * machine.memory_limit, _helper_bytes(step.program)
    helpers = machine.cores - 1
    return 1 + (min(helpers, int(room // each)) if each else helpers)


@lru_cache(maxsize=1024)
def _helper_bytes(program: Program) -> int:
    """Bytes of a thread that helps with the store whose chunks take most."""
    return max(map(_bytes_of, program.instructions), default=0)


def _bytes_of(instruction: Instruction) -> int:
    operator = instruction.operator
    if isinstance(operator, Source):
        return operator.helper_bytes
    if isinstance(operator, Sink) and operator.chunks:
        sides = map(min, operator.chunks, instruction.type.shape)
        return 2 * prod(sides) * instruction.type.dtype.itemsize  # as in memory, and as stored
    return 0
