"""Gather on a GPU: windows of a block that begin where index vectors say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from dask_tapestry_kernels.cuda.blocks.picked_cells import Pick, aligned, picked
from dask_tapestry_kernels.cuda.jit.runtime import Block, runtime
from dask_tapestry_kernels.kernel_table import Kernel
from dask_tapestry_kernels.parameters.coordinate_steps import CoordinateStep, component_of


def gather(
    out: Block | None,
    operand: Block,
    indices: Block,
    *,
    steps: Sequence[tuple[int | None, int | None, int, int, int, int]],
    vector: int,
    window: tuple[int, ...],
    shape: tuple[int, ...],
) -> Block:
    """The windows of `operand` at the index vectors, of `shape`.

    Parameters
    ----------
    indices
        Integers; their axis `vector` holds vectors, or each is one number where it has none.
    steps
        For each axis of `operand`, a `CoordinateStep`.
    window
        Axes of the result that run through windows.
    shape
        Of the result.
    """
    gpu = runtime()
    operand, indices = aligned(gpu, operand), aligned(gpu, indices)
    batch = [axis for axis in range(len(shape)) if axis not in window]
    strides, base, picks = [0] * len(shape), 0, []
    for axis, told in enumerate(steps):
        step, pace = CoordinateStep(*told), operand.strides[axis]
        base += (step.first - step.origin) * pace
        if step.axis is not None:
            strides[step.axis] += pace
        numbers = component_of(indices, vector, step.component)
        if numbers is not None and step.most:
            own = [0] * len(shape)
            for place, stride in zip(batch, numbers.strides, strict=True):
                own[place] = stride
            picks.append(Pick(numbers, tuple(own), axis, step.extent, 0, step.most))
    return picked(out, operand, picks, strides, base, shape)


KERNELS: Final[dict[str, Kernel]] = {"gather": gather}
