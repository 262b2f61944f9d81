"""Memory for what a kernel of matrices makes: that which it is given, where BLAS takes it."""

from __future__ import annotations

from typing import Any

import numpy as np

from dask_tapestry_kernels.cpu.blocks.lapack import rows_apart

Block = np.ndarray[Any, Any]


def room(out: Block | None, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Block:
    """A matrix of arbitrary cells: `out` if it is such a one whose rows lie in memory, else new.

    Examples
    --------
    >>> given = np.empty((2, 3))
    >>> room(given, (2, 3), given.dtype) is given, room(given, (3, 3), given.dtype).shape
    (True, (3, 3))
    """
    if out is None or out.shape != shape or out.dtype != dtype:
        return np.empty(shape, dtype)
    fits = out.flags.c_contiguous or (out.ndim == 2 and rows_apart(out) is not None)
    return out if fits else np.empty(shape, dtype)


def copy_in(out: Block | None, block: Block) -> Block:
    """A copy of a block, in `out` if that has room for it.

    Examples
    --------
    >>> given = np.empty(2)
    >>> copy_in(given, np.array([1.0, 2.0])) is given
    True
    """
    made = room(out, block.shape, block.dtype)
    made[...] = block
    return made
