"""Grains: where the pieces of a value may end, so that together they take what the whole takes."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import Final

from dask_tapestry.plan.fusion.program import Program
from dask_tapestry.plan.fusion.units import Unit, units

AGAIN: Final = 1.05  # times the work and the bytes of the whole that pieces may take together
GRAINS: Final = 64  # pieces at least that read something again
LONGER: Final = 2  # times the length of pieces that is tried next, as they compute cells again


@lru_cache(maxsize=2048)
def grains(program: Program) -> tuple[Unit | None, ...]:
    """Along each dimension of a part's output, where pieces may end; None where it is not cut."""
    shape = program.type.shape
    if 0 in shape:
        return (None,) * len(shape)
    along = units(program, (None,) * len(program.inputs))
    return tuple([_grain(program, dim, unit) for dim, unit in enumerate(along)])


def _grain(program: Program, dim: int, unit: Unit) -> Unit | None:
    """Pieces along `dim` together read and compute little more than the whole.

    Where cells of a chunk are skipped, a piece of equal ones ends within a chunk.
    """
    extent, side = program.type.shape[dim], unit.length
    while unit.pace == 1 and side < extent:
        edge = (extent // 2 - unit.lead) // side * side + unit.lead
        if edge <= 0 or edge >= extent:
            edge = unit.lead or side
        if not 0 < edge < extent:
            return None
        ends = max(0, edge - side), edge, min(extent, edge + side)
        apart = [_taken(program, dim, *span) for span in pairwise(ends)]
        stored, work = _taken(program, dim, ends[0], ends[2])
        too_few = stored and side > max(unit.length, extent // GRAINS)
        if too_few or sum(a for a, _ in apart) > AGAIN * stored:
            return None
        again = sum(b for _, b in apart) / max(1, work)
        if again <= (1 if side == unit.length else AGAIN):
            return unit._replace(length=side)
        side *= LONGER
    return None


def _taken(program: Program, dim: int, lo: int, hi: int) -> tuple[int, int]:
    """Bytes that are read from stores for some layers of the output, and cells computed."""
    stored = cells = 0
    for value, box, _ in program.schedule(program.type.box.replace(dim, lo, hi)).works:
        operator, _, types, *_ = program.instructions[value - len(program.inputs)]
        stored += operator.stored_bytes(box)
        cells += box.size + operator.flops(types, box)
    return stored, cells
