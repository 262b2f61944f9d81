"""Linear interpolation on a GPU between points that each block has whole."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cuda.blocks.interp_texts import interp_program
from dask_tapestry_kernels.cuda.jit.runtime import Block, Runtime, blocks_for, runtime
from dask_tapestry_kernels.formulas.merged_dims import merged
from dask_tapestry_kernels.kernel_table import Kernel


def interp(
    out: Block | None,
    cells: Block,
    points: Block,
    values: Block,
    *,
    left: complex | None,
    right: complex | None,
    period: float | None,
) -> Block:
    """Interpolate linearly at `cells`, as `numpy.interp`.

    Parameters
    ----------
    cells
        Coordinates, float64.
    points, values
        Of one dimension and length, float64, and float64 or complex128; `points` ascend unless
        there is a `period`.
    left, right
        Results below and above all points; None for the first and the last value.
    period
        Of the coordinates, or None. Points are put in order on the host where there is one.
    """
    gpu, dtype = runtime(), values.dtype
    source = cells if gpu.is_addressed_by_cells(cells) else gpu.in_order(cells)
    result = out if out is not None and gpu.is_addressed_by_cells(out) else None
    result = gpu.empty(cells.shape, dtype) if result is None else result
    if not result.size:
        return result
    if period is not None:
        points, values = _of_period(gpu, points, values, period)
        left = right = None
    extents, strides = merged([source, result], 1)
    blocks = zip((source, result), strides, strict=True)
    steps = [stride // block.itemsize for block, own in blocks for stride in own]
    arguments: list[Any] = [np.int64(n) for n in (result.size, *extents[1:], *steps, points.size)]
    arguments += [dtype.type(side) for side in (left, right) if side is not None]
    arguments += [] if period is None else [np.float64(period)]
    ends = left is not None, right is not None
    program = interp_program(dtype, ends, period is not None, len(extents))
    arguments += [source, gpu.in_order(points), gpu.in_order(values), result]
    gpu.launch(program, blocks_for(result.size, gpu), arguments)
    return result


def _of_period(gpu: Runtime, points: Block, values: Block, period: float) -> tuple[Block, Block]:
    """The points of a period in order, and one more at either end, as `numpy.interp` makes them."""
    known, heights = gpu.to_host(points) % period, gpu.to_host(values)
    order = np.argsort(known)
    known, heights = known[order], heights[order]
    known = np.concatenate([known[-1:] - period, known, known[:1] + period])
    heights = np.concatenate([heights[-1:], heights, heights[:1]])
    return gpu.library.asarray(known), gpu.library.asarray(heights)


KERNELS: Final[dict[str, Kernel]] = {
    "interp": interp,
}
