"""Cells that are still where they are stored: a kernel that takes them reads them part by part.

A chunk that is read as a whole passes through memory on its way to what folds it. Parts that fit a
core's cache do not: of 800 MB of float64 in chunks of 32 MB, reading and adding up takes .082
processor seconds by whole chunks, and .042 by parts of 4 MB (reading alone .043 and .026).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from math import prod
from types import EllipsisType
from typing import Any, NamedTuple, TypeGuard

import numpy as np

Block = np.ndarray[Any, Any]
Span = tuple[int, int]
Cut = tuple[slice | EllipsisType, ...]
Opening = Callable[[tuple[Span, ...]], AbstractContextManager[tuple[int, int] | None]]


class Lines(NamedTuple):
    """Lines of a block, named by numbers, that lie in memory.

    Attributes
    ----------
    block
        Where they lie.
    numbers
        One for each line; those below zero count from the end.
    axis
        Of the block, along which the numbers count.
    extent, origin
        Of the whole that the block is a part of, along the axis, and where in it the block begins.
    """

    block: Block
    numbers: Block
    axis: int
    extent: int
    origin: int


class UnreadCells(NamedTuple):
    """A box of stored cells, which is laid out, sliced and transposed as its array would be.

    Attributes
    ----------
    reading
        Reads a box, given by its first and one-past-last cell along each axis as stored.
    spans
        The box, along the axes as stored.
    order
        For each axis, that of what is stored.
    strides
        Bytes between cells along each axis, of the array that a whole read fills.
    dtype
        Of the cells.
    lines
        What the cells are copies of, which a kernel may look at instead: along the axis of a number
        of lines `spans` counts these.
    opening
        Opens the file in which the cells of a box lie side by side as they are: a context of its
        descriptor and the byte at which they begin, or of None where there is none.
    """

    reading: Callable[[tuple[Span, ...]], Block]
    spans: tuple[Span, ...]
    order: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: np.dtype[Any]
    lines: Lines | None = None
    opening: Opening | None = None

    @classmethod
    def of(
        cls,
        shape: Sequence[int],
        dtype: np.dtype[Any],
        reading: Callable[..., Block],
        lines: Lines | None = None,
        opening: Opening | None = None,
    ) -> UnreadCells:
        """All cells of a block of a shape and dtype, which `reading` reads box by box.

        Examples
        --------
        >>> x = np.arange(12).reshape(3, 4)
        >>> unread = UnreadCells.of(x.shape, x.dtype, lambda box: x[tuple(slice(*s) for s in box)])
        >>> turned = unread.transpose((1, 0)).part((slice(1, 3),))
        >>> turned.shape, turned.read()
        ((2, 3), array([[ 1,  5,  9],
               [ 2,  6, 10]]))
        """
        steps = [prod(shape[axis + 1 :]) * dtype.itemsize for axis in range(len(shape))]
        spans = tuple([(0, n) for n in shape])
        return cls(reading, spans, tuple(range(len(shape))), tuple(steps), dtype, lines, opening)

    @property
    def shape(self) -> tuple[int, ...]:
        """Cells along each axis."""
        return tuple([self.spans[axis][1] - self.spans[axis][0] for axis in self.order])

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.order)

    @property
    def size(self) -> int:
        """Number of cells."""
        return prod(self.shape)

    @property
    def itemsize(self) -> int:
        """Bytes of a cell."""
        return self.dtype.itemsize

    def transpose(self, axes: Sequence[int]) -> UnreadCells:
        """The same cells, with the axes in another order."""
        order, strides = (tuple([own[a] for a in axes]) for own in (self.order, self.strides))
        return self._replace(order=order, strides=strides)

    def part(self, cut: Cut) -> UnreadCells:
        """The cells that slices of the leading axes select, each of a step of one.

        An ellipsis may end them, as those of boxes do.
        """
        spans = list(self.spans)
        for axis, own in zip(self.order, cut, strict=False):
            assert isinstance(own, slice)
            low, high = spans[axis]
            start, stop, _ = own.indices(high - low)
            spans[axis] = low + start, low + max(start, stop)
        return self._replace(spans=tuple(spans))

    def read(self) -> Block:
        """The cells."""
        return self.reading(self.spans).transpose(self.order)


def is_unread(block: object) -> TypeGuard[UnreadCells]:
    """Whether the cells of a block are not read yet."""
    return type(block) is UnreadCells


def in_memory(block: Any) -> Any:
    """A block whose cells are read; any other as it is."""
    return block.read() if is_unread(block) else block


def part_of(block: Any, cut: Cut) -> Any:
    """The cells of a block that slices of its leading axes select, read or not."""
    return block.part(cut) if is_unread(block) else block[cut]
