"""Repeat and tile: each cell, or the whole tensor, several times along an axis.

What the Tapestry whitepaper calls *repeat* is `tile` here, as in NumPy.
"""

from __future__ import annotations

from collections.abc import Sequence

from dask_tapestry.operators.views.broadcast import broadcast
from dask_tapestry.operators.views.reshape import reshape
from dask_tapestry.operators.views.unsqueeze import unsqueeze
from dask_tapestry.teg import Tensor


def repeat(x: Tensor, count: int, axis: int) -> Tensor:
    """Repeat each cell `count` times along `axis`, as `numpy.repeat` does."""
    if count == 1:
        return x
    shape = x.type.shape
    wide = broadcast(unsqueeze(x, axis + 1), (*shape[: axis + 1], count, *shape[axis + 1 :]))
    return reshape(wide, (*shape[:axis], shape[axis] * count, *shape[axis + 1 :]))


def tile(x: Tensor, counts: Sequence[int]) -> Tensor:
    """Repeat `x` ``counts[axis]`` times along each axis, as `numpy.tile` does."""
    if all(count == 1 for count in counts):
        return x
    shape = x.type.shape
    several = [axis for axis, count in enumerate(counts) if count != 1]
    wide = unsqueeze(x, tuple(axis + i for i, axis in enumerate(several)))
    sides: list[int] = []
    for axis, n in enumerate(shape):
        sides += [counts[axis], n] if axis in several else [n]
    new = tuple(n * count for n, count in zip(shape, counts, strict=True))
    return reshape(broadcast(wide, tuple(sides)), new)
