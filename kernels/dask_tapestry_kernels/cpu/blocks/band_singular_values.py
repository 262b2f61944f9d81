"""Singular values of upper bands, which have one diagonal a row, from the main one up.

A wide band is made a narrow one, by products, before LAPACK makes it bidiagonal by rotations. Where
LAPACK is not at hand they are eigenvalues of a tridiagonal matrix twice as long, whose rows are
those of the bidiagonal one and of its adjoint by turns: for each value it has both signs.

Source: Golub, Kahan, "Calculating the singular values and pseudo-inverse of a matrix", J. SIAM
Numer. Anal. 2, 1965.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cpu.blocks.bands import scaled
from dask_tapestry_kernels.cpu.blocks.bulge_chase import prepared, two_diagonals
from dask_tapestry_kernels.cpu.blocks.lapack_bidiagonal import (
    bidiagonal_of_band,
    bidiagonal_values,
)
from dask_tapestry_kernels.cpu.blocks.matrices import one_result
from dask_tapestry_kernels.cpu.blocks.tridiagonal import tridiagonal_values
from dask_tapestry_kernels.kernel_table import Kernel

Block = np.ndarray[Any, Any]


def band_singular_values(band: Block) -> Block:
    """Descending singular values of a square band; each column has its own cells of diagonals.

    Raises
    ------
    LinAlgError
        If a cell is not finite.
    """
    cells, scale = scaled(band, "SVD did not converge")
    lower = prepared(transposed(cells), is_hermitian=False)
    found = bidiagonal_of_band(upper(lower))
    values = None if found is None else bidiagonal_values(*found)
    if values is None:
        below = by_turns(*two_diagonals(lower))
        values = tridiagonal_values(np.zeros(len(below) + 1), below)[::-1]
        values = np.maximum(values[: band.shape[1]], 0)
    return values * scale


def transposed(band: Block) -> Block:
    """The diagonals from the main one down, each from its first cell.

    Examples
    --------
    >>> transposed(np.array([[1.0, 2.0], [0.0, 3.0]]))
    array([[1., 2.],
           [3., 0.]])
    """
    side = band.shape[1]
    made = np.zeros_like(band)
    for d, cells in enumerate(band[:side]):
        made[d, : side - d] = cells[d:]
    return made


def upper(band: Block) -> Block:
    """The diagonals from the main one up, of those from the main one down.

    Examples
    --------
    >>> upper(np.array([[1.0, 2.0], [3.0, 0.0]]))
    array([[1., 2.],
           [0., 3.]])
    """
    side = band.shape[1]
    made = np.zeros_like(band)
    for d, cells in enumerate(band[:side]):
        made[d, d:] = cells[: side - d]
    return made


def by_turns(diagonal: Block, below: Block) -> Block:
    """The cells beside the diagonal of zeros, of a matrix with values of both signs.

    Examples
    --------
    >>> by_turns(np.array([1.0, 2.0]), np.array([3.0]))
    array([1., 3., 2.])
    """
    made = np.empty(len(diagonal) + len(below), below.dtype)
    made[::2], made[1::2] = abs(diagonal), below
    return made


KERNELS: Final[Mapping[str, Kernel]] = {"bandsingularvalues": one_result(band_singular_values)}
