"""In which order, and in which direction, the axes of blocks are gone through."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

Block = np.ndarray[Any, Any]


def kept_axes(blocks: Sequence[Block], axes: Sequence[int]) -> list[int]:
    """The other axes, those first whose cells lie farthest apart: rows are read along memory."""
    return [axis for axis in memory_order(blocks) if axis not in axes]


def kept_backwards(blocks: Sequence[Block], axes: Sequence[int]) -> tuple[int, ...]:
    """The other axes along which no block runs forward, and some run backwards.

    Which of the columns comes first does not matter, and forward they are folded where they lie.

    Examples
    --------
    >>> import numpy as np
    >>> kept_backwards([np.ones((4, 5, 6))[::-1, :, ::-1]], axes=(0,))
    (2,)
    """
    steps = zip(*[block.strides for block in blocks], strict=True)
    found = [
        axis
        for axis, (n, own) in enumerate(zip(blocks[0].shape, steps, strict=True))
        if n > 1 and axis not in axes and max(own) <= 0 and min(own) < 0
    ]
    return tuple(found)


def memory_order(blocks: Sequence[Block]) -> list[int]:
    """The axes of blocks, those first whose cells lie farthest apart."""
    steps = [max(abs(block.strides[axis]) for block in blocks) for axis in range(blocks[0].ndim)]
    return sorted(range(len(steps)), key=lambda axis: -steps[axis])
