"""Gather: windows of a block that begin where index vectors say.

A result has axes that run through index vectors, its batch, and axes that run through a window. So
the place of a cell in memory is a sum: of where its window begins, and of steps along the axes of
the window before the batch, and behind it. Each part is a table; a loop adds them up.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cpu.blocks import gather_compiled
from dask_tapestry_kernels.kernel_table import Kernel
from dask_tapestry_kernels.parameters.coordinate_steps import CoordinateStep, component_of

Block = np.ndarray[Any, Any]


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
    if 0 in shape:
        return np.empty(shape, operand.dtype) if out is None else out
    coordinate_steps = [CoordinateStep(*step) for step in steps]
    batch = tuple(axis for axis in range(len(shape)) if axis not in window)
    starts = [start_of(indices, vector, s) for s in coordinate_steps]
    if prod(shape) >= gather_compiled.SMALL:
        made = gather_compiled.gather(out, operand, starts, coordinate_steps, batch, shape)
        if made is not None:
            return made
    return _indexed(operand, starts, coordinate_steps, batch, shape)


def start_of(indices: Block, vector: int, step: CoordinateStep) -> Block | None:
    """Where windows begin along an axis of the whole operand, so that they lie within; intp.

    None where no index moves them.
    """
    found: Block | None = component_of(indices, vector, step.component)
    if found is None or not step.most:
        return None
    top = min(step.most, np.iinfo(found.dtype).max)
    held: Block = np.clip(found, 0, top, dtype=found.dtype)
    return held.astype(np.intp, copy=False)


def _indexed(
    operand: Block,
    starts: Sequence[Block | None],
    steps: Sequence[CoordinateStep],
    batch: tuple[int, ...],
    shape: tuple[int, ...],
) -> Block:
    """Gather by NumPy: dimensions that no index moves are slices, the others integer arrays."""
    rank = len(shape)
    ahead, picks, whole, slices = [], [], [], []
    for dim, (start, step) in enumerate(zip(starts, steps, strict=True)):
        begin = step.first - step.origin
        if start is None and step.axis is not None and step.axis not in batch:
            whole.append((dim, step.axis))
            slices.append(slice(begin, begin + shape[step.axis]))
            continue
        ahead.append(dim)
        slices.append(slice(None))
        picks.append(_places(start, step, batch, shape))
    free = [axis for _, axis in whole]
    indexed_axes = [axis for axis in range(rank) if axis not in free]
    sides = tuple(shape[axis] for axis in indexed_axes)
    front = operand[tuple(slices)].transpose((*ahead, *(dim for dim, _ in whole)))
    chosen = [np.broadcast_to(p.reshape([p.shape[a] for a in indexed_axes]), sides) for p in picks]
    rest = front.shape[len(chosen) :]
    places: Any = (*chosen, ...)  # with the dots one cell is an array too, of the same dtype
    gathered = front[places] if chosen else np.broadcast_to(front, sides + rest)
    return gathered.transpose(np.argsort([*indexed_axes, *free]))


def _places(
    start: Block | None, step: CoordinateStep, batch: tuple[int, ...], shape: tuple[int, ...]
) -> Block:
    """Coordinates along an axis of the operand's block, with an axis for each of the result."""
    rank = len(shape)
    indices = np.full((1,) * rank, step.first - step.origin, np.intp)
    if start is not None:
        indices = indices + spread(start, batch, rank)
    if step.axis is not None:
        line = (1,) * step.axis + (-1,) + (1,) * (rank - step.axis - 1)
        indices = indices + np.arange(shape[step.axis]).reshape(line)
    return indices


def spread(start: Block, batch: tuple[int, ...], rank: int) -> Block:
    """A block over the batch with axes for the whole result."""
    sides = [1] * rank
    for axis, n in zip(batch, start.shape, strict=True):
        sides[axis] = n
    return start.reshape(sides)


KERNELS: Final[dict[str, Kernel]] = {"gather": gather}
