"""Order statistics: some cells of sorted lanes, found without sorting all of them."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cpu.blocks.rank_range import some_ranked
from dask_tapestry_kernels.cpu.blocks.sort import (
    is_long,
    negative_zeros,
    some_lanes,
    sort_lanes,
    sort_line,
)
from dask_tapestry_kernels.cpu.blocks.stable_order import stable_order
from dask_tapestry_kernels.kernel_table import Kernel
from dask_tapestry_kernels.parameters.ranks import are_few
from dask_tapestry_kernels.parameters.weights import NEGATIVE, UNUSABLE

Block = np.ndarray[Any, Any]

FEW_RANKS: Final = 16  # that are selected sooner than all cells are sorted


def ranks(
    out: Block | None,  # noqa: ARG001
    block: Block,
    *,
    ranks: tuple[int, ...],
    axis: int,
    part: slice,
) -> Block:
    """The cells of `ranks` along `axis` of the sorted block; `part` selects some of the ranks."""
    selected = list(ranks[part])
    shape = [len(selected) if dim == axis else n for dim, n in enumerate(block.shape)]
    result = np.empty(shape, block.dtype)
    if is_long(block, axis) and are_few(ranks, block.shape[axis]):
        long, made = np.moveaxis(block, axis, -1), np.moveaxis(result, axis, -1)
        for lane in np.ndindex(long.shape[:-1]):
            line = np.ascontiguousarray(long[lane])
            made[lane] = some_ranked(line, selected, sort_line)
        return result
    for lanes in some_lanes(block, axis):
        cells = np.array(np.moveaxis(block[lanes], axis, -1), order="C")
        signed = block.dtype.kind == "f" and negative_zeros(cells, -1) is not None
        if signed or block.dtype.kind == "c" or len(ranks) > FEW_RANKS:
            sort_lanes(cells, -1, in_runs=False)
        else:
            cells.partition(sorted(set(ranks)), axis=-1)
        result[lanes] = np.moveaxis(cells[..., selected], -1, axis)
    if block.dtype.kind == "f":
        result[np.isnan(result)] = np.nan
    return result


def weighted_ranks(
    out: Block | None,  # noqa: ARG001
    block: Block,
    weights: Block,
    *,
    quantiles: tuple[float, ...],
    dtype: np.dtype[Any],
    skip_nan: bool,
    leaf: int,
    axis: int,
    part: slice,
) -> Block:
    """Return the cells along `axis` at which the sum of weights, in order, reaches its quantiles.

    The last cells in order follow along `axis`. With `skip_nan`, NaN weighs nothing; it is all that
    a lane without other cells yields.
    """
    cells, loads = np.moveaxis(block, axis, -1), np.moveaxis(weights, axis, -1)
    if skip_nan:
        unknown = np.isnan(cells)
        loads = np.where(unknown & ~unknown.all(axis=-1, keepdims=True), 0, loads)
        loads = np.where(unknown.all(axis=-1, keepdims=True), 1, loads)
    order = stable_order(cells)
    cells = np.take_along_axis(cells, order, -1)
    with np.errstate(all="ignore"):
        sums = _running(np.take_along_axis(loads, order, -1), leaf)
        sums /= sums[..., -1:]
    if (loads < 0).any():
        raise ValueError(NEGATIVE)
    if np.isnan(sums[..., -1]).any():
        raise ValueError(UNUSABLE)
    sums = sums.astype(dtype)
    sums[(sums == 0) & (sums[..., :1] == 0)] = -1  # without weight, hence before every quantile
    below = [(sums < dtype.type(q)).sum(axis=-1) for q in quantiles]
    places = np.minimum(np.stack(below, -1), cells.shape[-1] - 1)
    chosen = np.concatenate([np.take_along_axis(cells, places, -1), cells[..., -1:]], -1)
    return np.moveaxis(chosen[..., part], -1, axis)


def _running(loads: Block, leaf: int) -> Block:
    """Running totals along the last axis: of each leaf, after the total of those before."""
    sums = np.empty(loads.shape, np.float64)
    for start in range(0, loads.shape[-1], leaf):
        part = slice(start, start + leaf)
        loads[..., part].cumsum(axis=-1, dtype=np.float64, out=sums[..., part])
        if start:
            sums[..., part] += sums[..., start - 1 : start]
    return sums


KERNELS: Final[dict[str, Kernel]] = {
    "ranks": ranks,
    "weightedranks": weighted_ranks,
}
