"""Copies of cells on a GPU: in tiles where they come to lie in another order, else by CuPy."""

from __future__ import annotations

from math import prod
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cuda.blocks.copy_texts import SIDE, copy_program
from dask_tapestry_kernels.cuda.jit.runtime import Block, blocks_for, runtime

LEAST: Final = 16  # cells along both sides: of fewer a warp would read or write a part of a line
SIZES: Final = (1, 2, 4, 8)  # of words in which cells of other kinds than complex are copied


def copy_cells(target: Block, source: Block) -> None:
    """Write the cells of `source` to `target`, which has its shape and dtype."""
    gpu = runtime()
    turned = _turned(target, source)
    fits = all(map(gpu.is_addressed_by_cells, (target, source)))
    if turned is None or target.dtype != source.dtype or not fits:
        target[...] = source
        return
    word = source.dtype if source.dtype.kind == "c" else np.dtype(f"u{source.dtype.itemsize}")
    others = [d for d in range(source.ndim) if d not in turned and source.shape[d] > 1]
    order = [*turned, *others]
    program = copy_program(word, len(others), gpu.threads)
    extents = [source.shape[d] for d in order]
    sides = [-(-n // SIDE) for n in extents[:2]]
    tiles = prod(sides) * prod(extents[2:])
    words: list[Any] = [tiles, *sides, *extents]
    words += [block.strides[d] // block.itemsize for block in (source, target) for d in order]
    arguments = [*[np.int64(n) for n in words], source.view(word), target.view(word)]
    gpu.launch(program, blocks_for(tiles, gpu, 1), arguments)


def in_order(block: Block) -> Block:
    """A block whose cells lie in C order: itself, or a copy."""
    gpu = runtime()
    if block.flags.c_contiguous:
        return gpu.in_order(block)
    made = gpu.empty(block.shape, block.dtype)
    if _turned(made, block) is None or not gpu.is_addressed_by_cells(block):
        return gpu.in_order(block)
    copy_cells(made, block)
    return made


def _turned(target: Block, source: Block) -> tuple[int, int] | None:
    """The axes along which cells are neighbours in `source` and in `target`, if these are two."""
    if (source.itemsize not in SIZES and source.dtype.kind != "c") or not source.size:
        return None
    long = [d for d in range(source.ndim) if source.shape[d] > 1]
    if len(long) < 2:
        return None
    read, written = (min(long, key=lambda d: abs(x.strides[d])) for x in (source, target))
    nearest = abs(source.strides[written])
    if read == written or not source.strides[read] or nearest == abs(source.strides[read]):
        return None
    return (read, written) if min(source.shape[read], source.shape[written]) >= LEAST else None
