"""Generators: blocks made from their coordinates alone."""

from __future__ import annotations

from typing import Any

import numpy as np

Block = np.ndarray[Any, Any]


def full(out: Block | None, *, value: np.generic, shape: tuple[int, ...]) -> Block:
    """One value everywhere: a view of one cell, or `out` filled."""
    if out is None:
        return np.broadcast_to(np.asarray(value), shape)
    out[...] = value
    return out


def arange(
    out: Block | None,  # noqa: ARG001
    *,
    first: np.generic,
    delta: np.generic,
    places: range,
    dtype: np.dtype[Any],
) -> Block:
    """``first + place * delta`` for each place, in the dtype of `first`, as NumPy fills ranges.

    Times are counted in integers and seen as `dtype` at the end.
    """
    steps = np.arange(places.start, places.stop, places.step, dtype=np.int64)
    numbers = steps.astype(first.dtype)
    np.multiply(numbers, delta, out=numbers)
    return np.add(first, numbers, out=numbers).view(dtype)


def index(out: Block | None, *, axis: int, places: range, shape: tuple[int, ...]) -> Block:  # noqa: ARG001
    """Coordinates along `axis`: a view of one line of them."""
    line = np.arange(places.start, places.stop, places.step, dtype=np.int64)
    sides = [-1 if dim == axis else 1 for dim in range(len(shape))]
    return np.broadcast_to(line.reshape(sides), shape)
