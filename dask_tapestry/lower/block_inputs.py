"""Inputs of a block: which tasks hold the cells that a block of a step reads.

Writing out a plan asks this for every box of every block, so what follows from a box's bounds along
one axis is found once for each of those bounds, and what follows from a box once for each box: the
blocks of a product read the same rows and columns of blocks again and again.
"""

from __future__ import annotations

from itertools import product
from math import prod
from operator import getitem, sub
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from dask_tapestry.lower.dask_private import TaskRef
from dask_tapestry.lower.symbolic_layer import Key
from dask_tapestry.lower.tuning import BOXES_REMEMBERED
from dask_tapestry.planner.tuning import SLICE_SAVES_BYTES
from dask_tapestry.zspace import Cuts, ZRange, block_box

NO_KEYS: Final[frozenset[Key]] = frozenset()
Bounds: TypeAlias = tuple[int, int]
References: TypeAlias = tuple[tuple[Any, ...], frozenset[Key]]
"""What holds a box's cells: references in C order of the blocks, or cells, and the keys of all."""


class Parts(NamedTuple):
    """Parts of blocks along one axis.

    Attributes
    ----------
    numbers
        Of the blocks.
    lo, hi
        First and one-past-last cell of each part.
    held, wanted
        Length of each block, and of the part.
    """

    numbers: tuple[int, ...]
    lo: tuple[int, ...]
    hi: tuple[int, ...]
    held: tuple[int, ...]
    wanted: tuple[int, ...]

    @property
    def are_whole(self) -> bool:
        """Whether the parts are the blocks."""
        return self.held == self.wanted


class HeldBlocks:
    """The blocks of one input, as the tasks that read them refer to them.

    Parameters
    ----------
    source, cuts
        First part of the blocks' keys, and how they are cut.
    itemsize
        Bytes of a cell.
    slices
        First part of the keys of slices: parts of blocks that are cut where the block lies, where
        that saves enough. None for whole blocks.

    Attributes
    ----------
    along
        For each axis, what is held between two coordinates of it: numbers of blocks, or with slices
        `Parts` of them.
    """

    def __init__(
        self, source: str, cuts: tuple[Cuts, ...], itemsize: int, slices: str | None
    ) -> None:
        largest = prod([c.longest for c in cuts]) * itemsize
        self.source, self.cuts, self.itemsize = source, cuts, itemsize
        self.slices = slices if largest >= SLICE_SAVES_BYTES else None
        self._head = (source,)
        self.along: list[Any] = [
            (_BlockNumbers if self.slices is None else _Parts)(c) for c in cuts
        ]
        self._known: dict[tuple[tuple[int, ...], tuple[int, ...]], References] = {}

    def of(self, box: ZRange) -> References:
        """Return what holds the cells `box`."""
        corners = (box.lo, box.hi)
        references = self._known.get(corners)
        if references is None:
            if len(self._known) >= BOXES_REMEMBERED:
                self._known.clear()
            keys = self.keys(box)
            references = self._known[corners] = tuple(map(TaskRef, keys)), frozenset(keys)
        return references

    def keys(self, box: ZRange) -> list[Key]:
        """Return the keys of the blocks, or slices of them, that hold the cells `box`."""
        bounds = zip(box.lo, box.hi, strict=True)
        return self.product(list(map(getitem, self.along, bounds))) or [self._key_of_none(box)]

    def product(self, along: list[Any]) -> list[Key]:
        """Return the keys for what is wanted along each axis, an entry of each of `along`.

        Without any cell there is none.
        """
        return list(product(self._head, *along)) if self.slices is None else self._cut(along)

    def _cut(self, along: list[Parts]) -> list[Key]:
        """Keys of parts of blocks: of a slice where that saves enough, else of the whole block."""
        if all(parts.are_whole for parts in along):
            return list(product(self._head, *[parts.numbers for parts in along]))
        numbers, lo, hi, lengths, wanted = (product(*each) for each in zip(*along, strict=True))
        head, slices, least = self._head, (self.slices,), SLICE_SAVES_BYTES / self.itemsize
        return [
            (head + number if held - part < least else slices + number + first + end)
            for number, first, end, held, part in zip(
                numbers, lo, hi, map(prod, lengths), map(prod, wanted), strict=True
            )
        ]

    def _key_of_none(self, box: ZRange) -> Key:
        """Key for a box without cells: of the first block, of which nothing but the type is read.

        Its slice, which has no cells either, where the block is large.
        """
        first = (0,) * len(self.cuts)
        held = block_box(self.cuts, first)
        if self.slices is None or held.size * self.itemsize < SLICE_SAVES_BYTES:
            return (self.source, *first)
        none = held.intersection(box)
        return (self.slices, *first, *none.lo, *none.hi)


class HeldCells:
    """An input that is in memory, and small enough that its cells travel in tasks."""

    def __init__(self, data: np.ndarray[Any, Any]) -> None:
        self.data = data

    def of(self, box: ZRange) -> References:
        """Return the cells `box`."""
        return (self.data[box.index()],), NO_KEYS


class _BlockNumbers(dict[Bounds, tuple[int, ...]]):
    """Numbers of the blocks between two coordinates of an axis."""

    def __init__(self, cuts: Cuts) -> None:
        super().__init__()
        self.cuts = cuts

    def __missing__(self, bounds: Bounds) -> tuple[int, ...]:
        if len(self) >= BOXES_REMEMBERED:
            self.clear()
        found = self[bounds] = tuple(range(*self.cuts.overlapping(*bounds)))
        return found


class _Parts(dict[Bounds, Parts]):
    """Parts of the blocks between two coordinates of an axis."""

    def __init__(self, cuts: Cuts) -> None:
        super().__init__()
        self.cuts = cuts

    def __missing__(self, bounds: Bounds) -> Parts:
        if len(self) >= BOXES_REMEMBERED:
            self.clear()
        found = self[bounds] = _parts(self.cuts, *bounds)
        return found


def _parts(cuts: Cuts, lo: int, hi: int) -> Parts:
    numbers = tuple(range(*cuts.overlapping(lo, hi)))
    blocks = [cuts.block(number) for number in numbers]
    starts = tuple([max(first, lo) for first, _ in blocks])
    ends = tuple([min(end, hi) for _, end in blocks])
    held = tuple([end - first for first, end in blocks])
    return Parts(numbers, starts, ends, held, tuple(map(sub, ends, starts)))
