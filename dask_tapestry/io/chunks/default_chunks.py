"""Default chunks in which a tensor is stored: small ones joined, large ones cut and warned of."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from math import prod

from dask.utils import format_bytes

from dask_tapestry.io.tuning import CHUNKS_A_TASK, MOST_TINY_CHUNKS, TINY_CHUNK_BYTES
from dask_tapestry.teg import Tensor
from dask_tapestry.teg.nominal import chunk_bytes, nominal_cuts
from dask_tapestry.teg.users_line import users_level
from dask_tapestry.zspace import fitting_sides


def default_chunk_shape(x: Tensor, memory: int | None = None) -> tuple[int, ...]:
    """Return the shape of the chunks in which a tensor is stored by default: its nominal ones.

    Stores want equal chunks, so of unequal ones the longest decides. A great many tiny ones are
    joined; those that are too large for a task, which has `memory` bytes, are made smaller, with a
    warning.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> default_chunk_shape(dt.ones((6, 9), chunks=(4, 2)).node)
    (4, 2)
    """
    sides = tuple(max(1, cuts.longest) for cuts in nominal_cuts(x))
    itemsize = max(1, x.type.dtype.itemsize)
    size = prod(sides) * itemsize
    if size < TINY_CHUNK_BYTES and x.type.nbytes > MOST_TINY_CHUNKS * size:
        return _joined(sides, x.type.shape, chunk_bytes() // itemsize)
    if memory is None or size * CHUNKS_A_TASK <= memory:
        return sides
    smaller = fitting_sides(sides, range(len(sides)), memory // (CHUNKS_A_TASK * itemsize))
    warnings.warn(
        f"chunks {sides} of {x.type} take {format_bytes(size)}, too much for the memory of a task; "
        f"they are stored as {smaller}: give chunks= to choose others",
        stacklevel=users_level(),
    )
    return smaller


def _joined(sides: Sequence[int], shape: Sequence[int], cells: int) -> tuple[int, ...]:
    """Multiply `sides`, the last one first, until a chunk has `cells` cells or is all."""
    found = list(sides)
    for axis in reversed(range(len(found))):
        times = max(1, cells // prod(found))
        found[axis] = min(found[axis] * times, max(1, shape[axis]))
    return tuple(found)
