"""Chunk threads: how many threads of a worker may read and write the stored chunks of one block.

Those help that compute no block meanwhile (`idle_threads`). What they take is in no plan, so it
must be little.
"""

from __future__ import annotations

from functools import lru_cache
from math import prod

from dask_tapestry.planner.machine.machine import Machine
from dask_tapestry.planner.tuning import UNCOUNTED_SHARE
from dask_tapestry.steps.program import Instruction, Program
from dask_tapestry.teg import Sink, Source


def chunk_threads(program: Program, blocks: int, machine: Machine) -> int:
    """Threads of a worker that may be busy with chunks of a step of so many blocks.

    One where its kernels have the threads, or chunks are so large that helpers would take much.
    """
    each, helpers = _helper_bytes(program), machine.cores - 1
    is_alone = blocks <= machine.workers and (machine.local or machine.threads > 1)
    if each is None or (program.multithreaded and is_alone):
        return 1
    room = UNCOUNTED_SHARE * machine.memory_limit
    return 1 + (min(helpers, int(room // each)) if each else helpers)


@lru_cache(maxsize=1024)
def _helper_bytes(program: Program) -> int | None:
    """Bytes of a thread that helps with the store whose chunks take most; None where none helps."""
    pairs = zip(program.instructions, program.lasting, strict=True)
    known = [_bytes_of(one) for one, does in pairs if does.stored or does.is_sink]
    most = [one for one in known if one is not None]
    return max(most, default=None) if len(most) == len(known) else None


def _bytes_of(instruction: Instruction) -> int | None:
    operator = instruction.operator
    if isinstance(operator, Source):
        return operator.helper_bytes
    if isinstance(operator, Sink) and operator.chunks:
        sides = map(min, operator.chunks, instruction.type.shape)
        return 2 * prod(sides) * instruction.type.dtype.itemsize  # as in memory, and as stored
    return None
