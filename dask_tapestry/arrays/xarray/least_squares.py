"""Least squares of xarray's `polyfit` that skip NaN: of all lanes of a block at once.

With ``lhs = Q R`` a lane's coefficients in the basis ``Q`` are sums of its cells times the basis.
Those of a lane with gaps solve ``(I - H) c = sums``, where ``H`` sums what its gaps lack of ``I``;
one step of iterative refinement takes the error to that of an orthogonal factorisation. Rows are
added one after the other, so a lane has the same bits whatever lies beside it. Lanes whose gaps
leave the basis nearly dependent are left to xarray, lane by lane.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any, Final, NamedTuple

import numpy as np
from xarray.core import nputils

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.shape.transposing import moveaxis
from dask_tapestry.arrays.tuning import FITTED_LANES, FITTED_ROWS, LEAST_EIGENVALUE
from dask_tapestry.arrays.user_functions.gufuncs import apply_gufunc

Block = np.ndarray[Any, Any]

FIT_OF_A_LANE: Final[Any] = getattr(nputils, "_nanpolyfit_1d", None)  # xarray's own, may move


def fitting_together(fit: Callable[..., Any]) -> Callable[..., Any]:
    """Xarray's `least_squares` of chunked arrays.

    {Parameters} fit: ``xarray.compat.dask_array_ops.least_squares``.
    {Returns} Callable: Of the same signature; it has xarray's as ``__wrapped__``.
    """

    @wraps(fit)
    def fitted(lhs: Any, rhs: Any, rcond: float | None = None, skipna: bool = False) -> Any:
        basis = _basis(lhs, rcond) if skipna and FIT_OF_A_LANE is not None else None
        if basis is None or not isinstance(rhs, Array) or rhs.dtype.char not in "bBhHiIlLqQefd":
            return fit(lhs, rhs, rcond=rcond, skipna=skipna)
        found = apply_gufunc(
            fit_lanes,
            "(n)->(c)",
            moveaxis(rhs, 0, -1),
            basis=basis,
            output_dtypes=np.float64,
            output_sizes={"c": lhs.shape[1] + 1},
            allow_rechunk=True,
        )
        found = moveaxis(found, -1, 0)
        return found[:-1], found[-1]

    return fitted


class Basis(NamedTuple):
    """Columns to fit, an orthonormal basis of them, and what takes one to the other."""

    columns: Block
    orthonormal: Block
    inverse: Block


def _basis(columns: Any, rcond: float | None = None) -> Basis | None:
    """Of columns in memory that are independent, with all gaps that are fitted here; else None.

    {Parameters} rcond: Singular values below this share of the largest count as 0.
    """
    if not isinstance(columns, np.ndarray) or columns.dtype != np.float64:
        return None
    n, k = columns.shape
    values = np.linalg.svd(columns, compute_uv=False)
    least = np.finfo(np.float64).eps * n if rcond is None else rcond
    if n < k or not values[-1] * LEAST_EIGENVALUE**0.5 > values[0] * least:
        return None
    orthonormal, triangle = np.linalg.qr(columns)
    return Basis(columns, orthonormal, np.linalg.inv(triangle))


def fit_lanes(cells: Block, basis: Basis) -> Block:
    """Coefficients of each lane along the last axis, then the sum of its squared residuals.

    {Parameters} cells: Shaped (..., n). basis: Of n rows and k columns.
    {Returns} numpy.ndarray: float64, shaped (..., k + 1); NaN for lanes without cells.
    """
    *shape, n = cells.shape
    in_line = cells.flags.c_contiguous
    lanes = cells.reshape(-1, n) if in_line else np.moveaxis(cells, -1, 0).reshape(n, -1).T
    fits = np.empty((len(lanes), basis.columns.shape[1] + 1))
    for first in range(0, len(lanes), FITTED_LANES):
        cut = slice(first, first + FITTED_LANES)
        fits[cut] = _fits(lanes[cut], basis)
    return fits.reshape(*shape, fits.shape[1])


def _fits(lanes: Block, basis: Basis) -> Block:
    """`fit_lanes` of a few lanes."""
    k = basis.columns.shape[1]
    with np.errstate(all="ignore"):
        sums, lack, counts = _sums(lanes, basis.orthonormal)
        gaps = np.flatnonzero(counts < len(basis.columns))
        grams = np.eye(k) - lack[:, :, gaps].transpose(2, 0, 1)
        grams[counts[gaps] <= k] = np.nan
        is_bad: Block = ~np.all(np.isfinite(sums), axis=0)
        is_bad[gaps] |= ~(_least_eigenvalues(grams) > LEAST_EIGENVALUE)
        grams[is_bad[gaps]] = np.eye(k)
        solved = _Solver(gaps, grams).of(sums)
        off, squares = _residuals(lanes, basis.orthonormal, solved)
        solved += _Solver(gaps, grams).of(off)
        fits = np.empty((len(lanes), k + 1))
        for i, row in enumerate(basis.inverse):
            fits[:, i] = sum(factor * of for factor, of in zip(row, solved, strict=True))
    fits[:, k] = squares if len(basis.columns) > k else np.nan
    for lane in np.flatnonzero(is_bad):
        fits[lane] = FIT_OF_A_LANE(lanes[lane], basis.columns)
    return fits


class _Solver(NamedTuple):
    """Solves for the coefficients of lanes, some of which have gaps."""

    gaps: Block
    grams: Block

    def of(self, sums: Block) -> Block:
        solved = sums.copy()
        if self.gaps.size:
            right = sums[:, self.gaps].T[..., None]
            solved[:, self.gaps] = np.linalg.solve(self.grams, right)[..., 0].T
        return solved


def _least_eigenvalues(grams: Block) -> Block:
    """Of each matrix; NaN of those that are not finite."""
    least = np.full(len(grams), np.nan)
    finite = np.isfinite(grams).all((1, 2))
    if finite.any():
        least[finite] = np.linalg.eigvalsh(grams[finite])[:, 0]
    return least


def _pieces(lanes: Block, basis: Block) -> Iterator[tuple[Block, Block, Block]]:
    """Some rows at a time: cells with 0 in gaps, where gaps are, and rows of the basis."""
    for first in range(0, len(basis), FITTED_ROWS):
        cut = slice(first, first + FITTED_ROWS)
        cells = np.array(lanes[:, cut].T, np.float64, order="C")
        is_gap = np.isnan(cells)
        if is_gap.any():
            cells[is_gap] = 0
        yield cells, is_gap, basis[cut]


def _sums(lanes: Block, basis: Block) -> tuple[Block, Block, Block]:
    """Sums of cells times the basis, what gaps lack of its products, and the counts of cells."""
    k, count = basis.shape[1], len(lanes)
    sums, lack = np.zeros((k, count)), np.zeros((k, k, count))
    counts = np.full(count, len(basis))
    for cells, is_gap, rows in _pieces(lanes, basis):
        for row, factors in zip(cells, rows, strict=True):
            for i, factor in enumerate(factors):
                sums[i] += row * factor
        counts -= np.count_nonzero(is_gap, axis=0)
        for at in np.flatnonzero(is_gap.any(1)):
            for i in range(k):
                for j in range(i, k):
                    lack[i, j] += is_gap[at] * (rows[at, i] * rows[at, j])
    for i in range(k):
        lack[i:, i] = lack[i, i:]
    return sums, lack, counts


def _residuals(lanes: Block, basis: Block, solved: Block) -> tuple[Block, Block]:
    """Sums of what is left of cells times the basis, and sums of its squares."""
    sums, squares = np.zeros_like(solved), np.zeros(len(lanes))
    for cells, is_gap, rows in _pieces(lanes, basis):
        for row, gap, factors in zip(cells, is_gap, rows, strict=True):
            for i, factor in enumerate(factors):
                row -= solved[i] * factor
            row[gap] = 0
            for i, factor in enumerate(factors):
                sums[i] += row * factor
            squares += row * row
    return sums, squares
