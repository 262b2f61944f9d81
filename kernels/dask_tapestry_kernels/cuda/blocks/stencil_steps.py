"""Several steps of a stencil over a block on a GPU: a launch for as many as have room in a tile."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cuda.blocks.stencil_texts import (
    StencilTile,
    stencil_program,
    stencil_tile,
)
from dask_tapestry_kernels.cuda.cells.formulas import evaluate, handed
from dask_tapestry_kernels.cuda.jit.runtime import Block, blocks_for, runtime
from dask_tapestry_kernels.device_error import KernelDeviceError
from dask_tapestry_kernels.formulas.formula_steps import formula_steps
from dask_tapestry_kernels.kernel_table import Kernel
from dask_tapestry_kernels.output_blocks import OutputAxis, OutputBlocks, OutputShape

Ints = tuple[int, ...]
Box = tuple[Ints, Ints]  # first and one-past-last coordinates


def stencil_steps(
    out: Block | None,
    time: Block,
    *blocks: Block,
    program: Any,
    steps: int,
    cells: Ints,
    box: Box,
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

    Raises
    ------
    KernelDeviceError
        If a formula has no meaning on a GPU, or a step reads more cells than a tile has room for.
    """
    gpu, shape = runtime(), _shape(box)
    dtypes = [expression.dtype for expression, _ in program.formulas]
    results: list[Block] = [gpu.empty(shape, dtype) for dtype in dtypes]
    if out is not None and len(dtypes) == 1 and gpu.is_addressed_by_cells(out):
        results = [out]
    if prod(shape):
        times = _times(program, time, steps)
        inputs = [b if gpu.is_addressed_by_cells(b) else gpu.in_order(b) for b in blocks]
        _run(program, steps, cells, box, inputs, list(lows), times, results)
    if len(results) == 1:
        return results[0]
    axes = tuple([OutputAxis(dim, 1) for dim in range(len(shape))])
    shapes = tuple([OutputShape(f"f{i}", dtypes[i], axes) for i in kept])
    return OutputBlocks(shape, shapes, [results[i] for i in kept])


def _run(
    program: Any,
    steps: int,
    cells: Ints,
    box: Box,
    inputs: list[Block],
    lows: list[Ints],
    times: Sequence[Block],
    results: Sequence[Block],
) -> None:
    """Launch after launch, of which each computes what the ones after it read."""
    gpu, count = runtime(), len(results)
    bytes_of_cell = sum(max(4, block.itemsize) for block in results)
    steps_done = 0
    while steps_done < steps:
        tile = stencil_tile(_shape(box), program.reach, steps - steps_done, bytes_of_cell)
        if tile is None:
            raise KernelDeviceError(f"kernel stencilsteps: no room for a step of {program.reach}")
        region = _region(program, box, cells, steps - steps_done - tile.steps)
        last = steps_done + tile.steps == steps
        targets = results if last else [gpu.empty(_shape(region), b.dtype) for b in results]
        _launch(program, tile, steps_done, cells, region, inputs, lows, times, targets)
        inputs, lows = [*targets, *inputs[count:]], [*[region[0]] * count, *lows[count:]]
        steps_done += tile.steps


def _launch(
    program: Any,
    tile: StencilTile,
    done: int,
    cells: Ints,
    region: Box,
    inputs: Sequence[Block],
    lows: Sequence[Ints],
    times: Sequence[Block],
    targets: Sequence[Block],
) -> None:
    """Compute the cells `region` after the steps of a tile."""
    gpu = runtime()
    kernel = stencil_program(program, tuple([b.dtype for b in inputs]), tile, gpu.threads)
    if kernel is None:
        dtypes = ", ".join(dict.fromkeys(str(block.dtype) for block in inputs))
        raise KernelDeviceError(f"kernel stencilsteps: a formula of {dtypes} has no meaning here")
    counts = [-(-n // side) for n, side in zip(_shape(region), tile.sides, strict=True)]
    words = [prod(counts), done, *counts]
    words += [word for told in zip(*region, cells, strict=True) for word in told]
    for block, low in zip(inputs, lows, strict=True):
        steps = [s // block.itemsize for s in block.strides]
        words += [word for told in zip(low, steps, strict=True) for word in told]
    words += [s // block.itemsize for block in targets for s in block.strides]
    constants = [
        c for expression, _ in program.formulas for c in formula_steps(expression).constants
    ]
    arguments: list[Any] = [np.int64(word) for word in words]
    arguments += [*inputs, *times, *map(handed, constants), *targets]
    gpu.launch(kernel, blocks_for(prod(counts), gpu, 1), arguments)


def _times(program: Any, time: Block, steps: int) -> list[Block]:
    """Values that depend on the number of the step alone, for each step."""
    if not program.scalars:
        return []
    gpu = runtime()
    first = int(time if isinstance(time, np.generic) else gpu.to_host(time))
    numbers = gpu.library.asarray(np.arange(first, first + steps, dtype=np.int64))
    return [evaluate(None, numbers, expression=one) for one in program.scalars]


def _region(program: Any, box: Box, cells: Ints, left: int) -> Box:
    """The cells that are needed to compute a box by so many steps more."""
    lo, hi = [], []
    for a, b, reach, (before, after), n in zip(
        *box, program.reach, program.ends, cells, strict=True
    ):
        lo.append(a - left * reach if before.mode == "wrap" else max(0, a - left * reach))
        hi.append(b + left * reach if after.mode == "wrap" else min(n, b + left * reach))
    return tuple(lo), tuple(hi)


def _shape(box: Box) -> Ints:
    return tuple([max(0, b - a) for a, b in zip(*box, strict=True)])


KERNELS: Final[dict[str, Kernel]] = {"stencilsteps": stencil_steps}  # type: ignore[dict-item]
