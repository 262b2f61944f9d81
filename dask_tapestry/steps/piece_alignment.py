"""Alignment of pieces: where those of a value may end, and take what the whole takes."""

from __future__ import annotations

from bisect import bisect_right
from functools import lru_cache, partial

from dask_tapestry.steps.chunk_alignment import ChunkAlignment, units
from dask_tapestry.steps.program import Program
from dask_tapestry.steps.tuning import LEAST_REPEATING_PIECES, LONGER_PIECES, REPEATED_WORK
from dask_tapestry.teg import Source
from dask_tapestry.zspace import ZRange


@lru_cache(maxsize=4096)  # of most programs, it is asked of one dimension
def piece_edges(program: Program, dim: int, most: float = REPEATED_WORK) -> ChunkAlignment | None:
    """Along a dimension of a part's output, where pieces may end; None where it is not cut.

    They take `most` times the work of the whole together, at most.
    """
    if 0 in program.type.shape:
        return None
    unit = units(program, (None,) * len(program.inputs))[dim]
    return _first_grain(program, dim, unit, most)


def _first_grain(
    program: Program, dim: int, unit: ChunkAlignment, most: float
) -> ChunkAlignment | None:
    """The grain of a unit; where that tells of no chunks, of one as long as chunks are."""
    found = _grain(program, dim, unit, most)
    sides = _sides(program) if found is None and unit == ChunkAlignment() else ()
    longer = (_grain(program, dim, ChunkAlignment(side), most) for side in sides)
    return found or next((grain for grain in longer if grain is not None), None)


def _sides(program: Program) -> tuple[int, ...]:
    """Lengths of stored chunks along any axis: of ``x + x.T``, edges of both are edges of all."""
    found: set[int] = set()
    for operator, *_ in program.instructions:
        if isinstance(operator, Source) and operator.read_sides is not None:
            found.update(operator.read_sides)
    return tuple(sorted(found - {1}))


def _grain(program: Program, dim: int, unit: ChunkAlignment, most: float) -> ChunkAlignment | None:
    """Pieces along `dim` together read and compute little more than the whole.

    Two edges in a row are looked at: the one in the middle may happen to be a chunk's.
    Where cells of a chunk are skipped, a piece of equal ones ends within a chunk.
    """
    extent, side = program.type.shape[dim], unit.length
    layers = partial(_layer_cost, program, dim)
    while unit.pace == 1 and side < extent:
        ends = _ends_in_middle(unit, side, extent)
        if ends is None:
            return None
        first, (whole, work) = layers(ends[0], ends[1]), layers(ends[0], ends[2])
        if whole and side > max(unit.length, extent // LEAST_REPEATING_PIECES):
            return None
        second = layers(ends[1], ends[2])
        if first[0] + second[0] > REPEATED_WORK * whole:
            return None  # as are most, before any more is looked at
        if second[0] + layers(ends[2], ends[3])[0] > REPEATED_WORK * layers(ends[1], ends[3])[0]:
            return None
        again = (first[1] + second[1]) / max(1, work)
        if again <= (1 if side == unit.length else most):
            return unit._replace(length=side)
        if unit.places:
            return None
        side *= LONGER_PIECES
    return None


def _ends_in_middle(unit: ChunkAlignment, side: int, extent: int) -> tuple[int, ...] | None:
    """Where three pieces of a unit in a row end, near the middle; None where there is no edge."""
    if unit.places:
        edges = (0, *unit.places, extent, extent)
        at = max(1, bisect_right(unit.places, extent // 2))
        return edges[at - 1 : at + 3]
    edge = (extent // 2 - unit.lead) // side * side + unit.lead
    if edge <= 0 or edge >= extent:
        edge = unit.lead or side
    if not 0 < edge < extent:
        return None
    return max(0, edge - side), edge, min(extent, edge + side), min(extent, edge + 2 * side)


def _layer_cost(program: Program, dim: int, lo: int, hi: int) -> tuple[int, int]:
    """Bytes that are read from stores for some layers of the output, and cells computed."""
    return stored_and_work(program, program.type.box.replace(dim, lo, hi))


def stored_and_work(program: Program, box: ZRange) -> tuple[int, int]:
    """Bytes that are read from stores for the output's cells `box`, and cells and operations."""
    stored = cells = 0
    for value, own, _ in program.schedule(box).works:
        operator, _, types, *_ = program.instruction(value)
        stored += operator.stored_bytes(own)
        cells += own.size + operator.flops(types, own)
    return stored, cells
