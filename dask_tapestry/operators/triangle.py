"""Triangles of matrices larger than a worker, as trees of their halves, and equations with them."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from dask_tapestry.cells.references import zero_cell
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.axis_slices import concat_nonempty
from dask_tapestry.operators.diagonal import on_diagonal
from dask_tapestry.operators.elementwise import astype, elementwise
from dask_tapestry.operators.full import full
from dask_tapestry.operators.matmul import matmul
from dask_tapestry.operators.permute import permute
from dask_tapestry.operators.slice import basic_slice
from dask_tapestry.operators.whole_matrix import call_on_matrices
from dask_tapestry.teg import Tensor
from dask_tapestry_kernels.cpu.blocks.triangles import solve_triangle


@dataclass(frozen=True)
class Triangle:
    """A triangle: a square block, or two triangles and the matrix between them.

    Attributes
    ----------
    side
        Of the matrix.
    block
        Of a triangle that is whole; its other half may hold anything.
    first, between, last
        The triangles of the first and of the last half, and the matrix below the first one, or of
        an upper triangle to the right of it.
    """

    side: int
    block: Tensor | None = None
    first: Triangle | None = None
    between: Tensor | None = None
    last: Triangle | None = None

    @classmethod
    def joined(cls, first: Triangle, between: Tensor, last: Triangle) -> Triangle:
        """The triangle of two halves."""
        return cls(first.side + last.side, None, first, between, last)

    @classmethod
    def whole(cls, block: Tensor) -> Triangle:
        """The triangle of a block."""
        return cls(block.type.shape[0], block)

    def halves(self) -> tuple[Triangle, Tensor, Triangle]:
        """Those of a triangle that is not whole."""
        assert self.first is not None
        assert self.between is not None
        assert self.last is not None
        return self.first, self.between, self.last

    def matrix(self, lower: bool) -> Tensor:
        """The whole matrix, of which the other half is zero; that of blocks is so."""
        if self.block is not None:
            return self.block
        first, between, last = self.halves()
        tall, wide = (last.side, first.side), (first.side, last.side)
        zero = zeros(wide if lower else tall, between.type.dtype)
        above = [first.matrix(lower), zero if lower else between]
        below = [between if lower else zero, last.matrix(lower)]
        return concat_nonempty([concat_nonempty(above, 1), concat_nonempty(below, 1)], 0)

    def blocks(self) -> list[Tensor]:
        """Those along the diagonal."""
        if self.block is not None:
            return [self.block]
        first, _, last = self.halves()
        return [*first.blocks(), *last.blocks()]


def zeros(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Tensor:
    """Zeros of a dtype."""
    return full(shape, zero_cell(dtype))


def unit_matrix(rows: int, columns: int, dtype: np.dtype[Any]) -> Tensor:
    """Ones on the diagonal."""
    return astype(on_diagonal((rows, columns), 0), dtype)


def adjoint(x: Tensor) -> Tensor:
    """A matrix with rows and columns exchanged, of conjugate cells."""
    turned = permute(x, (1, 0))
    return elementwise("conjugate", turned) if x.type.dtype.kind == "c" else turned


def minus_product(x: Tensor, a: Tensor, b: Tensor) -> Tensor:
    """``x - a @ b``."""
    return elementwise("subtract", x, matmul(a, b))


def rows_of(x: Tensor, start: int | None, stop: int | None) -> Tensor:
    """Some rows."""
    return basic_slice(x, (slice(start, stop),))


def columns_of(x: Tensor, start: int | None, stop: int | None) -> Tensor:
    """Some columns."""
    return basic_slice(x, (slice(None), slice(start, stop)))


def triangle_of(x: Tensor, width: int, lower: bool) -> Triangle:
    """The triangle of a square matrix, in blocks of at most `width` columns."""
    side = x.type.shape[0]
    half = half_of(side, width)
    if not half:
        return Triangle.whole(x)
    above, below = rows_of(x, None, half), rows_of(x, half, None)
    between = columns_of(below, None, half) if lower else columns_of(above, half, None)
    first = triangle_of(columns_of(above, None, half), width, lower)
    return Triangle.joined(first, between, triangle_of(columns_of(below, half, None), width, lower))


def half_of(side: int, width: int) -> int:
    """Columns of the first half, whole panels of `width`; 0 where there is one panel."""
    panels = -(-side // width)
    return panels // 2 * width


def solved(triangle: Triangle, right: Tensor, lower: bool, unit: bool = False) -> Tensor:
    """The x with ``triangle @ x = right``, which is cut by columns."""
    if triangle.block is not None:
        return _solved_block(triangle.block, right, lower, unit)
    first, between, last = triangle.halves()
    above, below = rows_of(right, None, first.side), rows_of(right, first.side, None)
    if lower:
        upper = solved(first, above, lower, unit)
        under = solved(last, minus_product(below, between, upper), lower, unit)
    else:
        under = solved(last, below, lower, unit)
        upper = solved(first, minus_product(above, between, under), lower, unit)
    return concat_nonempty([upper, under], 0)


def _solved_block(block: Tensor, right: Tensor, lower: bool, unit: bool) -> Tensor:
    kind = np.result_type(block.type.dtype, right.type.dtype)
    call: Any = partial(solve_triangle, lower=lower, unit=unit)
    parts = [(block, "mm"), (right, "mk")]
    (made,) = call_on_matrices(call, parts, {"mk": kind}, ("mmk", 1.0), cut="k")
    return made


def solve_by_halves(a: Tensor, b: Tensor, width: int, lower: bool) -> Tensor:
    """The x with ``a @ x = b`` for a triangle `a`, halved until it has at most `width` columns."""
    return solved(triangle_of(a, width, lower), b, lower)
