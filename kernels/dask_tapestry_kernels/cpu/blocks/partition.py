"""Partitions of lanes: cells below some of the sorted ones, those, and the cells above.

Each part keeps the order in which its cells lie. So the result is the same on every processor, as
that of `numpy.partition` is not: it puts vectors to use as they are there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cpu.blocks import select_compiled
from dask_tapestry_kernels.cpu.blocks.rank_range import some_ranked
from dask_tapestry_kernels.cpu.blocks.sort import is_long, sort_line
from dask_tapestry_kernels.kernel_table import Kernel
from dask_tapestry_kernels.parameters.ranks import are_few

Block = np.ndarray[Any, Any]


def partition(
    out: Block | None,
    block: Block,
    *,
    axis: int,
    part: slice,
    kth: tuple[int, ...],
    places: bool,
) -> Block:
    """The cells `part` along `axis` of partitioned lanes, or their places in the lanes.

    Parameters
    ----------
    kth
        Numbers of the cells that come where they are in the sorted lane.
    """
    start, stop, _ = part.indices(block.shape[axis])
    shape = [stop - start if dim == axis else n for dim, n in enumerate(block.shape)]
    dtype = np.dtype(np.int64) if places else block.dtype
    result = np.empty(shape, dtype) if out is None else out
    lanes, made = np.moveaxis(block, axis, -1), np.moveaxis(result, axis, -1)
    for lane in np.ndindex(lanes.shape[:-1]):
        _fill(made[lane], np.ascontiguousarray(lanes[lane]), kth, start, places)
    return result


def _fill(target: Block, line: Block, kth: tuple[int, ...], start: int, places: bool) -> None:
    """Write the cells from number `start` on of a partitioned line."""
    stop, at = start + target.size, 0
    ranked = _ranked(line, kth)
    if not places and target.size == 1 and start in kth:
        pivot = ranked[kth.index(start)]
        if pivot and pivot == pivot:  # of zeros there are two, and of NaN many
            target[...] = pivot
            return
    for mask in groups(line, np.unique(ranked)):
        end = at + int(np.count_nonzero(mask))
        first, last = max(start, at), min(stop, end)
        if first < last:
            chosen = np.flatnonzero(mask) if places else _picked(line, mask, end - at)
            target[first - start : last - start] = chosen[first - at : last - at]
        at = end
        if at >= stop:
            break


def _ranked(line: Block, kth: tuple[int, ...]) -> Block:
    """The cells number `kth` of the sorted line."""
    if is_long(line, 0) and are_few(kth, line.size):
        return some_ranked(line, kth, sort_line)
    cells: Block = np.partition(line, kth)[list(kth)]
    return cells


def _picked(line: Block, mask: Block, count: int) -> Block:
    found = select_compiled.pick(None, line, mask, 0, count)
    return line[mask] if found is None else found


def groups(line: Block, pivots: Block) -> Iterator[Block]:
    """Which cells are below the first pivot, equal to it, between it and the next one, ...

    Pivots ascend, and NaN, which is the last of all, comes last.

    Examples
    --------
    >>> [mask.tolist() for mask in groups(np.array([3, 1, 2]), np.array([2]))]
    [[False, True, False], [False, False, True], [True, False, False]]
    """
    last: Any = None
    for pivot in pivots:
        if pivot != pivot:  # NaN
            unknown = np.isnan(line)
            yield ~unknown if last is None else line > last
            yield unknown
            return
        below = line < pivot
        yield below if last is None else below & (line > last)
        yield line == pivot
        last = pivot
    yield line > last
    if line.dtype.kind == "f":
        yield np.isnan(line)


KERNELS: Final[dict[str, Kernel]] = {"partition": partition}
