"""An exchange that sorts: runs, where they are split, the buckets between, and their merging.

Producers hold sorted runs. Consumer q is to hold the cells from number q * length on, in the order
of all. So each run is split where these begin, and the places are found by a search that sends
probes: some cells of what is still possible of each run, evenly spread. What is possible then, the
window of a split, goes to the consumers before and behind it: each finds the exact places among
these cells of all runs. Cells that are equal go by their run, and within it by their place, so that
no two of them are alike in that order.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.bucket_blocks import BucketBlocks
from dask_tapestry_kernels.cpu.blocks.order_keys import order_keys
from dask_tapestry_kernels.cpu.blocks.sort import (
    KEY,
    LOAD,
    PLACE,
    pair_dtype,
    sort_cells,
    sort_pairs,
    weighed_dtype,
)
from dask_tapestry_kernels.cpu.blocks.stable_order import stable_order
from dask_tapestry_kernels.kernel_table import Kernel
from dask_tapestry_kernels.parameters.largest_cell import largest
from dask_tapestry_kernels.parameters.run_sizes import run_sizes

Block = np.ndarray[Any, Any]
Keep = tuple[Any, ...]  # slices: cells of a whole result that are wanted


def sorted_runs(
    out: Block | None,  # noqa: ARG001
    block: Block,
    *loads: Block,
    length: int,
    first: int,
    count: int,
    places: bool,
    keep: Keep,
) -> Block:
    """Sort `count` runs of `length` cells of the last axis; what is missing is largest.

    With `places`, cells are pairs with their place, of which the first is `first`; where there are
    `loads`, each with its own.
    """
    cells = _in_runs(block, count, length, largest(block.dtype))
    if places:
        order = stable_order(cells)
        starts = first + length * np.arange(count, dtype=np.int64)
        kind = weighed_dtype(block.dtype) if loads else pair_dtype(block.dtype)
        pairs = np.empty(cells.shape, kind)
        pairs[KEY] = np.take_along_axis(cells, order, -1)
        pairs[PLACE] = order + starts[:, None]
        for load in loads:
            pairs[LOAD] = np.take_along_axis(_in_runs(load, count, length, 0), order, -1)
        cells = pairs
    else:
        sort_cells(cells, -1, in_runs=False)
    return cells[(*keep, ...)]


def weighed_sort(out: Block | None, block: Block, loads: Block, *, part: slice) -> Block:  # noqa: ARG001
    """The cells of lanes along the last axis in stable order, with places and loads; a part."""
    told = {"length": block.shape[-1], "first": 0, "count": 1, "places": True, "keep": ()}
    return sorted_runs(None, block, loads, **told)[..., 0, part]


def _in_runs(block: Block, count: int, length: int, missing: Any) -> Block:
    """The last axis of a block as runs, filled up with what is `missing`."""
    lanes, held = block.shape[:-1], block.shape[-1]
    cells = np.empty((*lanes, count * length), block.dtype)
    cells[..., :held] = block
    cells[..., held:] = missing
    return cells.reshape(*lanes, count, length)


def positions(windows: Block, count: int) -> tuple[Block, Block]:
    """Where `count` probes lie between the ends along the last axis, and which of them are some.

    All places where there are no more than `count`; else evenly spread ones.
    """
    first, wide = windows[..., :1], windows[..., 1:] - windows[..., :1]
    number = np.arange(count)
    spread = first + (number + 1) * wide // (count + 1)
    every = first + np.minimum(number, np.maximum(wide - 1, 0))
    return np.where(wide > count, spread, every), number < wide


def probe(out: Block | None, cells: Block, windows: Block, *, count: int, keep: Keep) -> Block:  # noqa: ARG001
    """Order keys of `count` cells of each window of each run: (..., run, split, count)."""
    at, _ = positions(windows, count)
    at = np.minimum(at, cells.shape[-1] - 1)  # where nothing is possible any more
    flat = at.reshape(*at.shape[:-2], -1)
    found = np.take_along_axis(cells, flat, -1).reshape(at.shape)
    return order_keys(found)[(*keep, ...)]


def first_windows(
    out: Block | None,  # noqa: ARG001
    keys: Block,
    *,
    length: int,
    groups: tuple[int, ...],
    keep: Keep,
) -> Block:
    """Windows (..., run, split, 2) in which runs are split, by evenly spread cells of each run.

    Split number b has ``b * length`` cells before it, of all runs together, or all cells. Its
    windows have twice the cells between two such cells of each run. Runs have `length` cells, but
    for the last one of each of the `groups`.
    """
    *lanes, runs, _, count = keys.shape
    sizes = np.array(run_sizes(length, groups))[:, None]
    at, some = positions(np.concatenate([0 * sizes, sizes], 1), count)
    targets = np.minimum(length * np.arange(runs + 1), sizes.sum())
    windows = np.empty((*lanes, runs, runs + 1, 2), np.int64)
    for lane in np.ndindex(*lanes):
        windows[lane] = _between_samples(keys[lane][:, 0], at, some, sizes, targets)
    return windows[(*keep, ...)]


def _between_samples(keys: Block, at: Block, some: Block, sizes: Block, targets: Block) -> Block:
    """Windows (run, split, 2), by keys (run, count) of sorted runs, of which `some` are cells.

    Of a run, before a split with n of its keys ahead, there are at least the cells up to the last
    of these, and at most those before the next one.
    """
    zero = np.zeros_like(sizes)
    least = np.concatenate([zero, np.where(some, at + 1, sizes)], 1)
    most = np.concatenate([np.where(some, at, sizes), sizes], 1)
    chosen = np.flatnonzero(some)
    order = chosen[stable_order(keys.reshape(-1)[chosen])]
    start = int(most[:, 0].sum())
    before = start + np.cumsum(np.diff(most).reshape(-1)[order])
    fewest = np.cumsum(np.diff(least).reshape(-1)[order])
    ranks = np.full(keys.size, order.size)
    ranks[order] = np.arange(order.size)
    ahead = np.concatenate([[start], before[:-1]])
    inside = np.searchsorted(ahead, targets, "left")  # keys that are before a split for certain
    behind = np.searchsorted(np.concatenate([[0], fewest[:-1]]), targets, "left")
    made = np.empty((len(keys), targets.size, 2), np.int64)
    for run, own in enumerate(ranks.reshape(keys.shape)):
        made[run, :, 0] = least[run, np.searchsorted(own, inside)]
        made[run, :, 1] = most[run, np.searchsorted(own, behind)]
    return made


def narrow(
    out: Block | None,  # noqa: ARG001
    keys: Block,
    windows: Block,
    *,
    first: int,
    length: int,
    cells: int,
    keep: Keep,
) -> Block:
    """Windows (..., run, split, 2) in which each run is split, by the probes of those before.

    Split number b has ``(first + b) * length`` cells before it, of all runs together, or all.
    """
    at, some = positions(windows, keys.shape[-1])
    narrowed = windows.copy()
    for lane in np.ndindex(windows.shape[:-3]):
        for split in range(windows.shape[-2]):
            own = (*lane, slice(None), split)
            before = min((first + split) * length, cells)
            narrowed[own] = _narrowed(keys[own], windows[own], at[own], some[own], before)
    return narrowed[(*keep, ...)]


def _narrowed(keys: Block, windows: Block, at: Block, some: Block, before: int) -> Block:
    """Windows (run, 2) of a split with `before` cells before it.

    Of each probe the cells before it are counted, at least and at most: of another run it is known
    between which two probes it lies.
    """
    target = before - int(windows[:, 0].sum())
    first, end = windows[:, :1], windows[:, 1:]
    past = np.where(some, at + 1, end) - first  # cells up to a probe and with it
    low = np.concatenate([np.zeros_like(first), past[:, :-1]], 1)  # up to the one before it
    ahead = np.where(some, at, end) - first  # cells before a probe
    high = np.concatenate([ahead[:, 1:], end - first], 1)  # before the one after it
    chosen = np.flatnonzero(some)
    order = chosen[np.argsort(keys.reshape(-1)[chosen], kind="stable")]
    past, low, ahead, high = (x.reshape(-1)[order] for x in (past, low, ahead, high))
    least = np.cumsum(past - low) - (past - low) + ahead - low
    start = int((np.where(some, at, end)[:, 0] - first[:, 0]).sum())
    most = start + np.cumsum(high - ahead) - (high - ahead)
    made = windows.copy()
    places, owner = at.reshape(-1)[order], order // at.shape[1]
    inside, outside = most + 1 <= target, least >= target
    np.maximum.at(made[:, 0], owner[inside], places[inside] + 1)
    np.minimum.at(made[:, 1], owner[outside], places[outside])
    return made


def split_runs(
    out: None,  # noqa: ARG001
    cells: Block,
    windows: Block,
    *,
    ahead: int,
    behind: int,
    keep: Keep,
) -> BucketBlocks:
    """Buckets (..., run, consumer) of runs: with the windows before and behind a consumer.

    And with the last `ahead` cells before these, and the first `behind` after them.
    """
    made = BucketBlocks.empty((*windows.shape[:-2], windows.shape[-2] - 1))
    firsts, ends = bounds(windows, ahead)
    for at in np.ndindex(made.shape):
        made.cells[at] = cells[at[:-1]][firsts[at] : ends[at] + behind]
    return made[(*keep, ...)]


def bounds(windows: Block, ahead: int = 0) -> tuple[Block, Block]:
    """Where buckets (..., run, consumer) begin and end: with the windows on both sides."""
    low, high = windows[..., 0], windows[..., 1]
    firsts = np.minimum(low[..., :-1], low[..., 1:])
    return np.maximum(firsts - ahead, 0), np.maximum(high[..., :-1], high[..., 1:])


def merge_buckets(
    out: Block | None,
    buckets: BucketBlocks,
    windows: Block,
    *,
    length: int,
    first: int,
    dtype: np.dtype[Any],
    keep: Keep,
) -> Block:
    """The sorted cells of all consumers, `length` each, of its bucket of each run, which is sorted.

    Raises
    ------
    ValueError
        If the buckets of a consumer do not have so many cells.
    """
    *lanes, _, consumers = buckets.shape
    shape = (*lanes, consumers * length)
    given = out is not None and out.shape == shape and out.flags.c_contiguous
    whole = out if out is not None and given else np.empty(shape, dtype)
    merged = whole.reshape(*lanes, consumers, length)
    for at in np.ndindex(*lanes, consumers):
        around = windows[(*at[:-1], slice(None), slice(at[-1], at[-1] + 2))]
        own = list(buckets.cells[(*at[:-1], slice(None), at[-1])])
        before = (first + at[-1]) * length
        ends = exact_ends(own, around, (before, before + length))
        parts = [bucket[a:b] for bucket, a, b in zip(own, *ends, strict=True)]
        if sum(map(len, parts)) != length:
            raise ValueError(f"a consumer was sent {sum(map(len, parts))} cells, not {length}")
        np.concatenate(parts, out=merged[at])
        if dtype.names:
            merged[at] = sort_pairs(merged[at])
        else:
            sort_cells(merged[at], -1, in_runs=True)
    return whole[(*keep, ...)]


def exact_ends(
    buckets: list[Block], around: Block, before: tuple[int, int], ahead: int = 0
) -> list[list[int]]:
    """Where the exact places of the splits around a consumer are, in each of its buckets.

    Parameters
    ----------
    around
        Windows (run, 2, 2) of these splits.
    before
        Cells of all runs that are before each of them.
    ahead
        Cells before their windows that buckets have more, where runs have them.
    """
    (begin,) = bounds(around, ahead)[0].T
    ends = []
    for split, cells in enumerate(before):
        own = around[:, split] - begin[:, None]
        ends.append(_exact(buckets, own, cells - int(around[:, split, 0].sum())))
    return ends


def _exact(buckets: list[Block], windows: Block, inside: int) -> list[int]:
    """The places in buckets where a split is that has so many cells of all windows before it."""
    places, sizes = windows[:, 0], windows[:, 1] - windows[:, 0]
    if not sizes.any():
        return list(places.tolist())
    parts = [bucket[a:b] for bucket, (a, b) in zip(buckets, windows.tolist(), strict=True)]
    order = stable_order(order_keys(np.concatenate(parts)))
    owners = np.repeat(np.arange(len(sizes)), sizes)[order[:inside]]
    return list((places + np.bincount(owners, minlength=len(sizes))).tolist())


KERNELS: Final[dict[str, Kernel]] = {
    "sortedruns": sorted_runs,
    "weighedsort": weighed_sort,
    "probe": probe,
    "firstwindows": first_windows,
    "narrow": narrow,
    "splitruns": split_runs,  # type: ignore[dict-item]
    "mergebuckets": merge_buckets,
}
