"""Panels of columns of a matrix larger than a worker: each is factored, then applied to the rest.

A panel is whole in one block. What it does to the columns behind it is done in strips of columns,
which stay where they are from panel to panel; only panels travel. Rows that are final are held by
themselves, so that a strip is freed when the next one has been made of it.

Source: Dongarra, Duff, Sorensen, van der Vorst, "Numerical Linear Algebra for High-Performance
Computers", SIAM, 1998, chapter 5: the right-looking algorithms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

import numpy as np

from dask_tapestry.cells.references import zero_cell
from dask_tapestry.operators.axis_slices import concat_nonempty
from dask_tapestry.operators.diagonal import on_diagonal
from dask_tapestry.operators.elementwise import astype, elementwise
from dask_tapestry.operators.full import full
from dask_tapestry.operators.permute import permute
from dask_tapestry.operators.slice import basic_slice
from dask_tapestry.operators.whole_matrix import call_on_matrices
from dask_tapestry.teg import Tensor

AWAITED: Final = ("ab", "cd")  # letters of the dimensions of what a panel waits for


class Panel(NamedTuple):
    """A panel that is factored.

    Attributes
    ----------
    columns
        Which ones of the matrix; its first row has the number of its first column.
    factors
        What it was factored into.
    beside
        The first rows of the columns behind it, as many as it has columns, once it was applied.
    """

    columns: slice
    factors: tuple[Tensor, ...]
    beside: Tensor

    @property
    def width(self) -> int:
        """Number of columns."""
        return int(self.columns.stop - self.columns.start)


def panels_of(side: int, width: int) -> list[slice]:
    """Runs of `width` columns; the last may be shorter.

    Examples
    --------
    >>> panels_of(5, 2)
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    return [slice(start, min(start + width, side)) for start in range(0, side, width)]


def factored(
    x: Tensor,
    width: int,
    factor: Callable[..., tuple[Tensor, ...]],
    applied: Callable[..., tuple[Tensor, Tensor]],
    right: Tensor | None = None,
) -> Iterator[Panel]:
    """The panels of a matrix, of as many columns as it has rows if it has more.

    Parameters
    ----------
    factor
        Factors of a panel, the last of them the square that stays. Its other arguments, if there
        are any, are only waited for: rows of what the panel before has made final. So no strip lags
        behind by more than a panel, and few panels are held at a time.
    applied
        What factors make of the columns behind their panel, which are its last argument: the first
        rows, as many as the panel has columns, and the others. Strips of these are made when those
        of the first are there: then nobody needs the strips any more that both are made of.
    right
        More columns, of which there are no panels.
    """
    awaited: list[Tensor] = []
    for columns in panels_of(min(x.type.shape), width):
        count = columns.stop - columns.start
        factors, rest = factor(columns_of(x, None, count), *awaited), columns_of(x, count, None)
        rest, right = rest if right is None else side_by_side([rest, right]), None
        beside, x = rows_of(rest, None, count), rows_of(rest, count, None)
        if rest.type.size:
            beside, x = applied(*factors, rest)
            awaited = [rows_of(final, 0, 1) for final in (factors[-1], beside)]
        yield Panel(columns, factors, beside)


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


def less_product(x: Tensor, a: Tensor, b: Tensor) -> Tensor:
    """``x - a @ b``, held: those who read a part of it need nothing of `x` any more."""
    parts = [(x, "mk"), (a, "mj"), (b, "jk")]
    outputs = {"mk": x.type.dtype}
    (made,) = call_on_matrices(_less_product, parts, outputs, ("mjk", 2.0), cut="mk", copies=1)
    return made


def _less_product(x: Any, a: Any, b: Any) -> Any:
    made = a @ b
    return np.subtract(x, made, out=made)


def rows_of(x: Tensor, start: int | None, stop: int | None) -> Tensor:
    """Some rows."""
    return basic_slice(x, (slice(start, stop),))


def columns_of(x: Tensor, start: int | None, stop: int | None) -> Tensor:
    """Some columns."""
    return basic_slice(x, (slice(None), slice(start, stop)))


def side_by_side(parts: list[Tensor]) -> Tensor:
    """Matrices of the same rows as one."""
    return concat_nonempty(parts, 1)


def stacked(parts: list[Tensor]) -> Tensor:
    """Matrices of the same columns as one."""
    return concat_nonempty(parts, 0)
