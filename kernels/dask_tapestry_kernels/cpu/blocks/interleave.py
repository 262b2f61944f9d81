"""Blocks interleaved cell by cell: real and imaginary parts, or colours, stacked along the end."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cpu.jit.compile_service import compiled
from dask_tapestry_kernels.cpu.jit.memory_layout import address

Block = np.ndarray[Any, Any]

SMALL: Final = 65_536  # cells; fewer are in a cache, where NumPy writes them as fast
MOST: Final = 4  # blocks: vectors of so many are in registers
SIZES: Final = (1, 2, 4, 8)
LOOP: Final = "from dask_tapestry_kernels.cpu.blocks.child.interleaved_blocks import kernel\n"
ARITY: Final = 5


def interleaved(out: Block | None, blocks: Sequence[Block], axis: int) -> Block | None:
    """Blocks of one cell along the last axis, joined along it; None where NumPy may as well.

    NumPy writes each block by itself, so memory is gone through once for each of them: three of
    8 M float32 take 52 ms of a thread, and 26 so.
    """
    shape = blocks[0].shape
    if not 1 < len(blocks) <= MOST or prod(shape[axis:]) != 1 or prod(shape) < SMALL:
        return None
    if not all(map(_is_line, blocks)) or any(_differ(blocks[0], block) for block in blocks):
        return None
    loop = compiled(LOOP, ARITY, "interleaved blocks", len(blocks) * blocks[0].size)
    if loop is None:
        return None
    fits = out is not None and out.dtype == blocks[0].dtype and _is_line(out)
    joined = (*shape[:axis], len(blocks), *shape[axis + 1 :])
    result = out if out is not None and fits else np.empty(joined, blocks[0].dtype)
    places = [*map(address, blocks), *[0] * (MOST - len(blocks))]
    table = np.array(places, np.int64)
    loop(table.ctypes.data, len(blocks), blocks[0].size, result.itemsize, address(result))
    return result


def _is_line(block: Block) -> bool:
    dtype = block.dtype
    plain = dtype.itemsize in SIZES and dtype.isnative and not dtype.hasobject
    return bool(plain and block.flags.c_contiguous and block.flags.aligned)


def _differ(first: Block, other: Block) -> bool:
    return bool(first.shape != other.shape or first.dtype != other.dtype)
