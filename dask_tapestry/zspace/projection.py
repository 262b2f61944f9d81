"""Index projections: which box of a tensor belongs to an index point, or to a range of them.

Source: Tapestry whitepaper, "Index Projection Functions", "Sharding Convolution Operators",
"Sparse Strided Convolution Operators" and "The Cost Information"; the post "Index Projection
Functions".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from operator import add
from typing import SupportsIndex, final

from dask_tapestry.basic_errors import ArgumentError
from dask_tapestry.zspace.affine import Matrix, ZAffineMap
from dask_tapestry.zspace.axes import exact_axis, same_ndim
from dask_tapestry.zspace.integers import Ints, exact_int, exact_ints
from dask_tapestry.zspace.point import ZVector
from dask_tapestry.zspace.projection_coherence import incoherence
from dask_tapestry.zspace.range import ZRange, trusted_range


@final
@dataclass(frozen=True, slots=True, init=False, repr=False)
class IndexProjection:
    """Index point p selects the cells { A p + b + stride*e : 0 <= e < shape } of a tensor.

    Parameters
    ----------
    matrix, offset
        A and b: where the window of an index point begins. An output stride lives in A.
    shape
        The cells of the window along each tensor dimension; 0 selects nothing.
    stride
        The distance between neighbouring cells of the window, one for all dimensions or one
        each, at least 1: a dilation.
    in_ndim
        The number of index dimensions; needed only where the matrix has no rows (the tensor
        has no dimensions).

    Raises
    ------
    ValueError
        If the parts do not fit together, a window is negative or a stride below 1.

    Examples
    --------
    A window of 3 that moves by 2: 8 cells give 3 windows, which read 7.

    >>> window = IndexProjection([[2]], [0], [3])
    >>> print(window.of_point([1]), window.of_range(ZRange.of_shape([3])))
    [2:5] [0:7]
    >>> print(window)
    (i0) -> (2*i0) + [0:3]
    """

    affine: ZAffineMap
    shape: tuple[int, ...]
    stride: tuple[int, ...]

    def __init__(
        self,
        matrix: Iterable[Ints],
        offset: Ints,
        shape: Ints,
        stride: SupportsIndex | Ints = 1,
        in_ndim: SupportsIndex | None = None,
    ) -> None:
        affine = ZAffineMap(matrix, offset, in_ndim)
        object.__setattr__(self, "affine", affine)
        object.__setattr__(self, "shape", exact_ints(shape, "shape"))
        object.__setattr__(self, "stride", _strides(stride, affine.out_ndim))
        same_ndim(len(self.shape), affine.out_ndim, "shape")
        if any(extent < 0 for extent in self.shape):
            raise ArgumentError(f"shape must not be negative, got {self.shape}")

    @classmethod
    def identity(cls, ndim: SupportsIndex) -> IndexProjection:
        """Return the projection of each index point to the cell of the same coordinates.

        Examples
        --------
        >>> print(IndexProjection.identity(2))
        (i0, i1) -> (i0, i1) + [0:1, 0:1]
        """
        affine = ZAffineMap.identity(ndim)
        return cls(affine.matrix, affine.offset, (1,) * affine.in_ndim, 1, affine.in_ndim)

    @classmethod
    def whole(cls, shape: Ints, in_ndim: SupportsIndex) -> IndexProjection:
        """Return the projection of each index point to a whole tensor.

        Examples
        --------
        >>> print(IndexProjection.whole((4, 2), 1))
        (i0) -> (0, 0) + [0:4, 0:2]
        """
        extents, inputs = exact_ints(shape, "shape"), exact_int(in_ndim, "in_ndim")
        return cls([(0,) * inputs] * len(extents), (0,) * len(extents), extents, 1, inputs)

    @property
    def matrix(self) -> Matrix:
        """The rows of A, one for each tensor dimension.

        Examples
        --------
        >>> IndexProjection([[2]], [0], [3]).matrix
        ((2,),)
        """
        return self.affine.matrix

    @property
    def offset(self) -> tuple[int, ...]:
        """The first cell of the index origin's window, b.

        Examples
        --------
        >>> IndexProjection([[2]], [-1], [3]).offset
        (-1,)
        """
        return self.affine.offset

    @property
    def in_ndim(self) -> int:
        """The number of index dimensions.

        Examples
        --------
        >>> IndexProjection([[2, 0]], [0], [3]).in_ndim
        2
        """
        return self.affine.in_ndim

    @property
    def out_ndim(self) -> int:
        """The number of tensor dimensions.

        Examples
        --------
        >>> IndexProjection([[2, 0]], [0], [3]).out_ndim
        1
        """
        return self.affine.out_ndim

    @property
    def extent(self) -> tuple[int, ...]:
        """How far one window reaches, the cells skipped by its stride included.

        Examples
        --------
        >>> IndexProjection([[1]], [0], [3], stride=2).extent
        (5,)
        """
        return tuple([_reach(w, s) for w, s in zip(self.shape, self.stride, strict=True)])

    def of_point(self, point: Ints) -> ZRange:
        """Return the smallest range that contains the window of an index point.

        Examples
        --------
        >>> print(IndexProjection([[2]], [-1], [3], stride=2).of_point([4]))
        [7:12]
        """
        lo = self.affine(point)
        return ZRange(lo, tuple(map(add, lo, self.extent)))

    def of_range(self, box: ZRange) -> ZRange:
        """Return the smallest range that contains the windows of a range's points.

        It is exact for coefficients of either sign. An empty index range has an empty box,
        with the extents `ZAffineMap.of_range` keeps; a window of 0 cells has extent 0.

        Examples
        --------
        >>> flipped = IndexProjection([[-1]], [9], [2])
        >>> print(flipped.of_range(ZRange([0], [4])))
        [6:11]
        """
        if box.is_empty or box.ndim != self.affine.in_ndim:
            return self._of_image(self.affine.of_range(box))
        return self.box_map()(box)

    @property
    def is_identity(self) -> bool:
        """Whether each index point has the cell of the same coordinates.

        Examples
        --------
        >>> IndexProjection.identity(2).is_identity, IndexProjection([[1]], [1], [1]).is_identity
        (True, False)
        """
        return self.affine == ZAffineMap.identity(self.affine.in_ndim) and set(self.shape) <= {1}

    def box_map(self) -> Callable[[ZRange], ZRange]:
        """Return `of_range` for ranges with points: what is true of all is found once.

        Examples
        --------
        >>> of = IndexProjection([[-1]], [9], [2]).box_map()
        >>> print(of(ZRange([0], [4])), of(ZRange([4], [5])))
        [6:11] [5:7]
        """
        if self.is_identity:
            return _same
        axes = [
            (start, stride * (window - 1) + 1 if window else None, _moves(row))
            for row, start, window, stride in zip(
                self.matrix, self.offset, self.shape, self.stride, strict=True
            )
        ]

        def box_of(box: ZRange) -> ZRange:
            first, end = box.lo, box.hi
            lows, highs = [], []
            for start, reach, moves in axes:
                low = high = start
                for dim, c in moves:
                    if c > 0:
                        low += c * first[dim]
                        high += c * (end[dim] - 1)
                    else:
                        low += c * (end[dim] - 1)
                        high += c * first[dim]
                lows.append(low)
                highs.append(low if reach is None else high + reach)
            return trusted_range(tuple(lows), tuple(highs))

        return box_of

    def _of_image(self, start: ZRange) -> ZRange:
        """The box of the windows that begin in `start`."""
        bounds = zip(start.lo, start.hi, self.extent, strict=True)
        return ZRange(
            start.lo, tuple([lo if lo == hi or e == 0 else hi + e - 1 for lo, hi, e in bounds])
        )

    def marginal_extent(self, dim: SupportsIndex) -> ZVector:
        """Return how much longer the box becomes for one more step along an index dimension.

        This is what is constant: ``|A[i, dim]|`` along tensor dimension i, wherever the index
        range lies and however large it is, as long as it is not empty and no window is.

        Examples
        --------
        >>> IndexProjection([[2, 0], [0, 1]], [0, 0], [3, 1]).marginal_extent(0)
        ZVector((2, 0))
        """
        return ZVector(tuple([abs(c) for c in self.affine.column(dim)]))

    def marginal_cells(self, box: ZRange, dim: SupportsIndex) -> int:
        """Return how many cells the box of a range gains for one more step along a dimension.

        For an index that moves one tensor dimension it is the marginal extent times the other
        extents of the box: the same for the second step and the millionth. An index that moves
        several (a diagonal) gains more with each step, and the first step from an empty range
        costs a whole window.

        Examples
        --------
        >>> window = IndexProjection([[2, 0], [0, 1]], [0, 0], [3, 1])
        >>> window.marginal_cells(ZRange.of_shape((3, 5)), 0)
        10
        """
        same_ndim(box.ndim, self.in_ndim, "range")
        k = exact_axis(dim, self.in_ndim, "dim")
        longer = box.replace(k, box.lo[k], box.hi[k] + 1)
        return self.of_range(longer).size - self.of_range(box).size

    def incoherence(self) -> tuple[str, ...]:
        """Return why some index range has holes in its box, each with the name of the check.

        Examples
        --------
        >>> print(*IndexProjection([[1], [1]], [0, 0], [1, 1]).incoherence())
        indices_move_one_dimension: index 0 moves dimensions (0, 1) together: a diagonal
        """
        return incoherence(self)

    def is_coherent(self) -> bool:
        """Whether the windows of every index range fill its box without holes.

        The module `projection_coherence` has the checks; `incoherence` tells which failed.

        Examples
        --------
        >>> IndexProjection([[2]], [0], [3]).is_coherent()
        True
        >>> IndexProjection([[2]], [0], [1]).is_coherent()
        False
        """
        return not self.incoherence()

    def translate(self, vector: Ints) -> IndexProjection:
        """Return the projection with its windows moved in the tensor.

        Examples
        --------
        >>> print(IndexProjection.identity(1).translate([3]))
        (i0) -> (i0 + 3) + [0:1]
        """
        return self._with(self.affine.translate(vector))

    def pin(self, dim: SupportsIndex, value: SupportsIndex) -> IndexProjection:
        """Return the projection with one index dimension held at a value, and gone.

        Examples
        --------
        >>> print(IndexProjection.identity(2).pin(0, 7))
        (i0) -> (7, i0) + [0:1, 0:1]
        """
        return self._with(self.affine.pin_input(dim, value))

    def add_dim(self, position: SupportsIndex) -> IndexProjection:
        """Return the projection with a new index dimension before `position`, ignored.

        Examples
        --------
        >>> print(IndexProjection.identity(1).add_dim(0))
        (i0, i1) -> (i1) + [0:1]
        """
        return self._with(self.affine.add_input(position))

    def permute(self, order: Ints) -> IndexProjection:
        """Return the projection with its index dimensions reordered, as by NumPy's transpose.

        Examples
        --------
        >>> print(IndexProjection.identity(2).permute((1, 0)))
        (i0, i1) -> (i1, i0) + [0:1, 0:1]
        """
        return self._with(self.affine.permute_inputs(order))

    def compose(self, inner: ZAffineMap) -> IndexProjection:
        """Return the projection of ``inner(p)`` for each index point p.

        Examples
        --------
        >>> print(IndexProjection([[2]], [0], [3]).compose(ZAffineMap([[-1]], [4])))
        (i0) -> (-2*i0 + 8) + [0:3]
        """
        return self._with(self.affine.compose(inner))

    def __repr__(self) -> str:
        """Return the constructor call."""
        parts = (self.matrix, self.offset, self.shape, self.stride, self.in_ndim)
        return f"IndexProjection({', '.join(map(repr, parts))})"

    def __str__(self) -> str:
        """Return the formula of the first cell, and the window as slices."""
        steps = ["" if s == 1 else f":{s}" for s in self.stride]
        window = ", ".join([f"0:{e}{s}" for e, s in zip(self.extent, steps, strict=True)])
        return f"{self.affine} + [{window}]"

    def _with(self, affine: ZAffineMap) -> IndexProjection:
        return IndexProjection(
            affine.matrix, affine.offset, self.shape, self.stride, affine.in_ndim
        )


def _same(box: ZRange) -> ZRange:
    return box


def _moves(row: tuple[int, ...]) -> list[tuple[int, int]]:
    """The dimensions that move an axis, each with by how much."""
    return [(dim, coefficient) for dim, coefficient in enumerate(row) if coefficient]


def _strides(stride: SupportsIndex | Ints, ndim: int) -> tuple[int, ...]:
    if isinstance(stride, Iterable):
        strides = exact_ints(stride, "stride")
    else:
        strides = (exact_int(stride, "stride"),) * ndim
    same_ndim(len(strides), ndim, "stride")
    if any(s < 1 for s in strides):
        raise ArgumentError(f"stride must be at least 1, got {strides}")
    return strides


def _reach(window: int, stride: int) -> int:
    return stride * (window - 1) + 1 if window else 0
