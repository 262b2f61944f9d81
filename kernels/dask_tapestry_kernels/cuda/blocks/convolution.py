"""Convolutions on a GPU: few channels added up in order, many by windows side by side and cuBLAS.

Blocks are (batch, groups, channels, space...) and (groups, outputs, channels, window...); results
(batch, groups, outputs, space...), with partial sums in parts of the channels before them.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cuda.blocks.copies import in_order
from dask_tapestry_kernels.cuda.blocks.matmul import matmul
from dask_tapestry_kernels.cuda.blocks.window_texts import convolution_program
from dask_tapestry_kernels.cuda.blocks.windows import (
    NARROW,
    across,
    launch,
    places_on_device,
)
from dask_tapestry_kernels.cuda.jit.runtime import Block, runtime
from dask_tapestry_kernels.device_error import KernelDeviceError
from dask_tapestry_kernels.formulas.scalar_codegen import is_known
from dask_tapestry_kernels.kernel_table import Kernel

DType = np.dtype[Any]
STRIP_BYTES: Final = 2**28  # of windows side by side: room for a product that fills a device


def convolution(
    out: Block | None,
    x: Block,
    k: Block,
    *,
    strides: tuple[int, ...],
    dilation: tuple[int, ...],
    part: int | None,
    dtype: DType,
) -> Block:
    """Sums of products of windows of `x` with `k`, by cuBLAS.

    Parameters
    ----------
    strides, dilation
        Cells from a window to the next, and from a cell of a window to the next, along space.
    part
        Channels of a partial sum; None for whole sums.
    dtype
        Of the result.
    """
    windows = _windows(x, k.shape[3:], strides, dilation)
    result = _result(out, windows, k, part, dtype)
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
    dtype: DType,
) -> Block:
    """A convolution that adds products in order: of channels, then of the window's cells.

    Raises
    ------
    KernelDeviceError
        If blocks and result have several dtypes, or one that no GPU computes in.
    """
    gpu = runtime()
    if not (x.dtype == k.dtype == dtype and is_known(dtype)):
        raise KernelDeviceError(f"kernel directconvolution: {x.dtype}, {k.dtype} to {dtype}")
    x, k = (b if gpu.is_addressed_by_cells(b) else gpu.in_order(b) for b in (x, k))
    windows = _windows(x, k.shape[3:], strides, dilation)
    result = _result(out, windows, k, part, dtype)
    for sums, seen, weights in _parts(result, windows, k, part):
        if sums.size:
            _add_up(sums, seen, weights)
    return result


def _windows(
    x: Block, window: Sequence[int], strides: Sequence[int], dilation: Sequence[int]
) -> Block:
    """A view of `x` as (batch, groups, channels, window..., places...)."""
    space, steps = x.shape[3:], x.strides[3:]
    reach = [d * (w - 1) + 1 for w, d in zip(window, dilation, strict=True)]
    counts = [max(0, (n - r) // s + 1) for n, r, s in zip(space, reach, strides, strict=True)]
    inner = [step * d for step, d in zip(steps, dilation, strict=True)]
    outer = [step * s for step, s in zip(steps, strides, strict=True)]
    shape = (*x.shape[:3], *window, *counts)
    if 0 in shape:
        return runtime().empty(shape, x.dtype)
    return runtime().strided(x, shape, (*x.strides[:3], *inner, *outer))


def _result(out: Block | None, windows: Block, k: Block, part: int | None, dtype: DType) -> Block:
    """Where the sums are written."""
    parts = () if part is None else (-(-windows.shape[2] // part),)
    shape = (*parts, *windows.shape[:2], k.shape[1], *windows.shape[k.ndim :])
    usable = out is not None and runtime().is_addressed_by_cells(out)
    return out if usable else runtime().empty(shape, dtype)


def _parts(
    result: Block, windows: Block, k: Block, part: int | None
) -> list[tuple[Block, Block, Block]]:
    """For each partial sum, its block, and windows and weights of its channels."""
    if part is None:
        return [(result, windows, k)]
    cuts = [slice(n * part, (n + 1) * part) for n in range(result.shape[0])]
    return [(result[n], windows[:, :, cut], k[:, :, cut]) for n, cut in enumerate(cuts)]


def _multiply(sums: Block, windows: Block, k: Block) -> None:
    """Windows of a few batches at a time, copied side by side, times the weights."""
    terms = prod(k.shape[2:])
    if not sums.size or not terms:
        sums[...] = 0
        return
    weights = in_order(k).reshape(*k.shape[:2], terms)
    one = max(1, prod(windows.shape[1:]) * windows.itemsize)
    for start in range(0, sums.shape[0], many := max(1, STRIP_BYTES // one)):
        strip = windows[start : start + many]
        beside = in_order(strip).reshape(*strip.shape[:2], terms, -1)
        product = matmul(None, weights, beside, dtype=sums.dtype, part=None)
        into = sums[start : start + many]
        into[...] = product.reshape(into.shape)


def _add_up(sums: Block, windows: Block, k: Block) -> None:
    """One launch, of a thread for each sum."""
    gpu, rank = runtime(), k.ndim - 3
    if 0 in windows.shape or not k.size:
        sums[...] = 0
        return
    space = windows.strides[3 + rank :]
    seen = gpu.strided(windows, sums.shape, (*windows.strides[:2], 0, *space))
    weights = gpu.strided(k, sums.shape, (0, *k.strides[:2], *(0,) * rank))
    extents, strides = across([seen, weights, sums])
    wide = sums.size >= NARROW
    program = convolution_program(sums.dtype, len(extents), wide)
    places = list(np.ndindex(k.shape[3:]))
    tables = [
        places_on_device([_cells(place, block) for place in places]) for block in (windows, k)
    ]
    words = [k.shape[2], len(places)]
    words += [block.strides[2] // block.itemsize for block in (windows, k)]
    given = [*[np.int64(n) for n in words], windows, k, *tables, sums]
    launch(program, sums.size, extents, strides, wide, given)


def _cells(place: Sequence[int], block: Block) -> int:
    """Cells from the first one of a window to one of its places."""
    steps = block.strides[3 : 3 + len(place)]
    return int(sum(e * s for e, s in zip(place, steps, strict=True)) // block.itemsize)


KERNELS: Final[dict[str, Kernel]] = {
    "convolution": convolution,
    "directconvolution": direct_convolution,
}
