"""Formulas of a block while they run: in compiled tiles, or in slabs until those are compiled."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dask_tapestry.lower.frame import Frame
from dask_tapestry.lower.instruction_call import memory_for
from dask_tapestry.lower.tiling import run_tiles
from dask_tapestry.lower.tuning import SLAB_BYTES
from dask_tapestry.lower.values_until_last_use import Block, ValuesUntilLastUse
from dask_tapestry.steps.block_schedule import TileEntry
from dask_tapestry.zspace import ZRange
from dask_tapestry_kernels.floating_point import checking_fp_errors


class TileRun:
    """The formulas at the end of a program.

    Parameters
    ----------
    entry
        Which they are.
    held
        The values around them, of which they read.
    out
        Memory for the last one, if there is some.

    Attributes
    ----------
    result
        The block of the last one.
    """

    def __init__(self, entry: TileEntry, held: ValuesUntilLastUse, out: Block | None) -> None:
        self._entry, self._held = entry, held
        instruction, box = held.program.instruction(entry.work.value), entry.work.box
        out = memory_for(instruction, box) if out is None else out
        self.result = np.empty(box.shape, instruction.type.dtype) if out is None else out

    def frames(self) -> Iterator[Frame]:
        """The slabs, each with where its cells go; none where tiles are compiled and have run.

        Cells of which tiles suspect a floating-point error are computed again in slabs, whose
        kernels are sure of it.
        """
        (work, part), held_values, out = self._entry, self._held, self.result
        with checking_fp_errors() as suspicion:
            done = run_tiles(part, work.box, held_values.schedule, held_values.blocks, out)
        if done and (suspicion is None or not suspicion.raised):
            return
        program, values = part.for_block(held_values.schedule)
        for slab in _slabs(work.box, program.type.dtype.itemsize):
            schedule = program.schedule(slab)
            works = [one for one in schedule.works if one.value in values]
            inner = ValuesUntilLastUse(program, schedule, {}, held_values.cells)
            yield Frame(inner, works, out[slab.index(work.box)])

    def completion(self) -> None:
        """Slabs are the value."""


def _slabs(box: ZRange, itemsize: int) -> Iterator[ZRange]:
    """`box` cut along its first dimension."""
    if not box.ndim or box.is_empty:
        yield box
        return
    lo, hi = box.lo[0], box.hi[0]
    rows = max(1, SLAB_BYTES // max(1, box.size // (hi - lo) * itemsize))
    for first in range(lo, hi, rows):
        yield box.replace(0, first, min(first + rows, hi))
