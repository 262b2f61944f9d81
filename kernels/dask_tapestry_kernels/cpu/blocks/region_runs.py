"""Regions of one block of true cells, found by runs: cells that lie side by side in a line.

Neighbours of a run are runs of lines before its own, so that each pair is met once. A region has
the number of its first run, the first of its cells in raster order.

Source: L. He, Y. Chao and K. Suzuki, "A run-based two-scan labeling algorithm", 2008.
"""

from __future__ import annotations

from math import prod
from typing import Any, NamedTuple

import numpy as np

from dask_tapestry_kernels.cpu.blocks import region_runs_compiled
from dask_tapestry_kernels.cpu.blocks.unions import least_joined

Block = np.ndarray[Any, Any]


class TouchingCells(NamedTuple):
    """Cells of a line before that touch a run: from `low` before it to `high` after it.

    Attributes
    ----------
    line
        Which line it is, by the steps along all axes but the last.
    low, high
        From the first and the last cell of the run.
    """

    line: tuple[int, ...]
    low: int
    high: int


def reaches(structure: Block) -> tuple[TouchingCells, ...]:
    """What a structure lets a run touch of the lines before.

    Examples
    --------
    >>> reaches(np.ones((3, 3)))
    (TouchingCells(line=(-1,), low=-1, high=1),)
    >>> reaches(np.array([[1, 0, 1]] * 3))
    (TouchingCells(line=(-1,), low=-1, high=-1), TouchingCells(line=(-1,), low=1, high=1))
    """
    touching = []
    for place in np.ndindex(structure.shape[:-1]):
        line = tuple([at - 1 for at in place])
        if line >= (0,) * len(line):
            break
        steps = [step - 1 for step in range(3) if structure[place][step]]
        if steps == [-1, 1]:
            touching += [TouchingCells(line, -1, -1), TouchingCells(line, 1, 1)]
        elif steps:
            touching.append(TouchingCells(line, steps[0], steps[-1]))
    return tuple(touching)


def label_block(out: Block, x: Block, structure: Block) -> int:
    """Fill `out`, int32, with the numbers of the regions of `x`, and return how many there are.

    Both are contiguous, and have at least one axis.
    """
    if not x.size:
        return 0
    joined, touching = bool(structure[(1,) * (x.ndim - 1)][0]), reaches(structure)
    count = region_runs_compiled.label(out, x, joined, touching)
    return _labelled(out, x, joined, touching) if count is None else count


def _labelled(out: Block, x: Block, joined: bool, touching: tuple[TouchingCells, ...]) -> int:
    starts, ends = _runs(x.reshape(-1, x.shape[-1]), joined)
    pairs = [_touched(starts, ends, x.shape, reach) for reach in touching]
    first = np.concatenate([np.empty(0, np.int64), *[one for one, _ in pairs]])
    second = np.concatenate([np.empty(0, np.int64), *[other for _, other in pairs]])
    least = least_joined(len(starts), first, second)
    numbers = np.cumsum(least == np.arange(len(least)))
    flat = out.reshape(-1)
    flat[:] = 0
    flat[np.flatnonzero(x)] = np.repeat(numbers[least], ends - starts)
    return int(numbers[-1]) if len(numbers) else 0


def _runs(lines: Block, joined: bool) -> tuple[Block, Block]:
    """Where runs start and end, counted through all lines; each cell is one unless `joined`."""
    if not joined:
        starts = np.flatnonzero(lines)
        return starts, starts + 1
    first, last = lines.copy(), lines.copy()
    first[:, 1:] &= ~lines[:, :-1]
    last[:, :-1] &= ~lines[:, 1:]
    return np.flatnonzero(first), np.flatnonzero(last) + 1


def _touched(
    starts: Block, ends: Block, shape: tuple[int, ...], reach: TouchingCells
) -> tuple[Block, Block]:
    """Pairs of a run and one that it touches in a line before."""
    width, sides = shape[-1], shape[:-1]
    line = starts // width
    is_touched = np.ones(len(line), bool)
    step = 0
    for axis, move in enumerate(reach.line):
        behind = prod(sides[axis + 1 :])
        at = line // behind % sides[axis] + move
        is_touched &= (at >= 0) & (at < sides[axis])
        step += move * behind
    runs = np.flatnonzero(is_touched)
    begin = (line[runs] + step) * width
    low = np.maximum(starts[runs] + step * width + reach.low, begin)
    high = np.minimum(ends[runs] - 1 + step * width + reach.high, begin + width - 1)
    one = np.searchsorted(ends, low, "right")
    count = np.maximum(np.searchsorted(starts, high, "right") - one, 0)
    before = np.repeat(np.cumsum(count) - count, count)
    return np.repeat(runs, count), np.repeat(one, count) + np.arange(len(before)) - before
