"""Random variates on a GPU: cells, or rows of cells, with the bits that the CPU's loops draw."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, Final, NamedTuple

import numpy as np

from dask_tapestry_kernels.cuda.blocks.random import PAGE, place_words
from dask_tapestry_kernels.cuda.blocks.variate_texts import cell_program, row_program
from dask_tapestry_kernels.cuda.jit.runtime import Block, Runtime, blocks_for, runtime
from dask_tapestry_kernels.formulas.merged_dims import merged
from dask_tapestry_kernels.formulas.philox_rounds import Pair
from dask_tapestry_kernels.kernel_table import Kernel
from dask_tapestry_kernels.parameters.variates import COUNT, DRAWS, ROW_DRAWS


def variates(
    out: Block | None,
    *blocks: Block,
    draw_of: str,
    given: Sequence[float | None],
    key: Pair,
    draw: Pair,
    frame: tuple[int, ...],
    places: Sequence[range],
) -> Block:
    """Cells of a distribution at some coordinates of a tensor.

    Parameters
    ----------
    blocks
        Parameters that differ from cell to cell, and broadcast to the shape of the result.
    draw_of
        Name of the distribution, a key of `DRAWS`.
    given
        For each parameter its value, or None where a block comes.
    key, draw, frame, places
        As of `random_bits`.
    """
    gpu, distribution = runtime(), DRAWS[draw_of]
    result = _output_memory(gpu, out, tuple(map(len, places)), distribution.dtype)
    if not result.size:
        return result
    dtypes = distribution.parameters
    arrays = iter(blocks)
    values = [
        dtype.type(value)
        if value is not None
        else _parameter(gpu, next(arrays), dtype, result.shape)
        for value, dtype in zip(given, dtypes, strict=True)
    ]
    moving_blocks = [value for value in values if not isinstance(value, np.generic)]
    cells = _numbered(frame, places, [*moving_blocks, result])
    moves = tuple([value is None for value in given])
    program = cell_program(draw_of, moves, len(cells.extents), cells.wide)
    steps = [step for own in cells.steps[:-1] for step in own]
    _launch(gpu, program, cells, key, draw, [*map(np.int64, steps), *values, result])
    return result


def variate_rows(
    out: Block | None,
    *blocks: Block,
    draw_of: str,
    total: int | None,
    key: Pair,
    draw: Pair,
    frame: tuple[int, ...],
    places: Sequence[range],
    part: slice,
) -> Block:
    """Rows of a distribution of several counts, at some coordinates of a tensor of rows.

    Parameters
    ----------
    blocks
        The totals of the rows, with a last dimension of one, if `total` is None; then the weights.
    draw_of
        Name of the distribution, a key of `ROW_DRAWS`.
    total
        Of every row, or None.
    key, draw
        As of `random_bits`.
    frame, places
        Shape of the tensor without its last dimension, and coordinates along each of its axes.
    part
        Columns that are asked for.
    """
    gpu, lead = runtime(), tuple(map(len, places))
    length = blocks[-1].shape[-1]
    whole = part == slice(0, length)
    result = _output_memory(gpu, out if whole else None, (*lead, length), COUNT)
    if result.size:
        weights = _parameter(gpu, blocks[-1], ROW_DRAWS[draw_of].parameters[1], result.shape)
        totals: Any = COUNT.type(total or 0)
        if total is None:
            totals = _parameter(gpu, blocks[0][..., 0], COUNT, lead)
        moving = [totals] if total is None else []
        cells = _numbered(frame, places, [*moving, weights[..., 0], result[..., 0]])
        program = row_program(draw_of, total is None, len(cells.extents), cells.wide)
        steps = [step for own in cells.steps[:-1] for step in own]
        jump = weights.strides[-1] // weights.itemsize
        numbers = map(np.int64, [*steps, jump, length])
        _launch(gpu, program, cells, key, draw, [*numbers, totals, weights, result])
    return result if whole else result[..., part]


class _Numbered(NamedTuple):
    """Where cells lie: extents, numbers in C order of a tensor, and places in blocks, in cells.

    Attributes
    ----------
    first
        Number of the first cell.
    numbers
        From one cell to the next of each axis.
    wide
        Whether numbers take more than 64 bits.
    """

    extents: list[int]
    first: int
    numbers: list[int]
    steps: list[list[int]]
    wide: bool


class _CellNumbers(NamedTuple):
    """The numbers of cells in C order of a tensor, as an array whose strides they are."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    itemsize: int = 1


def _numbered(frame: Sequence[int], places: Sequence[range], blocks: Sequence[Block]) -> _Numbered:
    """The cells at `places` with as few axes as all blocks have in common, one at least."""
    sides = [prod(frame[axis + 1 :]) for axis in range(len(frame))]
    first = sum(place.start * side for place, side in zip(places, sides, strict=True))
    strides = tuple([place.step * side for place, side in zip(places, sides, strict=True)])
    numbers = _CellNumbers(tuple(map(len, places)), strides)
    extents, (own, *others) = merged([numbers, *blocks], 1)
    steps = [
        [stride // block.itemsize for stride in ours]
        for block, ours in zip(blocks, others, strict=True)
    ]
    return _Numbered(extents, first, own, steps, prod(frame) > PAGE)


def _launch(
    gpu: Runtime, program: Any, cells: _Numbered, key: Pair, draw: Pair, given: Sequence[Any]
) -> None:
    count = prod(cells.extents)
    arguments: list[Any] = [np.int64(n) for n in (count, *cells.extents[1:])]
    arguments += place_words([cells.first, *cells.numbers], cells.wide)
    arguments += [np.uint64(word).view(np.int64) for word in (*key, *draw)]
    gpu.launch(program, blocks_for(count, gpu), [*arguments, *given])


def _parameter(gpu: Runtime, block: Block, dtype: np.dtype[Any], shape: tuple[int, ...]) -> Block:
    """A block of cells of a dtype, broadcast to a shape, that is addressed by cells."""
    cells = block.astype(dtype, copy=False)
    cells = cells if gpu.is_addressed_by_cells(cells) else gpu.in_order(cells)
    return gpu.library.broadcast_to(cells, shape)


def _output_memory(
    gpu: Runtime, out: Block | None, shape: tuple[int, ...], dtype: np.dtype[Any]
) -> Block:
    """Memory of a block, side by side: `out` itself where that is so."""
    return out if out is not None and out.flags.c_contiguous else gpu.empty(shape, dtype)


KERNELS: Final[dict[str, Kernel]] = {
    "variates": variates,
    "variaterows": variate_rows,
}
