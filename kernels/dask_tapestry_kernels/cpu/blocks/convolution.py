"""Convolutions of blocks, whose windows a view of the block shows.

Blocks are (batch, groups, channels, space...) and (groups, outputs, channels, window...); results
(batch, groups, outputs, space...), with partial sums in parts of the channels before them.

Three ways to a product by BLAS were measured (32 of 32 x 256 x 256 by 32 x 32 x 3 x 3 float32, one
thread): windows copied side by side in strips that the second cache holds took .14 s, copies of
whole images .25 s, a product for each cell of the window added up .16 s with twice the memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod
from typing import Any, Final

import numpy as np
from numpy.lib.stride_tricks import as_strided

from dask_tapestry_kernels.blas_threads import threads_each
from dask_tapestry_kernels.cpu.blocks import convolution_compiled
from dask_tapestry_kernels.cpu.cells.interpreter import tiles
from dask_tapestry_kernels.cpu.cells.reproducible_ufuncs import multiply
from dask_tapestry_kernels.floating_point import listening
from dask_tapestry_kernels.kernel_table import Kernel
from dask_tapestry_kernels.stopping import stop_if_asked

Block = np.ndarray[Any, Any]
ALL: Final[Any] = slice(None)
STRIP_BYTES: Final = 2**20  # of windows side by side: 70 GFLOP/s; 256 KiB 54, 4 MiB 58
LEAST_CELLS: Final = 64  # that a window is multiplied for at a time
TILE_BYTES: Final = 2**18  # of sums: with what is added they stay in the second cache


def convolution(
    out: Block | None,
    x: Block,
    k: Block,
    *,
    strides: tuple[int, ...],
    dilation: tuple[int, ...],
    part: int | None,
    dtype: np.dtype[Any],
) -> Block:
    """Sums of products of windows of `x` with `k`, by BLAS.

    Parameters
    ----------
    strides, dilation
        Cells from a window to the next, and from a cell of a window to the next, along space.
    part
        Channels of a partial sum; None for whole sums.
    dtype
        Of the result.
    """
    result, windows = _result(out, x, k, strides, dilation, part, dtype)
    with threads_each(1):  # blocks are cut for all threads, and strips are short
        for sums, seen, weights in _parts(result, windows, k, part):
            _multiply(sums, seen, weights)
    return result


def direct_convolution(
    out: Block | None,
    x: Block,
    k: Block,
    *,
    strides: tuple[int, ...],
    dilation: tuple[int, ...],
    part: int | None,
    dtype: np.dtype[Any],
) -> Block:
    """A convolution that adds products in order: a cell has the same bits in every block.

    They are in the order of channels, then of the window's cells in C order.
    """
    result, windows = _result(out, x, k, strides, dilation, part, dtype)
    with np.errstate(all="ignore"), listening(frozenset()):
        for sums, seen, weights in _parts(result, windows, k, part):
            if not convolution_compiled.added_up(sums, seen, weights):
                _add_up(sums, seen, weights)
    return result


def _result(
    out: Block | None,
    x: Block,
    k: Block,
    strides: Sequence[int],
    dilation: Sequence[int],
    part: int | None,
    dtype: np.dtype[Any],
) -> tuple[Block, Block]:
    """Where the result is written, and the windows of `x`: their cells, then their places."""
    window = k.shape[3:]
    windows = windows_of(x, 3, window, strides, dilation)
    parts = () if part is None else (-(-x.shape[2] // part),)
    shape = (*parts, *x.shape[:2], k.shape[1], *windows.shape[3 + len(window) :])
    return np.empty(shape, dtype) if out is None else out, windows


def windows_of(
    x: Block,
    first: int,
    window: Sequence[int],
    strides: Sequence[int],
    dilation: Sequence[int],
) -> Block:
    """A view of `x`, whose axes from `first` on are space, as (..., window..., places...)."""
    space, steps = x.shape[first:], x.strides[first:]
    reach = [d * (w - 1) + 1 for w, d in zip(window, dilation, strict=True)]
    counts = [max(0, (n - r) // s + 1) for n, r, s in zip(space, reach, strides, strict=True)]
    inner = [step * d for step, d in zip(steps, dilation, strict=True)]
    outer = [step * s for step, s in zip(steps, strides, strict=True)]
    shape = (*x.shape[:first], *window, *counts)
    if 0 in shape:
        return np.empty(shape, x.dtype)
    return as_strided(x, shape, (*x.strides[:first], *inner, *outer), writeable=False)


def _parts(
    result: Block, windows: Block, k: Block, part: int | None
) -> list[tuple[Block, Block, Block]]:
    """For each partial sum, its block, and windows and weights of its channels."""
    if part is None:
        return [(result, windows, k)]
    return [
        (sums, windows[:, :, n * part : (n + 1) * part], k[:, :, n * part : (n + 1) * part])
        for n, sums in enumerate(result)
    ]


def _multiply(sums: Block, windows: Block, k: Block) -> None:
    """Strips of windows, copied side by side, times the weights."""
    rank = k.ndim - 3
    terms = prod(k.shape[2:])
    if not sums.size or not terms:
        sums[...] = 0
        return
    weights = k.reshape(*k.shape[:2], terms)
    cells = max(LEAST_CELLS, STRIP_BYTES // (terms * sums.dtype.itemsize))
    strip = np.empty(0, sums.dtype)
    for batch, group, *tile in _strips((*sums.shape[:2], *sums.shape[3:]), cells):
        stop_if_asked()
        strip_windows = windows[(batch, group, *(ALL,) * (1 + rank), *tile)]
        shape = (*strip_windows.shape[:2], terms, -1)
        if terms == k.shape[2]:  # of one cell each: they may lie side by side as they are
            columns = strip_windows.reshape(shape)
        else:
            if strip.size < strip_windows.size:
                strip = np.empty(strip_windows.size, sums.dtype)
            np.copyto(strip[: strip_windows.size].reshape(strip_windows.shape), strip_windows)
            columns = strip[: strip_windows.size].reshape(shape)
        into = sums[(batch, group, ALL, *tile)]
        into[...] = np.matmul(weights[group], columns).reshape(into.shape)


def _strips(shape: Sequence[int], cells: int) -> Any:
    """Boxes of about `cells` cells that tile `shape`, without the Ellipsis of tiles."""
    for tile in tiles(tuple(shape), cells):
        yield tile[:-1]


def _add_up(sums: Block, windows: Block, k: Block) -> None:
    """Tiles of sums, to which one product after the other is added."""
    rank = k.ndim - 3
    outputs = k.shape[1]
    terms = list(product(*map(range, k.shape[2:])))
    cells = max(1, TILE_BYTES // max(1, outputs * sums.dtype.itemsize))
    add: Any = np.logical_or if sums.dtype.kind == "b" else np.add
    for batch, group, *tile in _strips((*sums.shape[:2], *sums.shape[3:]), cells):
        stop_if_asked()
        into = sums[(batch, group, ALL, *tile)]
        if not into.size:
            continue
        own = np.zeros(into.shape, sums.dtype)
        seen = windows[(batch, group, *(ALL,) * (1 + rank), *tile)]
        scratch = np.empty(into.shape, sums.dtype)
        for term in terms:
            weight = k[(group, ALL, *term)].reshape(1, -1, outputs, *(1,) * rank)
            cell = seen[(ALL, ALL, *term)][:, :, None]
            add(own, multiply(cell, weight, scratch), out=own)
        into[...] = own


KERNELS: Final[dict[str, Kernel]] = {
    "convolution": convolution,
    "directconvolution": direct_convolution,
}
