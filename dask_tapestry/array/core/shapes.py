"""Shapes as users write them: an integer, or integers of any kind in any sequence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import index

from dask_tapestry.errors import ShapeError

Shape = int | Sequence[int]


def shape_of(shape: Shape) -> tuple[int, ...]:
    """Return `shape` as a tuple of ints.

    Raises
    ------
    ShapeError
        If a length is negative.

    Examples
    --------
    >>> import numpy as np
    >>> shape_of(3), shape_of(np.array([2, 4]))
    ((3,), (2, 4))
    """
    sides = lengths_of(shape)
    if any(n < 0 for n in sides):
        raise ShapeError(f"negative dimensions are not allowed: {sides}")
    return sides


def lengths_of(shape: Shape) -> tuple[int, ...]:
    """Return `shape` as a tuple of ints, of which some may be negative."""
    if isinstance(shape, Iterable):
        return tuple(index(n) for n in shape)
    return (index(shape),)


def only_cpu(device: str | None) -> None:
    """Refuse a device that is not known here, as NumPy does; the plan's workers have the others.

    Raises
    ------
    ShapeError
        Which is a ValueError, as NumPy's.
    """
    if device not in (None, "cpu"):
        raise ShapeError(f'Device not understood. Only "cpu" is allowed, but received: {device}')


def known_order(order: str | None) -> None:
    """Refuse what is no order of cells in memory; arrays here have none, so the rest is ignored.

    Raises
    ------
    ShapeError
        Which is a ValueError, as NumPy's.
    """
    if order is not None and str(order).upper() not in ("C", "F", "A", "K"):
        raise ShapeError(f"order must be one of 'C', 'F', 'A', or 'K' (got {order!r})")
