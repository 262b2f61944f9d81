"""Several steps of a stencil over a block, tile by tile: one stays in cache for all steps.

A tile of the block is computed from a larger one of the fields, which shrinks by what a step reads
beside its cells. Cells that two tiles need are computed by both, so tiles wait for nothing. Away
from the ends of the array one compiled loop runs all steps of all tiles; beside them a step ends
with the cells beyond the ends, and NumPy's views lead from step to step. The bits are the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import prod
from typing import Any, Final, NamedTuple

import numpy as np

from dask_tapestry_kernels.cpu.cells import compiled_tiles
from dask_tapestry_kernels.cpu.cells.interpreter import evaluate
from dask_tapestry_kernels.floating_point import checking_fp_errors
from dask_tapestry_kernels.kernel_table import Kernel
from dask_tapestry_kernels.output_blocks import OutputAxis, OutputBlocks, OutputShape
from dask_tapestry_kernels.parameters.stencil_tiles import tile_of
from dask_tapestry_kernels.parameters.tiled_operations import GridLine, Operation
from dask_tapestry_kernels.stopping import stop_if_asked

Block = np.ndarray[Any, Any]
Ints = tuple[int, ...]

SMALLEST: Final = 2**12  # cells; of fewer, finding the compiled way takes longer than NumPy


class Box(NamedTuple):
    """Cells from `lo` to `hi` along each axis."""

    lo: Ints
    hi: Ints

    @property
    def shape(self) -> Ints:
        """Extents."""
        return tuple([b - a for a, b in zip(self.lo, self.hi, strict=True)])

    @property
    def size(self) -> int:
        """Number of cells."""
        return prod([max(0, n) for n in self.shape])

    def slices_in(self, outer: Box, offset: Ints) -> tuple[Any, ...]:
        """The cells that lie `offset` from its own, as slices of an array of `outer`."""
        sides = zip(self.lo, self.hi, outer.lo, offset, strict=True)
        return tuple([slice(a - low + by, b - low + by) for a, b, low, by in sides])


class _StencilRun(NamedTuple):
    """What a block is computed from.

    Attributes
    ----------
    program, steps, cells
        As of the operator: what a step computes, how many there are, extents of the fields.
    blocks, boxes
        Fields and what else is read of them, and the cells that each has.
    times
        Values that depend on the step's number alone, for each step.
    """

    program: Any
    steps: int
    cells: Ints
    blocks: tuple[Block, ...]
    boxes: tuple[Box, ...]
    times: tuple[tuple[Block, ...], ...]

    def region(self, tile: Box, done: int) -> Box:
        """The cells that are needed after so many steps to compute a tile in all of them."""
        left = self.steps - done
        lo, hi = [], []
        axes = zip(tile.lo, tile.hi, self.program.reach, self.program.ends, self.cells, strict=True)
        for a, b, reach, (before, after), n in axes:
            lo.append(a - left * reach if before.mode == "wrap" else max(0, a - left * reach))
            hi.append(b + left * reach if after.mode == "wrap" else min(n, b + left * reach))
        return Box(tuple(lo), tuple(hi))


def stencil_steps(
    out: Block | None,
    time: Block,
    *blocks: Block,
    program: Any,
    steps: int,
    cells: Ints,
    box: tuple[Ints, Ints],
    lows: tuple[Ints, ...],
    kept: Ints = (0,),
) -> Block | OutputBlocks:
    """Compute the cells `box` of the fields after some steps.

    Parameters
    ----------
    out
        Where the cells may be written, of one field.
    time
        The number of the first step.
    blocks
        The fields, and what else is read of them.
    program
        What a step computes: see the operator.
    steps, cells
        How many, and the extents of the fields.
    box, lows
        First and one-past-last coordinates of the block, and the first ones of what is read.
    kept
        Numbers of the fields that are returned, where there are several.
    """
    box_here = Box(*box)
    dtypes = [expression.dtype for expression, _ in program.formulas]
    results = [np.empty(box_here.shape, dtype) for dtype in dtypes]
    if out is not None and len(results) == 1:
        results = [out]
    boxes = tuple(
        Box(low, tuple([a + n for a, n in zip(low, b.shape, strict=True)]))
        for low, b in zip(lows, blocks, strict=True)
    )
    run = _StencilRun(program, steps, cells, blocks, boxes, _times(program, time, steps))
    if box_here.size:
        inner = _inner(run, box_here)
        rest = [box_here]
        if inner.size >= SMALLEST and _run_tiles(run, box_here, inner, results):
            rest = list(_surrounding_boxes(box_here, inner))
        for part in rest:
            for tile in _tiles(run, part):
                stop_if_asked()
                _run_tile(run, box_here, tile, results)
    if len(results) == 1:
        return results[0]
    axes = tuple([OutputAxis(dim, 1) for dim in range(len(box_here.shape))])
    shapes = tuple([OutputShape(f"f{i}", dtypes[i], axes) for i in kept])
    return OutputBlocks(box_here.shape, shapes, [results[i] for i in kept])


def _times(program: Any, time: Block, steps: int) -> tuple[tuple[Block, ...], ...]:
    """Values that depend on the number of the step alone."""
    numbers = [np.full((1,), int(time) + step, np.int64) for step in range(steps)]
    return tuple(
        tuple([evaluate(None, n, expression=one).reshape(()) for one in program.scalars])
        for n in numbers
    )


def _inner(run: _StencilRun, here: Box) -> Box:
    """The cells of a block to which no step brings what lies beyond the ends."""
    lo, hi = list(here.lo), list(here.hi)
    for axis, (before, after) in enumerate(run.program.ends):
        far = run.steps * run.program.reach[axis]
        if before.mode != "wrap":
            lo[axis] = min(hi[axis], max(lo[axis], far))
        if after.mode != "wrap":
            hi[axis] = max(lo[axis], min(hi[axis], run.cells[axis] - far))
    return Box(tuple(lo), tuple(hi))


def _surrounding_boxes(here: Box, inner: Box) -> Iterator[Box]:
    """What `inner` leaves of a box: along each axis the parts before and behind it."""
    lo, hi = list(here.lo), list(here.hi)
    for axis, (a, b) in enumerate(zip(inner.lo, inner.hi, strict=True)):
        for start, stop in ((lo[axis], a), (b, hi[axis])):
            if start < stop:
                first, last = [*lo], [*hi]
                first[axis], last[axis] = start, stop
                yield Box(tuple(first), tuple(last))
        lo[axis], hi[axis] = a, b


def _tiles(run: _StencilRun, part: Box) -> Iterator[Box]:
    _, sides = tile_of(part.shape, run.program.reach, run.steps, _cell_bytes(run.program))
    starts = [range(a, b, n) for a, b, n in zip(part.lo, part.hi, sides, strict=True)]
    for lo in product(*starts):
        yield Box(lo, tuple([min(a + n, b) for a, n, b in zip(lo, sides, part.hi, strict=True)]))


def _cell_bytes(program: Any) -> int:
    """Bytes of a cell of all fields."""
    return sum(expression.dtype.itemsize for expression, _ in program.formulas)


def _run_tiles(run: _StencilRun, here: Box, inner: Box, results: Sequence[Block]) -> bool:
    """Compute the inner cells by one compiled loop; return whether that was done, and no error."""
    program, steps = run.program, run.steps
    _, sides = tile_of(inner.shape, program.reach, steps, _cell_bytes(program))
    tile = Box(inner.lo, tuple([a + n for a, n in zip(inner.lo, sides, strict=True)]))
    widest = run.region(tile, 1)
    buffers = [[np.empty(widest.shape, x.dtype) for x in results] for _ in range(min(2, steps - 1))]
    still = (0,) * len(sides)
    operations = []
    for step in range(1, steps + 1):
        region = run.region(tile, step)
        for field, (expression, operands) in enumerate(program.formulas):
            arrays, moves = [], []
            for number in operands:
                if number < 0:
                    arrays.append(np.broadcast_to(run.times[step - 1][-1 - number], region.shape))
                    moves.append(still)
                    continue
                source, offset = program.taps[number]
                given = step == 1 or source >= len(results)
                array = run.blocks[source] if given else buffers[step % 2][source]
                arrays.append(
                    array[region.slices_in(run.boxes[source] if given else widest, offset)]
                )
                moves.append(array.strides if given else still)
            target = results[field] if step == steps else buffers[(step + 1) % 2][field]
            outer = here if step == steps else widest
            arrays.append(target[region.slices_in(outer, still)])
            moves.append(target.strides if step == steps else still)
            operations.append(Operation(expression, tuple(arrays), tuple(moves)))
    grid = [
        GridLine(-(-n // side), side, n - side) for n, side in zip(inner.shape, sides, strict=True)
    ]
    with checking_fp_errors() as suspicion:
        done = compiled_tiles.run(operations, grid, inner.size)
    return done and (suspicion is None or not suspicion.raised)


def _run_tile(run: _StencilRun, here: Box, tile: Box, targets: Sequence[Block]) -> None:
    """Compute a tile step by step, with what lies beyond the ends of the array."""
    program = run.program
    fields, outer = _with_ends(run, run.region(tile, 0), run.blocks[: len(targets)], run.boxes)
    for step in range(1, run.steps + 1):
        region = run.region(tile, step)
        last = step == run.steps
        results = []
        for field, (expression, operands) in enumerate(program.formulas):
            cells = [
                np.broadcast_to(run.times[step - 1][-1 - number], region.shape)
                if number < 0
                else _tap(run, program.taps[number], fields, outer, region)
                for number in operands
            ]
            target = targets[field][tile.slices_in(here, (0,) * len(tile.lo))] if last else None
            results.append(evaluate(target, *cells, expression=expression))
        if not last:
            fields, outer = _with_ends(run, region, results, (region,) * len(results))


def _tap(
    run: _StencilRun, tap: tuple[int, Ints], fields: Sequence[Block], outer: Box, region: Box
) -> Any:
    source, offset = tap
    if source < len(fields):
        return fields[source][region.slices_in(outer, offset)]
    return run.blocks[source][region.slices_in(run.boxes[source], offset)]


def _with_ends(
    run: _StencilRun, region: Box, arrays: Sequence[Block], boxes: Sequence[Box]
) -> tuple[list[Block], Box]:
    """The cells `region` of fields, with those beyond the ends of the array that a step sees."""
    ends, zero = run.program.ends, (0,) * len(region.lo)
    lo, hi = list(region.lo), list(region.hi)
    for axis, (before, after) in enumerate(ends):
        if before.mode != "wrap" and lo[axis] == 0:
            lo[axis] -= before.width
        if after.mode != "wrap" and hi[axis] == run.cells[axis]:
            hi[axis] += after.width
    outer = Box(tuple(lo), tuple(hi))
    if outer == region:
        pairs = zip(arrays, boxes, strict=False)
        return [array[(*region.slices_in(box, zero), ...)] for array, box in pairs], region
    filled = []
    for field, (array, box) in enumerate(zip(arrays, boxes, strict=False)):
        cells = np.empty(outer.shape, array.dtype)
        cells[region.slices_in(outer, zero)] = array[region.slices_in(box, zero)]
        _fill(cells, outer, region, ends, field)
        filled.append(cells)
    return filled, outer


def _fill(cells: Block, outer: Box, region: Box, ends: Any, field: int) -> None:
    """Write the cells beyond the ends, axis by axis, from those that are there."""
    for axis, (before, after) in enumerate(ends):
        own: tuple[Any, ...] = (slice(None),) * axis
        first, last = region.lo[axis] - outer.lo[axis], region.hi[axis] - outer.lo[axis]
        for place in range(first):
            cells[(*own, first - 1 - place)] = _cells_beyond(
                cells, own, before, first, place, field
            )
        for place in range(outer.hi[axis] - region.hi[axis]):
            cells[(*own, last + place)] = _cells_beyond(cells, own, after, last - 1, -place, field)


def _cells_beyond(cells: Block, own: Any, side: Any, edge: int, place: int, field: int) -> Any:
    """The cells that lie beyond an edge, `place` cells further than the first there."""
    if side.mode == "constant":
        return side.values[field]
    return cells[(*own, edge if side.mode == "edge" else edge + place)]


KERNELS: Final[dict[str, Kernel]] = {"stencilsteps": stencil_steps}  # type: ignore[dict-item]
