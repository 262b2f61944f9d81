"""A range of ranks: cells of a line by their numbers in its order, the others unsorted.

Two borders are guessed from a sample, so that the wanted cells lie between them; one pass over the
line counts and picks what there is between; that alone is sorted. A guess that was wrong costs a
second pass, and no guess changes a bit of what comes out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from dask_tapestry_kernels.cpu.blocks.between_compiled import (
    STRIP,
    BorderedCells,
    between,
    places_between,
)
from dask_tapestry_kernels.cpu.blocks.stable_order import stable_order
from dask_tapestry_kernels.parameters.ranks import DOUBT, SAMPLE, groups

Block = np.ndarray[Any, Any]
Sorter = Callable[[Block], None]


def ranked(line: Block, start: int, stop: int, sort: Sorter, out: Block | None = None) -> Block:
    """Cells number `start` to `stop` of the sorted line.

    Parameters
    ----------
    line
        Its cells in one piece.
    sort
        Sorts cells in place, as the whole line is to be sorted: -0.0 before 0.0, NaN last.
    out
        Where the cells go; by default to an array of their own.
    """
    low, high = borders(line, start, stop)
    lowest, highest = ends(line.dtype)
    split = between(line, low, high)
    while True:
        end = split.below + split.first + split.inside.size + split.last
        if split.below > start:
            low = lowest
        elif end < stop and high != highest:
            high = highest
        else:
            break
        split = between(line, low, high)
    sort(split.inside)
    result = np.empty(stop - start, line.dtype) if out is None else out
    _join(line, split, low, high, result, split.below - start)
    return result


def ranked_places(line: Block, start: int, stop: int) -> Block:
    """Places of the cells number `start` to `stop` of the sorted line; equal cells by place."""
    low, high = borders(line, start, stop)
    lowest, highest = ends(line.dtype)
    below, places = places_between(line, low, high)
    while below > start or (below + places.size < stop and high != highest):
        low, high = (lowest, high) if below > start else (low, highest)
        below, places = places_between(line, low, high)
    order = stable_order(line[places])[start - below : stop - below]
    return places[order]


def some_ranked(line: Block, ranks: Sequence[int], sort: Sorter) -> Block:
    """The cells of `ranks` of the sorted line; a pass for each group of near ones."""
    cells = {}
    for group in groups(ranks, line.size):
        found = ranked(line, group[0], group[-1] + 1, sort)
        cells.update({rank: found[rank - group[0]] for rank in group})
    return np.array([cells[rank] for rank in ranks], line.dtype)


def ends(dtype: np.dtype[Any]) -> tuple[Any, Any]:
    """The first and the last number of a dtype; NaN is none."""
    if dtype.kind == "f":
        return dtype.type(-np.inf), dtype.type(np.inf)
    info = np.iinfo(dtype)
    return dtype.type(info.min), dtype.type(info.max)


def borders(line: Block, start: int, stop: int) -> tuple[Any, Any]:
    """Numbers between which the cells `start` to `stop` lie, by a sample, most probably."""
    lowest, highest = ends(line.dtype)
    if line.size <= SAMPLE:
        return lowest, highest
    sample = np.sort(line[_sampled(line.size)], kind="stable")  # the default fails for float16
    first = start * SAMPLE // line.size - DOUBT
    last = -(-stop * SAMPLE // line.size) + DOUBT
    low = lowest if first < 0 else sample[first]
    high = highest if last >= SAMPLE else sample[last]
    return (low if low <= highest else highest), (high if high <= highest else highest)  # not NaN


@lru_cache(maxsize=4)
def _sampled(size: int) -> Block:
    """Places of the sample of a line: at random, as cells may come in periods."""
    return np.sort(np.random.default_rng(0).integers(0, size, SAMPLE))


def _join(line: Block, found: BorderedCells, low: Any, high: Any, result: Block, at: int) -> None:
    """Write a part of the sorted line, of which the cells between the borders are in order.

    The first border is `at` of the result.
    """
    for cells, count in ((low, found.first), (found.inside, found.inside.size), (high, found.last)):
        first, last = max(0, at), min(result.size, at + count)
        if first < last:
            one = np.ndim(cells) == 0
            result[first:last] = cells if one else cells[first - at : last - at]
            if one and cells == 0 and line.dtype.kind == "f":
                minus = min(last, max(first, at + _negative_zeros(line)))
                result[first:minus], result[minus:last] = -0.0, 0.0
        at += count
    result[max(0, at) :] = np.nan if line.dtype.kind == "f" else 0  # NaN, where there are cells


def _negative_zeros(line: Block) -> int:
    """Number of the cells that are -0.0."""
    strips = (line[at : at + STRIP] for at in range(0, line.size, STRIP))
    return sum(int(np.count_nonzero((strip == 0) & np.signbit(strip))) for strip in strips)
