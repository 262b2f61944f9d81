"""Walks over the points of a box in any axis order, one point at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, TypeAlias

from dask_tapestry.basic_errors import ArgumentError
from dask_tapestry.zspace.axes import exact_permutation
from dask_tapestry.zspace.integers import Ints
from dask_tapestry.zspace.point import ZPoint

Order: TypeAlias = Literal["C", "F"] | Ints
"""The axes from the slowest to the fastest; "C": as they are, "F": reversed."""


def axis_order(order: Order, ndim: int) -> tuple[int, ...]:
    """Return the axes from the slowest to the fastest.

    Raises
    ------
    ValueError
        If `order` is neither "C", "F" nor a permutation of the axes.

    Examples
    --------
    >>> axis_order("F", 3)
    (2, 1, 0)
    """
    if isinstance(order, str):
        if order not in ("C", "F"):
            raise ArgumentError(f"order must be 'C', 'F' or a permutation of axes, got {order!r}")
        axes = tuple(range(ndim))
        return axes if order == "C" else axes[::-1]
    return exact_permutation(order, ndim)


def iterate_points(sides: Sequence[range], order: Order = "C") -> Iterator[ZPoint]:
    """Return the points of the product of `sides`, the first axis of `order` slowest.

    Nothing is written out (``itertools.product`` would first copy every side), so the first
    points of a box of any size come at once.

    Examples
    --------
    >>> next(iterate_points([range(10**30), range(5, 10**30)]))
    ZPoint((0, 5))
    >>> [tuple(p) for p in iterate_points([range(2), range(2)], "F")]
    [(0, 0), (1, 0), (0, 1), (1, 1)]
    """
    axes = axis_order(order, len(sides))
    if axes == tuple(range(len(sides))):
        return map(ZPoint, _nested(sides))
    slot = [axes.index(axis) for axis in range(len(axes))]
    return (ZPoint(tuple([p[k] for k in slot])) for p in _nested([sides[axis] for axis in axes]))


def _nested(sides: Sequence[range]) -> Iterator[tuple[int, ...]]:
    if not sides:
        yield ()
        return
    for head in _nested(sides[:-1]):
        for last in sides[-1]:
            yield (*head, last)
