"""Cells of a block copied from places that numbers on the device tell."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from types import SimpleNamespace
from typing import Any, Final, NamedTuple

import numpy as np

from dask_tapestry_kernels.cuda.blocks.picked_texts import picking_program
from dask_tapestry_kernels.cuda.jit.runtime import Block, Runtime, blocks_for, runtime
from dask_tapestry_kernels.formulas.merged_dims import merged
from dask_tapestry_kernels.parameters.coordinate_steps import out_of_bounds

DType = np.dtype[Any]
NARROW: Final = 2**31  # numbers of cells below are divided in 32 bits


class Pick(NamedTuple):
    """Numbers that move along an axis of a block.

    Attributes
    ----------
    numbers
        Integers, aligned to cells.
    strides
        Bytes from a number to the next along each axis of the result.
    axis
        The axis of the block.
    extent
        Of the whole tensor along it, from whose end negative numbers may count.
    origin
        What is taken off a number.
    top
        The largest coordinate; numbers are held between 0 and it.
    """

    numbers: Block
    strides: tuple[int, ...]
    axis: int
    extent: int
    origin: int
    top: int


def picked(
    out: Block | None,
    block: Block,
    picks: Sequence[Pick],
    strides: Sequence[int],
    base: int,
    shape: tuple[int, ...],
    strict: bool = False,
) -> Block:
    """A block of `shape`: cells `strides` bytes apart, moved by `picks`.

    Parameters
    ----------
    out
        Memory for it.
    base
        Bytes from the first cell of `block` to that of which no number moves any.
    strict
        Whether numbers count from the end, and have bounds.

    Raises
    ------
    IndexError
        If one is out of bounds, as NumPy says it.
    """
    gpu = runtime()
    result = out if out is not None and gpu.is_addressed_by_cells(out) else None
    result = gpu.empty(shape, block.dtype) if result is None else result
    if not prod(shape):
        return result
    arrays = [like(shape, strides, block.itemsize)]
    arrays += [like(shape, pick.strides, pick.numbers.itemsize) for pick in picks]
    extents, steps = merged([*arrays, result], 1)
    sizes = [block.itemsize, *[pick.numbers.itemsize for pick in picks], block.itemsize]
    source, *moved, target = [
        [s // size for s in own] for own, size in zip(steps, sizes, strict=True)
    ]
    words = [prod(shape), *source, *target, *[step for own in moved for step in own]]
    for pick in picks:
        pace = block.strides[pick.axis] // block.itemsize
        words += [pick.extent, pick.origin, pick.top, pace]
    wide = prod(shape) >= NARROW
    sides = [(np.uint64 if wide else np.uint32)(extent) for extent in extents[1:]]
    arguments: list[Any] = [np.int64(word) for word in (*words, base // block.itemsize)]
    arguments[1:1] = sides
    arguments += [as_words(block), *[pick.numbers for pick in picks]]
    found = cleared(gpu, np.dtype(np.int32)) if strict else None
    arguments += [as_words(result)] if found is None else [found, as_words(result)]
    dtypes = tuple([pick.numbers.dtype for pick in picks])
    program = picking_program(as_words(block).dtype, dtypes, len(extents), wide, strict)
    gpu.launch(program, blocks_for(prod(shape), gpu), arguments)
    error = refused(gpu, picks) if found is not None and gpu.to_host(found)[0] else None
    if error is not None:
        raise error
    return result


def refused(gpu: Runtime, picks: Sequence[Pick]) -> IndexError | None:
    """What NumPy says of the first numbers that are out of bounds; it copies them to the host."""
    for pick in picks:
        numbers = gpu.to_host(pick.numbers)
        if numbers.size:
            low, high = int(numbers.min()), int(numbers.max())
            error = out_of_bounds(low, high, pick.extent, pick.axis)
            if error is not None:
                return error
    return None


def like(shape: tuple[int, ...], strides: Sequence[int], size: int) -> Any:
    """What lies so, for `merged`."""
    return SimpleNamespace(shape=shape, strides=tuple(strides), ndim=len(shape), itemsize=size)


def as_words(block: Block) -> Block:
    """The cells as unsigned numbers of their size, so that dtypes of one size share a kernel.

    Complex cells stay: they need not lie at multiples of their size.
    """
    return block if block.dtype.kind == "c" else block.view(f"u{block.itemsize}")


def cleared(gpu: Runtime, dtype: DType, count: int = 1) -> Block:
    """So many zeros."""
    made = gpu.empty((count,), dtype)
    made[...] = dtype.type(0)
    return made


def aligned(gpu: Runtime, block: Block) -> Block:
    """The block, or a copy whose cells lie at multiples of their size."""
    return block if gpu.is_addressed_by_cells(block) else gpu.in_order(block)
