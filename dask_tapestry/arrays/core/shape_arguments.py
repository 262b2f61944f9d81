"""Shapes as users write them: an integer, or integers of any kind in any sequence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import SupportsIndex

from dask_tapestry.amounts import MOST, integer
from dask_tapestry.errors import DTypeError, ShapeError

Shape = SupportsIndex | Sequence[SupportsIndex]


def shape_of(shape: Shape) -> tuple[int, ...]:
    """Return `shape` as a tuple of ints.

    Raises
    ------
    ShapeError
        If a length is negative.
    DTypeError
        If one is a truth value.

    Examples
    --------
    >>> import numpy as np
    >>> shape_of(3), shape_of(np.array([2, 4]))
    ((3,), (2, 4))
    """
    sides = lengths_of(shape)
    if any(n < 0 for n in sides):
        raise ShapeError(f"negative dimensions are not allowed: {sides}")
    if any(n > MOST for n in sides):
        raise ShapeError("Maximum allowed dimension exceeded")
    return sides


def lengths_of(shape: Shape) -> tuple[int, ...]:
    """Return `shape` as a tuple of ints; some may be negative."""
    if isinstance(shape, SupportsIndex) and getattr(shape, "ndim", None) == 0:
        return (_length(shape),)
    if isinstance(shape, str | bytes | Mapping):
        raise DTypeError(f"a shape is an integer or a sequence of integers, not {shape!r}")
    if isinstance(shape, Iterable):
        return tuple(_length(n) for n in shape)
    return (_length(shape),)


def _length(n: SupportsIndex) -> int:
    if isinstance(n, bool):  # NumPy's truth values have no __index__ either
        raise DTypeError(f"a length is an integer, not {n}")
    return integer(n)
