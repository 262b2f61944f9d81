"""Lower bounds of a step's cost: what kernels, writes and transfers take under any grid.

It is found without following what a block reads, so that grids that cannot be best need no price.
What comes from stores is left out: a grid is priced by its largest block, and may seem to read less
than it does.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, prod
from typing import NamedTuple

from dask_tapestry.planner.access.blocks_together import Beside
from dask_tapestry.planner.cost.block_seconds import kernel_seconds
from dask_tapestry.planner.cost.cost import inputs_met
from dask_tapestry.planner.cost.resource_seconds import least_step_seconds, overhead_seconds
from dask_tapestry.planner.cost.typical_blocks import typical_blocks
from dask_tapestry.planner.machine.machine import Codecs, Machine
from dask_tapestry.steps.chunk_alignment import Held
from dask_tapestry.steps.program import Program
from dask_tapestry.steps.symmetric_blocks import is_own_transpose
from dask_tapestry.zspace import Cuts


class LowerBound(NamedTuple):
    """What a step takes at least, however it is cut.

    Attributes
    ----------
    program
        Of its blocks.
    kernels, encoded
        Seconds of one thread, for computing and for encoding what is written.
    written
        Bytes that go to stores.
    """

    program: Program
    kernels: float
    encoded: float
    written: float

    @staticmethod
    def of(program: Program, machine: Machine) -> LowerBound:
        """The bounds of a program's steps; half of a product with its own transpose is computed."""
        kernels = kernel_seconds(program, program.type.box, machine)
        kernels /= 1 + is_own_transpose(program)
        writes = bool(program.lasting) and program.lasting[-1].is_sink
        written = program.type.nbytes if writes else 0
        codecs = Codecs(*program.codecs)
        encoded = 0.0 if machine.device else machine.codec_seconds(0.0, written, codecs)
        return LowerBound(program, kernels, encoded, written)

    def seconds(
        self,
        cuts: Sequence[Cuts],
        held: Held,
        machine: Machine,
        enough: float = inf,
        beside: Beside = (),
    ) -> float:
        """Seconds that the step takes at least under a grid, whose inputs are `held` in blocks.

        What blocks read of these is not looked at where all else takes more than `enough`.
        """
        count = prod([c.count for c in cuts])
        threads = machine.threads if self.program.multithreaded else 1
        kernels = self.kernels / min(machine.slots, count * threads)
        busy = kernels + self.encoded / (machine.hosts * machine.cores)
        handled = overhead_seconds(count, 0, 0, 0.0, machine)
        alone = least_step_seconds(busy, self.written, 0.0, count, machine) + handled
        if alone > enough or all(own is None for own in held):
            return alone
        moved = handled = least = 0.0  # now with what is held
        for box, share in typical_blocks(self.program, cuts):
            met = inputs_met(self.program, cuts, box, held, machine, beside)
            moved += share * met.moved
            tasks = met.slices, met.edges, met.sliced
            handled += share * overhead_seconds(count, *tasks, machine, parts=met.parts)
            least = least_step_seconds(busy, self.written, moved, count, machine) + handled
            if least > enough:
                break
        return least
