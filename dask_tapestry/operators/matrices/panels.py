"""Panels of columns of a matrix larger than a worker: each is factored, then applied to the rest.

How wide they are is the size of a form (`MatrixFunction.forms`), which plans choose by cost.

A panel is whole in one block. The matrix is cut into strips of columns, which stay where they are
from panel to panel; only panels travel. As in LAPACK what a panel is factored into takes its place:
the matrix keeps its shape, so all its versions are cut alike, and a strip is freed when the next
one has been made of it.

Source: Dongarra, Duff, Sorensen, van der Vorst, "Numerical Linear Algebra for High-Performance
Computers", SIAM, 1998, chapter 5: the right-looking algorithms.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import numpy as np

from dask_tapestry.cells.references import zero_cell
from dask_tapestry.operators.cells.elementwise import astype, elementwise
from dask_tapestry.operators.generators.coordinates import coordinates
from dask_tapestry.operators.generators.full import full
from dask_tapestry.operators.joins.axis_slices import concat_nonempty
from dask_tapestry.operators.joins.diagonal import on_diagonal
from dask_tapestry.operators.matrices.panel_step import panel_factors, panel_step, spread
from dask_tapestry.operators.views.permute import permute
from dask_tapestry.operators.views.slice import basic_slice
from dask_tapestry.teg import Tensor

Factors = tuple[Tensor, ...]  # of a panel; the first is what takes its place
AWAITED: Final = ("ab", "cd")  # letters of the dimensions of what a panel waits for


class Factorization(NamedTuple):
    """How panels are factored and applied.

    Attributes
    ----------
    factor
        Kernel of a panel's block, from the row on that has the number of its first column. It
        returns what takes the panel's place, and other factors. Other blocks are only waited for.
    others
        Dtypes of the other factors by the letters of their dimensions: p of a panel's rows, n of
        its columns. None stands for the matrix's.
    strip
        Kernel of blocks: of the factors, of the numbers of some columns, and of these columns of
        the matrix, among which there may be those of the panel. It returns a new block, or that
        which it was given, where a panel does not change it.
    flops
        Operations of factoring, for each row and pair of columns of a panel.
    copies
        Of a panel, which factoring takes besides.
    """

    factor: str
    others: Mapping[str, np.dtype[Any] | None]
    strip: str
    flops: float
    copies: float = 1.5

    @property
    def letters(self) -> tuple[str, ...]:
        """The letters of the dimensions of all factors."""
        return ("pn", *self.others)


def panels_of(side: int, width: int) -> list[slice]:
    """Runs of `width` columns; the last may be shorter.

    Examples
    --------
    >>> panels_of(5, 2)
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    return [slice(start, min(start + width, side)) for start in range(0, side, width)]


def factored(
    x: Tensor, runs: list[slice], how: Factorization, right: Tensor | None = None
) -> tuple[Tensor, Tensor | None, list[Factors]]:
    """The matrix when all panels have been factored and applied, and the factors of each.

    Those are applied to columns on the `right` of it too, if there are any. A panel is factored
    when the last one has been applied to all strips: so none lags behind, and few panels are held
    at a time.
    """
    factors, awaited = list[Factors](), list[Tensor]()
    for run in runs:
        factors.append(_factors(panel_at(x, run), awaited, how))
        x = applied(how.strip, factors[-1], how.letters, x)
        if right is not None:
            right = applied(how.strip, factors[-1], how.letters, right, x.type.shape[1])
        awaited = [rows_of(one, 0, 1) for one in (x, right) if one is not None]
    return x, right, factors


def panel_at(x: Tensor, run: slice) -> Tensor:
    """The columns of a panel, from the row on that has the number of its first column."""
    return columns_of(rows_of(x, run.start, None), run.start, run.stop)


def _factors(panel: Tensor, awaited: list[Tensor], how: Factorization) -> Factors:
    """Factors of a panel; the small ones are held in blocks of their own."""
    parts = [(panel, "pn"), *zip(awaited, AWAITED, strict=False)]
    made = {d: how.others.get(d) or panel.type.dtype for d in how.letters}
    first, *others = panel_factors(how.factor, parts, made, ("pnn", how.flops), how.copies)
    return first, *map(spread, others)


def applied(
    strip: str, factors: Factors, letters: tuple[str, ...], x: Tensor, first: int = 0
) -> Tensor:
    """What the kernel `strip` makes of columns, of which the first has the number `first`.

    The dimensions of the factors have the letters.
    """
    numbers = numbers_from(-first, x.type.shape[1])
    parts = [*zip(factors, letters, strict=True), (numbers, "k"), (x, "mk")]
    return panel_step(strip, parts, ("mk", x.type.dtype), ("pnk", 2.0), "k", taken=1)


def numbers_from(origin: int, count: int) -> Tensor:
    """Numbers of `count` rows or columns, which count from the one at `origin`."""
    return elementwise("subtract", coordinates((count,), 0), origin)


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
