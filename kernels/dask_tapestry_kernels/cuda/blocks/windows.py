"""Sums, extremes and means of windows on a GPU, in the order in which the CPU folds them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cuda.blocks.window_texts import (
    DOUBLE,
    converted_program,
    extreme_program,
    has_text,
    pair_program,
    sum_program,
)
from dask_tapestry_kernels.cuda.jit.runtime import Block, blocks_for, runtime
from dask_tapestry_kernels.device_error import KernelDeviceError
from dask_tapestry_kernels.formulas.merged_dims import merged
from dask_tapestry_kernels.kernel_table import Kernel

DType = np.dtype[Any]
Place = tuple[int, ...]
NARROW: Final = 2**31  # numbers of cells below are divided in 32 bits


def window_sum(
    out: Block | None,
    x: Block,
    *,
    window: tuple[int, ...],  # noqa: ARG001
    steps: tuple[int, ...],
    shape: tuple[int, ...],
    dtype: DType,
    singles: tuple[tuple[Place, float], ...],
    pairs: tuple[tuple[Place, Place, float], ...],
    sign: int,
    divisor: float,
) -> Block:
    """The sum of terms of each window; products and sums are those of doubles.

    Parameters
    ----------
    window, steps
        Cells of a window, and from one to the next, along each axis.
    shape, dtype
        Of the result.
    singles
        Terms of one cell: place and weight.
    pairs, sign
        Terms of a cell plus or minus another one: the two places and the weight.
    divisor
        What the sum is divided by.
    """
    x, result = _ready("windowsum", out, x, shape, dtype)
    if not result.size:
        return result
    first = [_cells(p, x) for p in [*(p for p, _ in singles), *(p for p, _, _ in pairs)]]
    second = [0] * len(singles) + [_cells(p, x) for _, p, _ in pairs]
    weights = [*(w for _, w in singles), *(w for _, _, w in pairs)]
    extents, strides = across([seen_by(x, shape, steps), result])
    wide = result.size >= NARROW
    program = sum_program(x.dtype, dtype, sign, len(extents), wide)
    counts = [np.int64(len(singles)), np.int64(len(first)), np.float64(divisor)]
    tables = [places_on_device(first), places_on_device(second), _numbers(weights)]
    launch(program, result.size, extents, strides, wide, [*counts, x, *tables, result])
    return result


def window_extreme(
    out: Block | None,
    x: Block,
    *,
    window: tuple[int, ...],  # noqa: ARG001
    steps: tuple[int, ...],
    shape: tuple[int, ...],
    dtype: DType,
    fold: str,
    places: tuple[Place, ...],
    addends: tuple[float, ...] | None,
) -> Block:
    """The minimum or maximum of each window over some of its places.

    Parameters
    ----------
    window, steps
        Cells of a window, and from one to the next, along each axis.
    shape, dtype
        Of the result.
    fold
        ``"minimum"`` or ``"maximum"``.
    places
        Those of a window that count.
    addends
        What is added to each, in double precision; None for nothing.
    """
    x, result = _ready("windowextreme", out, x, shape, dtype)
    if not result.size or not places:
        return result
    extents, strides = across([seen_by(x, shape, steps), result])
    wide = result.size >= NARROW
    program = extreme_program(fold, x.dtype, dtype, addends is not None, len(extents), wide)
    tables = [places_on_device([_cells(p, x) for p in places]), _numbers(addends or (0.0,))]
    given = [np.int64(len(places)), x, *tables, result]
    launch(program, result.size, extents, strides, wide, given)
    return result


def window_fold(
    out: Block | None,
    x: Block,
    *,
    window: tuple[int, ...],
    steps: tuple[int, ...],
    shape: tuple[int, ...],
    dtype: DType,
    fold: str,
) -> Block:
    """The sum, mean, minimum or maximum of each box window, by doubling.

    Parameters
    ----------
    window, steps
        Cells of a window, and from one to the next, along each axis.
    shape, dtype
        Of the result; a mean, and a sum of floats, is taken of doubles and converted as C does.
    fold
        ``"sum"``, ``"mean"``, ``"minimum"`` or ``"maximum"``.
    """
    x, result = _ready("windowfold", out, x, shape, dtype)
    if not result.size:
        return result
    cells = x[tuple(slice((n - 1) * s + w) for n, s, w in zip(shape, steps, window, strict=True))]
    work = dtype if fold == "sum" and dtype.kind in "iu" else DOUBLE
    for axis, length in enumerate(window):
        if length > 1 and fold in ("sum", "mean"):
            cells = _sum(cells, axis, length, work)
            if fold == "mean":
                sums, cells = cells, runtime().empty(cells.shape, DOUBLE)
                _convert(cells, sums, float(length))
        elif length > 1:
            cells = _extreme(fold, cells, axis, length)
    _convert(result, seen_by(cells, shape, steps), 1.0)
    return result


def _extreme(fold: str, cells: Block, axis: int, length: int) -> Block:
    """Windows of a power of two; two of these that overlap are any longer one."""
    count, have = cells.shape[axis], 1
    while have < length:
        further = min(have, length - have)
        count -= further
        pair = _part(cells, axis, 0, count), _part(cells, axis, further, count)
        cells = _folded(fold, *pair, cells.dtype)
        have += further
    return cells


def _sum(cells: Block, axis: int, length: int, work: DType) -> Block:
    """Sums of powers of two that together are the window, the shortest first."""
    wanted = cells.shape[axis] - length + 1
    total: Block | None = None
    done, have = 0, 1
    while have <= length:
        if length & have:
            part = _part(cells, axis, done, wanted)
            total = part if total is None else _folded("add", total, part, work)
            done += have
        if 2 * have <= length:
            count = cells.shape[axis] - have
            pair = _part(cells, axis, 0, count), _part(cells, axis, have, count)
            cells = _folded("add", *pair, work)
        have *= 2
    assert total is not None
    return total


def _part(cells: Block, axis: int, first: int, count: int) -> Block:
    return cells[(*(slice(None),) * axis, slice(first, first + count))]


def _folded(function: str, first: Block, second: Block, work: DType) -> Block:
    """Cells of two blocks folded in some dtype."""
    result = runtime().empty(first.shape, work)
    extents, strides = across([first, second, result])
    program = pair_program(function, (first.dtype, second.dtype, work), len(extents))
    launch(program, result.size, extents, strides, True, [first, second, result])
    return result


def _convert(result: Block, cells: Block, divisor: float) -> None:
    """Write cells in the dtype of the result, as `from_double` does."""
    extents, strides = across([cells, result])
    program = converted_program(cells.dtype, result.dtype, divisor != 1, len(extents))
    given = [np.float64(divisor), cells, result]
    launch(program, result.size, extents, strides, True, given)


def _ready(
    kernel: str, out: Block | None, x: Block, shape: tuple[int, ...], dtype: DType
) -> tuple[Block, Block]:
    """The block and the result, which a program can address.

    Raises
    ------
    KernelDeviceError
        For dtypes whose windows have no meaning on a GPU.
    """
    if not has_text(x.dtype, dtype):
        raise KernelDeviceError(f"kernel {kernel}: windows of {x.dtype} to {dtype} on the host")
    gpu = runtime()
    usable = out is not None and gpu.is_addressed_by_cells(out)
    return (
        x if gpu.is_addressed_by_cells(x) else gpu.in_order(x),
        out if usable else gpu.empty(shape, dtype),
    )


def seen_by(x: Block, shape: Sequence[int], steps: Sequence[int]) -> Block:
    """The first cell of each window: a view."""
    strides = [s * step for s, step in zip(x.strides, steps, strict=True)]
    return runtime().strided(x, shape, strides)


def across(blocks: Sequence[Block]) -> tuple[list[int], list[list[int]]]:
    """Extents of blocks of one shape, merged, and the strides of each in cells."""
    extents, strides = merged(blocks, least=1)
    cells = [[s // b.itemsize for s in own] for b, own in zip(blocks, strides, strict=True)]
    return extents, cells


def launch(
    program: Any,
    count: int,
    extents: Sequence[int],
    strides: Sequence[Sequence[int]],
    wide: bool,
    given: Sequence[Any],
) -> None:
    """Launch a program of `over_cells`."""
    gpu, word = runtime(), np.uint64 if wide else np.uint32
    arguments: list[Any] = [np.int64(count), *[word(n) for n in extents[1:]]]
    arguments += [np.int64(step) for own in strides for step in own]
    gpu.launch(program, blocks_for(count, gpu), [*arguments, *given])


def places_on_device(places: Sequence[int]) -> Block:
    """A table of numbers of cells."""
    return runtime().library.asarray(np.array(places or [0], np.int64))


def _numbers(numbers: Sequence[float]) -> Block:
    return runtime().library.asarray(np.array(numbers or [0.0], np.float64))


def _cells(place: Place, x: Block) -> int:
    """Cells from the first one of a window to one of its places."""
    return int(sum(e * s for e, s in zip(place, x.strides, strict=True)) // x.itemsize)


KERNELS: Final[dict[str, Kernel]] = {
    "windowsum": window_sum,
    "windowextreme": window_extreme,
    "windowfold": window_fold,
}
