"""Cells of a block under other strides, read only."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

Block = np.ndarray[Any, Any]


def strided(block: Block, shape: Sequence[int], strides: Sequence[int]) -> Block:
    """Return the cells so many bytes behind the first one of `block`: a view.

    Of `StringDType` a copy, as NumPy makes no strided views of it.
    """
    if block.dtype.kind != "T":
        return as_strided(block, shape, strides, writeable=False)
    own = _offsets(block.shape, block.strides).ravel()
    order = np.argsort(own)
    places = order[np.searchsorted(own, _offsets(shape, strides), sorter=order)]
    cells: Block = block.ravel()[places]
    return cells


def _offsets(shape: Sequence[int], strides: Sequence[int]) -> Block:
    """Bytes from the first cell to each one."""
    along = [np.arange(n) * step for n, step in zip(shape, strides, strict=True)]
    return reduce(np.add.outer, along, np.zeros((), np.int64))
