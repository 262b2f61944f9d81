"""Ranges: half-open boxes of Z^n that a tensor, a shard or an index space occupies.

Source: Tapestry whitepaper, "ZSpace: Discrete Coordinate Space Objects" and
"Side Note: Size, Z^0, and Scalars".
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from operator import add, eq, ge, gt, le, sub
from types import EllipsisType
from typing import SupportsIndex, final

from dask_tapestry.basic_errors import ArgumentError
from dask_tapestry.zspace.axes import exact_axis, same_ndim
from dask_tapestry.zspace.integers import Ints, exact_int, exact_ints
from dask_tapestry.zspace.point import ZPoint
from dask_tapestry.zspace.point_iteration import Order, iterate_points

_set = object.__setattr__


@final
@dataclass(frozen=True, slots=True, init=False, repr=False)
class ZRange:
    """The points p with ``lo <= p < hi`` in every dimension.

    Not a tuple: Dask walks into tuples it finds in tasks, and ``range + vector`` must not
    concatenate. With zero dimensions there is exactly one point, ``()``, so the size is 1.

    Parameters
    ----------
    lo, hi
        First corner, and the corner after the last; kept as plain tuples of ``int``.

    Raises
    ------
    ValueError
        If the dimensions differ, or `hi` is below `lo` in one of them.
    TypeError
        If a coordinate is not an integer (bools are not).

    Examples
    --------
    >>> r = ZRange((0, 2), (4, 9))
    >>> print(r, r.shape, r.size)
    [0:4, 2:9] (4, 7) 28
    >>> (3, 8) in r, (4, 8) in r
    (True, False)
    """

    lo: tuple[int, ...]
    hi: tuple[int, ...]

    def __init__(self, lo: Ints, hi: Ints) -> None:
        first, end = exact_ints(lo, "lo"), exact_ints(hi, "hi")
        if len(first) != len(end) or any(map(gt, first, end)):
            _refuse_corners(first, end)
        _set(self, "lo", first)
        _set(self, "hi", end)

    @classmethod
    def of_shape(cls, shape: Ints) -> ZRange:
        """Return the range of all cells of a tensor of this shape.

        Examples
        --------
        >>> print(ZRange.of_shape((4, 2)))
        [0:4, 0:2]
        """
        hi = exact_ints(shape, "shape")
        return cls((0,) * len(hi), hi)

    @property
    def ndim(self) -> int:
        """The number of dimensions.

        Examples
        --------
        >>> ZRange.of_shape((4, 2)).ndim
        2
        """
        return len(self.lo)

    @property
    def shape(self) -> tuple[int, ...]:
        """The extent along each dimension.

        Examples
        --------
        >>> ZRange((1, 1), (4, 2)).shape
        (3, 1)
        """
        return tuple(map(sub, self.hi, self.lo))

    @property
    def size(self) -> int:
        """The number of points.

        Examples
        --------
        >>> ZRange.of_shape((10**12, 10**12)).size
        1000000000000000000000000
        """
        return prod(map(sub, self.hi, self.lo))

    @property
    def is_empty(self) -> bool:
        """Whether there is no point in it.

        Examples
        --------
        >>> ZRange((0, 3), (4, 3)).is_empty
        True
        """
        return any(map(eq, self.lo, self.hi))

    def contains(self, item: Ints | ZRange) -> bool:
        """Whether a point, or every point of a range, is in this range.

        An empty range is contained in every range.

        Raises
        ------
        ValueError
            If the dimensions differ.

        Examples
        --------
        >>> r = ZRange.of_shape((4, 4))
        >>> r.contains((3, 3)), r.contains(ZRange((3, 3), (4, 5)))
        (True, False)
        """
        if isinstance(item, ZRange):
            same_ndim(item.ndim, self.ndim, "range")
            inside = all(map(le, self.lo, item.lo)) and all(map(le, item.hi, self.hi))
            return inside or item.is_empty
        point = exact_ints(item, "point")
        same_ndim(len(point), self.ndim, "point")
        return all(map(le, self.lo, point)) and all(map(gt, self.hi, point))

    def __contains__(self, item: Ints | ZRange) -> bool:
        """Return `contains`."""
        return self.contains(item)

    def intersection(self, other: ZRange) -> ZRange:
        """Return the points in both ranges.

        Without a common point the result is the empty range at this range's `lo`, whatever
        the other one was: so it always lies inside this range.

        Raises
        ------
        ValueError
            If the dimensions differ.

        Examples
        --------
        >>> r = ZRange((2, 2), (6, 6))
        >>> print(r.intersection(ZRange.of_shape((4, 9))), r.intersection(ZRange.of_shape((1, 1))))
        [2:4, 2:6] [2:2, 2:2]
        """
        same_ndim(other.ndim, self.ndim, "range")
        lo = tuple(map(max, self.lo, other.lo))
        hi = tuple(map(min, self.hi, other.hi))
        return trusted_range(self.lo, self.lo) if any(map(ge, lo, hi)) else trusted_range(lo, hi)

    def hull(self, other: ZRange) -> ZRange:
        """Return the smallest range that contains both; of an empty one, the other.

        Raises
        ------
        ValueError
            If the dimensions differ.

        Examples
        --------
        >>> print(ZRange((0,), (2,)).hull(ZRange((7,), (9,))))
        [0:9]
        """
        same_ndim(other.ndim, self.ndim, "range")
        if self.is_empty or other.is_empty:
            return other if self.is_empty else self
        return trusted_range(tuple(map(min, self.lo, other.lo)), tuple(map(max, self.hi, other.hi)))

    def translate(self, vector: Ints) -> ZRange:
        """Return the range moved by a vector.

        Raises
        ------
        ValueError
            If the dimensions differ.

        Examples
        --------
        >>> print(ZRange.of_shape((4, 2)).translate((10, -1)))
        [10:14, -1:1]
        """
        delta = exact_ints(vector, "vector")
        same_ndim(len(delta), self.ndim, "vector")
        return trusted_range(tuple(map(add, self.lo, delta)), tuple(map(add, self.hi, delta)))

    def replace(self, axis: SupportsIndex, lo: SupportsIndex, hi: SupportsIndex) -> ZRange:
        """Return the range with other bounds along one axis.

        Raises
        ------
        ValueError
            If there is no such axis, or `hi` is below `lo`.

        Examples
        --------
        >>> print(ZRange.of_shape((4, 2)).replace(1, 5, 9))
        [0:4, 5:9]
        """
        k = exact_axis(axis, self.ndim)
        first, end = exact_int(lo, "lo"), exact_int(hi, "hi")
        los = (*self.lo[:k], first, *self.lo[k + 1 :])
        his = (*self.hi[:k], end, *self.hi[k + 1 :])
        if end < first:
            _refuse_corners(los, his)
        return trusted_range(los, his)

    def embed(self, axis: SupportsIndex, lo: SupportsIndex = 0, hi: SupportsIndex = 1) -> ZRange:
        """Return the range with a new axis inserted before `axis`.

        Raises
        ------
        ValueError
            If there is no such place, or `hi` is below `lo`.

        Examples
        --------
        >>> print(ZRange.of_shape((4, 2)).embed(1))
        [0:4, 0:1, 0:2]
        """
        k = exact_axis(axis, self.ndim + 1)
        return ZRange((*self.lo[:k], lo, *self.lo[k:]), (*self.hi[:k], hi, *self.hi[k:]))

    def project(self, axes: Ints) -> ZRange:
        """Return the range of the named axes alone, in that order.

        Raises
        ------
        ValueError
            If an axis does not exist or is named twice.

        Examples
        --------
        >>> print(ZRange((0, 1, 2), (5, 6, 7)).project((2, 0)))
        [2:7, 0:5]
        """
        kept = [exact_axis(axis, self.ndim) for axis in exact_ints(axes, "axes")]
        if len(set(kept)) != len(kept):
            raise ArgumentError(f"axes must be different, got {tuple(kept)}")
        return trusted_range(tuple([self.lo[k] for k in kept]), tuple([self.hi[k] for k in kept]))

    def split(self, axis: SupportsIndex, at: SupportsIndex) -> tuple[ZRange, ZRange]:
        """Return the parts before and from coordinate `at` of one axis; one may be empty.

        Raises
        ------
        ValueError
            If there is no such axis, or `at` is outside ``lo <= at <= hi``.

        Examples
        --------
        >>> print(*ZRange.of_shape((4, 2)).split(0, 3))
        [0:3, 0:2] [3:4, 0:2]
        """
        k, place = exact_axis(axis, self.ndim), exact_int(at, "at")
        if not self.lo[k] <= place <= self.hi[k]:
            raise ArgumentError(f"cannot split {self} at {place} of axis {k}: it is outside")
        return self.replace(k, self.lo[k], place), self.replace(k, place, self.hi[k])

    def cut(self, axis: SupportsIndex, step: SupportsIndex) -> Iterator[ZRange]:
        """Return the pieces `step` long along one axis, in order; the last may be shorter.

        They tile the range: an axis of extent 0 has no piece.

        Raises
        ------
        ValueError
            If there is no such axis, or `step` is not positive.

        Examples
        --------
        >>> print(*ZRange.of_shape((5,)).cut(0, 2))
        [0:2] [2:4] [4:5]
        """
        k, size = exact_axis(axis, self.ndim), exact_int(step, "step")
        if size < 1:
            raise ArgumentError(f"step must be at least 1, got {size}")
        end = self.hi[k]
        return (self.replace(k, at, min(at + size, end)) for at in range(self.lo[k], end, size))

    def points(self, order: Order = "C") -> Iterator[ZPoint]:
        """Return the points one by one; the first axis of `order` varies slowest.

        Parameters
        ----------
        order
            "C" (the last axis fastest), "F" (the first axis fastest), or the axes from the
            slowest to the fastest.

        Examples
        --------
        >>> [tuple(p) for p in ZRange((0, 8), (2, 10)).points((1, 0))]
        [(0, 8), (1, 8), (0, 9), (1, 9)]
        """
        return iterate_points(
            [range(lo, hi) for lo, hi in zip(self.lo, self.hi, strict=True)], order
        )

    def slices(self, relative_to: ZRange | None = None) -> tuple[slice, ...]:
        """Return the slices that select this range in an array.

        Parameters
        ----------
        relative_to
            The range the array holds; without it, the array starts at the origin.

        Raises
        ------
        ValueError
            If the array does not hold the range: a negative start would select from the end.
            (For an empty range the slices then select nothing.)

        Examples
        --------
        >>> ZRange((4,), (6,)).slices(), ZRange((4,), (6,)).slices(ZRange((3,), (9,)))
        ((slice(4, 6, None),), (slice(1, 3, None),))
        """
        origin = (0,) * self.ndim if relative_to is None else relative_to.lo
        end = self.hi if relative_to is None else relative_to.hi
        same_ndim(len(origin), self.ndim, "relative_to")
        if all(map(le, origin, self.lo)) and all(map(le, self.hi, end)):
            return tuple(map(slice, map(sub, self.lo, origin), map(sub, self.hi, origin)))
        if self.is_empty:
            return (slice(0, 0),) * self.ndim
        where = "an array that starts at the origin" if relative_to is None else f"{relative_to}"
        raise ArgumentError(f"cannot select {self} in {where}: it is not inside")

    def index(self, relative_to: ZRange | None = None) -> tuple[slice | EllipsisType, ...]:
        """Return the slices and an Ellipsis: they select an array even of one cell, no scalar.

        Examples
        --------
        >>> ZRange((4,), (6,)).index(), ZRange((), ()).index()
        ((slice(4, 6, None), Ellipsis), (Ellipsis,))
        """
        return (*self.slices(relative_to), ...)

    def __repr__(self) -> str:
        """Return the constructor call."""
        return f"ZRange({self.lo}, {self.hi})"

    def __str__(self) -> str:
        """Return the bounds as slices, ``[0:4, 2:9]``."""
        bounds = zip(self.lo, self.hi, strict=True)
        return f"[{', '.join([f'{lo}:{hi}' for lo, hi in bounds])}]"

    def __reduce__(self) -> tuple[type[ZRange], tuple[tuple[int, ...], tuple[int, ...]]]:
        """Pickle as the two corners."""
        return ZRange, (self.lo, self.hi)


def trusted_range(lo: tuple[int, ...], hi: tuple[int, ...]) -> ZRange:
    """Return a range from corners already known to be right, in .28 us where checking takes .78."""
    made = object.__new__(ZRange)
    _set(made, "lo", lo)
    _set(made, "hi", hi)
    return made


def _refuse_corners(lo: tuple[int, ...], hi: tuple[int, ...]) -> None:
    same_ndim(len(hi), len(lo), "hi")
    below = [f"{k} is {a}:{b}" for k, (a, b) in enumerate(zip(lo, hi, strict=True)) if b < a]
    raise ArgumentError(f"hi must not be below lo, but dimension {', '.join(below[:1])}")
