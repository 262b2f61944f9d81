"""Running functions of the user along an axis: of each block, and of what precedes it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.layout_arguments import with_chunks
from dask_tapestry.arrays.user_functions.blockwise import blockwise
from dask_tapestry.arrays.user_functions.map_blocks import map_blocks

Function = Callable[..., Any]


def scan_blocks(
    x: Array,
    func: Function,
    binop: Function,
    ident: float,
    axis: int | None,
    dtype: Any,
    preop: Function | None,
) -> Array:
    """Run `func` along an axis, as if it were called on whole lanes.

    {Parameters}
        x: The array; blocks are its nominal chunks.
        func: Called as ``func(block, axis=axis, dtype=dtype)``; its result has the block's shape.
        binop: Joins what is carried with a block after it: ``binop(carried, block)``.
        ident: What is carried into the first block.
        axis: Along which it runs; None runs along the flattened array.
        dtype: Dtype of the result; by default what `func` makes of one cell.
        preop: Called as ``preop(block, axis=axis, keepdims=True)`` for what a block carries on; by
            default that is the last cell of the running result.
    {Returns} Array: Of the shape of `x`.
    """
    if axis is None:
        x, axis = x.reshape(-1), 0
    axis %= x.ndim
    kind = np.dtype(dtype) if dtype is not None else _kind(func, x.dtype)
    running = map_blocks(partial(func, axis=axis, dtype=kind), x, dtype=kind)
    count = x.numblocks[axis]
    if count == 1:
        return running
    once = tuple((1,) * count if a == axis else n for a, n in enumerate(x.chunks))
    if preop is None:
        ends = map_blocks(partial(_last, axis=axis), running, dtype=kind, chunks=once)
    else:
        ends = map_blocks(partial(preop, axis=axis, keepdims=True), x, dtype=kind, chunks=once)
    whole = tuple((count,) if a == axis else n for a, n in enumerate(once))
    exclusive = partial(_carried, binop=binop, ident=ident, axis=axis)
    carried = map_blocks(exclusive, with_chunks(ends, whole), dtype=kind)
    letters = tuple(range(x.ndim))
    return blockwise(
        binop,
        letters,
        with_chunks(carried, once),
        letters,
        running,
        letters,
        dtype=kind,
        adjust_chunks=dict(enumerate(running.chunks)),
        align_arrays=False,
    )


def _kind(func: Function, dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype of what a running function makes of cells."""
    return np.asarray(func(np.ones((1,), dtype), axis=0)).dtype


def _last(block: np.ndarray[Any, Any], axis: int) -> np.ndarray[Any, Any]:
    """The last cells of a block along an axis."""
    return block[(slice(None),) * axis + (slice(-1, None),)]


def _carried(
    ends: np.ndarray[Any, Any], binop: Function, ident: float, axis: int
) -> np.ndarray[Any, Any]:
    """What is carried into each block, of what each one carries on."""
    lanes = np.moveaxis(ends, axis, 0)
    before = np.empty_like(lanes)
    carry: Any = np.full_like(lanes[0], ident)
    for place, end in enumerate(lanes):
        before[place] = carry
        carry = binop(carry, end)
    return np.moveaxis(before, 0, axis)
