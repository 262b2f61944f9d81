"""Random variates that take a varying number of random words: cell by cell, or row by row.

Each cell, or row, has words of its own, so that its value depends on nothing but the seed, the
call, its place and its parameters. The loops are compiled and waited for: nothing else has their
bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

import numpy as np

from dask_tapestry_kernels.cpu.blocks.random import runs
from dask_tapestry_kernels.cpu.jit.compile_service import required
from dask_tapestry_kernels.cpu.jit.memory_layout import address
from dask_tapestry_kernels.formulas.philox_rounds import Pair
from dask_tapestry_kernels.kernel_table import Kernel
from dask_tapestry_kernels.parameters.variates import COUNT, DRAWS, REAL, ROW_DRAWS
from dask_tapestry_kernels.variates.draw_modules import MODULES

Block = np.ndarray[Any, Any]
PLACE_ARITY: Final = 9  # arguments of a loop that say which cells, and which words
ROW_ARITY: Final = PLACE_ARITY + 6

CELLS: Final = """\
import numpy as np
from numba import njit
from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import read_cell, write_cell
from dask_tapestry_kernels.variates.child import substream
from dask_tapestry_kernels.variates.child.{module} import {name}


@njit("void({arguments})", nogil=True, error_model="numpy")
def kernel(out, count, start, step, key_a, key_b, call, part, page, {addresses}):
    stream = substream.reserve()
    substream.open_at(stream, key_a, key_b, call, part)
    for i in range(count):
        substream.begin(stream, np.uint64(start) + np.uint64(i) * np.uint64(step), page)
        write_cell(out, i, {name}(stream, {cells}))
"""
ROWS: Final = """\
import numpy as np
from numba import carray, njit
from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import get_int64, pointer
from dask_tapestry_kernels.variates.child import substream
from dask_tapestry_kernels.variates.child.{module} import {name}


@njit("void({arguments})", nogil=True, error_model="numpy")
def kernel(
    out, count, start, step, key_a, key_b, call, part, page, totals, moves, weights, held, jump,
    length,
):
    stream = substream.reserve()
    substream.open_at(stream, key_a, key_b, call, part)
    given = carray(pointer(weights), (held,), np.{weight})
    counts = carray(pointer(out), (count * length,), np.int64)
    for i in range(count):
        substream.begin(stream, np.uint64(start) + np.uint64(i) * np.uint64(step), page)
        total = get_int64(totals, i * moves)
        {name}(stream, total, given, i * jump, 1, counts, i * length, length)
"""


@lru_cache(maxsize=32)
def cell_source(name: str) -> str:
    """The text of a module that draws cells of a distribution."""
    draw = DRAWS[name]
    numbers = range(len(draw.parameters))
    reads = [
        f"read_cell(given_{n}, i * move_{n}, {'0.0' if draw.parameters[n] == REAL else '0'})"
        for n in numbers
    ]
    return CELLS.format(
        module=MODULES[name],
        name=name,
        arguments=", ".join(["int64"] * cell_arity(name)),
        addresses=", ".join(f"given_{n}, move_{n}" for n in numbers),
        cells=", ".join(reads),
    )


def cell_arity(name: str) -> int:
    """How many arguments the loop of a distribution takes."""
    return PLACE_ARITY + 2 * len(DRAWS[name].parameters)


@lru_cache(maxsize=8)
def row_source(name: str) -> str:
    """The text of a module that draws rows of a distribution."""
    arguments = ", ".join(["int64"] * ROW_ARITY)
    weight = ROW_DRAWS[name].parameters[1].name
    return ROWS.format(module=MODULES[name], name=name, arguments=arguments, weight=weight)


class LoopParameter(NamedTuple):
    """A parameter as a loop reads it: its cells side by side, and whether they move with cells."""

    cells: Block
    moves: int

    def at(self, cell: int) -> tuple[int, int]:
        """Address for the cells from `cell` on, and how many it moves with each."""
        return address(self.cells) + self.moves * cell * self.cells.itemsize, self.moves


def given_of(value: Any, dtype: np.dtype[Any], shape: tuple[int, ...]) -> LoopParameter:
    """A parameter, a number or a block that broadcasts to `shape`."""
    if isinstance(value, np.ndarray) and value.size == 1:
        value = value.reshape(())
    if not isinstance(value, np.ndarray) or not any(value.strides):
        first = value if not isinstance(value, np.ndarray) else value[(0,) * value.ndim]
        return LoopParameter(np.array([first], dtype), 0)
    return LoopParameter(np.ascontiguousarray(np.broadcast_to(value, shape), dtype), 1)


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
        Parameters that differ from cell to cell, of the shape of the result.
    draw_of
        Name of the distribution, a key of `DRAWS`.
    given
        For each parameter its value, or None where a block comes.
    key, draw, frame, places
        As of `random_bits`.
    """
    distribution, shape = DRAWS[draw_of], tuple(len(p) for p in places)
    block = _output_memory(out, shape, distribution.dtype)
    if not block.size:
        return block
    arrays = iter(blocks)
    values = [next(arrays) if value is None else value for value in given]
    read = [given_of(v, d, shape) for v, d in zip(values, distribution.parameters, strict=True)]
    native = required(cell_source(draw_of), cell_arity(draw_of), draw_of)
    for at, count, start, step, page in stretches(frame, places):
        moved = [number for value in read for number in value.at(at)]
        native(address(block) + 8 * at, count, start, step, *_random_words(key, draw, page), *moved)
    return block


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
    totals: Any = blocks[0][..., 0] if total is None else total
    weights = blocks[-1]
    lead, length = tuple(len(p) for p in places), weights.shape[-1]
    whole = part == slice(0, length)
    block = _output_memory(out if whole else None, (*lead, length), COUNT)
    if block.size:
        dtype = ROW_DRAWS[draw_of].parameters[1]
        alike = not any(weights.strides[:-1])
        rows = weights[(0,) * len(lead)] if alike else weights
        cells, jump = np.ascontiguousarray(rows, dtype), 0 if alike else length
        read = given_of(totals, COUNT, lead)
        native = required(row_source(draw_of), ROW_ARITY, draw_of)
        for at, count, start, step, page in stretches(frame, places):
            native(
                *(address(block) + 8 * at * length, count, start, step),
                *(*_random_words(key, draw, page), *read.at(at)),
                *(address(cells) + 8 * at * jump, cells.size - at * jump, jump, length),
            )
    return block if whole else block[..., part]


def stretches(
    frame: tuple[int, ...], places: Sequence[range]
) -> list[tuple[int, int, int, int, int]]:
    """Cells that follow one another: first in the block, how many, number, step, and page."""
    runs_found = runs(frame, places)
    pages = (
        np.zeros(len(runs_found.starts), np.uint64)
        if runs_found.pages is None
        else runs_found.pages
    )
    many, at = [], 0
    for start, page in zip(runs_found.starts.tolist(), pages.tolist(), strict=True):
        here = min(runs_found.length, -((start - 2**64) // runs_found.step))
        many.append((at, here, _signed(start), runs_found.step, page))
        if here < runs_found.length:
            over = start + here * runs_found.step - 2**64
            many.append((at + here, runs_found.length - here, over, runs_found.step, page + 1))
        at += runs_found.length
    return many


def _random_words(key: Pair, draw: Pair, page: int) -> list[int]:
    return [_signed(number) for number in (*key, *draw, page)]


def _signed(number: int) -> int:
    """A uint64 as the int64 of the same bits."""
    return number - 2**64 if number >= 2**63 else number


def _output_memory(out: Block | None, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Block:
    """Memory of a block, side by side: `out` itself where that is so."""
    if out is not None and out.flags.c_contiguous:
        return out
    return np.empty(shape, dtype)


KERNELS: Final[dict[str, Kernel]] = {
    "variates": variates,
    "variaterows": variate_rows,
}
