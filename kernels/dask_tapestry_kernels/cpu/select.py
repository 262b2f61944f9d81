"""Selectors: blocks seen or copied under other coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

Block = np.ndarray[Any, Any]


def identity(out: Block | None, block: Block) -> Block:  # noqa: ARG001
    """Return the block."""
    return block


def view(
    out: Block | None,  # noqa: ARG001
    block: Block,
    *,
    index: tuple[int | slice, ...],
    order: tuple[int, ...],
    broadcast: tuple[int, ...],
    shape: tuple[int, ...],
) -> Block:
    """Index, then reorder, then repeat along the `broadcast` dimensions; never copies."""
    seen: Block = block[(*index, ...)].transpose(order)
    if broadcast:
        inner = tuple(None if dim in broadcast else slice(None) for dim in range(len(shape)))
        seen = np.broadcast_to(seen[(*inner, ...)], shape)
    return seen


def concat(out: Block | None, *blocks: Block, axis: int) -> Block:
    """Join the blocks that have cells."""
    filled = [block for block in blocks if block.shape[axis]] or blocks[:1]
    if len(filled) == 1:
        return filled[0]
    return np.concatenate(filled, axis, out=out)


def reshape(
    out: Block | None,  # noqa: ARG001
    block: Block,
    *,
    sizes: Sequence[int],
    offsets: Sequence[int],
    spans: Sequence[Sequence[int]],
    shape: tuple[int, ...],
) -> Block:
    """Read the box of `shape` out of a block whose axes form groups of running numbers.

    Group g of the block holds `sizes[g]` consecutive numbers; the box starts at `offsets[g]` of
    them and its dimensions step by `spans[g]`.
    """
    if 0 in shape:
        return np.empty(shape, block.dtype)
    flat = np.ascontiguousarray(block).reshape(tuple(sizes))
    start = flat[tuple(slice(offset, None) for offset in offsets)]
    steps = [s * flat.strides[g] for g, span in enumerate(spans) for s in span]
    return as_strided(start, shape, steps, writeable=False)
