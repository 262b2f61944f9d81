"""Dimensions of blocks merged where all of them run through memory as one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple


class MergedDims(NamedTuple):
    """Extents, and for each array its strides in bytes."""

    extents: list[int]
    strides: list[list[int]]


def merged(arrays: Sequence[Any], least: int = 1) -> MergedDims:
    """The dimensions of arrays of one shape in the order in which the last of them lies.

    Neighbouring dimensions are merged where all arrays run through them as one.

    Parameters
    ----------
    arrays
        Arrays of NumPy or CuPy.
    least
        Number of dimensions at least; those that are missing have one cell.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.zeros((4, 5, 6))
    >>> merged([x, x]).extents, merged([x[:, ::2], x[:, ::2]]).extents
    ([120], [4, 3, 6])
    """
    last = arrays[-1]
    dims = sorted(
        (d for d in range(last.ndim) if last.shape[d] > 1), key=lambda d: -abs(last.strides[d])
    )
    extents: list[int] = []
    strides: list[list[int]] = [[] for _ in arrays]
    for dim in dims:
        n = last.shape[dim]
        if extents and all(
            s[-1] == a.strides[dim] * n for s, a in zip(strides, arrays, strict=True)
        ):
            extents[-1] *= n
            for s, a in zip(strides, arrays, strict=True):
                s[-1] = a.strides[dim]
            continue
        extents.append(n)
        for s, a in zip(strides, arrays, strict=True):
            s.append(a.strides[dim])
    missing = least - len(extents)
    if missing > 0:
        sides = [a.itemsize for a in arrays]
        extents = [1] * missing + extents
        strides = [[size] * missing + s for size, s in zip(sides, strides, strict=True)]
    return MergedDims(extents, strides)
