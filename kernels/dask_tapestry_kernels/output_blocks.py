"""Blocks of several outputs: how each output lies, and its cells for a range of index points.

Nothing is packed: each output lies in memory of its own, and taking one copies nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from types import EllipsisType
from typing import Any, NamedTuple

import numpy as np

from dask_tapestry_kernels.composite_blocks import Collected
from dask_tapestry_kernels.cupy_module import room_beside

Block = np.ndarray[Any, Any]
Slices = tuple[Any, ...]  # of slices, maybe with an Ellipsis at their end


class OutputAxis(NamedTuple):
    """An axis of an output: `width` cells for each step of the block's dimension `dim`.

    Without a dimension, all points write all `width` cells of it.
    """

    dim: int | None
    width: int


class OutputShape(NamedTuple):
    """How one output lies: its name, its dtype, and each of its axes."""

    name: str
    dtype: np.dtype[Any]
    axes: tuple[OutputAxis, ...]

    def of(self, points: Sequence[int]) -> tuple[int, ...]:
        """Shape of what a range of index points with these extents writes.

        Examples
        --------
        >>> axes = (OutputAxis(0, 2), OutputAxis(None, 3))
        >>> OutputShape("q", np.dtype("f8"), axes).of((5,))
        (10, 3)
        """
        return tuple([w if d is None else w * points[d] for d, w in self.axes])

    def slices(self, points: Slices) -> Slices:
        """The cells that a range of index points writes, given as slices with both ends."""
        ends = [slice(None) if d is None else _wide(points[d], w) for d, w in self.axes]
        return (*ends, ...)


class OutputBlocks(Collected):
    """Blocks of several outputs, for one range of index points.

    Parameters
    ----------
    shape
        Extents of the range of index points.
    outputs
        How each output lies.
    arrays
        The cells of each.

    Examples
    --------
    >>> rows, sums = OutputAxis(0, 1), OutputShape("sums", np.dtype("f8"), (OutputAxis(0, 1),))
    >>> cells = OutputShape("cells", np.dtype("f8"), (rows, OutputAxis(None, 3)))
    >>> both = OutputBlocks((4,), (cells, sums), (np.ones((4, 3)), np.arange(4.0)))
    >>> part = both[slice(1, 3),]
    >>> part.shape, part["cells"].shape, part["sums"]
    ((2,), (2, 3), array([1., 2.]))
    """

    __slots__ = ("arrays", "outputs", "shape")

    def __init__(
        self, shape: Sequence[int], outputs: tuple[OutputShape, ...], arrays: Iterable[Block]
    ) -> None:
        self.shape, self.outputs, self.arrays = tuple(shape), outputs, tuple(arrays)

    @classmethod
    def empty(cls, shape: Sequence[int], outputs: tuple[OutputShape, ...]) -> OutputBlocks:
        """Blocks of a range of index points, with cells to be written."""
        return cls(shape, outputs, [np.empty(o.of(shape), o.dtype) for o in outputs])

    @property
    def held(self) -> Iterator[Block]:
        return iter(self.arrays)

    def like(self, shape: Sequence[int]) -> OutputBlocks:
        told = zip(self.outputs, self.arrays, strict=True)
        return OutputBlocks(shape, self.outputs, [room_beside(a, o.of(shape)) for o, a in told])

    def __getitem__(self, key: str | Slices) -> Any:
        """One output by its name, or the blocks of a part of the index points, as views."""
        if isinstance(key, str):
            names = [output.name for output in self.outputs]
            return self.arrays[names.index(key)]
        points = _ends(key, self.shape)
        parts = [a[o.slices(points)] for o, a in zip(self.outputs, self.arrays, strict=True)]
        return OutputBlocks([p.stop - p.start for p in points], self.outputs, parts)

    def __setitem__(self, key: Slices | EllipsisType, part: OutputBlocks) -> None:
        points = _ends(key, self.shape)
        for output, array, cells in zip(self.outputs, self.arrays, part.arrays, strict=True):
            array[output.slices(points)] = cells

    def map(self, function: Callable[[Block], Block]) -> OutputBlocks:
        return OutputBlocks(self.shape, self.outputs, map(function, self.arrays))

    def __reduce__(self) -> tuple[Any, ...]:
        return OutputBlocks, (self.shape, self.outputs, self.arrays)


def _ends(key: Slices | EllipsisType, shape: Sequence[int]) -> tuple[slice, ...]:
    """Slices with both ends, one for each dimension; an ellipsis alone is all of them."""
    given = [slice(None)] * len(shape) if key is ... else [one for one in key if one is not ...]
    return tuple([slice(*one.indices(n)[:2]) for one, n in zip(given, shape, strict=True)])


def _wide(points: slice, width: int) -> slice:
    return slice(points.start * width, points.stop * width)
