"""Regions of a tensor: an arithmetic progression of coordinates in each dimension."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import gcd

from dask_tapestry.zspace import IndexProjection, ZRange


@dataclass(frozen=True, slots=True)
class Progression:
    """The coordinates ``start, start + step, ...``, `count` of them; `step` is positive."""

    start: int
    step: int
    count: int

    @classmethod
    def of(cls, start: int, step: int, count: int) -> Progression:
        """A progression with any step: a negative one is reversed, a single point has step 1."""
        if count < 1:
            return cls(0, 1, 0)
        if step < 0:
            start, step = start + step * (count - 1), -step
        return cls(start, step if count > 1 else 1, count)

    @property
    def stop(self) -> int:
        """One past the last coordinate."""
        return self.start + self.step * (self.count - 1) + 1 if self.count else self.start

    def is_whole(self, extent: int) -> bool:
        """Whether every coordinate below `extent` is in it."""
        return self.count == extent and (not extent or (self.start == 0 and self.step == 1))

    def hull(self, other: Progression) -> Progression:
        """Smallest progression that holds both."""
        if not self.count or not other.count:
            return self if self.count else other
        start = min(self.start, other.start)
        last = max(self.stop, other.stop) - 1
        steps = [p.step for p in (self, other) if p.count > 1]
        step = gcd(*steps, self.start - other.start) or 1
        return Progression.of(start, step, (last - start) // step + 1)

    def meets(self, other: Progression) -> bool:
        """Whether they have a coordinate in common.

        Examples
        --------
        >>> [Progression(0, 4, 9).meets(Progression(start, 6, 9)) for start in (1, 2)]
        [False, True]
        """
        if not self.count or not other.count:
            return False
        shared, apart = gcd(self.step, other.step), other.start - self.start
        if apart % shared:
            return False
        cycle = other.step // shared
        steps = apart // shared * pow(self.step // shared, -1, cycle) % cycle
        first = self.start + self.step * steps
        both = self.step * cycle  # the period of the coordinates that both may have
        lowest = max(self.start, other.start)
        return first + -(-(lowest - first) // both) * both < min(self.stop, other.stop)

    def position(self, inner: Progression) -> Progression:
        """`inner`, a part of this progression, in steps of it."""
        if not inner.count:
            return inner
        step = inner.step // self.step if inner.count > 1 else 1
        return Progression((inner.start - self.start) // self.step, step, inner.count)


class Region(tuple[Progression, ...]):
    """One progression for each dimension of a tensor.

    Examples
    --------
    >>> rows = Region([Progression(0, 2, 3), Progression(1, 1, 4)])
    >>> rows.hull(Region([Progression(1, 2, 2), Progression(0, 1, 1)]))
    Region[0:5:1, 0:5:1]
    """

    __slots__ = ()

    @classmethod
    def whole(cls, shape: Sequence[int]) -> Region:
        """All of a tensor."""
        return _whole(tuple(shape))

    @classmethod
    def box(cls, box: ZRange) -> Region:
        """A box as a region."""
        return cls(Progression.of(a, 1, b - a) for a, b in zip(box.lo, box.hi, strict=True))

    @classmethod
    def project(
        cls, projection: IndexProjection, index: Sequence[Progression], shape: Sequence[int]
    ) -> Region | None:
        """Region of a tensor that index progressions select, or None where it is not regular.

        An index dimension that is taken whole may move a tensor in any way; a restricted one
        must move it by one cell a step, alone.
        """
        parts = []
        for axis, row in enumerate(projection.matrix):
            moving = [dim for dim, coefficient in enumerate(row) if coefficient]
            width, offset = projection.shape[axis], projection.offset[axis]
            pointwise = len(moving) == 1 and row[moving[0]] == 1 and width == 1 and offset == 0
            if pointwise:
                parts.append(index[moving[0]])
            elif all(index[dim].start == 0 and index[dim].step == 1 for dim in moving):
                box = projection.of_range(ZRange((0,) * len(index), tuple(p.count for p in index)))
                if box.lo[axis] != 0 or box.hi[axis] < shape[axis]:
                    return None
                parts.append(Progression(0, 1, shape[axis]))
            else:
                return None
        return cls(parts)

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of coordinates in each dimension."""
        return tuple(p.count for p in self)

    @property
    def is_empty(self) -> bool:
        """Whether it holds no cell."""
        return any(p.count == 0 for p in self)

    def is_whole(self, shape: Sequence[int]) -> bool:
        """Whether it is all of a tensor of `shape`."""
        return all(p.is_whole(n) for p, n in zip(self, shape, strict=True))

    def hull(self, other: Region) -> Region:
        """Smallest region that holds both."""
        if other is self:  # of a value that is read whole often
            return self
        return Region(a.hull(b) for a, b in zip(self, other, strict=True))

    def position(self, inner: Region) -> Region:
        """`inner`, a part of this region, in steps of it."""
        return Region(a.position(b) for a, b in zip(self, inner, strict=True))

    def __repr__(self) -> str:
        sides = (f"{p.start}:{p.stop}:{p.step}" for p in self)
        return f"Region[{', '.join(sides)}]"


@lru_cache(maxsize=1024)
def _whole(shape: tuple[int, ...]) -> Region:
    return Region([Progression(0, 1, n) for n in shape])
