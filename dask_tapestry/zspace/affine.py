"""Affine maps between integer spaces.

Source: Tapestry whitepaper, "Index Projection Functions"; the post of the same name,
"Affine Projection Functions".
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from operator import add, mul
from typing import SupportsIndex, TypeAlias, final

from dask_tapestry.basic_errors import ArgumentError
from dask_tapestry.zspace.axes import exact_axis, exact_permutation, same_ndim
from dask_tapestry.zspace.integers import Ints, exact_int, exact_ints
from dask_tapestry.zspace.point import ZPoint, ZVector
from dask_tapestry.zspace.range import ZRange, trusted_range

Matrix: TypeAlias = tuple[tuple[int, ...], ...]
"""The rows of an integer matrix."""


@final
@dataclass(frozen=True, slots=True, init=False)
class ZAffineMap:
    """The map p -> A p + b from Z^m to Z^n.

    Parameters
    ----------
    matrix
        A, as n rows of m integers.
    offset
        b, n integers.
    in_ndim
        m. A matrix without rows does not tell it, so there it must be given.

    Raises
    ------
    ValueError
        If the rows, the offset and `in_ndim` do not fit together.

    Examples
    --------
    >>> rows = ZAffineMap([[2, 0], [1, -1]], [0, 5])
    >>> rows((3, 4))
    ZPoint((6, 4))
    >>> print(rows)
    (i0, i1) -> (2*i0, i0 - i1 + 5)
    """

    matrix: Matrix
    offset: tuple[int, ...]
    in_ndim: int

    def __init__(
        self, matrix: Iterable[Ints], offset: Ints, in_ndim: SupportsIndex | None = None
    ) -> None:
        rows = tuple([exact_ints(row, f"matrix[{i}]") for i, row in enumerate(matrix)])
        object.__setattr__(self, "matrix", rows)
        object.__setattr__(self, "offset", exact_ints(offset, "offset"))
        object.__setattr__(self, "in_ndim", _columns(rows, in_ndim))
        same_ndim(len(self.offset), len(rows), "offset")

    @classmethod
    def identity(cls, ndim: SupportsIndex) -> ZAffineMap:
        """Return the map of every point to itself.

        Examples
        --------
        >>> print(ZAffineMap.identity(2))
        (i0, i1) -> (i0, i1)
        """
        n = exact_int(ndim, "ndim")
        return cls([[int(i == k) for k in range(n)] for i in range(n)], (0,) * n, n)

    @property
    def out_ndim(self) -> int:
        """The number of outputs, n.

        Examples
        --------
        >>> ZAffineMap([[1, 0]], [0]).out_ndim
        1
        """
        return len(self.offset)

    @property
    def is_monotone(self) -> bool:
        """Whether no coefficient is negative: then corners map to corners.

        Examples
        --------
        >>> ZAffineMap([[1, 2]], [-5]).is_monotone, ZAffineMap([[-1]], [0]).is_monotone
        (True, False)
        """
        return all(c >= 0 for row in self.matrix for c in row)

    def column(self, dim: SupportsIndex) -> ZVector:
        """Return how far the image moves for one step along an input.

        Examples
        --------
        >>> ZAffineMap([[2, 0], [1, -1]], [0, 5]).column(0)
        ZVector((2, 1))
        """
        k = exact_axis(dim, self.in_ndim, "dim")
        return ZVector(tuple([row[k] for row in self.matrix]))

    def __call__(self, point: Ints) -> ZPoint:
        """Return the image of a point."""
        p = exact_ints(point, "point")
        same_ndim(len(p), self.in_ndim, "point")
        return ZPoint(tuple([sum(map(mul, row, p), b) for row, b in self._rows()]))

    def of_range(self, box: ZRange) -> ZRange:
        """Return the smallest range that contains the images of a range's points.

        An empty range has an empty image. It keeps the extents of the outputs that do not
        read an empty input, so that the identity returns every range as it is. (Z^0 holds no
        empty range, so a map without outputs always gives the one of size 1.)

        Examples
        --------
        >>> print(ZAffineMap([[2, -1]], [0]).of_range(ZRange((0, 0), (3, 2))))
        [-1:5]
        """
        same_ndim(box.ndim, self.in_ndim, "range")
        if box.is_empty:
            return self._of_empty(box)
        spans = self.spans(box)
        lo = tuple([low for low, _ in spans])
        return trusted_range(lo, tuple([high + 1 for _, high in spans]))

    def spans(self, box: ZRange) -> list[tuple[int, int]]:
        """Return the least and the greatest value of each output over a range with points.

        Examples
        --------
        >>> ZAffineMap([[2, -1]], [0]).spans(ZRange((0, 0), (3, 2)))
        [(-1, 4)]
        """
        lo, hi = box.lo, box.hi
        return [_span(row, b, lo, hi) for row, b in zip(self.matrix, self.offset, strict=True)]

    def _of_empty(self, box: ZRange) -> ZRange:
        empty = [k for k, extent in enumerate(box.shape) if extent == 0]
        reads = [any(row[k] for k in empty) for row in self.matrix]
        at_least_one = ZRange(box.lo, [hi + (k in empty) for k, hi in enumerate(box.hi)])
        image = self.of_range(at_least_one)
        if not any(reads):
            return ZRange(image.lo, image.lo)
        kept = zip(reads, image.lo, image.hi, strict=True)
        return ZRange(image.lo, [lo if reads_empty else hi for reads_empty, lo, hi in kept])

    def compose(self, inner: ZAffineMap) -> ZAffineMap:
        """Return this map after `inner`.

        Raises
        ------
        ValueError
            If `inner` has not as many outputs as this map has inputs.

        Examples
        --------
        >>> twice, shifted = ZAffineMap([[2]], [0]), ZAffineMap([[1]], [3])
        >>> print(twice.compose(shifted))
        (i0) -> (2*i0 + 6)
        """
        same_ndim(inner.out_ndim, self.in_ndim, "the output of the inner map")
        columns = [inner.column(k) for k in range(inner.in_ndim)]
        rows = [[sum(map(mul, row, column)) for column in columns] for row in self.matrix]
        return ZAffineMap(rows, self(inner.offset), inner.in_ndim)

    def translate(self, vector: Ints) -> ZAffineMap:
        """Return this map followed by a move of the outputs.

        Examples
        --------
        >>> print(ZAffineMap.identity(1).translate([3]))
        (i0) -> (i0 + 3)
        """
        delta = exact_ints(vector, "vector")
        same_ndim(len(delta), self.out_ndim, "vector")
        return ZAffineMap(self.matrix, tuple(map(add, self.offset, delta)), self.in_ndim)

    def permute_inputs(self, order: Ints) -> ZAffineMap:
        """Return the map with its inputs reordered: the new input k is the old ``order[k]``.

        Examples
        --------
        >>> print(ZAffineMap([[2, 0, 1]], [0]).permute_inputs((2, 0, 1)))
        (i0, i1, i2) -> (i0 + 2*i1)
        """
        axes = exact_permutation(order, self.in_ndim)
        return self._with_rows([[row[k] for k in axes] for row in self.matrix], self.in_ndim)

    def permute_outputs(self, order: Ints) -> ZAffineMap:
        """Return the map with its outputs reordered: the new output k is the old ``order[k]``.

        Examples
        --------
        >>> print(ZAffineMap.identity(2).permute_outputs((1, 0)))
        (i0, i1) -> (i1, i0)
        """
        axes = exact_permutation(order, self.out_ndim)
        matrix = [self.matrix[k] for k in axes]
        return ZAffineMap(matrix, [self.offset[k] for k in axes], self.in_ndim)

    def pin_input(self, dim: SupportsIndex, value: SupportsIndex) -> ZAffineMap:
        """Return the map with one input held at a value, and gone from the inputs.

        Examples
        --------
        >>> print(ZAffineMap([[2, 3]], [0]).pin_input(0, 10))
        (i0) -> (3*i0 + 20)
        """
        k = exact_axis(dim, self.in_ndim, "dim")
        rows = [(*row[:k], *row[k + 1 :]) for row in self.matrix]
        moved = self._with_rows(rows, self.in_ndim - 1)
        return moved.translate(self.column(k) * value)

    def add_input(self, position: SupportsIndex) -> ZAffineMap:
        """Return the map with a new input before `position` that it ignores.

        Examples
        --------
        >>> print(ZAffineMap.identity(1).add_input(0))
        (i0, i1) -> (i1)
        """
        k = exact_axis(position, self.in_ndim + 1, "position")
        rows = [(*row[:k], 0, *row[k:]) for row in self.matrix]
        return self._with_rows(rows, self.in_ndim + 1)

    def add_output(
        self, position: SupportsIndex, row: Ints | None = None, offset: SupportsIndex = 0
    ) -> ZAffineMap:
        """Return the map with a new output before `position`; without a `row`, a constant.

        Examples
        --------
        >>> print(ZAffineMap.identity(1).add_output(0, offset=7).add_output(2, [-1]))
        (i0) -> (7, i0, -i0)
        """
        k = exact_axis(position, self.out_ndim + 1, "position")
        new = (0,) * self.in_ndim if row is None else row
        matrix = (*self.matrix[:k], new, *self.matrix[k:])
        return ZAffineMap(matrix, (*self.offset[:k], offset, *self.offset[k:]), self.in_ndim)

    def drop_output(self, position: SupportsIndex) -> ZAffineMap:
        """Return the map without one output.

        Examples
        --------
        >>> print(ZAffineMap.identity(2).drop_output(0))
        (i0, i1) -> (i1)
        """
        k = exact_axis(position, self.out_ndim, "position")
        matrix = (*self.matrix[:k], *self.matrix[k + 1 :])
        return ZAffineMap(matrix, (*self.offset[:k], *self.offset[k + 1 :]), self.in_ndim)

    def __str__(self) -> str:
        """Return the formula, ``(i0, i1) -> (2*i0, i0 - i1 + 5)``."""
        inputs = ", ".join([f"i{k}" for k in range(self.in_ndim)])
        return f"({inputs}) -> ({', '.join([_formula(row, b) for row, b in self._rows()])})"

    def _rows(self) -> Iterable[tuple[tuple[int, ...], int]]:
        return zip(self.matrix, self.offset, strict=True)

    def _with_rows(self, matrix: Iterable[Ints], in_ndim: int) -> ZAffineMap:
        return ZAffineMap(matrix, self.offset, in_ndim)


def _columns(rows: Matrix, in_ndim: SupportsIndex | None) -> int:
    if in_ndim is None and not rows:
        raise ArgumentError("a matrix without rows has an unknown number of inputs: give in_ndim")
    columns = len(rows[0]) if in_ndim is None else exact_int(in_ndim, "in_ndim")
    if columns < 0:
        raise ArgumentError(f"in_ndim must not be negative, got {columns}")
    for i, row in enumerate(rows):
        same_ndim(len(row), columns, f"matrix[{i}]")
    return columns


def _span(
    row: tuple[int, ...], offset: int, lo: tuple[int, ...], hi: tuple[int, ...]
) -> tuple[int, int]:
    """Return the least and the greatest value of one output over a box."""
    low = high = offset
    for c, first, end in zip(row, lo, hi, strict=False):
        if c > 0:
            low += c * first
            high += c * (end - 1)
        elif c < 0:
            low += c * (end - 1)
            high += c * first
    return low, high


def _formula(row: tuple[int, ...], offset: int) -> str:
    names = {1: "i{}", -1: "-i{}"}
    terms = [names.get(c, f"{c}*i{{}}").format(k) for k, c in enumerate(row) if c]
    if offset or not terms:
        terms.append(str(offset))
    return " + ".join(terms).replace("+ -", "- ")
