"""Aligned blocks: cells that came over a network, copied to where BLAS takes them.

What a network brings lies at any byte. BLAS takes no cells there, and a kernel that did without
would copy them into fresh memory: eight megabytes took 2.5 ms. A panel of a matrix is applied to
several strips by one worker, in one task after the other: so the last copy is kept as long as what
it is a copy of.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple
from weakref import ReferenceType, ref

import numpy as np

from dask_tapestry.lower.tuning import LEAST_KEPT_COPY_BYTES
from dask_tapestry.memory.buffer_pool import POOL

Block = np.ndarray[Any, Any]


class _Copy(NamedTuple):
    """An aligned copy of a block, which is dropped when the block is gone."""

    of: ReferenceType[Block]
    cells: Block


_last: Final[list[_Copy]] = []  # one at most


def aligned(block: Block) -> Block:
    """A block whose cells lie at multiples of their size: a copy, in used memory, of another one.

    Columns that lie in memory one after the other do so in the copy. Nobody may write to it.
    """
    if block.flags.aligned:
        return block
    for known in _last:
        if known.of() is block:
            return known.cells
    if block.nbytes < LEAST_KEPT_COPY_BYTES:
        return _copied(block)
    _last.clear()  # before there is another one: a worker has room for one
    copy = _Copy(ref(block, _forget), _copied(block))
    _last[:] = [copy]
    return copy.cells


def _forget(gone: ReferenceType[Block]) -> None:
    """Drop the copy of a block that is gone."""
    if any(known.of is gone for known in _last):
        _last.clear()


def _copied(block: Block) -> Block:
    lies_turned = block.flags.f_contiguous and not block.flags.c_contiguous
    rows = block.T if lies_turned else block
    made = POOL.empty(rows.shape, rows.dtype)
    made[...] = rows
    return made.T if lies_turned else made
