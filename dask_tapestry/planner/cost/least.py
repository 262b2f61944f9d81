"""The least that a step takes: what its kernels, stores and transfers take under any grid.

It is found without following what a block reads, so that grids that cannot be best need no price.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from dask_tapestry.late_named_tuple import NamedTuple
from dask_tapestry.planner.access.from_others import bytes_from_others
from dask_tapestry.planner.cost.block_seconds import kernel_seconds
from dask_tapestry.planner.cost.cost import inputs_met
from dask_tapestry.planner.cost.resource_seconds import least_step_seconds, overhead_seconds
from dask_tapestry.planner.cost.stored import reads_without_gaps
from dask_tapestry.planner.fusion.program import Program
from dask_tapestry.planner.fusion.symmetric import is_own_transpose
from dask_tapestry.planner.fusion.units import Held
from dask_tapestry.planner.machine.machine import Machine
from dask_tapestry.zspace import Cuts


class Least(NamedTuple):
    """What a step takes at least, however it is cut.

    Attributes
    ----------
    program
        Of its blocks.
    kernels
        Seconds of one thread.
    read, written
        Bytes that come from stores, each chunk once, and that go there.
    """

    program: Program
    kernels: float
    read: float
    written: float

    @staticmethod
    def of(program: Program, machine: Machine) -> Least:
        """That of a program's steps; of a product with its own transpose half is computed."""
        kernels = kernel_seconds(program, program.type.box, machine)
        kernels /= 1 + is_own_transpose(program)
        writes = bool(program.lasting) and program.lasting[-1].is_sink
        read = _read_once(program) if reads_without_gaps(program) else 0
        return Least(program, kernels, read, program.type.nbytes if writes else 0)

    def seconds(self, cuts: Sequence[Cuts], held: Held, machine: Machine) -> float:
        """Seconds that the step takes at least under a grid, whose inputs are `held` in blocks."""
        met = inputs_met(self.program, cuts, held, machine)
        count = prod([c.count for c in cuts])
        threads = machine.threads if self.program.multithreaded else 1
        kernels = self.kernels / min(machine.slots, count * threads)
        moved = sum(bytes_from_others(met.readings, machine.workers))
        plain = self.program.reads_plain
        carried = (self.read, self.written, moved)
        handled = overhead_seconds(count, met.slices, met.edges, met.sliced, machine)
        return least_step_seconds(kernels, carried, count, plain, machine) + handled


def _read_once(program: Program) -> int:
    """Bytes of the stored chunks that the whole output is made of."""
    first, found = len(program.inputs), 0
    for value, box, _ in program.schedule(program.type.box).works:
        if program.lasting[value - first].stored:
            found += program.instructions[value - first].operator.stored_bytes(box)
    return found
