"""Dimension numbers: how gather and scatter match the dimensions of what they index.

One vocabulary for both. *Cells* are the result of a gather, or the updates of a scatter. An axis of
theirs runs through a window, or through the index vectors: then it is a batch axis.

Source: the RFC "Add batching dims to stablehlo.gather and stablehlo.scatter".
"""

from __future__ import annotations

from typing import NamedTuple

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.zspace import ZRange


class CoordinateSource(NamedTuple):
    """How a coordinate of the operand comes about: that of an axis, and a component of an index.

    Attributes
    ----------
    axis
        Axis of the cells whose coordinate is added; None for none.
    component
        Number of the index vector's component that is added; None for none.
    """

    axis: int | None
    component: int | None


class BlockCoordinateSource(NamedTuple):
    """A `CoordinateSource` as kernels take it, of blocks.

    Attributes
    ----------
    axis, component
        As of `CoordinateSource`.
    most
        The largest start of a window that lies within the whole tensor.
    extent
        Of the whole tensor.
    first
        What the first cell of the block along `axis` adds.
    origin
        Where the block of the operand begins.
    """

    axis: int | None
    component: int | None
    most: int
    extent: int
    first: int
    origin: int


@dataclass(frozen=True)
class DimensionNumbers:
    """Which dimensions of operand, indices and cells belong together.

    Parameters
    ----------
    window_dims
        Axes of the cells that run through windows: `offset_dims`, or `update_window_dims`.
    collapsed_dims
        Dimensions of the operand in which windows have one cell and the cells no axis:
        `collapsed_slice_dims`, or `inserted_window_dims`.
    batching_dims, indices_batching_dims
        Dimensions of the operand, and those of the indices, that go with each other.
    index_map
        The operand's dimension of each component of an index: `start_index_map`, or
        `scatter_dims_to_operand_dims`.
    vector_dim
        Dimension of the indices along which a vector lies; their rank where each is one number.

    Examples
    --------
    Rows of a matrix, by a vector of their numbers:

    >>> rows = DimensionNumbers((1,), (0,), (), (), (0,), 1)
    >>> rows.batch_axes(2), rows.ways(2, 2)
    ((0,), (CoordinateSource(axis=None, component=0), CoordinateSource(axis=1, component=None)))
    """

    window_dims: tuple[int, ...]
    collapsed_dims: tuple[int, ...]
    batching_dims: tuple[int, ...]
    indices_batching_dims: tuple[int, ...]
    index_map: tuple[int, ...]
    vector_dim: int

    def batch_axes(self, rank: int) -> tuple[int, ...]:
        """Axes of cells of `rank` that run through the index vectors."""
        return tuple(axis for axis in range(rank) if axis not in self.window_dims)

    def vectors(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """Shape of the indices without the dimension of the vectors."""
        return tuple(n for dim, n in enumerate(shape) if dim != self.vector_dim)

    def in_window(self, rank: int) -> tuple[int, ...]:
        """Dimensions of an operand of `rank` that an axis of windows runs through, in order."""
        others = (*self.collapsed_dims, *self.batching_dims)
        return tuple(dim for dim in range(rank) if dim not in others)

    def cells_shape(self, indices: tuple[int, ...], window: tuple[int, ...]) -> tuple[int, ...]:
        """Shape of the cells, of indices of that shape and windows of `window` along their axes."""
        vectors, sides = iter(self.vectors(indices)), iter(window)
        rank = len(self.vectors(indices)) + len(window)
        return tuple(
            next(sides) if axis in self.window_dims else next(vectors) for axis in range(rank)
        )

    def ways(self, rank: int, cells: int) -> tuple[CoordinateSource, ...]:
        """How each coordinate of an operand of `rank` comes about, for cells of that rank."""
        axes = dict(zip(self.in_window(rank), self.window_dims, strict=True))
        batch = self.batch_axes(cells)
        for dim, other in zip(self.batching_dims, self.indices_batching_dims, strict=True):
            axes[dim] = batch[other - (other > self.vector_dim)]
        parts = {dim: number for number, dim in enumerate(self.index_map)}
        return tuple(CoordinateSource(axes.get(dim), parts.get(dim)) for dim in range(rank))

    def steps(
        self, shape: tuple[int, ...], sizes: tuple[int, ...], cells: ZRange, operand: ZRange
    ) -> tuple[BlockCoordinateSource, ...]:
        """The ways of an operand of `shape`, as kernels take them.

        Parameters
        ----------
        sizes
            Of a window along each dimension of the operand.
        cells, operand
            The boxes that the blocks hold.
        """
        ways = self.ways(len(shape), cells.ndim)
        firsts = [0 if way.axis is None else cells.lo[way.axis] for way in ways]
        told = zip(ways, shape, sizes, firsts, operand.lo, strict=True)
        return tuple(
            BlockCoordinateSource(*way, n - size, n, first, lo) for way, n, size, first, lo in told
        )
