"""Joined keys: several keys of a cell as one, in whose order cells are by all of them.

Each key becomes bytes that are in order from the first one on. Joined they are a number where they
are eight bytes or fewer, and a text else: so whatever sorts numbers and texts sorts by many keys.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cpu.blocks.order_keys import equal_keys
from dask_tapestry_kernels.kernel_table import Kernel
from dask_tapestry_kernels.parameters.key_bytes import WORD, text_bytes

Block = np.ndarray[Any, Any]


def joined_keys(out: Block | None, *blocks: Block) -> Block:  # noqa: ARG001
    """One key of those along the last axis of each block, block by block.

    The first key counts most. Zeros of both signs are equal, and so are NaN.
    """
    lead = blocks[0].shape[:-1]
    sizes = [block.shape[-1] * text_bytes(block.dtype) for block in blocks]
    size = sum(sizes)
    room = max(size, WORD)
    texts = np.zeros((*lead, room), np.uint8)
    start = room - size
    for block, held in zip(blocks, sizes, strict=True):
        texts[..., start : start + held] = _bytes(block).reshape(*lead, held)
        start += held
    if size <= WORD:
        return texts.view(">u8")[..., 0].astype(np.uint64)
    return texts.view(f"S{size}")[..., 0]


def _bytes(cells: Block) -> Block:
    """Bytes, along a new last axis, in the order of cells."""
    keys = equal_keys(cells)
    if keys.dtype.kind == "i":
        bits = np.dtype(f"u{keys.itemsize}")
        keys = keys.view(bits) ^ bits.type(1 << (8 * bits.itemsize - 1))
    elif keys.dtype.kind == "U":
        keys = np.ascontiguousarray(keys).view("u4").reshape(*keys.shape, -1)
    if keys.dtype.kind == "u":
        keys = keys.astype(keys.dtype.newbyteorder(">"))
    made = np.ascontiguousarray(keys)
    return made.view(np.uint8).reshape(*cells.shape, text_bytes(cells.dtype))


KERNELS: Final[dict[str, Kernel]] = {"joinedkeys": joined_keys}
