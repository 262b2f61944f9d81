"""Tasks of symmetric results: of ``x @ x.T`` those on and above the diagonal; others transpose.

The blocks below are their transposes: half the multiplications, as BLAS's own `syrk` saves. For a
block on the diagonal NumPy calls `syrk` itself, since both factors are views of one array.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dask_tapestry.lower.result_buffer import ResultBuffer
from dask_tapestry.zspace import ZRange

Block = np.ndarray[Any, Any]


def source_of(index: tuple[int, ...]) -> tuple[int, ...] | None:
    """The block above the diagonal that a block is the transpose of, or None."""
    *batch, row, column = index
    return (*batch, column, row) if row > column else None


def transpose_block(box: ZRange, out: ResultBuffer, block: Block) -> Block:
    """The cells `box`, which are the transpose of `block`."""
    turned = np.swapaxes(block, -1, -2)
    if not out.is_local:
        return np.array(turned, order="C")
    target = out.box(box)
    target[...] = turned
    return target
