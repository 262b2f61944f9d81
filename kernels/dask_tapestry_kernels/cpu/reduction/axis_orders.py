"""In which order, and in which direction, the axes of blocks are gone through."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
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


def widest_first(
    blocks: Sequence[Block], expressions: Sequence[Any]
) -> tuple[Sequence[Block], Sequence[Any]]:
    """Operands and expressions of them, that operand first which moves along most axes.

    How cells are gone through is decided by the first one. One that is broadcast tells little.
    """
    moving = [sum(map(bool, block.strides)) for block in blocks]
    first = moving.index(max(moving))
    if first == 0:
        return blocks, expressions
    places = (first, *[n for n in range(len(blocks)) if n != first])
    return [blocks[n] for n in places], [_reordered(one, places) for one in expressions]


@lru_cache(maxsize=256)
def _reordered(expression: Any, places: tuple[int, ...]) -> Any:
    """The expression of the parameters at these places, in their order."""
    return expression.of_some(places)


def memory_order(blocks: Sequence[Block]) -> list[int]:
    """The axes of blocks, those first whose cells lie farthest apart."""
    steps = [max(abs(block.strides[axis]) for block in blocks) for axis in range(blocks[0].ndim)]
    return sorted(range(len(steps)), key=lambda axis: -steps[axis])
